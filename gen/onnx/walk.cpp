// SPDX-License-Identifier: Apache-2.0
#include "gen/onnx/walk.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/quantise.h"
#include "gen/onnx/messages.h"
#include "ir/error.h"

namespace kumiki::gen::onnx {
namespace {

constexpr std::int64_t first_opset = 10, last_opset = 24;

// The name of the type in ONNX.
std::string type_name(const graph::Format& format) {
  return fmt::format("{}int{}", format.is_signed ? "" : "u", format.bits);
}

std::string joined(const std::string& domain, const std::string& op) {
  return domain.empty() ? op : domain + "." + op;
}

}  // namespace

graph::Shape shape_of(const Dims& dims) {
  if (dims.empty() || dims[0] != 1 || dims.size() > 4)
    throw Stop{fmt::format("makes {}; it must be images first and then one to three axes",
                           to_string(dims))};
  graph::Shape shape;
  for (std::size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] < 1 || dims[i] > 1 << 20)
      throw Stop{fmt::format("makes {}; axes must be 1 to 1048576", to_string(dims))};
    shape.push_back(static_cast<int>(dims[i]));
  }
  if (shape.empty()) shape.push_back(1);
  return shape;
}

Quantiser quantiser_of(const graph::Tensor& t) { return {t.format, t.zero_point, t.scale}; }

graph::Tensor alike(const Quantiser& q) {
  return {
      .name = "", .shape = {}, .format = q.format, .zero_point = q.zero_point, .scale = q.scale};
}

std::int32_t quantise(float x, const Quantiser& q) { return graph::quantised(alike(q), x).number; }
float dequantise(std::int32_t number, const Quantiser& q) {
  return graph::real_value(alike(q), number);
}

std::vector<float> table_of(const graph::Tensor& t) {
  if (t.format.bits > 8)
    throw Stop{fmt::format("reads {} of {} bits; it must have at most 8", t.name, t.format.bits)};
  std::vector<float> table;
  const arith::Interval range = t.format.range();
  for (arith::Exact n = range.lo; n <= range.hi; ++n)
    table.push_back(dequantise(static_cast<std::int32_t>(n), quantiser_of(t)));
  return table;
}

graph::Format format_of(Type type) {
  switch (type) {
    case Type::u4:
      return {4, false};
    case Type::s4:
      return {4, true};
    case Type::u8:
      return {8, false};
    case Type::s8:
      return {8, true};
    case Type::s32:
      return {32, true};
    default:
      throw Stop{
          fmt::format("quantises to {}; it must be int8, uint8, int4 or uint4", to_string(type))};
  }
}

Walk::Walk(const Model& model, std::string name, Averages averages)
    : model_(model), name_(std::move(name)), averages_(averages) {
  out_.graph.name = model.name.empty() ? "network" : model.name;
}

void Walk::note(const std::string& text) {
  if (std::ranges::find(out_.notes, text) == out_.notes.end()) out_.notes.push_back(text);
}

std::string Walk::label(const Node& node) const {
  if (!node.name.empty()) return node.name;
  return fmt::format("{}_{}", node.op, &node - model_.nodes.data());
}

std::string Walk::unique(std::string name) {
  if (name.empty()) name = "tensor";
  std::string wanted = name;
  for (int i = 2; !names_.insert(wanted).second; ++i) wanted = fmt::format("{}#{}", name, i);
  return wanted;
}

graph::TensorId Walk::add_tensor(const std::string& name, graph::Shape shape, const Quantiser& q) {
  out_.graph.tensors.push_back({unique(name), std::move(shape), q.format, q.zero_point, q.scale});
  return out_.graph.tensors.size() - 1;
}

graph::TensorId Walk::add_node(const std::string& name, graph::Operator op,
                               std::vector<graph::TensorId> inputs, graph::TensorId output) {
  out_.graph.nodes.push_back({name, std::move(op), std::move(inputs), output});
  return output;
}

