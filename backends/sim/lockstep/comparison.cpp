// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/lockstep/comparison.h"

#include <bit>
#include <stdexcept>

namespace kumiki::backends::lockstep {
namespace {

std::vector<std::uint64_t> cut(const ir::Frame& frame, const ir::PortSlot& port) {
  return {frame.begin() + port.limb, frame.begin() + port.limb + port.limbs()};
}

}  // namespace

void Comparison::compare(std::uint64_t cycle, unsigned lane, const ir::Frame& in,
                         ir::Frame expected, ir::Frame got, const ir::Frame* unknown,
                         const ir::Frame* valid) {
  if (expected.size() != ports_.output_limbs || got.size() != ports_.output_limbs)
    throw std::logic_error("a machine returned a frame that does not fit the ports");
  if (result_.mismatches == 0) {
    if (history_.size() <= lane) history_.resize(lane + 1);
    auto& history = history_[lane];
    history.push_back(in);
    if (history.size() > options_.history) history.pop_front();
  }
  ++result_.cycles;
  for (const auto& port : ports_.outputs)
    result_.comparisons += !valid || (*valid)[port.limb] != 0 ? 1 : 0;
  bool has_unknown = false;
  ir::Frame known_not;
  if (unknown) known_not = *unknown;
  for (std::size_t l = 0; l < expected.size(); ++l) {
    const std::uint64_t counts = valid ? (*valid)[l] : ~std::uint64_t{0};
    expected[l] &= counts;
    got[l] &= counts;
    low_[l] |= ~expected[l] & counts;
    high_[l] |= expected[l];
    if (unknown) has_unknown |= (known_not[l] &= counts) != 0;
  }
  if (expected == got && !has_unknown) return;
  for (std::uint32_t o = 0; o < ports_.outputs.size(); ++o)
    note(cycle, lane, o, expected, got, has_unknown ? &known_not : nullptr);
}

void Comparison::note(std::uint64_t cycle, unsigned lane, std::uint32_t output,
                      const ir::Frame& expected, const ir::Frame& got, const ir::Frame* unknown) {
  const auto& port = ports_.outputs[output];
  Mismatch m{cycle, lane, output, cut(expected, port), cut(got, port), {}};
  if (unknown) m.unknown = cut(*unknown, port);
  bool differs = m.expected != m.got;
  for (auto limb : m.unknown) differs |= limb != 0;
  if (!differs) return;
  if (result_.mismatches++ == 0 && !history_.empty())
    result_.history.assign(history_[lane].begin(), history_[lane].end());
  if (result_.first.size() < options_.keep) result_.first.push_back(std::move(m));
}

bool Comparison::is_enough(std::uint64_t cycle) const {
  return !result_.first.empty() && cycle >= result_.first.front().cycle + options_.cycles_after;
}

void Comparison::finish(LockstepResult& result) {
  for (const auto& port : ports_.outputs) {
    result_.output_bits += port.width;
    for (std::uint32_t l = 0; l < port.limbs(); ++l)
      result_.moving_output_bits +=
          static_cast<std::uint32_t>(std::popcount(low_[port.limb + l] & high_[port.limb + l]));
  }
  result = std::move(result_);
}

}  // namespace kumiki::backends::lockstep
