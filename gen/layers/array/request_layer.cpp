// SPDX-License-Identifier: Apache-2.0
// The keys of one layer of a network.
#include <fmt/format.h>

#include "gen/config/messages.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/request.h"
#include "gen/layers/common/messages.h"

namespace kumiki::gen::array {
namespace {

using config::field;
using config::Violations;

// Requires the keys of the layer's kind and forbids those of the other.
Violations check_keys(const NetworkLayer& l) {
  if (l.type == LayerType::add)
    return {{code::key_of_other_kind, "type", "is \"add\", which the array has no layer for",
             "use \"graph\" with a file of kumiki import, which leaves additions to the host"}};
  const bool conv = l.kind() == Kind::conv, average = l.type == LayerType::average;
  // An average has as many output channels as inputs, and its window is the whole map.
  const std::pair<const char*, bool> of_conv[] = {
      {"in_channels", l.in_channels.has_value()},
      {"out_channels", l.out_channels.has_value() || average},
      {"height", l.height.has_value()},
      {"width", l.width.has_value()},
      {"kernel", l.kernel.has_value() || average}};
  const std::pair<const char*, bool> of_fc[] = {{"inputs", l.inputs.has_value()},
                                                {"outputs", l.outputs.has_value()}};
  Violations all;
  auto check = [&](const auto& keys, bool wanted) {
    for (const auto& [key, there] : keys)
      if (wanted && !there)
        all.push_back({code::missing_key, key, "is missing",
                       fmt::format("{} layer needs it", conv ? "a conv" : "an fc")});
      else if (!wanted && there)
        all.push_back({code::key_of_other_kind, key,
                       fmt::format("is not allowed on {} layer", conv ? "a conv" : "an fc"),
                       conv ? "give in_channels, out_channels, height, width and kernel"
                            : "give inputs and outputs"});
  };
  check(of_conv, conv);
  check(of_fc, !conv);
  for (const auto& [key, there] : {std::pair{"weights", l.weights.has_value()},
                                   {"out_channels", l.out_channels.has_value()},
                                   {"pool", l.pool.has_value()},
                                   {"groups", l.groups != 1},
                                   {"seed", l.seed.has_value()}})
    if (average && there)
      all.push_back({code::key_of_other_kind, key, "is not allowed on an average layer",
                     "remove it, or use a conv layer"});
  for (const auto& [key, there] : {std::pair{"stride", l.stride != Sides{std::int64_t{1}}},
                                   {"dilation", l.dilation != 1},
                                   {"groups", l.groups != 1}})
    if (!conv && there)
      all.push_back({code::key_of_other_kind, key, "is not allowed on an fc layer",
                     "remove it, or use a conv layer"});
  if (!conv && l.padding != NetworkLayer{}.padding)
    all.push_back({code::key_of_other_kind, "padding", "is not allowed on an fc layer",
                   "only conv layers can pad"});
  if (!conv && l.pool)
    all.push_back({code::pool_without_map, "pool", "is not allowed on an fc layer",
                   "only conv layers can pool"});
  return all;
}

std::vector<config::Dimension> dimensions(const NetworkLayer& l) {
  if (l.kind() == Kind::fc) return {{"output", *l.outputs}, {"input", *l.inputs}};
  return {{"output", *l.out_channels},
          {"input of its group", *l.in_channels / l.groups},
          {"row", l.window()[0]},
          {"column", l.window()[1]}};
}

Violations check_numbers(const NetworkLayer& l) {
  Violations all;
  const std::int64_t outputs = l.made_channels();
  auto check = [&](const char* key, std::size_t entries, std::int64_t wanted) {
    if (static_cast<std::int64_t>(entries) != wanted)
      all.push_back({code::wrong_count, key, fmt::format("has {} entries", entries),
                     fmt::format("must be a list of {}, one for each output channel", wanted)});
  };
  auto check_each = [&](const char* key, const auto& value) {
    if (!value) return;
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&*value))
      check(key, list->size(), outputs);
  };
  if (l.scale)
    if (const auto* list = std::get_if<std::vector<double>>(&*l.scale))
      check("scale", list->size(), outputs);
  check_each("multiplier", l.multiplier);
  check_each("shift", l.shift);
  if (l.bias) check("bias", l.bias->size(), outputs);
  if (l.weights)
    for (auto& wrong : config::check_shape("weights", *l.weights, dimensions(l)))
      all.push_back(std::move(wrong));
  if (l.scale && (l.multiplier || l.shift))
    all.push_back({code::conflicting_keys, "scale", "is given beside \"multiplier\" or \"shift\"",
                   "give one or the other"});
  if (l.multiplier.has_value() && !l.shift)
    all.push_back({code::missing_key, "multiplier", "is given without \"shift\"", "give both"});
  return all;
}

