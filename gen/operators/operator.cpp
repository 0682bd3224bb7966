// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/operator.h"

namespace kumiki::gen::graph {

bool NodeCheck::is_map(const Tensor& t) {
  if (t.shape.size() == 3) return true;
  say("reads {}, which is {}; it must be a map of channels x rows x columns", t.name,
      to_string(t.shape));
  return false;
}

bool NodeCheck::makes(const Shape& shape) {
  if (out().shape == shape) return true;
  say("makes {}, but {} is {}", to_string(shape), out().name, to_string(out().shape));
  return false;
}

void NodeCheck::makes_as_many(const Shape& shape) {
  const std::size_t read = count(shape), made = count(out().shape);
  if (read != made) say("makes {} numbers of {}; it must make as many as it reads", made, read);
}

bool NodeCheck::sees(const std::vector<int>& view) {
  bool fits = true;
  std::size_t numbers = 1;
  for (const int size : view) {
    fits = fits && size >= 1 && size <= largest_axis && numbers <= count(in().shape);
    numbers *= static_cast<std::size_t>(std::max(size, 1));
  }
  fits = view.empty() || (fits && numbers == count(in().shape));
  if (!fits)
    say("has the view {}; it must have the {} numbers of {}", to_string(view), count(in().shape),
        in().name);
  return fits;
}

void NodeCheck::means_as(const Tensor& in) {
  if (in.format != out().format || in.zero_point != out().zero_point || in.scale != out().scale)
    say("reads {} and makes {}, which differ in format, scale or zero point; they must be equal, "
        "because it changes no number",
        in.name, out().name);
}

void NodeCheck::values_fit(const std::vector<std::int16_t>& values) {
  for (const std::int16_t v : values)
    if (!out().format.range().contains(v))
      return say("has the value {}; it must be within {}", v, to_string(out().format.range()));
}

bool NodeCheck::fits(const Window& w, Shape& shape) {
  for (const int axis : {0, 1}) {
    const auto a = static_cast<std::size_t>(axis);
    if (w.kernel[a] < 1 || w.stride[a] < 1 || w.dilation[a] < 1 || w.before[a] < 0 ||
        w.after[a] < 0 || w.kernel[a] > largest_axis || w.dilation[a] > largest_axis ||
        w.before[a] > largest_axis || w.after[a] > largest_axis || w.stride[a] > largest_axis) {
      say("has a window with a kernel, stride or dilation below 1, or padding below 0, or larger "
          "than {}",
          largest_axis);
      return false;
    }
    const std::int64_t reach = std::int64_t{w.kernel[a] - 1} * w.dilation[a] + 1;
    if (reach > std::int64_t{shape[a + 1]} + w.before[a] + w.after[a]) {
      say("has a window of {}, larger than the padded map of {}", reach,
          std::int64_t{shape[a + 1]} + w.before[a] + w.after[a]);
      return false;
    }
    shape[a + 1] = w.positions(axis, shape[a + 1]);
  }
  return true;
}

void NodeCheck::sums_fit(const std::vector<arith::Interval>& sums) {
  for (std::size_t channel = 0; channel < sums.size(); ++channel)
    if (!sums[channel].within(arith::signed_range(32)))
      return say("has sums of {} in channel {}; they must fit 32 bits", to_string(sums[channel]),
                 channel);
}

}  // namespace kumiki::gen::graph
