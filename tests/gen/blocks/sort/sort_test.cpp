// SPDX-License-Identifier: Apache-2.0
// Sorts as hardware: all zeros and ones, all small values, random wide ones, stalls, counts.
#include "gen/blocks/sort/sort.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "ir/error.h"
#include "tests/gen/blocks/sort/zero_one.h"
#include "tests/support/circuit.h"
#include "tests/support/pipeline.h"

namespace kumiki::gen::sort {
namespace sort_sort_test {

using tests::Pipeline;
using Values = Pipeline::Values;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Values expected(const SortPlan& plan, const std::vector<Rank>& ranks, const Values& in) {
  Values out;
  const auto inputs = static_cast<std::size_t>(plan.network.inputs());
  const auto bits = static_cast<std::uint32_t>(plan.bits);
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(plan.lanes); ++lane)
    for (const Rank& r : ranks) {
      std::vector<std::int64_t> some;
      std::size_t wire = lane * inputs;
      for (std::size_t g = 0; g < plan.network.groups.size(); ++g)
        for (int k = 0; k < plan.network.groups[g]; ++k, ++wire)
          if (std::find(r.groups.begin(), r.groups.end(), static_cast<int>(g)) != r.groups.end())
            some.push_back(plan.is_signed ? tests::to_signed(in[wire], bits)
                                          : static_cast<std::int64_t>(in[wire]));
      std::sort(some.begin(), some.end());
      out.push_back(static_cast<std::uint64_t>(some[static_cast<std::size_t>(r.rank)]) &
                    ((std::uint64_t{1} << bits) - 1));
    }
  return out;
}

// What the outputs are is said by ranks, not by the network.
Pipeline pipeline(const SortPlan& plan, const std::vector<Rank>& ranks) {
  const auto inputs = static_cast<std::size_t>(plan.network.inputs());
  return Pipeline(
      std::vector<std::uint32_t>(inputs * static_cast<std::size_t>(plan.lanes),
                                 static_cast<std::uint32_t>(plan.bits)),
      static_cast<std::uint32_t>(plan.latency()),
      [=](Scope& s, const Pipeline::Words& in, Net enable) {
        std::vector<std::vector<UInt>> lanes;
        for (std::size_t i = 0; i < in.size(); i += inputs)
          lanes.emplace_back(in.begin() + static_cast<std::ptrdiff_t>(i),
                             in.begin() + static_cast<std::ptrdiff_t>(i + inputs));
        Pipeline::Words out;
        for (const auto& lane : sort(s, plan, lanes, enable))
          out.insert(out.end(), lane.begin(), lane.end());
        return out;
      },
      [=] { return [=](const Values& in) { return expected(plan, ranks, in); }; });
}

std::vector<Rank> every_rank(const Network& n) {
  std::vector<Rank> all;
  std::vector<int> groups;
  for (std::size_t g = 0; g < n.groups.size(); ++g) groups.push_back(static_cast<int>(g));
  for (int r = 0; r < n.inputs(); ++r) all.push_back({groups, r});
  return all;
}

void expect_cost(const SortPlan& plan, const Pipeline& p) {
  const SortCost want = cost(plan);
  const ir::Cost got = p.cost();
  EXPECT_EQ(static_cast<int>(got.luts), want.exchange_luts + want.comparison_luts);
  EXPECT_EQ(got.lut_rams, 0u);
  EXPECT_EQ(static_cast<int>(got.ffs), want.flip_flops);
  EXPECT_EQ(static_cast<int>(got.dsps), want.slices);
}

std::vector<SortPlan> ways(const Network& n, int bits, int lanes) {
  std::vector<SortPlan> all;
  for (const bool is_signed : {false, true}) {
    all.push_back({n, bits, is_signed, lanes, Form::slices});
    all.push_back({n, bits, is_signed, lanes, Form::luts});
  }
  return all;
}

std::string name(const SortPlan& p) {
  return fmt::format("{} inputs, {} bits, {} lanes, {}, {}, latency {}", p.network.inputs(), p.bits,
                     p.lanes, p.is_signed ? "signed" : "unsigned",
                     p.form == Form::slices ? "slices" : "luts", p.latency());
}

TEST(Sort, AllPairsOfBytesAndAllSmallValues) {
  for (const SortPlan& plan : ways(sorting(2), 8, 1)) {
    SCOPED_TRACE(name(plan));
    pipeline(plan, every_rank(plan.network)).check_all();
  }
  for (const SortPlan& plan : ways(sorting(3), 4, 1)) {
    SCOPED_TRACE(name(plan));
    pipeline(plan, every_rank(plan.network)).check_all();
  }
  for (const SortPlan& plan : ways(sorting(5), 2, 1)) {
    SCOPED_TRACE(name(plan));
    pipeline(plan, every_rank(plan.network)).check_all();
  }
}

TEST(Sort, LanesAndWidthsUpToALane) {
  struct Case {
    Network network;
    int bits, lanes;
  };
  for (const Case& c : {Case{sorting(3), 8, 4}, Case{sorting(5), 8, 2}, Case{sorting(5), 12, 3},
                        Case{sorting(3), 11, 1}, Case{sorting(9), 10, 1}, Case{sorting(3), 16, 3},
                        Case{sorting(4), 33, 1}, Case{sorting(7), 1, 1}})
    for (const SortPlan& plan : ways(c.network, c.bits, c.lanes)) {
      SCOPED_TRACE(name(plan));
      const Pipeline p = pipeline(plan, every_rank(plan.network));
      expect_cost(plan, p);
      p.check_random(4000);
    }
}

WindowNetwork median(int size, int pixels) { return window_rank(size, pixels, size * size / 2); }

TEST(Sort, RowsOfWindowsSideBySide) {
  for (const int size : {3, 5})
    for (const int pixels : {1, 2, 4})
      for (const SortPlan& plan : ways(median(size, pixels).row, 8, 1)) {
        SCOPED_TRACE(name(plan));
        const Pipeline p = pipeline(plan, ranks(median(size, pixels), size * size / 2));
        expect_cost(plan, p);
        p.check(3000, [&](std::uint64_t x) {
          // Columns come sorted.
          Values in;
          for (std::size_t g = 0; g < plan.network.groups.size(); ++g) {
            std::vector<std::int64_t> column;
            for (int i = 0; i < size; ++i) {
              x = x * 6364136223846793005u + 1442695040888963407u;
              const auto v = static_cast<std::int64_t>(x >> 40);
              column.push_back(plan.is_signed ? v % 256 - 128 : x >> 63 ? v % 256 : v % 4);
            }
            std::sort(column.begin(), column.end());
            for (const std::int64_t v : column) in.push_back(static_cast<std::uint64_t>(v) & 255);
          }
          return in;
        });
      }
}

SortCost operator+(const SortCost& a, const SortCost& b) {
  return {a.layers + b.layers,
          a.comparisons + b.comparisons,
          a.slices + b.slices,
          a.exchange_luts + b.exchange_luts,
          a.comparison_luts + b.comparison_luts,
          a.flip_flops + b.flip_flops};
}

// Columns and rows of a window filter, for the pixels of a beat.
SortCost window_cost(const WindowNetwork& w, int bits, int pixels, Form form) {
  return cost({w.column, bits, false, pixels, form}) + cost({w.row, bits, false, 1, form});
}

TEST(Sort, MedianOfFourPixelsTakesFewerLutsThanInLutsAlone) {
  for (const int size : {3, 5})
    for (const int pixels : {1, 2, 4}) {
      const WindowNetwork w = median(size, pixels);
      const SortCost slices = window_cost(w, 8, pixels, Form::slices);
      const SortCost luts = window_cost(w, 8, pixels, Form::luts);
      for (const auto& [name, c] : {std::pair("slices", slices), std::pair("luts", luts)})
        fmt::print(
            "{0}x{0} median, {1} pixels, {2}: {3} LUTs, {4} slices, {5} flip-flops, {6} "
            "comparisons, {7} layers\n",
            size, pixels, name, c.luts(), c.slices, c.flip_flops, c.comparisons, c.layers);
      EXPECT_LT(slices.luts(), luts.luts());
      EXPECT_EQ(slices.exchange_luts, luts.exchange_luts);
      EXPECT_EQ(slices.comparison_luts, 0);
      EXPECT_EQ(luts.slices, 0);
    }
  const SortCost c = window_cost(median(3, 4), 8, 4, Form::slices);
  EXPECT_EQ(c.luts(), 208);
  EXPECT_EQ(c.comparisons, 45);
  EXPECT_EQ(c.slices, 12);
}

TEST(Sort, AChangedNetlistIsSeen) {
  for (const Form form : {Form::slices, Form::luts}) {
    const SortPlan plan{sorting(3), 8, true, 3, form};
    pipeline(plan, every_rank(plan.network)).check_mutants(200, 0.95);
  }
}

TEST(Sort, WhatDoesNotFitIsRefused) {
  const auto make = [](const SortPlan& plan, std::uint32_t bits, std::size_t wires) {
    return [=] {
      tests::Circuit(std::vector<std::uint32_t>(wires, bits),
                     [&](Scope& s, const std::vector<UInt>& in) {
                       return sort(s, plan, {in}, ir::net_one)[0];
                     });
    };
  };
  const SortPlan plan{sorting(3)};
  EXPECT_THAT(make(plan, 9, 3), ThrowsMessage<DesignError>(HasSubstr("9 bits")));
  EXPECT_THAT(make(plan, 8, 4), ThrowsMessage<DesignError>(HasSubstr("4 words")));
  EXPECT_THAT(make({sorting(3), 8, false, 2}, 8, 3),
              ThrowsMessage<DesignError>(HasSubstr("1 lanes for a sort of 2")));
  EXPECT_THAT(make({sorting(3), 49}, 49, 3), ThrowsMessage<DesignError>(HasSubstr("49 bits")));
}

}  // namespace sort_sort_test
}  // namespace kumiki::gen::sort
