// SPDX-License-Identifier: Apache-2.0
// Connects the engines and the rows.
#include "gen/layers/array/build.h"

#include <fmt/format.h>

#include "gen/layers/array/hardware/compute.h"
#include "gen/layers/array/hardware/drain.h"
#include "gen/layers/array/hardware/row.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {
namespace {

// The individual word of an element in a fully connected layer: its own, or for a batch its
// column's.
UInt direct(Scope& s, const ArrayPlan& p, const Steps& steps, const Feed& feed, int row,
            int column) {
  const int element = row * p.columns() + column;
  const UInt& of_column = feed.direct[static_cast<std::size_t>(column)];
  if (!p.request.batched_fc || row == 0) return feed.direct[static_cast<std::size_t>(element)];
  if (element < p.fc_elements())
    return mux(s, steps.batch, of_column, feed.direct[static_cast<std::size_t>(element)]);
  return s.word(of_column & steps.batch);
}

RowIn<Hardware> row_in(Scope& s, const ArrayPlan& p, const Config& c, const Steps& steps,
                       const Feed& feed, const std::vector<UInt>& common, const UInt& drain_at,
                       int row) {
  RowIn<Hardware> in{.rst = c.rst,
                     .go = steps.go,
                     .load = steps.load,
                     .again = steps.again,
                     .capture = steps.capture,
                     .capture_at = steps.capture_at,
                     .common = common,
                     .shift_in = feed.shift_in,
                     .take_shadow = steps.late_shadow,
                     .take_direct = steps.late_direct,
                     .move = steps.move,
                     .pixels = feed.pixels[static_cast<std::size_t>(row)],
                     .drain_at = drain_at};
  if (p.swapped()) in.swap = {steps.swap};
  if (p.cuts_across()) in.across = {steps.across};
  const RowPlan plan = row_plan(p, row);
  in.common.resize(static_cast<std::size_t>(plan.commons()));
  for (int i = 0; i < plan.direct; ++i) in.direct.push_back(direct(s, p, steps, feed, row, i));
  if (plan.batch) {
    in.batch = {steps.batch};
    in.weight = {feed.direct[static_cast<std::size_t>(p.columns() + row)]};
  }
  return in;
}

// The common operand of a part: its own if the array is cut in that direction.
UInt common_of(Scope& s, const ArrayPlan& p, const Steps& steps, const std::vector<UInt>& words,
               bool low, bool right) {
  auto word = [&](bool down, bool across) {
    return words[static_cast<std::size_t>(p.common_lane(down, across))];
  };
  if (low && right)
    return s.word(mux(steps.down, mux(steps.across, word(true, true), word(true, false)),
                      mux(steps.across, word(false, true), word(false, false))));
  if (low) return mux(s, steps.down, word(true, false), word(false, false));
  if (right) return mux(s, steps.across, word(false, true), word(false, false));
  return words[0];
}

}  // namespace

ArrayOut<Hardware> build(Scope& s, const ArrayPlan& p, const ArrayIn<Hardware>& in) {
  s.module().set_about(fmt::format(
      "{} x {} elements of {} accumulators, {} {} and {} for the results", p.rows(), p.columns(),
      p.depth(), p.slices(), ir::arch::of(s.family()).dsp.name, p.output_slices()));
  const Config c = config(s, p, in.rst, in.cfg_valid, in.cfg_addr, in.cfg_data);
  Wire<Net> take_shadow(s), take_direct(s), take_common(s), released(s);
  const Feed feed = build_feed(s, p, c, in, {.shadow = take_shadow, .direct = take_direct});
  Common common = build_common(s, p, c, in, take_common);
  const Steps steps = build_compute(s, p, c, feed, common.full, released);
  take_shadow.drive(steps.take_shadow);
  take_direct.drive(steps.take_direct);
  take_common.drive(steps.take_common);
  Room room(s, c.rst);  // for rows of results
  const Reading reading = build_reading(s, p, c, steps.block_captured, room.left());
  released.drive(reading.released);

  // Words come with their step; the memory has one more register.
  for (UInt& word : common.words) word = later(s, word, p.feed_clocks() - 1);
  // One for each part, the upper parts first.
  std::vector<std::vector<UInt>> commons;
  for (const bool low : {false, true}) {
    if (low && !p.cuts_down()) continue;
    commons.push_back({common_of(s, p, steps, common.words, low, false)});
    if (p.cuts_across()) commons.back().push_back(common_of(s, p, steps, common.words, low, true));
  }
  auto common_of_row = [&](std::size_t row) {
    const bool low = p.cuts_down() && static_cast<std::int64_t>(row) >= p.cut_down().offset;
    return commons[low ? 1 : 0];
  };

  Sums sums;
  std::vector<UInt> last, weights;  // operands of the last column
  for (int r = 0; r < p.rows(); ++r) {
    const auto out = instantiate(
        s, build_row, row_plan(p, r),
        row_in(s, p, c, steps, feed, common_of_row(static_cast<std::size_t>(r)), reading.at, r),
        fmt::format("row{}", r));
    sums.rows.push_back(out.sums);
    for (const UInt& x : out.last) last.push_back(x);
    for (const UInt& w : out.weight) weights.push_back(w);
  }
  const UInt nothing = s.constant(0, static_cast<std::uint32_t>(p.operand_bits()));
  auto pair = [&](const std::vector<UInt>& all, std::size_t r) {
    return std::vector{all[r], r + 1 < all.size() ? all[r + 1] : nothing};
  };
  for (std::size_t r = 0; r < last.size(); r += 2) {
    EdgeIn<Hardware> edge{.rst = c.rst,
                          .go = steps.go,
                          .load = steps.load,
                          .again = steps.again,
                          .capture = steps.capture,
                          .capture_at = steps.capture_at,
                          .common = common_of_row(r).back(),
                          .individual = pair(last, r),
                          .drain_at = reading.at};
    if (p.request.batched_fc) {
      edge.batch = {steps.batch};
      edge.weights = pair(weights, r);
    }
    sums.edge.push_back(
        instantiate(s, build_edge, EdgePlan{slice_plan(p)}, edge, fmt::format("edge{}", r / 2))
            .sums);
  }
  const Leaving leaving = build_leaving(s, p, c, in, build_results(s, p, c, reading.flags, sums));
  room.finish(s.net(reading.flags.valid & reading.flags.emit), leaving.row_taken);

  const Net done = s.net(leaving.valid & in.out_ready & leaving.final);
  return {.busy = latch(s, c.start, done, c.rst),
          .computing = steps.computing,
          .ind_ready = feed.ind_ready,
          .com_ready = common.ready,
          .par_ready = leaving.par_ready,
          .out_valid = leaving.valid,
          .out_last = leaving.last,
          .out_data = leaving.data,
          .out_keep = leaving.keep};
}

}  // namespace kumiki::gen::array
