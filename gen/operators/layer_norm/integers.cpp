// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/layer_norm/integers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "gen/operators/layer_norm/meaning.h"

namespace kumiki::gen::graph {
namespace {

constexpr std::int64_t one = 1;
constexpr int unsigned_bits = NormIntegers::factor_bits - 1;  // of A, d and n * 2^u without sign
constexpr int most_bits_of_a_result = 46;

std::int64_t cut(std::int64_t number, int bits) {
  return arith::value_of(static_cast<std::uint64_t>(number), {bits, true});
}

// The most pairs of zero bits above a number of NormIntegers::sum_bits.
int pairs_above(std::int64_t number) {
  return (NormIntegers::sum_bits -
          static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number)))) /
         2;
}

// 2^f for which the largest sum has as many bits as there are.
int point_of(double variances, double epsilon) {
  return NormIntegers::sum_bits - 1 - std::ilogb(variances + epsilon + 1);
}

struct Sizes {
  double variances, epsilon;  // the most of V; n^2 * e / s^2
};
Sizes sizes_of(const LayerNorm& op, const Tensor& in) {
  const auto n = static_cast<double>(op.factors.size());
  const double span = std::ldexp(1.0, in.format.bits) - 1, scale = in.scale;
  return {n * n * span * span / 4, n * n * double{op.epsilon} / (scale * scale)};
}

double largest(const std::vector<float>& all) {
  double most = 0;
  for (const float x : all) most = std::max(most, std::abs(double{x}));
  return most;
}

// The largest |y| before it is clamped, where the largest factor is g / t.
double largest_result(const LayerNorm& op, const Tensor& out) {
  const double scale = out.scale, factor = largest(op.factors) / scale,
               normal = std::sqrt(static_cast<double>(op.factors.size())) * 1.01;
  return factor * normal + largest(op.biases) / scale + std::abs(out.zero_point) + 1;
}

}  // namespace

const std::array<NormIntegers::Line, 512>& NormIntegers::lines() {
  static const auto all = [] {
    std::array<Line, 512> made{};
    for (std::size_t i = 128; i < made.size(); ++i) {
      const auto root = [&](double x) { return 1 / std::sqrt(x / 128); };
      const double begin = root(static_cast<double>(i)), end = root(static_cast<double>(i + 1)),
                   middle = root(static_cast<double>(i) + 0.5);
      // Half of the largest distance between the curve and its chord, which is above it; and half
      // of the unit by which y1 is rounded down.
      const double above = ((begin + end) / 2 - middle) / 2;
      const double at = std::ldexp(begin - above, 20) + 4;
      made[i] = {std::min<std::int64_t>(std::llround(at), (one << at_bits) - 1),
                 std::llround(std::ldexp(begin - end, 20))};
    }
    return made;
  }();
  return all;
}

NormIntegers::Root NormIntegers::root(std::int64_t sum, std::int64_t squares) const {
  return root_of(((size * squares - sum * sum) << point) + epsilon);
}

NormIntegers::Root NormIntegers::root_of(std::int64_t total) const {
  const int shift = std::min(pairs_above(total), most_shift);
  const std::int64_t w = (total << 2 * shift) >> (sum_bits - w_bits);
  const std::int64_t low = w & ((one << part_bits) - 1);
  const Line& line = lines()[static_cast<std::size_t>(w >> part_bits)];
  const std::int64_t y = ((line.at << part_bits) - line.slope * low) >> 20, square = y * y;
  const std::int64_t upper = square >> part_bits, lower = square & ((one << part_bits) - 1);
  const std::int64_t rest = (((w * lower) >> part_bits) + w * upper - (one << 41)) >> 12;
  return {shift, ((y << rest_point) - y * rest + (one << 21)) >> 22};
}

std::int64_t NormIntegers::result(std::size_t channel, std::int64_t number, std::int64_t sum,
                                  const Root& root) const {
  // Bits above these are cut off; only numbers that no pixel has would need them.
  const std::int64_t d =
      cut((size * number - sum) * (one << (root.shift + more_shift)), difference_bits);
  return result_of(channel, cut((d * root.root) >> part_bits, normal_bits));
}

