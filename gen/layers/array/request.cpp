// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/config/messages.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/messages.h"
#include "gen/layers/array/setup.h"
#include "ir/error.h"

namespace kumiki::gen::array {
namespace {

using config::field;
using config::Violations;

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
        if (s.to < s.from)
          return {{code::empty_range, "to", "is less than \"from\"", "must be at least \"from\""}};
        if ((s.to - s.from) / s.step >= 10'000)
          return {
              {code::sweep_too_long, "step", "makes more than 10000 points", "use a larger step"}};
        if (s.over == Over::kernel && s.to > 11)
          return {{code::out_of_range, "to", "is not the size of a kernel", "must be 1 to 11"}};
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

Violations check_request(const Request& given) {
  if (auto wrong = check_graph(given); !wrong.empty()) return wrong;
  const Request r = with_layers(given);
  Violations all;
  const auto convolutions =
      std::ranges::count_if(r.network, [](const auto& l) { return l.kind() == Kind::conv; });
  if (r.fc_elements && *r.fc_elements > r.rows * r.columns)
    all.push_back({code::out_of_range, "fc_elements", "is more than the array has",
                   fmt::format("must be 1 to {}", r.rows * r.columns)});
  for (std::size_t i = 0; r.compare && i < r.compare->size(); ++i)
    if (static_cast<std::ptrdiff_t>((*r.compare)[i].ms.size()) != convolutions)
      all.push_back({code::wrong_count, fmt::format("compare/{}/ms", i),
                     "does not have one entry for each convolution",
                     fmt::format("must be a list of {}", convolutions)});
  for (std::size_t i = 0; i < r.network.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (r.network[i].name == r.network[j].name)
        all.push_back({code::name_taken, fmt::format("network/{}/name", i),
                       fmt::format("is the name of network/{} already", j), "give another name"});
  return all;
}

std::vector<config::FieldOf<Request>> all_fields() {
  return {
      field("rows", &Request::rows).range(1, 1024).unit("elements").help("height of the array"),
      field("columns", &Request::columns).range(1, 1024).unit("elements").help("width"),
      field("accumulators", &Request::accumulators)
          .range(1, 1024)
          .help("of every element: output channels that share an input"),
      field("bits", &Request::bits)
          .range(2, ir::arch::dsp48e2.multiplier_a)
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
          .help("parts each way into which small maps cut the array; 1: the paper's form, more "
                "than 2: the cost model only"),
      field("batched_fc", &Request::batched_fc)
          .help("fully connected layers for a batch at once: a weight a row and an input a "
                "column instead of a weight for every element"),
      field("coefficient_bits", &Request::coefficient_bits)
          .range(2, ir::arch::dsp48e2.multiplier_b)
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
          .absent("enough for the network's rate; fc_elements where layers are fully connected")
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
          .absent("enough for the network's rate")
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
      field("requantise", &Request::requantise)
          .choices({{"fixed", Requantise::fixed,
                     "multiplier of 16 bits and shift, half up, no zero points"},
                    {"float32", Requantise::float32,
                     "onnxruntime's float32 bit by bit, half to even, zero points; to 8 bits"}})
          .help("how sums become results"),
      field("weights_from", &Request::weights_from)
          .choices({{"random", WeightsFrom::random,
                     "random ones that fill the accumulators, with the layer's `seed`"}})
          .absent("every layer has `weights`")
          .help("of layers without weights of their own; the cost model needs none"),
      field("network", &Request::network)
          .object(layer_table())
          .length(1, 10'000)
          .absent_when_empty("the layers of `graph`")
          .help("the layers, one after the other"),
      field("graph", &Request::graph)
          .rule(config::file_path())
          .absent("the layers of `network`")
          .help("file of a trained network, as kumiki import writes it: its convolutions and dense "
                "layers run on the array, what it has no layer for on the host; float32 alone"),
      field("inexact", &Request::inexact)
          .choices({{"refuse", Inexact::refuse, "an error that names the node"},
                    {"host", Inexact::host, "the host does it"}})
          .help("of a graph: nodes with sums that the array cannot compute exactly"),
      field("sweeps", &Request::sweeps)
          .object(sweep_table())
          .length(1, 100)
          .absent("none")
          .help("plots of one number running through a range"),
      field("compare", &Request::compare)
          .object(comparison_table())
          .length(1, 100)
          .absent("with nobody")
          .help("times of other accelerators, printed beside ours")};
}

constexpr const char* about =
    "One array of processing elements for convolutions and fully connected layers.";

}  // namespace

const config::TableOf<Request>& request_table() {
  static const config::TableOf<Request> table{
      "pe_array", about, all_fields(), {[](const Request& r) {
        auto wrong = check_request(r);
        return wrong.empty() && !r.graph ? check_numbers(r) : wrong;
      }}};
  return table;
}

const config::TableOf<Request>& cost_table() {
  static const config::TableOf<Request> table{"pe_array", about, all_fields(), {check_request}};
  return table;
}

const config::Registry& cost_registry() {
  static const config::Registry registry{
      {{"pe_array", "one array for convolutions and fully connected layers", &cost_table()}}};
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
          .batched_fc = r.batched_fc,
          .narrow_slices = r.narrow_slices};
}

std::array<std::int64_t, 2> both(const Sides& sides) {
  if (const auto* one = std::get_if<std::int64_t>(&sides)) return {*one, *one};
  const auto& all = std::get<std::vector<std::int64_t>>(sides);
  return {all.at(0), all.at(1)};
}

std::int64_t NetworkLayer::made_channels() const {
  if (type == LayerType::fc) return outputs.value_or(1);
  return type == LayerType::average ? in_channels.value_or(1) : out_channels.value_or(1);
}

std::array<std::int64_t, 2> NetworkLayer::window() const {
  if (kernel) return both(*kernel);
  if (type == LayerType::average) return {height.value_or(1), width.value_or(1)};
  return {1, 1};
}

namespace {

// The largest supported stride that divides both.
std::int64_t common_stride(const NetworkLayer& l) {
  const auto [down, across] = both(l.stride);
  std::int64_t stride = largest_stride;
  while (down % stride != 0 || across % stride != 0) --stride;
  return stride;
}

}  // namespace

std::array<std::int64_t, 2> kept_of(const NetworkLayer& l) {
  if (l.kind() == Kind::fc) return {1, 1};
  const auto [down, across] = both(l.stride);
  const std::int64_t stride = common_stride(l);
  return {down / stride, across / stride};
}

bool keeps_all(const NetworkLayer& l) { return kept_of(l) == std::array<std::int64_t, 2>{1, 1}; }

std::vector<std::int32_t> in_square(const NetworkLayer& l,
                                    const std::vector<std::int64_t>& weights) {
  const auto [rows, columns] = l.window();
  if (l.kind() == Kind::fc || rows == columns) return {weights.begin(), weights.end()};
  const std::int64_t side = std::max(rows, columns);
  const auto kernels = static_cast<std::int64_t>(weights.size()) / (rows * columns);
  std::vector<std::int32_t> all(static_cast<std::size_t>(kernels * side * side));
  for (std::int64_t k = 0; k < kernels; ++k)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        all[static_cast<std::size_t>((k * side + r) * side + c)] = static_cast<std::int32_t>(
            weights[static_cast<std::size_t>((k * rows + r) * columns + c)]);
  return all;
}

LayerShape shape_of(const NetworkLayer& l, std::int64_t fc_batch) {
  LayerShape s{.name = l.name, .kind = l.kind()};
  if (l.kind() == Kind::fc) {
    s.fc = {l.inputs.value_or(1), l.made_channels(), fc_batch};
    return s;
  }
  const auto [rows, columns] = l.window();
  s.conv = {.in_channels = l.in_channels.value_or(1),
            .height = l.height.value_or(1),
            .width = l.width.value_or(1),
            .out_channels = l.made_channels(),
            .kernel = std::max(rows, columns),
            .stride = common_stride(l),
            .dilation = l.dilation,
            .groups = l.type == LayerType::average ? l.made_channels() : l.groups};
  if (const auto* both = std::get_if<std::vector<std::int64_t>>(&l.padding)) {
    const std::size_t after = both->size() / 2;
    s.conv.padding_before = both->front();
    s.conv.padding_after = both->at(after);
    if (after == 2 && *both != std::vector{both->at(0), both->at(0), both->at(2), both->at(2)}) {
      s.conv.padding_left = both->at(1);
      s.conv.padding_right = both->at(3);
    }
  } else {
    s.conv.padding_before = s.conv.padding_after = std::get<0>(l.padding);
  }
  // Empty taps reach further; they read padding.
  if (rows != columns) {
    s.conv.padding_left = s.conv.left();
    s.conv.padding_right = s.conv.right() + (s.conv.kernel - columns) * l.dilation;
    s.conv.padding_after += (s.conv.kernel - rows) * l.dilation;
  }
  return s;
}

std::vector<LayerShape> shapes_of(const Request& given) {
  const Request r = with_layers(given);
  std::vector<LayerShape> all;
  for (const NetworkLayer& l : r.network) all.push_back(shape_of(l, r.fc_batch()));
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
    // The padding makes the output as large as the input.
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
