// SPDX-License-Identifier: Apache-2.0
// The inner loops of a convolution. All need AVX2.
//
// A pair is two numbers of 16 bits in 32. The product of two pairs is the sum of both products
// (vpmaddwd), which is exact modulo 2^32, as are all sums of them. No instruction saturates.
#pragma once
#include <cstddef>
#include <cstdint>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::kernels {

constexpr std::size_t tile_rows = 6, tile_columns = 16;
constexpr std::size_t strip_columns = 64;

// sums[r][c] = sum over k of weights[k][r] * pairs[k][c], added to what is there if `adds`.
// `weights` has 6 rows, of which `rows` count; `pairs` has 16 columns; a row of sums is `width`
// numbers long.
void multiply_tile(std::size_t rows, const std::int32_t* weights, const std::int32_t* pairs,
                   std::size_t terms, std::int32_t* sums, std::size_t width, bool adds);

// The same for one row of 64 sums; term k reads 64 pairs at `pairs + offsets[k]`.
void multiply_strip(const std::int32_t* weights, const std::int32_t* pairs,
                    const std::size_t* offsets, std::size_t terms, std::int32_t* sums);

// The sum over k of weights[k] * pairs[k].
std::int32_t multiply_row(const std::int32_t* weights, const std::int32_t* pairs,
                          std::size_t terms);

// Copies 16 pairs of every term for each of `tiles` adjacent tiles. A tile is [terms][16].
void copy_pairs(const std::int32_t* pairs, const std::size_t* offsets, std::size_t terms,
                std::size_t tiles, std::int32_t* to);

// arith::requantised() of sums plus a bias.
class Requantiser {
 public:
  // Whether the results, and their differences from the zero point, fit 29 bits: it can do no
  // others.
  static bool fits(const arith::FloatRule& rule);
  Requantiser(const arith::FloatRule& rule, std::int32_t bias);

  void operator()(const std::int32_t* sums, std::size_t count, std::int32_t* results) const;

 private:
  float scale_, low_, high_;
  std::int32_t zero_point_, bias_;
};

}  // namespace kumiki::gen::kernels
