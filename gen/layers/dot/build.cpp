// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/build.h"

#include <fmt/format.h>

namespace kumiki::gen::dot {
namespace {

// Operands of a side as [operand][slot]: from the port, or constants where they are known.
std::vector<std::vector<Word>> operands(Scope& s, const packing::OperandFormat& format, int count,
                                        std::int64_t slots, const std::vector<UInt>& port) {
  std::vector<std::vector<Word>> all(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t j = 0; j < static_cast<std::size_t>(slots); ++j)
      all[k].push_back(format.known()
                           ? Word(s.constant(static_cast<std::uint64_t>(format.values[k][j]) &
                                                 ((std::uint64_t{1} << format.bits) - 1),
                                             static_cast<std::uint32_t>(format.bits)))
                           : Word(port[k * static_cast<std::size_t>(slots) + j]));
  return all;
}

}  // namespace

DotOut<Hardware> build(Scope& s, const DotPlan& p, const DotIn<Hardware>& in) {
  const auto& k = p.packing;
  s.module().set_about(fmt::format("{} terms, {} products of {} x {} in every DSP48E2, latency {}",
                                   k.terms, k.packed_count * k.shared_count,
                                   packing::to_string(k.packed), packing::to_string(k.shared),
                                   p.latency()));
  const auto sequence = packing::build_sequence(s, k, in.in_valid, in.en, in.rst);
  const packing::OperandNets nets{operands(s, k.packed, k.packed_count, p.slots(), in.x),
                                  operands(s, k.shared, k.shared_count, p.slots(), in.y)};
  const auto built = packing::build_dot(s, k, nets, sequence, p.skew, in.en);
  DotOut<Hardware> out;
  out.out_valid = packing::delayed_valid(s, sequence.done, built.latency, in.en, in.rst);
  for (const Word& word : built.results) out.sum.push_back(UInt(word));
  return out;
}

}  // namespace kumiki::gen::dot
