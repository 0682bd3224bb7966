// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/rows.h"

namespace kumiki::gen::const_matrix {

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