graph::TensorId Walk::seen(const Integers& integers, const Quantiser& q) {
  if (is_open(integers.id)) {
    for (const graph::TensorId id : open_) {
      out_.graph.tensors[id].scale = q.scale;
      out_.graph.tensors[id].zero_point = q.zero_point;
    }
    open_.clear();
  }
  const graph::Tensor& t = out_.graph.tensors[integers.id];
  if (t.format != q.format)
    throw Stop{
        fmt::format("reads {}, numbers of {}, with a zero point of {}; it must be of their type",
                    t.name, type_name(t.format), type_name(q.format))};
  if (t.scale != q.scale || t.zero_point != q.zero_point)
    throw Stop{
        fmt::format("reads {} with the scale {} and the zero point {}; they must be those of what "
                    "makes it, {} and {}",
                    t.name, q.scale, q.zero_point, t.scale, t.zero_point)};
  return integers.id;
}

graph::TensorId Walk::moved(graph::TensorId id, graph::Operator op, graph::Shape shape,
                            const std::string& name) {
  const graph::TensorId to = add_tensor(name, std::move(shape), quantiser_of(tensor(id)));
  follows(to, id);
  return add_node(name, std::move(op), {id}, to);
}

Value Walk::reshaped(const Value& value, const Dims& dims, const std::string& name) {
  Value result{dims, value.is};
  if (auto* constant = std::get_if<Constant>(&result.is)) {
    Array array = *constant->array;
    array.dims = dims;
    constant->array = std::make_shared<const Array>(std::move(array));
  } else if (auto* weights = std::get_if<Quantised>(&result.is)) {
    const auto axis = static_cast<std::size_t>(weights->axis);
    if (weights->scales.size() > 1) {
      if (axis >= dims.size() || dims[axis] != value.dims[axis] ||
          !std::equal(dims.begin(), dims.begin() + weights->axis, value.dims.begin()))
        throw Stop{
            "reshapes weights across the axis of their scales: reshape them before they are "
            "quantised"};
    }
  } else if (auto* integers = std::get_if<Integers>(&result.is)) {
    if (shape_of(dims) != tensor(integers->id).shape)
      integers->id = moved(integers->id, graph::Reshape{}, shape_of(dims), name);
  } else if (auto* real = std::get_if<Real>(&result.is)) {
    if (shape_of(dims) != tensor(real->id).shape)
      real->id = moved(real->id, graph::Reshape{}, shape_of(dims), name);
  } else if (auto* input = std::get_if<FloatInput>(&result.is)) {
    shape_of(dims);  // requires a valid shape
    if (dims != value.dims) input->steps.emplace_back(dims);
  } else {
    shape_of(dims);
  }
  return result;
}

Walk::Origin Walk::origin_of(graph::TensorId id) {
  const graph::Format format = tensor(id).format;
  Origin origin{id, {}};
  for (arith::Exact n = format.range().lo; n <= format.range().hi; ++n)
    origin.numbers.push_back(static_cast<std::int32_t>(n));
  for (auto node = out_.graph.nodes.rbegin(); node != out_.graph.nodes.rend(); ++node) {
    if (node->output != origin.id) continue;
    const auto* lookup = std::get_if<graph::Lookup>(&node->op);
    const int bits = tensor(node->inputs[0]).format.bits;
    if (lookup == nullptr || bits > 8 || lookup->values.size() != std::size_t{1} << bits) break;
    std::vector<std::int32_t> numbers;
    for (const std::int16_t value : lookup->values)
      numbers.push_back(
          origin.numbers[static_cast<std::size_t>(value - tensor(origin.id).format.range().lo)]);
    passed_.insert(origin.id);
    origin = {node->inputs[0], std::move(numbers)};
  }
  return origin;
}

