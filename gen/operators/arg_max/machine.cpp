// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/arg_max/machine.h"

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {

Walk ArgMaxPlan::schedule() const {
  const auto numbers = static_cast<std::size_t>(stream.channels);
  Walk walk{.around = {.lines = {true}, .columns = std::vector(numbers, true)},
            .lines = {true},
            .columns = std::vector(numbers, false),
            // The number in a register, and the largest one so far.
            .results = {.clocks = 2}};
  walk.columns.back() = true;
  return walk;
}

std::string ArgMaxPlan::text() const {
  return fmt::format("the index of the largest of {} numbers of {}", stream.channels,
                     to_string(stream.format));
}

std::string ArgMaxPlan::module_name() const {
  return fmt::format("arg_max{}x{}", stream.channels, stream.format.bits);
}

MachineOut<Hardware> build(Scope& s, const ArgMaxPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Net reset = in.rst;
  const ResultsPlan waits = p.schedule().results;
  Reg<Net> ready(s, {.init = 1, .reset = reset});
  const Net takes = s.net(in.in_valid[0] & ready);
  const Cycle place(s, p.stream.channels, takes, reset);
  const UInt number = reg(s, in.in_data[0]);
  const Net is_first = reg(s, place.is_one_of({0}));
  const Net valid = reg(s, takes, {.reset = reset});
  Reg<UInt> largest(s, number.width(), {.enable = valid});
  const Net is_larger = p.stream.format.is_signed
                            ? less(s, as_signed(largest.q()), as_signed(number))
                            : less(s, largest.q(), number);
  largest.next(lut(
      s, [](bool first, bool larger, bool one, bool zero) { return first || larger ? one : zero; },
      is_first, is_larger, number, largest.q()));
  UInt index = s.constant(0, static_cast<std::uint32_t>(p.format.bits));
  if (p.stream.channels > 1)
    index = zext(s, reg(s, reg(s, place.at()), {.enable = s.net(valid & (is_first | is_larger))}),
                 index.width());
  Net arrives = s.net(takes & place.last());
  for (std::int64_t i = 0; i < waits.clocks; ++i) arrives = reg(s, arrives, {.reset = reset});
  const Results results(s, waits, arrives, index, in.out_ready, reset);
  ready.next(results.room_next());
  return {.in_ready = {ready.q()}, .out_valid = results.valid(), .out_data = {results.word()}};
}

Lanes beat(const ArgMaxPlan& p, std::int64_t, const Taken& in) {
  std::int64_t index = 0, largest = 0;
  for (std::int64_t c = 0; c < p.stream.channels; ++c) {
    const std::int64_t number = arith::value_of(in.at(0, c)[0], p.stream.format);
    if (c > 0 && number <= largest) continue;
    largest = number;
    index = c;
  }
  return {arith::raw_of(index, p.format)};
}

}  // namespace kumiki::gen::pipeline
