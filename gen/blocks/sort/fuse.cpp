// SPDX-License-Identifier: Apache-2.0
// Replaces three exchanges of three wires by one sorter of three.
#include <algorithm>
#include <map>

#include "gen/blocks/sort/network.h"

namespace kumiki::gen::sort {
namespace {

// The reader of a wire, if it has exactly one and that is a sorter. `nobody`: no reader, several
// readers, or an output, which cannot be replaced.
constexpr std::size_t nobody = ~std::size_t{0};
std::vector<std::size_t> only_readers(const Network& n) {
  std::vector<int> count(n.wires, 0);
  std::vector<std::size_t> reader(n.wires, nobody);
  for (std::size_t i = 0; i < n.sorters.size(); ++i)
    for (const int wire : n.sorters[i].in) ++count[wire], reader[wire] = i;
  for (const int wire : n.outputs) ++count[wire];
  for (int wire = 0; wire < n.wires; ++wire)
    if (count[wire] != 1) reader[wire] = nobody;
  return reader;
}

struct Match {
  std::size_t first, second, third;
  Sorter sorter;
};

bool reads(const Sorter& s, int wire) {
  return wire != unused && std::find(s.in.begin(), s.in.end(), wire) != s.in.end();
}

// The first exchange makes p, q from a, b. The second takes one of them, `kept`, and c. The third
// takes the other one and a result of the second. If kept = q (the larger), the second's high is
// the largest of three, and its low goes to the third with p.
bool match(const Network& n, const std::vector<std::size_t>& reader, std::size_t i, bool upper,
           Match& found) {
  const auto read_by = [&](int wire) { return wire == unused ? nobody : reader[wire]; };
  const auto two = [&](std::size_t s) { return s != nobody && n.sorters[s].in.size() == 2; };
  const Sorter& first = n.sorters[i];
  const int kept = first.out[upper ? 1 : 0], other = first.out[upper ? 0 : 1];
  const std::size_t j = read_by(kept), k = read_by(other);
  if (!two(j) || !two(k) || j >= k) return false;
  const Sorter &second = n.sorters[j], &third = n.sorters[k];
  const int passed = second.out[upper ? 0 : 1], end = second.out[upper ? 1 : 0];
  if (read_by(passed) != k) return false;
  const int c = second.in[0] == kept ? second.in[1] : second.in[0];
  if (reads(first, c)) return false;
  Sorter three{{first.in[0], first.in[1], c}, {}};
  std::sort(three.in.begin(), three.in.end());
  three.out = upper ? std::vector<int>{third.out[0], third.out[1], end}
                    : std::vector<int>{end, third.out[0], third.out[1]};
  if (half_luts(three) > half_luts(first) + half_luts(second) + half_luts(third)) return false;
  found = {i, j, k, std::move(three)};
  return true;
}

bool find(const Network& n, Match& found) {
  const auto reader = only_readers(n);
  for (std::size_t i = 0; i < n.sorters.size(); ++i)
    if (n.sorters[i].in.size() == 2)
      for (const bool upper : {true, false})
        if (match(n, reader, i, upper, found)) return true;
  return false;
}

}  // namespace

Network fused(Network n) {
  // The sorter of three replaces the second exchange. At that place its inputs are driven, and
  // nothing has read its outputs yet.
  for (Match m; find(n, m);) {
    n.sorters[m.second] = m.sorter;
    n.sorters.erase(n.sorters.begin() + static_cast<std::ptrdiff_t>(m.third));
    n.sorters.erase(n.sorters.begin() + static_cast<std::ptrdiff_t>(m.first));
  }
  return pruned(std::move(n));
}

}  // namespace kumiki::gen::sort