graph::TensorId Walk::spread(graph::TensorId id, const Dims& dims, const std::string& name) {
  const graph::Shape shape = shape_of(dims);
  if (tensor(id).shape == shape) return id;
  return moved(id, graph::Resize{{shape[1], shape[2]}}, shape, name);
}

Value Walk::transposed(const Value& value, const std::vector<int>& order, const std::string& name) {
  Value result{{}, value.is};
  for (const int axis : order) result.dims.push_back(value.dims[static_cast<std::size_t>(axis)]);
  // For each number of the result, the index of its source.
  auto sources = [&] {
    const std::size_t axes = order.size();
    std::vector<std::size_t> step(axes, 1), from;
    for (std::size_t a = axes; a-- > 1;)
      step[a - 1] = step[a] * static_cast<std::size_t>(value.dims[a]);
    std::size_t all = 1;
    for (const auto d : result.dims) all *= static_cast<std::size_t>(d);
    for (std::size_t i = 0; i < all; ++i) {
      std::size_t rest = i, at = 0;
      for (std::size_t a = axes; a-- > 0; rest /= static_cast<std::size_t>(result.dims[a]))
        at += rest % static_cast<std::size_t>(result.dims[a]) *
              step[static_cast<std::size_t>(order[a])];
      from.push_back(at);
    }
    return from;
  };
  if (auto* constant = std::get_if<Constant>(&result.is)) {
    const Array& array = *constant->array;
    const std::size_t size = array.bytes.size() / std::max<std::size_t>(1, array.count());
    if (size == 0) throw Stop{"transposes a constant of 4 bits: transpose it in the file"};
    Array moved{.type = array.type, .dims = result.dims};
    for (const auto i : sources()) moved.bytes += array.bytes.substr(i * size, size);
    constant->array = std::make_shared<const Array>(std::move(moved));
  } else if (auto* weights = std::get_if<Quantised>(&result.is)) {
    std::vector<std::int32_t> moved;
    for (const auto i : sources()) moved.push_back((*weights->numbers)[i]);
    weights->numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(moved));
    weights->axis = static_cast<int>(std::ranges::find(order, weights->axis) - order.begin());
  } else if (std::holds_alternative<Integers>(result.is) ||
             std::holds_alternative<Real>(result.is)) {
    if (order[0] != 0) throw Stop{"moves the axis of the images; keep it in front"};
    graph::Transpose op;
    for (std::size_t i = 1; i < order.size(); ++i) op.order.push_back(order[i] - 1);
    if (std::ranges::is_sorted(op.order)) return result;
    if (auto* real = std::get_if<Real>(&result.is)) {
      real->id = moved(real->id, op, shape_of(result.dims), name);
    } else {
      auto& id = std::get<Integers>(result.is).id;
      id = moved(id, op, shape_of(result.dims), name);
    }
  } else if (auto* input = std::get_if<FloatInput>(&result.is)) {
    if (order[0] != 0) throw Stop{"moves the axis of the images; keep it in front"};
    if (!std::ranges::is_sorted(order)) input->steps.emplace_back(order);
  } else if (std::holds_alternative<Host>(result.is)) {
    if (!std::ranges::is_sorted(order))
      throw Stop{"moves axes after what is left to the host; put the Transpose before that"};
  } else {
    throw Stop{"has an input that is not quantised yet: quantise it first"};
  }
  return result;
}

