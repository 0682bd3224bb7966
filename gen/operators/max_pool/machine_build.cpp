// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/cycle.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/raster.h"
#include "gen/operators/max_pool/machine.h"
#include "gen/operators/max_pool/pool_step.h"

namespace kumiki::gen::pipeline {
namespace {

// The flags of the steps and of the end of an axis, by position.
std::vector<PoolStepNets> steps_of(Scope& s, const Cycle& at, const PoolAxis& axis,
                                   std::int64_t beats) {
  const auto flag = [&](const std::vector<bool>& table) { return Flag(s, at.look_up(table)); };
  const Flag completes = flag(axis.completes), always(s, ir::net_one), never(s, ir::net_zero);
  std::vector<PoolStepNets> nets;
  for (const PoolStep& step : axis.steps)
    nets.push_back({.beats = step.distance * beats,
                    .keeps_found = step.keeps_found,
                    .looks_back = flag(step.looks_back),
                    .restarts = step.restarts.empty() ? never : flag(step.restarts),
                    .passes = always});
  if (nets.empty()) nets.push_back({.looks_back = never, .restarts = never, .passes = always});
  nets.back().passes = completes;
  return nets;
}

PoolClock along(Scope& s, const MaxPoolPlan& p, std::vector<PoolStepNets>& steps, PoolClock now,
                Net reset) {
  for (PoolStepNets& step : steps) now = build_pool_step(s, p.stream, step, now, reset);
  return now;
}

}  // namespace

MachineOut<Hardware> build(Scope& s, const MaxPoolPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const PoolAxis lines = p.lines(), columns = p.columns();
  const Walk walk = p.schedule();
  Wire<Net> room_next(s);
  const Raster raster = build_raster(s, walk.around, in.in_valid[0], room_next, in.rst);
  auto across = steps_of(s, raster.column, columns, p.stream.blocks());
  auto down = steps_of(s, raster.line, lines, columns.windows * p.stream.blocks());
  // Positions behind the map get the lowest number, which changes no maximum.
  const std::uint64_t lowest =
      p.stream.format.is_signed ? std::uint64_t{1} << (p.stream.format.bits - 1) : 0;
  const PoolClock first{.valid = reg(s, raster.moves, {.reset = in.rst}),
                        .word = raster_word(s, walk.around, raster, in.in_data, lowest)};
  const PoolClock of_lines = along(s, p, across, first, in.rst);
  const PoolClock found = along(s, p, down, of_lines, in.rst);
  const Results results(s, walk.results, found.valid, found.word, in.out_ready, in.rst);
  room_next.drive(results.room_next());
  return {.in_ready = {raster.ready},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

}  // namespace kumiki::gen::pipeline
