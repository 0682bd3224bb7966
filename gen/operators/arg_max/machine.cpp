// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/arg_max/machine.h"

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/groups.h"

namespace kumiki::gen::pipeline {

Walk ArgMaxPlan::schedule() const {
  // The number in a register, and the largest one so far.
  return GroupedStream{stream}.schedule(2);
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
  GroupBeats beats(s, {p.stream}, in);
  const UInt number = reg(s, in.in_data[0]);
  const Net is_first = reg(s, beats.is_first()), valid = reg(s, beats.takes(), {.reset = in.rst});
  const Largest largest = largest_so_far(s, number, p.stream.format.is_signed, is_first, valid);
  UInt index = s.constant(0, static_cast<std::uint32_t>(p.format.bits));
  if (p.stream.channels > 1)
    index = zext(
        s, reg(s, reg(s, beats.place()), {.enable = s.net(valid & (is_first | largest.is_less))}),
        index.width());
  return beats.leave(s, p.schedule(), index, in);
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
