// SPDX-License-Identifier: Apache-2.0
#include "ir/primitives/lane_arithmetic.h"

namespace kumiki::ir::lanes {

// A carry-save array with one row a bit of b (Baugh and Wooley: products with exactly one sign bit
// enter inverted, three constant ones make up for it). Rows for bits of b that only repeat its sign
// are left out: most operands are shorter than 18 bits.
void multiply_27x18(const Lanes* a, const Lanes* b, Lanes* product) {
  constexpr unsigned width = 27, full = 45;
  unsigned rows = 18;
  while (rows > 2 && b[rows - 1] == b[rows - 2]) --rows;

  Lanes sum[width + 1] = {}, carry[width] = {};
  sum[width - 1] = every;
  sum[rows - 1] = every;
  for (unsigned row = 0; row < rows; ++row) {
    Lanes digit = b[row], negative = row + 1 == rows ? every : none;
    product[row] = sum[0] ^ carry[0] ^ ((a[0] & digit) ^ negative);
    for (unsigned i = 0; i < width; ++i) {
      Lanes flip = i + 1 == width ? ~negative : negative;
      Lanes partial = (a[i] & digit) ^ flip, t = sum[i] ^ carry[i];
      Lanes next = (sum[i] & carry[i]) | (partial & t);
      if (i != 0) sum[i - 1] = t ^ partial;
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
