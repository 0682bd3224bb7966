// SPDX-License-Identifier: Apache-2.0
// The inner loops of a convolution.
//
// A word of 32 bits has numbers of several channels, and the product of two words is the sum of the
// products of each channel. Pairs have two signed numbers of 16 bits (vpmaddwd, AVX2). Quads have
// four bytes, unsigned ones of the map and signed weights (vpdpbusd, VNNI). Both are exact modulo
// 2^32, as are all sums of them. No instruction saturates.
#pragma once
#include <cstddef>
#include <cstdint>

#include "gen/arith/float_rule.h"

namespace kumiki::gen::kernels {

constexpr std::size_t tile_rows = 6;
constexpr std::size_t strip_columns = 64;

// The constants of arith::requantised() of sums plus a bias.
struct Requantiser {
  Requantiser(const arith::FloatRule& rule, std::int32_t bias);
  // Whether the results, and their differences from the zero point, fit 29 bits: loops can do no
  // others.
  static bool fits(const arith::FloatRule& rule);

  float scale, low, high;
  std::int32_t zero_point, bias;
};

struct Loops {
  std::size_t channels;  // of a word
  std::size_t columns;   // of a tile

  // sums[r][c] = sum over k of weights[k][r] * words[k][c], added to what is there if `adds`.
  // `weights` has 6 rows, of which `rows` count; a row of sums is `width` numbers long.
  void (*multiply_tile)(std::size_t rows, const std::int32_t* weights, const std::int32_t* words,
                        std::size_t terms, std::int32_t* sums, std::size_t width, bool adds);
  // The same for one row of 64 sums; term k reads 64 words at `words + offsets[k]`.
  void (*multiply_strip)(const std::int32_t* weights, const std::int32_t* words,
                         const std::size_t* offsets, std::size_t terms, std::int32_t* sums);
  // The sum over k of weights[k] * words[k].
  std::int32_t (*multiply_row)(const std::int32_t* weights, const std::int32_t* words,
                               std::size_t terms);
  // Copies a row of words of every term for each of `tiles` adjacent tiles. A tile is
  // [terms][columns].
  void (*copy_words)(const std::int32_t* words, const std::size_t* offsets, std::size_t terms,
                     std::size_t tiles, std::int32_t* to);
};
extern const Loops pairs, quads;

void requantise(const Requantiser& by, const std::int32_t* sums, std::size_t count,
                std::int32_t* results);
// The lowest byte of each result. Needs VNNI's AVX-512.
void requantise_to_bytes(const Requantiser& by, const std::int32_t* sums, std::size_t count,
                         std::uint8_t* results);

// Words of four neighbouring bytes, one every `stride` bytes. Reads up to 64 bytes from the first
// byte of a word on. Needs VNNI's AVX-512.
void take_windows(const std::uint8_t* line, int stride, std::size_t count, std::int32_t* words);

}  // namespace kumiki::gen::kernels
