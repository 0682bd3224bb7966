// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/matmul/machine.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

MatMulRuns runs_of(const graph::MatMul& op, const graph::MatMulSizes& sizes, std::int64_t lanes) {
  const bool by_pixels = op.by_pixels == 1;
  return {.pixels = sizes.pixels,
          .groups = op.groups,
          .runs = by_pixels ? sizes.outputs / lanes : sizes.outputs,
          .beats = by_pixels ? sizes.terms : sizes.terms / lanes};
}

namespace {

// Beats of runs, one below the other.
Stream as_runs(const Stream& map, const MatMulRuns& runs) {
  return {.height = runs.pixels * runs.groups * runs.runs,
          .width = runs.beats,
          .channels = map.lanes,
          .lanes = map.lanes,
          .format = map.format};
}

}  // namespace

ReorderPlan repeated_first(const Stream& map, const MatMulRuns& runs) {
  ReorderPlan plan{map, as_runs(map, runs), runs.pixels, {}};
  for (std::int64_t group = 0; group < runs.groups; ++group)
    for (std::int64_t run = 0; run < runs.runs; ++run)
      for (std::int64_t beat = 0; beat < runs.beats; ++beat)
        plan.reads.push_back(static_cast<std::int32_t>(group * runs.beats + beat));
  return plan;
}

ReorderPlan repeated_second(const graph::MatMul& op, const Stream& map, const MatMulRuns& runs) {
  ReorderPlan plan{map, as_runs(map, runs), 1, {}};
  for (std::int64_t pixel = 0; pixel < runs.pixels; ++pixel)
    for (std::int64_t group = 0; group < runs.groups; ++group)
      for (std::int64_t run = 0; run < runs.runs; ++run)
        for (std::int64_t beat = 0; beat < runs.beats; ++beat) {
          const std::int64_t at = op.by_pixels == 1
                                      ? beat * map.blocks() + group * runs.runs + run
                                      : run * map.blocks() + group * runs.beats + beat;
          plan.reads.push_back(static_cast<std::int32_t>(at));
        }
  return plan;
}

Stream MatMulPlan::output() const {
  if (!adds_lanes()) return b.with(factors.product());
  Stream one = b;
  one.channels = one.lanes = 1;
  return one.with({arith::signed_bits(factors.products() * arith::Exact{b.lanes}), true});
}

namespace {

// Levels of a tree that adds two at a time.
int tree_of(const MatMulPlan& p) {
  return p.adds_lanes() ? std::bit_width(static_cast<std::uint64_t>(p.b.lanes - 1)) : 0;
}

}  // namespace

Moving MatMulPlan::schedule() const { return Stages::schedule(b, 2, 3 + tree_of(*this)); }

// A LUT and the carry chain behind it.
int MatMulPlan::levels() const { return std::max(3, 1 + (output().format.bits + 7) / 8); }

std::string MatMulPlan::text() const {
  return fmt::format("{} runs of {} products of {} and {} bits in {} lanes", a.height, a.width,
                     a.format.bits, b.format.bits, b.lanes);
}

std::string MatMulPlan::module_name() const {
  return fmt::format("matmul{}_{}x{}{}", b.lanes, a.height, a.width, adds_lanes() ? "" : "_alone");
}

MachineOut<Hardware> build(Scope& s, const MatMulPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Stages stages(s, in, p.b.lanes, p.schedule());
  const auto lanes_a = static_cast<std::size_t>(p.a.lanes);
  std::vector<UInt> sums;
  for (std::int64_t i = 0; i < p.b.lanes; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    sums.push_back(product_in_slice(s, p.factors, in.in_data[p.adds_lanes() ? lane : 0],
                                    in.in_data[lanes_a + lane], stages.takes(i, 0),
                                    stages.takes(i, 1), stages.moves(i)));
  }
  if (p.adds_lanes()) {
    while (sums.size() > 1) {
      std::vector<UInt> pairs;
      const std::uint32_t width = sums[0].width() + 1;
      const auto wide = [&](const UInt& x) { return sext(s, as_signed(x), width); };
      for (std::size_t i = 0; i < sums.size(); i += 2) {
        // The results all leave with the first lanes.
        const SInt sum =
            i + 1 < sums.size() ? add(s, wide(sums[i]), wide(sums[i + 1])) : wide(sums[i]);
        pairs.push_back(reg(s, as_unsigned(sum), {.enable = stages.moves(0)}));
      }
      sums = std::move(pairs);
    }
    sums[0] = sums[0].slice(0, static_cast<std::uint32_t>(p.output().format.bits));
  }
  return stages.leave(sums);
}

Lanes beat(const MatMulPlan& p, std::int64_t k, const Taken& in) {
  const auto a = in.at(0, k), b = in.at(1, k);
  Lanes all;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::int64_t one =
        (arith::value_of(a[p.adds_lanes() ? i : 0], p.a.format) - p.factors.zero_a) *
        (arith::value_of(b[i], p.b.format) - p.factors.zero_b);
    sum += one;
    all.push_back(arith::raw_of(one, p.output().format));
  }
  if (p.adds_lanes()) return {arith::raw_of(sum, p.output().format)};
  return all;
}

}  // namespace kumiki::gen::pipeline