Value Walk::padded(const Value& value, const std::string& name) {
  if (value.dims.size() == 3)
    return without_row(padded(in_one_row(value, name + "/row"), name + "/padded"), name);
  Value result{value.dims, value.is};
  if (auto* input = std::get_if<FloatInput>(&result.is)) {
    input->steps.emplace_back(value.pads);
    return result;
  }
  // Multiplies each channel by 1, so the padding becomes the zero point.
  const auto around = [&](graph::TensorId id) {
    const int channels = tensor(id).shape[0];
    graph::Conv conv{.groups = channels,
                     .weights = std::vector<std::int16_t>(static_cast<std::size_t>(channels), 1),
                     .bias = std::vector<std::int32_t>(static_cast<std::size_t>(channels), 0),
                     .scales = {1}};
    conv.window.before = {value.pads[0], value.pads[1]};
    conv.window.after = {value.pads[2], value.pads[3]};
    return moved(id, std::move(conv), shape_of(value.dims), name);
  };
  if (auto* integers = std::get_if<Integers>(&result.is)) {
    integers->id = around(integers->id);
  } else if (auto* real = std::get_if<Real>(&result.is)) {
    real->id = around(real->id);
  } else {
    throw Stop{"pads what is not quantised: quantise it first"};
  }
  return result;
}

void Walk::ends() {
  for (const auto& [name, array] : model_.constants)
    values_[name] = {array.dims, Constant{std::make_shared<const Array>(array)}};
  if (model_.inputs.size() != 1) {
    std::vector<std::string> names;
    for (const Port& p : model_.inputs) names.push_back(p.name);
    refusals_.push_back(fmt::format("the model has {} inputs ({}); it must have one", names.size(),
                                    fmt::join(names, ", ")));
    for (const Port& p : model_.inputs) values_[p.name] = {};
    return;
  }
  const Port& p = model_.inputs[0];
  values_[p.name] = {};
  Dims dims = p.dims;
  const bool open =
      std::any_of(dims.begin() + (dims.empty() ? 0 : 1), dims.end(), [](auto d) { return d < 1; });
  if (dims.size() < 2 || dims.size() > 4 || open || dims[0] == 0) {
    refusals_.push_back(
        fmt::format("input {} has the shape {}; it must be images first, then one to three axes of "
                    "a known size (onnxruntime.tools.make_dynamic_shape_fixed sets them)",
                    p.name, to_string(p.dims)));
    return;
  }
  batch_ = std::max<std::int64_t>(1, dims[0]);
  dims[0] = 1;
  out_.input = {p.name, 0, p.type == Type::f32};
  try {
    const graph::Shape shape = input_shape_ = shape_of(dims);
    if (p.type == Type::f32) {
      values_[p.name] = {dims, FloatInput{}};
    } else {
      out_.graph.input = add_tensor(p.name, shape, {format_of(p.type), 0, 1});
      has_input_ = true;
      open_.insert(out_.graph.input);
      values_[p.name] = {dims, Integers{out_.graph.input}};
    }
  } catch (const Stop& stop) {
    refusals_.push_back(fmt::format("input {} {}", p.name, stop.problem));
  }
}

std::optional<std::string> refused_of_two_results(std::string_view op) {
  if (op == "MatMul" || op == "Gemm" || op == "Conv")
    return "multiplies two results: the weights must be a constant";
  return {};
}

bool Walk::is_result(const std::string& value) const {
  const auto found = values_.find(value);
  return found != values_.end() && !std::holds_alternative<Constant>(found->second.is) &&
         !std::holds_alternative<Quantised>(found->second.is) && !of_constants_.contains(value);
}

std::optional<std::string> Walk::refused_whatever_comes(const Node& node,
                                                        const std::string& op) const {
  for (const std::string_view recurrent : {"LSTM", "GRU", "RNN", "Loop", "Scan"})
    if (op == recurrent)
      return "repeats its steps; write them out for a fixed length (Conv, Add, Mul, Sigmoid, Tanh) "
             "before you quantise the model, or leave this part to a host";
  if (row_of(op) == nullptr) return "is not supported; `kumiki import --operators` lists what is";
  // Weights must not be results.
  if (node.inputs.size() > 1 && is_result(node.inputs[1])) return refused_of_two_results(op);
  return {};
}

