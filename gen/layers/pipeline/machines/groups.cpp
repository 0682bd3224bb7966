// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/groups.h"

#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {

Stream GroupedStream::by_group(const arith::Format& format) const {
  return {.height = stream.height, .width = stream.width * groups, .format = format};
}

Stream GroupedStream::by_beat(const arith::Format& format) const {
  return {.height = count(), .width = beats(), .format = format};
}

Walk GroupedStream::schedule(std::int64_t clocks) const {
  const auto of_group = static_cast<std::size_t>(beats()), all = static_cast<std::size_t>(count());
  Walk walk{.around = {.lines = std::vector(all, true), .columns = std::vector(of_group, true)},
            .lines = std::vector(all, true),
            .columns = std::vector(of_group, false),
            .results = {.clocks = clocks}};
  walk.columns.back() = true;
  return walk;
}

GroupBeats::GroupBeats(Scope& s, const GroupedStream& groups, const MachineIn<Hardware>& in)
    : ready_(s, {.init = 1, .reset = in.rst}),
      takes_(s.net(ready_ & in.in_valid[0])),
      beat_(s, groups.beats(), takes_, in.rst) {}

void GroupBeats::add_up(Scope& s, Dsp48e2& slice, std::int64_t clocks, Net reset) const {
  Flag adds(s, s.net(~is_first()));
  // It waits for a clock in the register of OPMODE.
  control_opmode(s, slice, w_is_p, adds.after(static_cast<int>(clocks - 1)));
  slice.cep = later(s, takes_, clocks, reset);
}

MachineOut<Hardware> GroupBeats::leave(Scope& s, const Walk& walk, const UInt& result,
                                       const MachineIn<Hardware>& in) {
  const Net arrives = later(s, s.net(takes_ & beat_.last()), walk.results.clocks, in.rst);
  const Results results(s, walk.results, arrives, result, in.out_ready, in.rst);
  ready_.next(results.room_next());
  return {.in_ready = {ready_.q()}, .out_valid = results.valid(), .out_data = {results.word()}};
}

UInt largest_of(Scope& s, std::vector<UInt> numbers, bool is_signed) {
  while (numbers.size() > 1) {
    std::vector<UInt> half;
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
      half.push_back(reg(
          s, mux(s, less(s, numbers[i], numbers[i + 1], is_signed), numbers[i + 1], numbers[i])));
    if (numbers.size() % 2 == 1) half.push_back(reg(s, numbers.back()));
    numbers = std::move(half);
  }
  return numbers[0];
}

Largest largest_so_far(Scope& s, const UInt& number, bool is_signed, Net is_first, Net valid) {
  Reg<UInt> largest(s, number.width(), {.enable = valid});
  const Net is_less = less(s, largest.q(), number, is_signed);
  largest.next(lut(
      s, [](bool first, bool less, bool one, bool other) { return first || less ? one : other; },
      is_first, is_less, number, largest.q()));
  return {is_less, largest.q()};
}

}  // namespace kumiki::gen::pipeline
