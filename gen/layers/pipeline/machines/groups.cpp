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

MachineOut<Hardware> GroupBeats::leave(Scope& s, const Walk& walk, const UInt& result,
                                       const MachineIn<Hardware>& in) {
  const Net arrives = after(s, s.net(takes_ & beat_.last()), walk.results.clocks, in.rst);
  const Results results(s, walk.results, arrives, result, in.out_ready, in.rst);
  ready_.next(results.room_next());
  return {.in_ready = {ready_.q()}, .out_valid = results.valid(), .out_data = {results.word()}};
}

Net after(Scope& s, Net flag, std::int64_t clocks, Net reset) {
  for (std::int64_t i = 0; i < clocks; ++i) flag = reg(s, flag, {.reset = reset});
  return flag;
}

}  // namespace kumiki::gen::pipeline