Violations check_layer(const NetworkLayer& l) {
  Violations all = check_keys(l);
  if (all.empty() && l.type == LayerType::conv &&
      (*l.in_channels % l.groups != 0 || *l.out_channels % l.groups != 0))
    all.push_back({code::groups_do_not_divide, "groups", "does not divide both channel counts",
                   "must divide both"});
  if (const auto* sides = std::get_if<std::vector<std::int64_t>>(&l.padding);
      sides && sides->size() == 3)
    all.push_back({code::wrong_length, "padding", "has 3 entries", "must be a list of 2 or 4"});
  if (all.empty()) all = check_numbers(l);
  if (!all.empty() || l.kind() == Kind::fc) return all;
  const std::int64_t side = std::max(l.window()[0], l.window()[1]);
  if (side > largest_kernel)
    return {{code::out_of_range, l.kernel ? "kernel" : "type",
             fmt::format("has a window of {} x {}", l.window()[0], l.window()[1]),
             fmt::format("must be at most {} a side", largest_kernel)}};
  if (l.pool && !keeps_all(l))
    return {{code::conflicting_keys, "pool", "does not work with strides that leave results out",
             "use the same stride for rows and columns"}};
  const ConvShape s = shape_of(l).conv;
  if (s.out_height() < 1 || s.out_width() < 1)
    all.push_back({code::kernel_beyond_map, "kernel",
                   fmt::format("reaches over {} pixels, more than the padded map has", s.span()),
                   "use a smaller kernel or more padding"});
  else if (l.pool && (s.out_height() < l.pool->size || s.out_width() < l.pool->size))
    all.push_back({code::pool_beyond_map, "pool",
                   fmt::format("has a window of {}, larger than the map of {} x {}", l.pool->size,
                               s.out_height(), s.out_width()),
                   "use a smaller window or a larger map"});
  return all;
}

const config::TableOf<PoolRequest>& pool_table() {
  static const config::TableOf<PoolRequest> table{
      "pooling",
      "Windows of rows and columns, two apart; windows that leave the map are left out.",
      {field("kind", &PoolRequest::kind)
           .required()
           .choices({{"max", PoolKind::max, "the largest of a window"},
                     {"average", PoolKind::average, "the mean of a window"}})
           .help("what becomes of a window"),
       field("size", &PoolRequest::size).range(2, 3).help("rows and columns of a window")}};
  return table;
}

}  // namespace

