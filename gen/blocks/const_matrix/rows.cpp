// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/rows.h"

#include <utility>

namespace kumiki::gen::const_matrix {

void dissolve(Sums& sums, std::uint32_t shared) {
  const std::uint32_t node = sums.first_shared() + shared;
  const Row terms = std::exchange(sums.shared[shared], {});
  for (auto* rows : {&sums.shared, &sums.outputs})
    for (Row& row : *rows)
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].node != node) continue;
        const Operand at = row[i];
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(i--));
        for (const Operand& o : terms)
          row.push_back({o.node, o.shift + at.shift, o.negative != at.negative});
      }
}

void recode(Operand& low, Operand& high) {
  const int apart = high.shift - low.shift;
  if (low.node != high.node || apart != (low.negative == high.negative ? 1 : 2)) return;
  low.negative = !low.negative;
  high.shift += apart == 1 ? 1 : -1;
}

Sums ordered(Sums sums) {
  const std::uint32_t first = sums.first_shared();
  std::vector<std::uint32_t> number(first + sums.shared.size(), 0);  // 0: a sum not yet placed
  for (std::uint32_t i = 0; i < first; ++i) number[i] = i;
  std::vector<Row> placed;
  const auto place = [&](const auto& self, std::uint32_t node) -> void {
    if (node < first || number[node] != 0 || sums.shared[node - first].empty()) return;
    Row& row = sums.shared[node - first];
    for (Operand& o : row) {
      self(self, o.node);
      o.node = number[o.node];
    }
    number[node] = first + static_cast<std::uint32_t>(placed.size());
    placed.push_back(std::move(row));
  };
  for (std::uint32_t node = first; node < number.size(); ++node) place(place, node);
  sums.shared = std::move(placed);
  for (Row& row : sums.outputs)
    for (Operand& o : row) o.node = number[o.node];
  return sums;
}

Sums digits_of(const std::vector<Factors>& rows, const std::vector<Interval>& inputs) {
  Sums sums{.inputs = inputs};
  for (const Factors& factors : rows) {
    Row row;
    for (std::uint32_t i = 0; i < factors.size(); ++i) {
      std::int64_t rest = factors[i];
      for (int shift = 0; rest != 0; ++shift, rest /= 2) {
        if (rest % 2 == 0) continue;
        const bool negative = (rest & 3) == 3;  // 1 or -1, so that the next digit is 0
        row.push_back({i, shift, negative});
        rest += negative ? 1 : -1;
      }
    }
    sums.outputs.push_back(std::move(row));
  }
  return sums;
}

}  // namespace kumiki::gen::const_matrix
