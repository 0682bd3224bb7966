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
  return all;
}

Violations check_layer(const NetworkLayer& l) {
  Violations all = check_keys(l);
  if (!all.empty() || l.type == Kind::fc) return all;
  if (*l.in_channels % l.groups != 0 || *l.out_channels % l.groups != 0)
    all.push_back({"groups", "does not divide both channel counts", "a common divisor is legal"});
  const ConvShape s = shape_of(l).conv;
  if (s.out_height() < 1 || s.out_width() < 1)
    all.push_back({"kernel", fmt::format("reaches over {} pixels, beyond the padded map", s.span()),
                   "a smaller kernel or more padding is legal"});
  return all;
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
           .help("of a fully connected layer")},
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