// One line for each operator and problem, and a total.
std::string Walk::refusals() const {
  constexpr std::size_t shown = 3;
  std::vector<std::string> lines = refusals_;
  std::map<std::string, std::size_t> of_operator;
  std::size_t all = 0;
  for (const RefusedNodes& r : refused_nodes_) {
    const std::size_t count = r.labels.size();
    of_operator[r.op] += count;
    all += count;
    std::string line = fmt::format("node {} ({}) {}", r.labels[0], r.op, r.problem);
    if (count > 1) {
      const std::size_t named = std::min(count - 1, shown);
      line +=
          fmt::format("; the same of {} more: {}{}", count - 1,
                      fmt::join(r.labels.begin() + 1,
                                r.labels.begin() + 1 + static_cast<std::ptrdiff_t>(named), ", "),
                      named < count - 1 ? ", …" : "");
    }
    lines.push_back(std::move(line));
  }
  lines.insert(lines.end(), refused_outputs_.begin(), refused_outputs_.end());
  if (all > 1) {
    std::vector<std::string> counts;
    for (const auto& [op, count] : of_operator) counts.push_back(fmt::format("{} {}", count, op));
    lines.push_back(fmt::format("refused in all: {} of {} nodes ({})", all, model_.nodes.size(),
                                fmt::join(counts, ", ")));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void Walk::run(const Node& node) {
  const std::string op = joined(node.domain, node.op);
  Call call{*this, node, label(node)};
  auto refuse = [&](const std::string& problem) {
    const auto known = std::ranges::find_if(
        refused_nodes_, [&](const RefusedNodes& r) { return r.op == op && r.problem == problem; });
    if (known != refused_nodes_.end())
      known->labels.push_back(call.label);
    else
      refused_nodes_.push_back({op, problem, {call.label}});
  };
  // The results of a refused node are unknown. Nodes that read them are only checked for problems
  // that no input could fix.
  bool known = true;
  for (const std::string& name : node.inputs) {
    if (name.empty()) continue;
    const auto found = values_.find(name);
    if (found == values_.end()) {
      refuse(fmt::format(
          "reads {}, which nothing before it makes; nodes must be in the order of their results",
          name));
      known = false;
    } else if (std::holds_alternative<Unknown>(found->second.is)) {
      known = false;
    }
  }
  bool fresh = !node.outputs.empty();
  for (const std::string& name : node.outputs)
    if (!name.empty() && values_.contains(name)) {
      refuse(fmt::format("makes {}, which is made already", name));
      fresh = false;
    }
  if (!fresh) return;
  const bool has_results =
      std::ranges::any_of(node.inputs, [&](const std::string& i) { return is_result(i); });
  for (const std::string& name : node.outputs) {
    if (name.empty()) continue;
    values_[name] = {};
    if (!has_results) of_constants_.insert(name);
  }
  if (const auto problem = refused_whatever_comes(node, op)) return refuse(*problem);
  if (!known) return;
  const Row* row = row_of(op);
  try {
    row->run(call);
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty())
        throw Stop{fmt::format("has {} results; it must have one", node.outputs.size())};
    for (const auto& [name, value] : node.attributes)
      if (!call.asked.contains(name))
        throw Stop{fmt::format("has the attribute {}, which is not known here", name)};
  } catch (const Stop& stop) {
    for (const std::string& name : node.outputs) values_[name] = {};
    refuse(stop.problem);
  }
}

void Walk::outputs() {
  const auto end_of = [&](const std::string& name, Value value) -> End {
    if (value.pads != Pads{}) value = padded(value, name + "/pad");
    if (const auto* integers = std::get_if<Integers>(&value.is)) return {name, integers->id, false};
    if (const auto* host = std::get_if<Host>(&value.is)) return {name, host->id, true};
    if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && real->table.empty())
      return {name, real->id, true};
    const auto* pending = std::get_if<Pending>(&value.is);
    if (pending == nullptr) throw Stop{"is not quantised; put a QuantizeLinear before the output"};
    if (const auto sums = plain_sums(*pending, value.dims, name)) return {name, *sums, true};
    throw Stop{fmt::format(
        "is a float32 result of node {}; put a QuantizeLinear and a DequantizeLinear after it",
        pending->node)};
  };
  for (const Port& p : model_.outputs) {
    try {
      const auto found = values_.find(p.name);
      if (found == values_.end()) throw Stop{"is made by no node"};
      if (!std::holds_alternative<Unknown>(found->second.is))
        out_.outputs.push_back(end_of(p.name, found->second));
    } catch (const Stop& stop) {
      refused_outputs_.push_back(fmt::format("output {} {}", p.name, stop.problem));
    }
  }
}

