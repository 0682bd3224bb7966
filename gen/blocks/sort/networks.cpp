// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/sort/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gen/blocks/sort/merge.h"
#include "gen/blocks/sort/messages.h"
#include "gen/blocks/sort/tables.h"
#include "gen/hdl/messages.h"
#include "ir/error.h"

namespace kumiki::gen::sort {
namespace {

std::vector<int> singles(int n) { return std::vector<int>(static_cast<std::size_t>(n), 1); }

Wires inputs(const Wiring& wiring, int n) {
  Wires out;
  for (int i = 0; i < n; ++i) out.push_back(wiring.input(i));
  return out;
}

// Copies the sorters of a network onto wires of another one.
Wires placed(Wiring& wiring, const Network& part, const Wires& in) {
  Wires wire = in;
  wire.resize(static_cast<std::size_t>(part.wires), unused);
  const auto at = [&](int w) -> int& { return wire[static_cast<std::size_t>(w)]; };
  for (const Sorter& s : part.sorters) {
    // A new sorter has its inputs in the order of numbers and its outputs in the order of values.
    Wires from;
    for (const int w : s.in) from.push_back(at(w));
    const Wires to = wiring.order(from);
    for (std::size_t i = 0; i < to.size(); ++i)
      if (s.out[i] != unused) at(s.out[i]) = to[i];
  }
  Wires out;
  for (const int w : part.outputs) out.push_back(at(w));
  return out;
}

using Columns = std::vector<Wires>;

Columns columns(const Wiring& wiring, int count, int size) {
  Columns all;
  for (int c = 0; c < count; ++c) {
    all.emplace_back();
    for (int r = 0; r < size; ++r) all.back().push_back(wiring.input(c, r));
  }
  return all;
}

// The median of three sorted columns is the median of three values: the largest low, the median of
// the middles and the smallest high.
Wires medians_of_three(Wiring& wiring, const Columns& all) {
  Columns rank(3);
  for (const Wires& c : all)
    for (std::size_t r = 0; r < 3; ++r) rank[r].push_back(c[r]);
  const Wires low = sliding(wiring, rank[0], 3, true), high = sliding(wiring, rank[2], 3, false);
  Wires out;
  for (std::size_t p = 0; p + 2 < all.size(); ++p) {
    const int middle = wiring.middle(rank[1][p], rank[1][p + 1], rank[1][p + 2]);
    out.push_back(wiring.middle(low[p], middle, high[p]));
  }
  return out;
}

// The network of five sorted columns for every window. If two windows share four columns, these
// come first, and the fifth, on either side, comes last.
Wires medians_of_five(Wiring& wiring, const Columns& all) {
  const std::size_t pixels = all.size() - 4;
  const bool pairs = pixels % 2 == 0;
  const Network part =
      in_place({5, 5, 5, 5, 5}, pairs ? tables::median_of_pairs() : tables::median(),
               {pairs ? tables::median_of_pairs_output : tables::median_output});
  Wires out;
  for (std::size_t p = 0; p < pixels; ++p) {
    std::vector<std::size_t> order = {p, p + 1, p + 2, p + 3, p + 4};
    if (pairs && p % 2 == 0) order = {p + 1, p + 2, p + 3, p + 4, p};
    Wires in;
    for (const std::size_t c : order) in.insert(in.end(), all[c].begin(), all[c].end());
    out.push_back(placed(wiring, part, in)[0]);
  }
  return out;
}

void check_window(int size, int pixels, int rank) {
  if (size < 1 || size > 11 || pixels < 1 || rank < 0 || rank >= size * size)
    throw DesignError(
        code::no_such_window,
        fmt::format("rank {} of a window of {} x {}, {} pixels side by side, is not possible; the "
                    "size must be 1 to 11, the rank 0 to size * size - 1",
                    rank, size, size, pixels));
}

WindowNetwork window_extreme(int size, int pixels, bool largest) {
  const auto ends = [&](int n) {
    Wiring wiring(singles(n));
    return wiring.finish(sliding(wiring, inputs(wiring, n), size, largest));
  };
  return {ends(size), ends(size + pixels - 1)};
}

}  // namespace

Network sorting(int n) {
  if (n < 1) throw DesignError(code::too_few, fmt::format("sorting {} values: at least 1", n));
  Wires all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  if (n <= tables::longest_sorting) return fused(in_place(singles(n), tables::sorting(n), all));
  Wiring wiring(singles(n));
  std::vector<Wires> lists;
  for (const int w : all) lists.push_back({w});
  while (lists.size() > 1) {
    std::vector<Wires> next;
    for (std::size_t i = 0; i + 1 < lists.size(); i += 2)
      next.push_back(merged(wiring, lists[i], lists[i + 1]));
    if (lists.size() % 2) next.push_back(lists.back());
    lists = std::move(next);
  }
  return fused(wiring.finish(lists[0]));
}

WindowNetwork window_rank(int size, int pixels, int rank) {
  check_window(size, pixels, rank);
  if (const bool largest = rank == size * size - 1; rank == 0 || largest)
    return window_extreme(size, pixels, largest);
  const int count = size + pixels - 1;
  Wiring row(std::vector<int>(static_cast<std::size_t>(count), size));
  const Columns all = columns(row, count, size);
  Wires out;
  const bool middle = 2 * rank + 1 == size * size;
  if (middle && size == 3)
    out = medians_of_three(row, all);
  else if (middle && size == 5)
    out = medians_of_five(row, all);
  else
    for (int p = 0; p < pixels; ++p)
      out.push_back(selected(row, {all.begin() + p, all.begin() + p + size}, rank));
  return {sorting(size), fused(row.finish(out))};
}

}  // namespace kumiki::gen::sort
