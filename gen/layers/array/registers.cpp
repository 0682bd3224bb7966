// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "gen/arith/format.h"
#include "gen/layers/array/messages.h"
#include "ir/error.h"

namespace kumiki::gen::array {

std::uint32_t word_bits(Engine engine, int word) {
  int most = 0;
  for (const Field& f : fields::all)
    if (f.engine == engine && f.word == word) most = std::max(most, f.low + f.width);
  return static_cast<std::uint32_t>(most);
}

void Descriptor::set(const Field& f, std::int64_t value) {
  const std::int64_t stored = value - f.less;
  if (stored < 0 || stored >> f.width != 0)
    throw DesignError(
        code::descriptor_overflow,
        fmt::format(
            "{} does not fit bits {} up of descriptor word {} of engine {}; it must be {} to {}",
            value, f.low, f.word, static_cast<int>(f.engine), f.less,
            (std::int64_t{1} << f.width) - 1 + f.less));
  const auto e = static_cast<std::size_t>(f.engine), w = static_cast<std::size_t>(f.word);
  words_[e][w] |= static_cast<std::uint32_t>(stored << f.low);
  used_[e][w] = true;
}

void Descriptor::set_signed(const Field& f, std::int64_t value) {
  set(f, static_cast<std::int64_t>(arith::raw_of(value, f.width)));
}

void Descriptor::set_phases(const Phases& p) {
  using namespace fields;
  for (const auto& [phases, taps, high, step] :
       {std::tuple(feeder_phases, feeder_taps, feeder_high, feeder_step),
        std::tuple(compute_phases, compute_taps, compute_high, compute_step)}) {
    set(phases, p.phases);
    set(taps, p.taps);
    set(high, p.high);
    set(step, p.step);
  }
}

std::vector<RegisterWrite> Descriptor::writes(int layer) const {
  std::vector<RegisterWrite> all;
  for (std::size_t e = 0; e < words_.size(); ++e)
    for (std::size_t w = 0; w < words_[e].size(); ++w)
      if (used_[e][w])
        all.push_back({address(static_cast<Engine>(e), layer, static_cast<int>(w)), words_[e][w]});
  return all;
}

}  // namespace kumiki::gen::array
