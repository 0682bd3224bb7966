// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/relation.h"

#include <utility>

namespace kumiki::backends::proof {
namespace {

// Integers modulo a prime. A fraction appears as a large number.
constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::int64_t small = std::int64_t{1} << 40;
__extension__ using Wide = unsigned __int128;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % prime);
}
std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a >= b ? a - b : a + prime - b; }
std::uint64_t inverse(std::uint64_t a) {
  std::uint64_t result = 1;
  for (std::uint64_t e = prime - 2; e; e >>= 1, a = times(a, a))
    if (e & 1) result = times(result, a);
  return result;
}

using Row = std::vector<std::uint64_t>;  // one bit each, then 1, then the number

// For column n: weights that give the number, with all free weights 0. For another column: weights
// that give 0, with this free weight 1.
std::optional<Relation> solved(const std::vector<Row>& pivot, std::size_t wanted) {
  const std::size_t n = pivot.size();
  Row x(n, 0);
  if (wanted < n) x[wanted] = 1;
  Relation weights(n);
  for (std::size_t i = n; i-- > 0;) {
    if (!pivot[i].empty()) {
      x[i] = wanted < n ? 0 : pivot[i][n];
      for (std::size_t k = i + 1; k < n; ++k) x[i] = less(x[i], times(pivot[i][k], x[k]));
    }
    const bool negative = x[i] > prime / 2;
    weights[i] =
        negative ? -static_cast<std::int64_t>(prime - x[i]) : static_cast<std::int64_t>(x[i]);
    if (weights[i] > small || weights[i] < -small) return std::nullopt;
  }
  return weights;
}

}  // namespace

std::optional<std::vector<Relation>> weights_of(const std::vector<Case>& cases) {
  if (cases.empty()) return std::nullopt;
  const std::size_t n = cases[0].bits.size() + 1;
  std::vector<Row> pivot(n);  // the row whose first nonzero entry, a 1, is at this position
  for (const Case& c : cases) {
    Row row(c.bits.begin(), c.bits.end());
    row.push_back(1);
    row.push_back(c.number >= 0 ? static_cast<std::uint64_t>(c.number)
                                : prime - static_cast<std::uint64_t>(-c.number));
    std::size_t i = 0;
    for (; i < n; ++i) {
      if (row[i] == 0) continue;
      if (pivot[i].empty()) break;
      const auto factor = row[i];
      for (std::size_t k = i; k <= n; ++k) row[k] = less(row[k], times(factor, pivot[i][k]));
    }
    if (i == n) {
      if (row[n] != 0) return std::nullopt;
      continue;
    }
    const auto factor = inverse(row[i]);
    for (auto& v : row) v = times(v, factor);
    pivot[i] = std::move(row);
  }
  const auto first = solved(pivot, n);
  if (!first) return std::nullopt;
  std::vector<Relation> all{*first};
  for (std::size_t free = 0; free < n; ++free)
    if (pivot[free].empty())
      if (auto none = solved(pivot, free)) all.push_back(std::move(*none));
  return all;
}

}  // namespace kumiki::backends::proof
