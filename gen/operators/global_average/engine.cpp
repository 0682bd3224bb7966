// SPDX-License-Identifier: Apache-2.0
// The mean of a map on the engine: every number of a channel with the weight 1.
#include "gen/layers/engine/exact.h"
#include "gen/layers/engine/lowerer.h"

namespace kumiki::gen::engine {
namespace {

// A line of each phase; the walk repeats them line after line.
std::vector<Tap> taps_of(const Map& in) {
  std::vector<Tap> taps;
  for (std::int64_t py = 0; py < in.phases[0]; ++py)
    for (std::int64_t px = 0; px < in.phases[1]; ++px)
      for (std::int64_t x = 0; x < ceil_div(in.width - px, in.phases[1]); ++x)
        taps.push_back({.offset = in.phase(py, px) + x,
                        .from = {0, 0},
                        .to = {ceil_div(in.height - py, in.phases[0]), 1}});
  return taps;
}

}  // namespace

std::string no_unit(const Known& known, const graph::Node& n, const graph::GlobalAverage&) {
  return rounded_sum(known.graph(), n);
}

void to_engine(Lowerer& l, const Job& j, const graph::GlobalAverage&) {
  const graph::Node& n = l.node(j);
  const graph::TensorId input = n.inputs[0];
  Map in = l.location(input).map;
  const std::int64_t block = in.block();
  // A line of more columns than a walk has taps: equal pieces of it, as lines.
  if (in.height == 1 && in.phases == std::array<std::int64_t, 2>{1, 1} &&
      in.width > EngineShape::most_taps) {
    const std::int64_t all = in.width;
    for (in.width = EngineShape::most_taps; all % in.width != 0;) --in.width;
    in.height = all / in.width;
    in.pitch = in.width;
  }
  const Part part{.walk = {.block_step = block,
                           .taps = taps_of(in),
                           .repeats = in.lines(),
                           .repeat_step = in.pitch,
                           .repeats_weights = true,
                           .pad = stored_zero(l.tensor(input))}};
  Op op = l.plain(part, j.output, Unit::depthwise);
  const std::int64_t words = part.walk.words();
  op.parameters =
      l.parameters_of(n, op.tiles * l.shape().rows, [&](std::int64_t) { return words; }, {});
  l.set_range(op, n);
  l.add(j, input, part, std::move(op));
}

}  // namespace kumiki::gen::engine
