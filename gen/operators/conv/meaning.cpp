// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "gen/kernels/convolution.h"
#include "gen/kernels/instructions.h"
#include "gen/operators/conv/meaning.h"

namespace kumiki::gen::graph {
namespace {

// Pads the terms of a sum to groups of this size, so that compilers vectorise them.
constexpr std::size_t lanes = 16;
std::size_t in_lanes(std::size_t terms) { return (terms + lanes - 1) / lanes * lanes; }

// Modulo 2^32.
template <class Term>
std::uint32_t dot(const Term* a, const std::int16_t* w, std::size_t terms) {
  std::uint32_t sums[lanes] = {};
  for (std::size_t t = 0; t < terms; t += lanes)
    for (std::size_t l = 0; l < lanes; ++l)
      sums[l] += static_cast<std::uint32_t>(std::int64_t{a[t + l]} * w[t + l]);
  std::uint32_t sum = 0;
  for (const std::uint32_t s : sums) sum += s;
  return sum;
}

// The numbers under a window at one position, minus the zero point: padding is 0.
template <class Term>
void gather(const Conv& c, const Tensor& in, std::span<const std::int32_t> x, int group, int row,
            int column, Term* patch) {
  const int channels = in.shape[0] / c.groups, rows = in.shape[1], columns = in.shape[2];
  const Window& w = c.window;
  const int top = row * w.stride[0] - w.before[0], left = column * w.stride[1] - w.before[1];
  for (int i = 0; i < channels; ++i) {
    const std::int32_t* map = x.data() + static_cast<std::size_t>(group * channels + i) *
                                             static_cast<std::size_t>(rows) *
                                             static_cast<std::size_t>(columns);
    for (int kr = 0; kr < w.kernel[0]; ++kr) {
      const int r = top + kr * w.dilation[0];
      for (int kc = 0; kc < w.kernel[1]; ++kc) {
        const int k = left + kc * w.dilation[1];
        const bool outside = r < 0 || r >= rows || k < 0 || k >= columns;
        *patch++ = static_cast<Term>(outside ? 0 : map[r * columns + k] - in.zero_point);
      }
    }
  }
}

// The weights, padded to whole lanes.
std::vector<std::int16_t> padded_weights(const Conv& c) {
  const std::size_t channels = c.bias.size(), terms = c.weights.size() / channels;
  std::vector<std::int16_t> all(channels * in_lanes(terms));
  for (std::size_t o = 0; o < channels; ++o)
    std::copy_n(c.weights.begin() + static_cast<std::ptrdiff_t>(o * terms), terms,
                all.begin() + static_cast<std::ptrdiff_t>(o * in_lanes(terms)));
  return all;
}

template <class Term>
void convolve(const Conv& c, const std::vector<std::int16_t>& weights,
              const std::vector<arith::FloatRule>& rules, const Tensor& in, const Tensor& out,
              std::span<const std::int32_t> x, Results y) {
  const std::size_t channels = c.bias.size(), terms = c.weights.size() / channels;
  const std::size_t padded = in_lanes(terms), of_group = channels / std::size_t(c.groups);
  const std::size_t pixels = std::size_t(out.shape[1]) * std::size_t(out.shape[2]);
  std::vector<Term> patch(padded);
  for (int g = 0; g < c.groups; ++g)
    for (std::size_t p = 0; p < pixels; ++p) {
      gather(c, in, x, g, static_cast<int>(p) / out.shape[2], static_cast<int>(p) % out.shape[2],
             patch.data());
      for (std::size_t o = of_group * std::size_t(g); o < of_group * std::size_t(g + 1); ++o) {
        const std::uint32_t sum = dot(patch.data(), weights.data() + o * padded, padded) +
                                  static_cast<std::uint32_t>(c.bias[o]);
        y[o * pixels + p] =
            static_cast<std::int32_t>(requantised(rules[o], static_cast<std::int32_t>(sum)));
      }
    }
}

// `number`: the range of inputs minus their zero point. Sums have not wrapped yet.
std::vector<arith::Interval> sums_of(const Conv& conv, const arith::Interval& number) {
  std::vector<arith::Interval> all;
  for (std::size_t c = 0; c < conv.bias.size(); ++c)
    all.push_back(products_of(conv, c, number) + conv.bias[c]);
  return all;
}

constexpr arith::Interval of_32_bits{INT32_MIN, INT32_MAX};

std::vector<arith::Interval> wrapped(std::vector<arith::Interval> sums) {
  for (arith::Interval& sum : sums)
    if (!sum.within(of_32_bits)) sum = of_32_bits;
  return sums;
}

// The numbers of a tensor minus its zero point, and the padding.
arith::Interval with_padding(const Tensor& in, const arith::Interval& number) {
  return hull(number - in.zero_point, arith::Interval{});
}

}  // namespace

void check(const Conv& c, NodeCheck& node) {
  if (!node.is_map(node.in())) return;
  Shape shape = node.in().shape;
  if (!node.fits(c.window, shape)) return;
  const int channels = static_cast<int>(c.bias.size());
  if (c.groups < 1 || channels < 1 || shape[0] % c.groups != 0 || channels % c.groups != 0)
    return node.say("has {} groups; they must divide its {} and {} channels", c.groups, shape[0],
                    channels);
  const auto terms = std::size_t(shape[0] / c.groups) * std::size_t(c.window.kernel[0]) *
                     std::size_t(c.window.kernel[1]);
  if (c.weights.size() != terms * c.bias.size())
    return node.say("has {} weights; it must have {}", c.weights.size(), terms * c.bias.size());
  if (c.scales.size() != 1 && c.scales.size() != c.bias.size())
    return node.say("has {} scales; it must have 1 or {}", c.scales.size(), c.bias.size());
  for (const float s : c.scales)
    if (!(s > 0) || !std::isfinite(s))
      return node.say("has a scale of {}; it must be a finite number above 0", s);
  shape[0] = channels;
  node.makes(shape);
}

namespace {

Compute vectorised(const Conv& c, const Ends& ends, bool with_vnni) {
  const Tensor &in = ends.in(), &out = ends.out();
  const Window& w = c.window;
  const std::vector<arith::FloatRule> all_rules = rules(c, ends);
  const kernels::ConvolutionJob job{.taps = {.in = {in.shape[1], in.shape[2]},
                                             .out = {out.shape[1], out.shape[2]},
                                             .kernel = w.kernel,
                                             .stride = w.stride,
                                             .dilation = w.dilation,
                                             .before = w.before},
                                    .groups = c.groups,
                                    .channels = in.shape[0],
                                    .zero_point = in.zero_point,
                                    .numbers = in.format.range(),
                                    .result_numbers = out.format.range(),
                                    .weights = c.weights,
                                    .bias = c.bias,
                                    .rules = all_rules};
  if (auto fast = kernels::fast_convolution(job, with_vnni)) return Compute(std::move(fast));
  return plain_computer(c, ends);
}

}  // namespace

Compute computer(const Conv& c, const Ends& ends) {
  return vectorised(c, ends, kernels::has_vnni());
}
Compute avx2_computer(const Conv& c, const Ends& ends) { return vectorised(c, ends, false); }

Compute plain_computer(const Conv& c, const Ends& ends) {
  return [&c, ends, rules = rules(c, ends), weights = padded_weights(c)](const Inputs& x,
                                                                         Results y) {
    const auto run = ends.in().format.bits < 15 ? convolve<std::int16_t> : convolve<std::int32_t>;
    run(c, weights, rules, ends.in(), ends.out(), x[0], y);
  };
}

std::vector<arith::FloatRule> rules(const Conv& c, const Ends& ends) {
  std::vector<arith::FloatRule> all;
  for (std::size_t o = 0; o < c.bias.size(); ++o)
    all.push_back({.scale = c.scales[c.scales.size() == 1 ? 0 : o],
                   .zero_point = ends.out().zero_point,
                   .range = ends.out().format.range()});
  return all;
}

arith::Interval products_of(const Conv& conv, std::size_t channel, const arith::Interval& number) {
  const std::size_t terms = conv.weights.size() / conv.bias.size();
  // All weights of one sign reach their extremes together.
  std::int64_t positive = 0, negative = 0;
  for (std::size_t t = channel * terms; t < (channel + 1) * terms; ++t)
    (conv.weights[t] < 0 ? negative : positive) += conv.weights[t];
  return number * positive + number * negative;
}

std::vector<arith::Interval> reachable_sums(const Conv& c, const Ends& ends,
                                            const arith::Interval& number) {
  // Padding is the zero point. The range includes 0, because users that derive other sums may rely
  // on the empty sum.
  return wrapped(sums_of(c, with_padding(ends.in(), number)));
}

std::vector<arith::Interval> reachable_of(const Conv& conv, const Tensor& in) {
  return wrapped(sums_of(conv, in.format.range() - in.zero_point));
}

std::vector<std::vector<arith::Interval>> wrapped_sums(const Conv& conv, const Tensor& in) {
  std::vector<std::vector<arith::Interval>> all;
  for (const arith::Interval& sum : sums_of(conv, with_padding(in, in.format.range()))) {
    const auto folded = [](arith::Exact end) {
      return arith::Exact{static_cast<std::int32_t>(static_cast<std::uint32_t>(end))};
    };
    const arith::Exact first = folded(sum.lo), last = folded(sum.hi);
    if (sum.span() > of_32_bits.span())
      all.push_back({of_32_bits});
    else if (first <= last)
      all.push_back({{first, last}});
    else
      all.push_back({{first, of_32_bits.hi}, {of_32_bits.lo, last}});
  }
  return all;
}

std::string why_wraps(const Conv& conv, const Tensor& in) {
  const auto sums = sums_of(conv, with_padding(in, in.format.range()));
  for (std::size_t channel = 0; channel < sums.size(); ++channel)
    if (!sums[channel].within(of_32_bits))
      return fmt::format(
          "sums of its channel {} can leave 32 bits; quantise that channel with a larger scale",
          channel);
  return {};
}

}  // namespace kumiki::gen::graph