std::int64_t NormIntegers::result_of(std::size_t channel, std::int64_t t) const {
  const std::int64_t a = factors[channel], b = biases[channel] << (shift - point_bits);
  const std::int64_t low = t & ((one << part_bits) - 1), high = t >> part_bits;
  return std::clamp((((a * low) >> part_bits) + a * high + b) >> shift, least, most);
}

std::string why_not_integers(const LayerNorm& op, const Tensor& in, const Tensor& out) {
  const auto n = static_cast<std::int64_t>(op.factors.size());
  if (n > NormIntegers::most_size)
    return fmt::format("normalises {} numbers in integers; they must be at most {}", n,
                       NormIntegers::most_size);
  if (in.format.bits < 2 || out.format.bits > 8)
    return fmt::format("makes numbers of {} bits from {} bits in integers; they must have 2 to 8",
                       out.format.bits, in.format.bits);
  const Sizes sizes = sizes_of(op, in);
  if (point_of(sizes.variances, sizes.epsilon) < 1)
    return fmt::format(
        "has the epsilon {} and the scale {}; integers need a smaller epsilon or a larger scale",
        op.epsilon, in.scale);
  // Otherwise A or the sum for a result has more bits than there are.
  const NormIntegers all = integers_of(op, in, out);
  if (largest_result(op, out) >= std::ldexp(1.0, most_bits_of_a_result - 1 - NormIntegers::shift) ||
      std::ranges::any_of(all.factors,
                          [](std::int64_t a) { return std::abs(a) >> unsigned_bits != 0; }))
    return fmt::format(
        "has factors up to {} and biases up to {} for the scale {}; integers need a larger scale",
        largest(op.factors), largest(op.biases), out.scale);
  return {};
}

NormIntegers integers_of(const LayerNorm& op, const Tensor& in, const Tensor& out) {
  const arith::Interval range = numbers_of(out);
  const Sizes sizes = sizes_of(op, in);
  NormIntegers all{.size = static_cast<std::int64_t>(op.factors.size()),
                   .center = in.format.is_signed ? 0 : one << (in.format.bits - 1),
                   .point = point_of(sizes.variances, sizes.epsilon),
                   .factors = {},
                   .biases = {},
                   .least = static_cast<std::int64_t>(range.lo),
                   .most = static_cast<std::int64_t>(range.hi)};
  all.epsilon = std::max<std::int64_t>(1, std::llround(std::ldexp(sizes.epsilon, all.point)));
  // Of numbers that are not all equal V is at least n - 1.
  const int pairs = pairs_above(((all.size - 1) << all.point) + all.epsilon);
  all.most_shift = static_cast<int>(std::bit_ceil(static_cast<unsigned>(pairs) + 1)) - 1;
  const auto largest_size = static_cast<double>(all.size) * std::ldexp(1.0, pairs);
  const double largest_d = std::sqrt(static_cast<double>(all.size)) *
                           std::exp2(NormIntegers::sum_bits / 2.0 - all.point / 2.0);
  const int most_more = unsigned_bits - 1 - std::ilogb(std::max(largest_size, largest_d));
  // A without x, for g / t = 1.
  const double part = std::exp2(all.point / 2.0 - 13 + NormIntegers::shift), scale = out.scale,
               most_factor = largest(op.factors) / scale * part;
  const int needed = most_factor < 1 ? 0 : std::ilogb(most_factor) + 1 - unsigned_bits;
  all.more_shift = std::clamp(needed, 0, std::max(most_more, 0));
  for (std::size_t c = 0; c < op.factors.size(); ++c) {
    const double bias = op.biases.empty() ? 0 : double{op.biases[c]};
    // Rounding may make one more bit.
    const double factor = std::ldexp(double{op.factors[c]} / scale * part, -all.more_shift),
                 most = std::ldexp(1.0, unsigned_bits);
    all.factors.push_back(std::abs(factor) < most
                              ? std::llround(std::clamp(factor, 1 - most, most - 1))
                              : std::llround(factor));
    all.biases.push_back(
        std::llround(std::ldexp(bias / scale + out.zero_point + 0.5, NormIntegers::point_bits)));
  }
  return all;
}

}  // namespace kumiki::gen::graph
