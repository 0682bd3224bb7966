// SPDX-License-Identifier: Apache-2.0
#include "gen/array/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"

namespace kumiki::gen::array {
namespace {

using config::field;
using config::Violations;

// The keys of the one kind must be there and those of the other not.
Violations check_keys(const NetworkLayer& l) {
  const bool conv = l.type == Kind::conv;
  const std::pair<const char*, bool> of_conv[] = {{"in_channels", l.in_channels.has_value()},
                                                  {"out_channels", l.out_channels.has_value()},
                                                  {"height", l.height.has_value()},
                                                  {"width", l.width.has_value()},
                                                  {"kernel", l.kernel.has_value()}};
  const std::pair<const char*, bool> of_fc[] = {{"inputs", l.inputs.has_value()},
                                                {"outputs", l.outputs.has_value()}};
  Violations all;
  auto check = [&](const auto& keys, bool wanted) {
    for (const auto& [key, there] : keys)
      if (wanted && !there)
        all.push_back({"type", fmt::format("has no \"{}\"", key), "an integer there is legal"});
      else if (!wanted && there)
        all.push_back({key, fmt::format("is no key of a layer of type {}", conv ? "conv" : "fc"),
                       conv ? "in_channels, out_channels, height, width and kernel are legal"
                            : "inputs and outputs are legal"});
  };
  check(of_conv, conv);
  check(of_fc, !conv);
  if (!conv && (l.stride != 1 || l.dilation != 1 || l.groups != 1))
    all.push_back({"type", "has no stride, dilation or groups", "conv is legal"});
  if (!conv && l.pool)
    all.push_back({"pool", "is no key of a layer of type fc", "pooling after a conv is legal"});
  return all;
}

std::int64_t outputs_of(const NetworkLayer& l) {
  return l.type == Kind::fc ? *l.outputs : *l.out_channels;
}

Violations check_numbers(const NetworkLayer& l) {
  Violations all;
  const std::int64_t outputs = outputs_of(l);
  auto check = [&](const char* key, std::size_t entries, std::int64_t wanted, const char* what) {
    if (static_cast<std::int64_t>(entries) != wanted)
      all.push_back({key, fmt::format("has {} entries, not one {}", entries, what),
                     fmt::format("a list of {} is legal", wanted)});
  };
  auto check_each = [&](const char* key, const auto& value) {
    if (!value) return;
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&*value))
      check(key, list->size(), outputs, "an output channel");
  };
  check_each("multiplier", l.multiplier);
  check_each("shift", l.shift);
  if (l.bias) check("bias", l.bias->size(), outputs, "an output channel");
  if (l.weights)
    check("weights", l.weights->size(), LayerJob{.shape = shape_of(l)}.weight_count(), "a weight");
  if (l.scale && (l.multiplier || l.shift))
    all.push_back({"scale", "is given beside multiplier or shift", "one of the two ways is legal"});
  if (l.multiplier.has_value() && !l.shift)
    all.push_back({"multiplier", "is given without shift", "both are legal"});
  return all;
}

