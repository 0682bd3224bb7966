// SPDX-License-Identifier: Apache-2.0
// Networks: what they are said to give, for every input of zeros and ones, and what they cost.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "gen/blocks/sort/merge.h"
#include "gen/blocks/sort/sort.h"
#include "gen/blocks/sort/tables.h"
#include "ir/error.h"
#include "tests/gen/blocks/sort/zero_one.h"
#include "tests/support/random.h"

namespace kumiki::gen::sort {
namespace sort_network_test {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<int> all_groups(const Network& n) {
  std::vector<int> all;
  for (std::size_t g = 0; g < n.groups.size(); ++g) all.push_back(static_cast<int>(g));
  return all;
}
std::vector<Rank> every_rank(const Network& n) {
  std::vector<Rank> all;
  for (int r = 0; r < n.inputs(); ++r) all.push_back({all_groups(n), r});
  return all;
}

int all_half_luts(const Network& n) {
  int sum = 0;
  for (const Sorter& s : n.sorters) sum += half_luts(s);
  return sum;
}
// Pairs of wires, each once.
int comparisons(const Network& n) { return cost({n}).comparisons; }

// Random values (many equal ones) against the standard library.
void expect_as_the_library(const Network& n, const std::vector<Rank>& ranks) {
  tests::Random random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> in, want;
    std::vector<std::vector<std::int64_t>> groups;
    for (const int size : n.groups) {
      groups.emplace_back();
      for (int i = 0; i < size; ++i) groups.back().push_back(random.below(7) - 3);
      std::sort(groups.back().begin(), groups.back().end());
      in.insert(in.end(), groups.back().begin(), groups.back().end());
    }
    for (const Rank& r : ranks) {
      std::vector<std::int64_t> some;
      for (const int g : r.groups)
        some.insert(some.end(), groups[static_cast<std::size_t>(g)].begin(),
                    groups[static_cast<std::size_t>(g)].end());
      std::nth_element(some.begin(), some.begin() + r.rank, some.end());
      want.push_back(some[static_cast<std::size_t>(r.rank)]);
    }
    ASSERT_EQ(sorted(n, in), want);
  }
}

TEST(SortingNetwork, OrdersAllWithTheFewestExchangesKnown) {
  const std::size_t fewest[] = {0, 1, 3, 5, 9, 12, 16, 19, 25};
  for (int n = 1; n <= tables::longest_sorting; ++n) {
    SCOPED_TRACE(n);
    EXPECT_EQ(tables::sorting(n).size(), fewest[n - 1]);
    const Network network = sorting(n);
    EXPECT_EQ(wrong_output(network, every_rank(network)), "");
    // Sorters of three save time and no LUT: as many as the exchanges they stand for.
    EXPECT_EQ(all_half_luts(network), 2 * static_cast<int>(fewest[n - 1]));
    expect_as_the_library(network, every_rank(network));
  }
  for (const int n : {10, 11, 13}) {
    const Network network = sorting(n);
    EXPECT_EQ(wrong_output(network, every_rank(network)), "");
  }
}

TEST(SortingNetwork, SelectionsInFewExchanges) {
  // With five columns sorted in nine exchanges each.
  EXPECT_LE(5 * 9 + tables::median().size(), 96u);
  EXPECT_LE(5 * 9 + tables::median_of_pairs().size(), 99u);
}

TEST(SortingNetwork, MergesOfAllLengths) {
  for (int a = 1; a <= 9; ++a)
    for (int b = 1; b <= 9; ++b) {
      Wiring wiring({a, b});
      Wires x, y;
      for (int i = 0; i < a; ++i) x.push_back(wiring.input(0, i));
      for (int i = 0; i < b; ++i) y.push_back(wiring.input(1, i));
      const Network n = wiring.finish(merged(wiring, x, y));
      EXPECT_EQ(wrong_output(n, every_rank(n)), "") << a << " and " << b;
    }
}

TEST(SortingNetwork, WindowsSideBySide) {
  for (const int size : {1, 2, 3, 4, 5})
    for (const int pixels : {1, 2, 4}) {
      const int last = size * size - 1;
      for (const int rank : {0, 1, last / 2, last}) {
        if (rank > last || (size == 5 && pixels == 4 && rank == 1)) continue;
        SCOPED_TRACE(fmt::format("{} x {}, {} pixels, rank {}", size, size, pixels, rank));
        const WindowNetwork w = window_rank(size, pixels, rank);
        const bool end = rank == 0 || rank == last;
        ASSERT_EQ(w.row.outputs.size(), static_cast<std::size_t>(pixels));
        ASSERT_EQ(w.row.groups.size(), static_cast<std::size_t>(size + pixels - 1));
        EXPECT_EQ(w.row.groups[0], end ? 1 : size);
        // Of minima the windows' smallest is the smallest, of maxima the largest.
        const auto wanted = ranks(w, end && rank != 0 ? size - 1 : rank);
        EXPECT_EQ(wrong_output(w.row, wanted), "");
        expect_as_the_library(w.row, wanted);
      }
    }
  EXPECT_THAT([] { window_rank(3, 1, 9); }, ThrowsMessage<DesignError>(HasSubstr("rank 9")));
}

TEST(SortingNetwork, MedianOf49ByMerges) {
  const WindowNetwork seven = window_rank(7, 1, 24), nine = window_rank(9, 1, 40);
  EXPECT_EQ(wrong_output(seven.row, ranks(seven, 24)), "");
  expect_as_the_library(nine.row, ranks(nine, 40));
}

TEST(SortingNetwork, WhatWindowsShareIsComputedOnce) {
  // Comparisons and LUT halves of the rows of windows, P pixels a beat.
  struct Want {
    int size, pixels, comparisons, half_luts;
  };
  for (const Want w : {Want{3, 1, 10, 8}, Want{3, 2, 17, 14}, Want{3, 4, 33, 28}}) {
    const Network row = window_rank(w.size, w.pixels, w.size * w.size / 2).row;
    EXPECT_EQ(comparisons(row), w.comparisons) << w.pixels;
    EXPECT_EQ(all_half_luts(row), w.half_luts) << w.pixels;
  }
  // Erode: every window alone would take (size - 1) for a pixel.
  EXPECT_EQ(comparisons(window_rank(3, 4, 0).row), 6);
  EXPECT_EQ(comparisons(window_rank(5, 4, 0).row), 9);
  EXPECT_EQ(comparisons(window_rank(5, 1, 0).row), 4);
}

TEST(SortingNetwork, AWrongNetworkIsFound) {
  Network n = sorting(5);
  std::swap(n.sorters[2].out[0], n.sorters[2].out[1]);
  EXPECT_THAT(wrong_output(n, every_rank(n)), HasSubstr(" for "));
  // Every exchange of the tables is needed.
  for (const bool pairs : {false, true}) {
    const auto& table = pairs ? tables::median_of_pairs() : tables::median();
    const int output = pairs ? tables::median_of_pairs_output : tables::median_output;
    for (std::size_t i = 0; i < table.size(); ++i) {
      auto less = table;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      const Network broken = in_place({5, 5, 5, 5, 5}, less, {output});
      EXPECT_NE(wrong_output(broken, {{all_groups(broken), 12}}), "") << i;
    }
  }
}

TEST(SortingNetwork, PruningAndFusing) {
  // Three exchanges of three wires are one sorter; of the median alone two outputs are gone.
  const Network three = sorting(3);
  ASSERT_EQ(three.sorters.size(), 1u);
  EXPECT_EQ(three.sorters[0], (Sorter{{0, 1, 2}, {3, 4, 5}}));
  Network middle = three;
  middle.outputs = {4};
  EXPECT_EQ(pruned(middle).sorters[0], (Sorter{{0, 1, 2}, {unused, 3, unused}}));
  // The smallest of three: two half LUTs in a tree, no fewer in one sorter, and a comparison more.
  const Network low = fused(in_place({1, 1, 1}, {{0, 1}, {0, 2}, {1, 2}}, {0}));
  EXPECT_EQ(low.sorters.size(), 2u);
  EXPECT_EQ(comparisons(low), 2);
}

TEST(SortingNetwork, WhatIsNoNetworkIsRefused) {
  Wiring wiring({1, 1});
  EXPECT_THAT([&] { wiring.order(0, 2); }, ThrowsMessage<DesignError>(HasSubstr("wire 2")));
  EXPECT_THAT([&] { wiring.order(1, 1); }, ThrowsMessage<DesignError>(HasSubstr("different")));
  EXPECT_THAT([&] { wiring.input(0, 1); }, ThrowsMessage<DesignError>(HasSubstr("group 0")));
  EXPECT_THAT([&] { wiring.finish({5}); }, ThrowsMessage<DesignError>(HasSubstr("wire 5")));
  EXPECT_THAT([] { Wiring({0}); }, ThrowsMessage<DesignError>(HasSubstr("group of 0")));
  EXPECT_THAT(
      [] {
        sorted(sorting(3), {1, 2});
      },
      ThrowsMessage<DesignError>(HasSubstr("2 values")));
}

}  // namespace sort_network_test
}  // namespace kumiki::gen::sort
