// SPDX-License-Identifier: Apache-2.0
#include "gen/onnx/operators/window.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::onnx {
namespace {

std::array<int, 2> pair_of(Call& call, const char* name) {
  const auto given = call.integers(name, {1, 1});
  if (given.size() != 2 || std::ranges::any_of(given, [](auto v) { return v < 1 || v > 1 << 16; }))
    throw Stop{
        fmt::format("has {} = {}; it must be two numbers of 1 to 65536", name, to_string(given))};
  return {static_cast<int>(given[0]), static_cast<int>(given[1])};
}

}  // namespace

graph::Window window_of(Call& call, const std::vector<std::int64_t>& kernel, const Value& map,
                        Dims& made) {
  if (kernel.size() != 2 ||
      std::ranges::any_of(kernel, [](auto v) { return v < 1 || v > 1 << 16; }))
    throw Stop{
        fmt::format("has the kernel {}; it must be two numbers of 1 to 65536", to_string(kernel))};
  graph::Window w;
  w.kernel = {static_cast<int>(kernel[0]), static_cast<int>(kernel[1])};
  w.stride = pair_of(call, "strides");
  w.dilation = pair_of(call, "dilations");
  const auto given = call.integers("pads", {0, 0, 0, 0});
  if (given.size() != 4 || std::ranges::any_of(given, [](auto v) { return v < 0 || v > 1 << 16; }))
    throw Stop{fmt::format("has pads = [{}]; it must be four numbers of 0 to 65536",
                           fmt::join(given, ", "))};
  const auto automatic = call.text("auto_pad", "NOTSET");
  if (automatic != "NOTSET" && automatic != "VALID" && automatic != "SAME_UPPER" &&
      automatic != "SAME_LOWER")
    throw Stop{fmt::format("has auto_pad = {}; it must be NOTSET, VALID, SAME_UPPER or SAME_LOWER",
                           automatic)};
  if (automatic.starts_with("SAME") && w.dilation != std::array{1, 1})
    throw Stop{fmt::format(
        "has auto_pad = {} with dilations, which onnxruntime takes in another way; use pads",
        automatic)};
  const bool ceil = call.integer("ceil_mode", 0) != 0;
  for (const std::size_t a : {0, 1}) {
    if (std::int64_t{w.kernel[a] - 1} * w.dilation[a] >= 1 << 20)
      throw Stop{fmt::format(
          "has a kernel of {} with a dilation of {}; the window must be at most 1048576",
          w.kernel[a], w.dilation[a])};
    const auto length = static_cast<int>(map.dims[a + 2]);  // includes `pads`
    const int reach = w.reach(static_cast<int>(a));
    if (automatic == "NOTSET") {
      w.before[a] = static_cast<int>(given[a]);
      w.after[a] = static_cast<int>(given[a + 2]);
    } else if (automatic != "VALID") {
      const int wanted = (length + w.stride[a] - 1) / w.stride[a];
      const int all = std::max(0, (wanted - 1) * w.stride[a] + reach - length);
      w.before[a] = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
      w.after[a] = all - w.before[a];
    }
    const int over = length + w.before[a] + w.after[a] - reach;
    if (over < 0)
      throw Stop{fmt::format("has a window of {}, larger than the padded map of {}", reach,
                             length + w.before[a] + w.after[a])};
    // ceil_mode adds a window if it begins on the map or on the padding before it and ends beyond.
    if (const int rest = over % w.stride[a]; ceil && rest != 0) {
      const int begins = over - rest + w.stride[a];
      if (begins < length + w.before[a]) w.after[a] += w.stride[a] - rest;
    }
    made[a + 2] = w.positions(static_cast<int>(a), length);
    w.before[a] += map.pads[a];
    w.after[a] += map.pads[a + 2];
  }
  return w;
}

}  // namespace kumiki::gen::onnx