Violations check_layer(const NetworkLayer& l) {
  Violations all = check_keys(l);
  if (all.empty()) all = check_numbers(l);
  if (!all.empty() || l.type == Kind::fc) return all;
  if (*l.in_channels % l.groups != 0 || *l.out_channels % l.groups != 0)
    all.push_back({"groups", "does not divide both channel counts", "a common divisor is legal"});
  const ConvShape s = shape_of(l).conv;
  if (s.out_height() < 1 || s.out_width() < 1)
    all.push_back({"kernel", fmt::format("reaches over {} pixels, beyond the padded map", s.span()),
                   "a smaller kernel or more padding is legal"});
  else if (l.pool && (s.out_height() < l.pool->size || s.out_width() < l.pool->size))
    all.push_back({"pool",
                   fmt::format("has a window of {}, beyond the map of {} x {}", l.pool->size,
                               s.out_height(), s.out_width()),
                   "a smaller window or a larger map is legal"});
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

const config::TableOf<NetworkLayer>& layer_table() {
  static const config::TableOf<NetworkLayer> table{
      "layer of a network",
      "A convolution or a fully connected layer.",
      {field("type", &NetworkLayer::type)
           .required()
           .choices({{"conv", Kind::conv, "a convolution"}, {"fc", Kind::fc, "fully connected"}})
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
           .range(1, 11)
           .absent("not a convolution")
           .help("both ways"),
       field("stride", &NetworkLayer::stride).range(1, 4).help("both ways"),
       field("dilation", &NetworkLayer::dilation).range(1, 2).help("distance of taps"),
       field("groups", &NetworkLayer::groups)
           .range(1, 65536)
           .help("convolutions side by side, each with its share of the channels"),
       field("padding", &NetworkLayer::padding)
           .range(0, 10)
           .length(2, 2)
           .help("zeros on every side, or [above and left, below and right]"),
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
           .absent("such that random data fill their range")
           .help("of the results; multiplier and shift come next to it"),
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
       field("weights", &NetworkLayer::weights)
           .or_file()
           .length(1, 1 << 26)
           .absent("random with `seed`")
           .help("[output][input of its group][row][column] in one list"),
       field("bias", &NetworkLayer::bias)
           .or_file()
           .length(1, 65536)
           .absent("random where the weights are, otherwise 0")
           .help("of the sums, one an output channel"),
       field("seed", &NetworkLayer::seed).range(0, 4294967295).help("of random numbers")},
      {check_layer}};
  return table;
}

const config::TableOf<Sweep>& sweep_table() {
  static const config::TableOf<Sweep> table{
      "sweep",
      "A convolution of stride 1 of which one number runs through a range.",
      {field("name", &Sweep::name).required().rule(config::identifier()).help("of its files"),
       field("over", &Sweep::over)
           .required()
           .choices({{"out_channels", Over::out_channels, "output channels"},
                     {"in_channels", Over::in_channels, "input channels"},
                     {"size", Over::size, "rows and columns of the output map"},
                     {"kernel", Over::kernel, "rows and columns of the kernel"}})
           .help("the number that runs"),
       field("from", &Sweep::from).required().range(1, 65536).help("first value"),
       field("to", &Sweep::to).required().range(1, 65536).help("last value"),
       field("step", &Sweep::step).range(1, 65536).help("from one value to the next"),
       field("in_channels", &Sweep::in_channels).range(1, 65536).help("when it stands still"),
       field("out_channels", &Sweep::out_channels).range(1, 65536).help("when it stands still"),
       field("size", &Sweep::size).range(1, 65536).help("of the output map, when it stands still"),
       field("kernel", &Sweep::kernel).range(1, 11).help("when it stands still")},
      {[](const Sweep& s) -> Violations {
        if (s.to < s.from) return {{"to", "is less than from", "from or more is legal"}};
        if ((s.to - s.from) / s.step >= 10'000)
          return {{"step", "makes more than 10000 points", "a larger step is legal"}};
        if (s.over == Over::kernel && s.to > 11)
          return {{"to", "is no kernel", "1 to 11 is legal"}};
        return {};
      }}};
  return table;
}

const config::TableOf<Comparison>& comparison_table() {
  static const config::TableOf<Comparison> table{
      "comparison",
      "Times of somebody else's accelerator for the same convolutions.",
      {field("name", &Comparison::name).required().help("whose"),
       field("batch", &Comparison::batch).range(1, 65536).help("images of that measurement"),
       field("ms", &Comparison::ms)
           .required()
           .range(0.0, 1e9)
           .length(1, 1000)
           .unit("milliseconds")
           .help("one for each convolution of the network, in its order")}};
  return table;
}

Violations check_request(const Request& r) {
  Violations all;
  const auto convolutions =
      std::ranges::count_if(r.network, [](const auto& l) { return l.type == Kind::conv; });
  if (r.fc_elements && *r.fc_elements > r.rows * r.columns)
    all.push_back({"fc_elements", "is more than the array has",
                   fmt::format("1 to {} is legal", r.rows * r.columns)});
  for (std::size_t i = 0; r.compare && i < r.compare->size(); ++i)
    if (static_cast<std::ptrdiff_t>((*r.compare)[i].ms.size()) != convolutions)
      all.push_back({fmt::format("compare/{}/ms", i), "has not one entry a convolution",
                     fmt::format("a list of {} is legal", convolutions)});
  for (std::size_t i = 0; i < r.network.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (r.network[i].name == r.network[j].name)
        all.push_back({fmt::format("network/{}/name", i),
                       fmt::format("is the name of network/{} already", j),
                       "a name of its own is legal"});
  return all;
}

}  // namespace

const config::TableOf<Request>& request_table() {
  static const config::TableOf<Request> table{
      "pe_array",
      "One array of processing elements for convolutions and fully connected layers.",
      {field("rows", &Request::rows).range(1, 1024).unit("elements").help("height of the array"),
       field("columns", &Request::columns).range(1, 1024).unit("elements").help("width"),
       field("accumulators", &Request::accumulators)
           .range(1, 1024)
           .help("of every element: output channels that share an input"),
       field("bits", &Request::bits)
           .range(1, 27)
           .unit("bits")
           .help("of an operand; up to 8 two elements share a slice"),
       field("clock_mhz", &Request::clock_mhz).range(1.0, 2000.0).unit("MHz").help("of the array"),
       field("fc_elements", &Request::fc_elements)
           .range(1, 1024 * 1024)
           .absent("all of them")
           .help("elements that work on a fully connected layer: each asks for a weight a cycle"),
       field("batch", &Request::batch).range(1, 65536).help("images"),
       field("split", &Request::split)
           .range(1, 8)
           .help("parts each way into which small maps cut the array; 1: the paper's form"),
       field("batched_fc", &Request::batched_fc)
           .help("fully connected layers for a batch at once: a weight a row and an input a "
                 "column instead of a weight for every element"),
       field("coefficient_bits", &Request::coefficient_bits)
           .range(2, 18)
           .unit("bits")
           .absent("those of an operand, at most 18")
           .help("of a weight"),
       field("reach", &Request::reach)
           .range(1, 21)
           .unit("pixels")
           .absent("what the network asks for")
           .help("most that a kernel spans on the array, a stride's pixels apart"),
       field("stream_words", &Request::stream_words)
           .range(1, 1 << 20)
           .absent("what keeps the network going; fc_elements where layers are fully connected")
           .help("of a beat of pixels or of a neuron's weights"),
       field("window_words", &Request::window_words)
           .range(1, 4096)
           .absent("what the network asks for")
           .help("most addresses that a channel's pixels take in a bank"),
       field("common_words", &Request::common_words)
           .range(2, 1 << 20)
           .absent("what T channels of the network take")
           .help("coefficients on chip"),
       field("output_words", &Request::output_words)
           .range(1, 1024)
           .absent("what keeps the network going")
           .help("of a beat of results"),
       field("descriptors", &Request::descriptors)
           .range(1, 64)
           .absent("16, or what the network has if that is more")
           .help("of layers that the array holds"),
       field("max_pool", &Request::max_pool)
           .absent("where the network asks for it")
           .help("hardware for maximum pooling"),
       field("average_pool", &Request::average_pool)
           .absent("where the network asks for it")
           .help("hardware for average pooling"),
       field("network", &Request::network)
           .required()
           .object(layer_table())
           .length(1, 10'000)
           .help("the layers, one after the other"),
       field("sweeps", &Request::sweeps)
           .object(sweep_table())
           .length(1, 100)
           .absent("none")
           .help("plots of one number running through a range"),
       field("compare", &Request::compare)
           .object(comparison_table())
           .length(1, 100)
           .absent("with nobody")
           .help("times of others, printed beside ours")},
      {check_request}};
  return table;
}

const config::Registry& cost_registry() {
  static const config::Registry registry{
      {{"pe_array", "one array for convolutions and fully connected layers", &request_table()}}};
  return registry;
}

Array array_of(const Request& r) {
  return {.rows = r.rows,
          .columns = r.columns,
          .accumulators = r.accumulators,
          .bits = r.bits,
          .clock_mhz = r.clock_mhz,
          .fc_elements = r.fc_elements.value_or(0),
          .batch = r.batch,
          .split = r.split,
          .batched_fc = r.batched_fc};
}

LayerShape shape_of(const NetworkLayer& l) {
  LayerShape s{.name = l.name, .kind = l.type};
  if (l.type == Kind::fc) {
    s.fc = {l.inputs.value_or(1), l.outputs.value_or(1)};
    return s;
  }
  s.conv = {.in_channels = l.in_channels.value_or(1),
            .height = l.height.value_or(1),
            .width = l.width.value_or(1),
            .out_channels = l.out_channels.value_or(1),
            .kernel = l.kernel.value_or(1),
            .stride = l.stride,
            .dilation = l.dilation,
            .groups = l.groups};
  if (const auto* both = std::get_if<std::vector<std::int64_t>>(&l.padding)) {
    s.conv.padding_before = both->front();
    s.conv.padding_after = both->back();
  } else {
    s.conv.padding_before = s.conv.padding_after = std::get<0>(l.padding);
  }
  return s;
}

std::vector<LayerShape> shapes_of(const Request& r) {
  std::vector<LayerShape> all;
  for (const NetworkLayer& l : r.network) all.push_back(shape_of(l));
  return all;
}

const char* name(Over over) {
  switch (over) {
    case Over::out_channels:
      return "output channels";
    case Over::in_channels:
      return "input channels";
    case Over::size:
      return "rows and columns of the output map";
    case Over::kernel:
      return "rows and columns of the kernel";
  }
  return "";
}

std::vector<Point> points(const Array& array, const Sweep& sweep) {
  std::vector<Point> all;
  for (std::int64_t value = sweep.from; value <= sweep.to; value += sweep.step) {
    Sweep s = sweep;
    (s.over == Over::out_channels  ? s.out_channels
     : s.over == Over::in_channels ? s.in_channels
     : s.over == Over::size        ? s.size
                                   : s.kernel) = value;
    // As many input pixels as outputs: the padding makes up for what the kernel takes.
    all.push_back({value, cost(array, ConvShape{.in_channels = s.in_channels,
                                                .height = s.size,
                                                .width = s.size,
                                                .out_channels = s.out_channels,
                                                .kernel = s.kernel,
                                                .padding_before = (s.kernel - 1) / 2,
                                                .padding_after = s.kernel / 2})});
  }
  return all;
}

}  // namespace kumiki::gen::array