const config::TableOf<NetworkLayer>& layer_table() {
  static const config::TableOf<NetworkLayer> table{
      "layer of a network",
      "A convolution or a fully connected layer.",
      {field("type", &NetworkLayer::type)
           .required()
           .choices(
               {{"conv", LayerType::conv, "a convolution"},
                {"fc", LayerType::fc, "fully connected"},
                {"average", LayerType::average,
                 "the mean of windows, after requantisation and relu of the layer before; "
                 "without `kernel` of the whole map"},
                {"add", LayerType::add, "refused: two maps are added by a host, of a `graph`"}})
           .help("kind of layer"),
       field("name", &NetworkLayer::name).required().rule(config::identifier()).help("its name"),
       field("in_channels", &NetworkLayer::in_channels)
           .range(1, 65536)
           .absent("not a convolution")
           .help("of a convolution, all groups together"),
       field("out_channels", &NetworkLayer::out_channels)
           .range(1, 65536)
           .absent("not a convolution")
           .help("of a convolution, all groups together"),
       field("height", &NetworkLayer::height)
           .range(1, 65536)
           .absent("not a convolution")
           .help("of the input map"),
       field("width", &NetworkLayer::width)
           .range(1, 65536)
           .absent("not a convolution")
           .help("of the input map"),
       field("kernel", &NetworkLayer::kernel)
           .range(1, largest_kernel)
           .length(2, 2)
           .absent("not a convolution; of an average the whole map")
           .help("both ways, or [rows, columns], which take the steps of a square one"),
       field("stride", &NetworkLayer::stride)
           .range(1, largest_stride)
           .length(2, 2)
           .help(
               "both ways, or [down, across]: computed with a stride of both, and what is between "
               "is left out"),
       field("dilation", &NetworkLayer::dilation).range(1, 2).help("distance of taps"),
       field("groups", &NetworkLayer::groups)
           .range(1, 65536)
           .help("convolutions side by side, each with its share of the channels"),
       field("padding", &NetworkLayer::padding)
           .range(0, largest_padding)
           .length(2, 4)
           .help("zeros, or zero points, on every side, or [above and left, below and right], or "
                 "[above, left, below, right]"),
       field("inputs", &NetworkLayer::inputs)
           .range(1, 1 << 24)
           .absent("not fully connected")
           .help("of a fully connected layer"),
       field("outputs", &NetworkLayer::outputs)
           .range(1, 1 << 24)
           .absent("not fully connected")
           .help("of a fully connected layer"),
       field("relu", &NetworkLayer::relu).help("nothing below 0 leaves the layer"),
       field("pool", &NetworkLayer::pool)
           .object(pool_table())
           .absent("none")
           .help("of a convolution's results, before they are scaled"),
       field("scale", &NetworkLayer::scale)
           .range(1e-12, 1e6)
           .length(1, 65536)
           .absent(
               "shift, or with random weights such that results fill their range; of an average 1")
           .help("of the results: multiplier / 2^shift, to 2^-16 of it; above 8 bits a power of "
                 "two; as float32 exactly, one or one an output channel"),
       field("multiplier", &NetworkLayer::multiplier)
           .range(0, 65535)
           .or_file()
           .length(1, 65536)
           .absent("from the scale")
           .help("of the results, one or one an output channel"),
       field("shift", &NetworkLayer::shift)
           .range(1, 47)
           .or_file()
           .length(1, 65536)
           .absent("from the scale")
           .unit("bits")
           .help("of the results to the right, rounded, one or one an output channel"),
       field("zero_point", &NetworkLayer::zero_point)
           .range(-128, 127)
           .absent("0")
           .help("of the results, requantised as float32; of unsigned results less 128"),
       field("input_zero_point", &NetworkLayer::input_zero_point)
           .range(-128, 127)
           .absent("that of the layer before, of a host's map 0")
           .help("of the input, requantised as float32: padding, and taken off every number"),
       field("clamp", &NetworkLayer::clamp)
           .range(-128, 127)
           .absent("all that the bits hold")
           .help("the least and the most that leaves the layer, requantised as float32"),
       field("weights", &NetworkLayer::weights)
           .range(-131072, 131071)
           .absent("random, where `weights_from` of the array says so")
           .help("[output][input of its group][row][column], or [output][input]"),
       field("bias", &NetworkLayer::bias)
           .or_file()
           .length(1, 65536)
           .absent("random where the weights are, otherwise 0")
           .help("of the sums, one an output channel"),
       field("seed", &NetworkLayer::seed)
           .range(0, 4294967295)
           .absent("1 where weights are random")
           .help("of random weights"),
       field("input", &NetworkLayer::input)
           .choices(
               {{"previous", InputFrom::previous, "the results of the layer before it"},
                {"host", InputFrom::host, "a map that the host brings, in `sim` a random one"}})
           .absent("previous, of the first layer host")
           .help("where its map comes from")},
      {check_layer}};
  return table;
}

}  // namespace kumiki::gen::array