Refused::Refused(const Code& code, const std::string& text, std::set<std::string> of)
    : DesignError(code, text), operators(std::move(of)) {}

// A function of a table's results is a table of what that one reads.
void Walk::remove_unread_tables() {
  graph::Graph& g = out_.graph;
  std::vector<bool> read(g.tensors.size());
  read[g.input] = true;
  for (const End& end : out_.outputs) read[end.tensor] = true;
  std::vector<graph::Node> nodes;
  for (auto node = g.nodes.rbegin(); node != g.nodes.rend(); ++node) {
    if (!read[node->output] && passed_.contains(node->output)) continue;
    read[node->output] = true;
    for (const graph::TensorId id : node->inputs) read[id] = true;
    nodes.push_back(std::move(*node));
  }
  std::vector<graph::TensorId> now(g.tensors.size());
  std::vector<graph::Tensor> tensors;
  for (graph::TensorId id = 0; id < g.tensors.size(); ++id) {
    now[id] = tensors.size();
    if (read[id]) tensors.push_back(std::move(g.tensors[id]));
  }
  g.tensors = std::move(tensors);
  g.nodes.assign(std::move_iterator(nodes.rbegin()), std::move_iterator(nodes.rend()));
  g.input = now[g.input];
  for (graph::Node& node : g.nodes) {
    node.output = now[node.output];
    for (graph::TensorId& id : node.inputs) id = now[id];
  }
  for (End& end : out_.outputs) end.tensor = now[end.tensor];
}

Imported Walk::run() {
  const std::int64_t opset = model_.opset("");
  if (opset < first_opset || opset > last_opset)
    refusals_.push_back(fmt::format(
        "the model is of opset {}; it must be {} to {} (onnx.version_converter converts)", opset,
        first_opset, last_opset));
  ends();
  for (const Node& node : model_.nodes) run(node);
  outputs();
  const bool is_refused = !refusals().empty();
  if (!is_refused && !has_input_) refusals_.push_back("no node uses the input");
  if (!is_refused && has_input_) remove_unread_tables();
  out_.input.tensor = out_.graph.input;
  for (const End& end : out_.outputs)
    if (std::ranges::find(out_.graph.outputs, end.tensor) == out_.graph.outputs.end())
      out_.graph.outputs.push_back(end.tensor);
  // Some problems show only in the graph: sums beyond 32 bits, padding of whole windows.
  if (!is_refused && refusals_.empty())
    for (const graph::Finding& f : graph::check(out_.graph))
      refusals_.push_back(fmt::format("{} {}", f.where, f.message));
  if (const std::string text = refusals(); !text.empty()) {
    std::set<std::string> operators;
    for (const RefusedNodes& r : refused_nodes_) operators.insert(r.op);
    throw Refused(code::onnx_refused, fmt::format("{}: {}", name_, text),
                  std::move(operators));
  }
  return std::move(out_);
}

Imported import_model(const Model& model, const std::string& name, Averages averages) {
  const auto merged = merged_quantisers(model);
  return Walk(merged ? *merged : model, name, averages).run();
}
Imported import_model(const std::filesystem::path& file, Averages averages) {
  return import_model(read_model(file), file.string(), averages);
}

}  // namespace kumiki::gen::onnx
