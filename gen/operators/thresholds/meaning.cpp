// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/operators/thresholds/meaning.h"

namespace kumiki::gen::graph {

std::int32_t Thresholds::at(std::size_t channel, std::int64_t x) const {
  const auto all = static_cast<std::size_t>(levels);
  const std::int32_t* first = begins.data() + (begins.size() == all ? 0 : channel * all);
  const auto passed = static_cast<std::int32_t>(std::upper_bound(first, first + all, x) - first);
  return lowest + (falls(channel) ? levels - passed : passed);
}

void check(const Thresholds& t, NodeCheck& node) {
  node.makes(node.in().shape);
  const auto channels = static_cast<std::size_t>(node.in().shape[0]);
  if (t.levels < 1 || t.levels > 1 << 16)
    return node.say("has {} levels; it must have 1 to 65536", t.levels);
  const auto levels = static_cast<std::size_t>(t.levels);
  if (t.begins.size() != levels && t.begins.size() != levels * channels)
    return node.say("has {} thresholds; it must have {} or {}", t.begins.size(), levels,
                    levels * channels);
  for (std::size_t i = 1; i < t.begins.size(); ++i)
    if (i % levels != 0 && t.begins[i] < t.begins[i - 1])
      return node.say("has the threshold {} after {}; thresholds must rise", t.begins[i],
                      t.begins[i - 1]);
  if (!t.falling.empty() && t.falling.size() != channels)
    return node.say("says of {} channels whether they fall; it must be none or {}",
                    t.falling.size(), channels);
  for (const auto f : t.falling)
    if (f > 1) return node.say("has {} for a channel that falls; it must be 0 or 1", f);
  const arith::Interval made{t.lowest, arith::add(t.lowest, t.levels)};
  if (!made.within(node.out().format.range()))
    node.say("makes numbers of {}; they must be within {}", to_string(made),
             to_string(node.out().format.range()));
}

Compute computer(const Thresholds& t, const Ends& ends) {
  const Tensor& in = ends.in();
  // For bytes, a table of a channel takes less time than searches if the map is large.
  const std::size_t numbers = in.format.bits <= 8 ? std::size_t{1} << in.format.bits : 0;
  return [&t, numbers, low = lowest(in), channels = static_cast<std::size_t>(in.shape[0])](
             const Inputs& x, Results y, kernels::Workers& workers) {
    const std::size_t of_channel = y.size() / channels;
    const bool has_table = numbers > 0 && of_channel >= 2 * numbers;
    std::int32_t* memory = workers.memory(workers.count() * numbers);
    workers.for_each(channels, [&](std::size_t c, unsigned worker) {
      const std::int32_t* from = x[0].data() + c * of_channel;
      std::int32_t *to = y.data() + c * of_channel, *table = memory + worker * numbers;
      for (std::size_t n = 0; has_table && n < numbers; ++n)
        table[n] = t.at(c, low + static_cast<std::int64_t>(n));
      for (std::size_t i = 0; i < of_channel; ++i)
        to[i] = has_table ? table[from[i] - low] : t.at(c, from[i]);
    });
  };
}

arith::Interval reached(const Thresholds& t, const Ends&, const std::vector<arith::Interval>&) {
  return {t.lowest, arith::Exact{t.lowest} + t.levels};
}

}  // namespace kumiki::gen::graph
