// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/lane_arithmetic.h"

namespace kumiki::ir::lanes {

// A carry-save array with one row a bit of b (Baugh and Wooley: products with exactly one sign bit
// enter inverted, which three constant ones compensate). Rows for bits of b that only repeat its
// sign are left out: most operands are shorter than 18 bits.
void multiply_27x18(const Lanes* a, const Lanes* b, Lanes* product) {
  constexpr unsigned width = 27, full = 45;
  unsigned rows = 18;
  while (rows > 2 && b[rows - 1] == b[rows - 2]) --rows;

  Lanes sum[width + 1] = {}, carry[width] = {}, flip[width] = {};
  sum[width - 1] = sum[rows - 1] = every;
  flip[width - 1] = every;
  for (unsigned row = 0; row < rows; ++row) {
    if (row + 1 == rows)
      for (Lanes& f : flip) f = ~f;
    Lanes digit = b[row], partial = (a[0] & digit) ^ flip[0], both = sum[0] ^ carry[0];
    product[row] = both ^ partial;
    carry[0] = (sum[0] & carry[0]) | (partial & both);
    for (unsigned i = 1; i < width; ++i) {  // becomes vector code: nothing is carried along the row
      Lanes x = (a[i] & digit) ^ flip[i], t = sum[i] ^ carry[i];
      Lanes next = (sum[i] & carry[i]) | (x & t);
      sum[i - 1] = t ^ x;
      carry[i] = next;
    }
    sum[width - 1] = none;
  }
  Lanes ripple = none;
  for (unsigned i = 0; i < width; ++i) {
    Lanes t = sum[i] ^ carry[i];
    product[rows + i] = t ^ ripple;
    ripple = (sum[i] & carry[i]) | (ripple & t);
  }
  product[rows + width - 1] ^= every;
  for (unsigned i = rows + width; i < full; ++i) product[i] = product[rows + width - 1];
}

}  // namespace kumiki::ir::lanes
