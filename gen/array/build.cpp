// SPDX-License-Identifier: Apache-2.0
// The engines around the rows.
#include "gen/array/build.h"

#include <fmt/format.h>

#include "gen/array/hardware/compute.h"
#include "gen/array/hardware/drain.h"
#include "gen/array/hardware/row.h"

namespace kumiki::gen::array {
namespace {

RowIn<Hardware> row_in(const ArrayPlan& p, const Config& c, const Steps& steps, const Feed& feed,
                       const UInt& common, Net drain, const UInt& drain_at, int row) {
  RowIn<Hardware> in{.rst = c.rst,
                     .go = steps.go,
                     .load = steps.load,
                     .again = steps.again,
                     .capture = steps.capture,
                     .capture_at = steps.capture_at,
                     .common = common,
                     .shift_in = feed.shift_in,
                     .take_shadow = steps.take_shadow,
                     .take_direct = steps.take_direct,
                     .move = steps.move,
                     .pixels = feed.pixels[static_cast<std::size_t>(row)],
                     .drain = drain,
                     .drain_at = drain_at};
  if (p.swapped()) in.swap = {steps.swap};
  const int direct = row_plan(p, row).direct;
  for (int i = 0; i < direct; ++i)
    in.direct.push_back(feed.direct[static_cast<std::size_t>(row * p.columns() + i)]);
  return in;
}

}  // namespace

ArrayOut<Hardware> build(Scope& s, const ArrayPlan& p, const ArrayIn<Hardware>& in) {
  s.module().set_about(
      fmt::format("{} x {} elements of {} accumulators, {} DSP48E2 and {} for the results",
                  p.rows(), p.columns(), p.depth(), p.slices(), p.output_slices()));
  const Config c = config(s, p, in.rst, in.cfg_valid, in.cfg_addr, in.cfg_data);
  Wire<Net> take_shadow(s), take_direct(s), issue(s), released(s), drain_go(s);
  const Feed feed = build_feed(s, p, c, in, {.shadow = take_shadow, .direct = take_direct});
  const Common common = build_common(s, p, c, in, issue);
  const Steps steps = build_compute(s, p, c, feed, common.full, released);
  take_shadow.drive(steps.take_shadow);
  take_direct.drive(steps.take_direct);
  issue.drive(steps.issue);
  const Reading reading = build_reading(s, p, c, steps.block_captured, drain_go);
  released.drive(reading.released);

  Sums sums;
  std::vector<UInt> last;  // operands of the last column
  for (int r = 0; r < p.rows(); ++r) {
    const auto out = instantiate(s, build_row, row_plan(p, r),
                                 row_in(p, c, steps, feed, common.word, drain_go, reading.at, r),
                                 fmt::format("row{}", r));
    sums.rows.push_back(out.sums);
    for (const UInt& x : out.last) last.push_back(x);
  }
  for (std::size_t r = 0; r < last.size(); r += 2) {
    const UInt below = r + 1 < last.size()
                           ? last[r + 1]
                           : s.constant(0, static_cast<std::uint32_t>(p.operand_bits()));
    sums.edge.push_back(instantiate(s, build_edge, EdgePlan{slice_plan(p)},
                                    EdgeIn<Hardware>{.rst = c.rst,
                                                     .go = steps.go,
                                                     .load = steps.load,
                                                     .again = steps.again,
                                                     .capture = steps.capture,
                                                     .capture_at = steps.capture_at,
                                                     .common = common.word,
                                                     .individual = {last[r], below},
                                                     .drain = drain_go,
                                                     .drain_at = reading.at},
                                    fmt::format("edge{}", r / 2))
                            .sums);
  }
  const Drained drained = build_results(s, p, c, in, reading.flags, sums, drain_go);

  const Net done = all_of(s, std::vector<Net>{drained.valid, in.out_ready, drained.final});
  return {.busy = latch(s, c.start, done, c.rst),
          .computing = steps.computing,
          .ind_ready = feed.ind_ready,
          .com_ready = common.ready,
          .par_ready = drained.par_ready,
          .out_valid = drained.valid,
          .out_last = drained.last,
          .out_data = drained.data,
          .out_keep = drained.keep};
}

}  // namespace kumiki::gen::array
