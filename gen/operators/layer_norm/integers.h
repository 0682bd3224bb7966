// SPDX-License-Identifier: Apache-2.0
// LayerNormalization in integers, as machines compute it. For the n numbers q of a pixel, s their
// scale, e epsilon; factors g, biases b; results of scale t and zero point z. `center` is 128 for
// u8 and 0 for s8; it changes no difference.
//
//   S1 = sum of (q - center),  S2 = sum of (q - center)^2
//   V  = n * S2 - S1^2                            n^2 times the variance
//   W  = V * 2^f + E                              E = round(2^f * n^2 * e / s^2), at least 1
//   u  = the pairs of zero bits above W in 46 bits, at most `most_shift`
//   w  = the upper 26 bits of W * 4^u             from 2^24 on
//
// The reciprocal root of w / 2^24: a line for each of its upper 9 bits i, and a step of Newton's
// method.
//
//   y1 = floor((line[i].at * 2^17 - line[i].slope * (w mod 2^17)) / 2^20)     in units of 2^-17
//   r  = floor((floor(w * (y1^2 mod 2^17) / 2^17) + w * floor(y1^2 / 2^17) - 2^41) / 2^12)
//   R  = floor((y1 * 2^30 - y1 * r + 2^21) / 2^22)                            in units of 2^-25
//
// If two zero bits are left above w, V is 0, and R is 0. A number then becomes, with the constants
// A and B of its channel,
//
//   d  = (n * (q - center) - S1) * 2^(u + x)      at most 27 bits
//   T  = floor(d * R / 2^17)                      at most 35 bits
//   y  = floor((floor(A * (T mod 2^17) / 2^17) + A * floor(T / 2^17) + B) / 2^28), clamped
//
// A = round(g / t * 2^(f/2 + 15 - x)) has at most 27 bits. B = (b / t + z + 1/2) * 2^28 is rounded
// to 18 bits after the point. x is as small as A allows, and at most what d does. Roundings move a
// result by less than 2^-16 of a step, if it is one of the format.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/operators/tensor.h"

namespace kumiki::gen::graph {

struct LayerNorm;

struct NormIntegers {
  // A line of the reciprocal root.
  struct Line {
    std::int64_t at = 0, slope = 0;
  };
  static constexpr int w_bits = 26, line_bits = 9, at_bits = 20, slope_bits = 12;
  static constexpr int part_bits = 17;      // the lower part of a factor of two products
  static constexpr int rest_point = 30;     // of y1 in units of R and r
  static constexpr int sum_bits = 46;       // of W
  static constexpr int root_bits = w_bits;  // of R
  static constexpr int point_bits = 18;     // of B, after the point
  static constexpr int shift = 28;          // of a result
  static constexpr int difference_bits = 27, normal_bits = 35, factor_bits = 27;  // of d, T and A
  static constexpr std::int64_t most_size = 1024;
  static const std::array<Line, 512>& lines();

  std::int64_t size = 8, center = 0;          // n
  int point = 0;                              // f
  std::int64_t epsilon = 1;                   // E
  int most_shift = 0;                         // of u
  int more_shift = 0;                         // x
  std::vector<std::int64_t> factors, biases;  // A; B / 2^(shift - point_bits)
  std::int64_t least = 0, most = 255;         // results

  struct Root {
    std::int64_t shift, root;  // u and R
    bool operator==(const Root&) const = default;
  };
  Root root(std::int64_t sum, std::int64_t squares) const;
  Root root_of(std::int64_t total) const;  // of W
  // `number`: q - center.
  std::int64_t result(std::size_t channel, std::int64_t number, std::int64_t sum,
                      const Root& root) const;
  std::int64_t result_of(std::size_t channel, std::int64_t normal) const;  // of T
  bool operator==(const NormIntegers&) const = default;
};

// Why the widths do not suffice; empty: they do.
std::string why_not_integers(const LayerNorm& op, const Tensor& in, const Tensor& out);
NormIntegers integers_of(const LayerNorm& op, const Tensor& in, const Tensor& out);

}  // namespace kumiki::gen::graph
