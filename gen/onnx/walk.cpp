// SPDX-License-Identifier: Apache-2.0
#include "gen/onnx/walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/quantise.h"
#include "gen/graph/transposes.h"
#include "gen/onnx/fold.h"
#include "gen/onnx/messages.h"
#include "gen/onnx/operators/operators.h"
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

bool is_plain(const Dims& dims) { return !dims.empty() && dims[0] == 1 && dims.size() <= 4; }

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
    const graph::TensorId of = open_[integers.id];
    for (const auto& [id, input] : open_) {
      if (input != of) continue;
      out_.graph.tensors[id].scale = q.scale;
      out_.graph.tensors[id].zero_point = q.zero_point;
    }
    std::erase_if(open_, [&](const auto& entry) { return entry.second == of; });
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

void Walk::require_images(const Dims& dims) const {
  for (std::size_t i = 1; i < dims.size(); ++i)
    if (dims[i] < 1 || dims[i] > graph::largest_axis)
      throw Stop{
          fmt::format("makes {}; axes must be 1 to {}", to_string(dims), graph::largest_axis)};
  if (dims[0] == 1) return;
  if (model_.inputs.empty() || model_.inputs[0].dims.empty() || model_.inputs[0].dims[0] != 1)
    throw Stop{
        "moves the axis of the images; keep it in front, or use a model of one image "
        "(onnxruntime.tools.make_dynamic_shape_fixed)"};
}

graph::TensorId Walk::moved(graph::TensorId id, graph::Operator op, graph::Shape shape,
                            const std::string& name) {
  const graph::TensorId to = add_tensor(name, std::move(shape), quantiser_of(tensor(id)));
  follows(to, id);
  return add_node(name, std::move(op), {id}, to);
}

graph::TensorId Walk::placed(graph::TensorId id, graph::Operator op, const Dims& dims,
                             const std::string& name) {
  if (is_plain(dims)) return moved(id, std::move(op), shape_of(dims), name);
  require_images(dims);
  // The shape is free until somebody reads it. Mostly the next node joins the axes in front.
  Dims shape{1, 1};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i + 2 < dims.size())
      shape[1] *= dims[i];
    else
      shape.push_back(dims[i]);
  }
  const graph::TensorId to = moved(id, std::move(op), shape_of(shape), name);
  loose_.insert(to);
  return to;
}

graph::TensorId Walk::shaped(graph::TensorId id, const Dims& dims, const std::string& name) {
  if (!is_plain(dims)) {
    require_images(dims);
    return id;
  }
  graph::Shape shape = shape_of(dims);
  if (shape == tensor(id).shape) return id;
  const bool is_read = std::ranges::any_of(out_.graph.nodes, [&](const graph::Node& n) {
    return std::ranges::find(n.inputs, id) != n.inputs.end();
  });
  if (loose_.erase(id) == 0 || is_read) return moved(id, graph::Reshape{}, std::move(shape), name);
  out_.graph.tensors[id].shape = std::move(shape);
  return id;
}

Value Walk::moved(const Value& value, graph::Operator op, const Dims& dims, const std::string& node,
                  const std::string& name) {
  Value result{dims, value.is};
  auto* integers = std::get_if<Integers>(&result.is);
  graph::TensorId& id = integers != nullptr ? integers->id : std::get<Real>(result.is).id;
  const graph::TensorId to = add_tensor(name, shape_of(dims), quantiser_of(tensor(id)));
  follows(to, id);
  id = add_node(node, std::move(op), {id}, to);
  return result;
}

Value Walk::settled(const Value& value, const std::string& name) {
  const auto* pending = std::get_if<Pending>(&value.is);
  const auto* join = pending != nullptr ? std::get_if<JoinOf>(&pending->what) : nullptr;
  if (join == nullptr || !pending->chain.empty() || std::isfinite(pending->low) ||
      std::isfinite(pending->high))
    return value;
  std::optional<Quantiser> q;
  for (const auto& part : join->parts) {
    const auto* real = std::get_if<Real>(&part);
    if (real == nullptr || !real->table.empty() || (q && quantiser_of(tensor(real->id)) != *q))
      return value;
    q = quantiser_of(tensor(real->id));
  }
  return {value.dims, Real{finished(*pending, value.dims, *q, name)}};
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
    integers->id = shaped(integers->id, dims, name);
  } else if (auto* real = std::get_if<Real>(&result.is)) {
    real->id = shaped(real->id, dims, name);
  } else {
    if (is_plain(dims))
      shape_of(dims);  // requires a valid shape
    else
      require_images(dims);
    if (auto* input = std::get_if<FloatInput>(&result.is); input != nullptr && dims != value.dims)
      input->steps.emplace_back(dims);
  }
  return result;
}

graph::TensorId Walk::indices(const Value& value, std::int64_t rows) {
  const auto* of = std::get_if<Indices>(&value.is);
  if (of == nullptr)
    throw Stop{
        "picks rows of a table by computed numbers; the indices must be an input of the model of "
        "int64 or int32"};
  std::optional<graph::TensorId>& id = inputs_[of->input].tensor;
  if (!id)
    id = add_tensor(model_.inputs[of->input].name, inputs_[of->input].shape, {{1, true}, 0, 1});
  graph::Format& format = out_.graph.tensors[*id].format;
  while (format.range().hi < rows - 1) ++format.bits;
  return *id;
}

graph::TensorId Walk::integer_input(const Value& value) {
  const std::size_t i = std::get<Indices>(value.is).input;
  std::optional<graph::TensorId>& id = inputs_[i].tensor;
  const Quantiser bytes{{8, true}, 0, 1};
  if (id && quantiser_of(tensor(*id)) != bytes)
    throw Stop{"reads an input of indices as real numbers; give the model an input for each use"};
  if (!id) {
    id = add_tensor(model_.inputs[i].name, inputs_[i].shape, bytes);
    note(fmt::format("input {}: its integers must be -128 to 127", model_.inputs[i].name));
  }
  return shaped(*id, value.dims, model_.inputs[i].name + "/shaped");
}

Walk::Origin Walk::origin_of(graph::TensorId id) {
  const graph::Format format = tensor(id).format;
  Origin origin{id, {}};
  for (arith::Exact n = format.range().lo; n <= format.range().hi; ++n)
    origin.numbers.push_back(static_cast<std::int32_t>(n));
  for (auto node = out_.graph.nodes.rbegin(); node != out_.graph.nodes.rend(); ++node) {
    if (node->output != origin.id) continue;
    const auto* lookup = std::get_if<graph::Lookup>(&node->op);
    if (lookup == nullptr) break;
    const graph::Tensor& in = tensor(node->inputs[0]);
    if (in.format.bits > 8 || !is_for_all(*lookup, in)) break;
    std::vector<std::int32_t> numbers;
    for (const std::int16_t value : lookup->values)
      numbers.push_back(
          origin.numbers[static_cast<std::size_t>(value - tensor(origin.id).format.range().lo)]);
    passed_.insert(origin.id);
    origin = {node->inputs[0], std::move(numbers)};
  }
  return origin;
}

namespace {

std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

// For each number of the result the place of its source: source axis order[i] becomes axis i, and
// picks has the places of each source axis.
std::vector<std::size_t> sources_of(const Dims& from, const Picks& picks,
                                    const std::vector<int>& order) {
  std::vector<std::size_t> all{0}, step(from.size(), 1);
  for (std::size_t a = from.size(); a-- > 1;) step[a - 1] = step[a] * size_of(from[a]);
  for (const int axis : order) {
    std::vector<std::size_t> longer;
    const auto a = static_cast<std::size_t>(axis);
    for (const std::size_t at : all)
      for (const std::int64_t place : picks[a]) {
        if (place < 0) throw Stop{"pads constants: pad them in the file"};
        longer.push_back(at + size_of(place) * step[a]);
      }
    all = std::move(longer);
  }
  return all;
}

Array taken(const Array& array, const Dims& dims, const std::vector<std::size_t>& sources) {
  const auto numbers = [&](const auto& of) {
    auto some = of;
    some.clear();
    for (const std::size_t i : sources) some.push_back(of[i]);
    return array_of(dims, some, array.type);
  };
  return is_float(array.type) ? numbers(array.doubles()) : numbers(array.integers());
}

Picks all_of(const Dims& dims) {
  Picks all;
  for (const auto d : dims) {
    all.emplace_back(size_of(d));
    std::iota(all.back().begin(), all.back().end(), 0);
  }
  return all;
}

}  // namespace

Value Walk::transposed(const Value& from, const std::vector<int>& order, const std::string& name) {
  const Value value = settled(from, name + "/joined");
  Value result{{}, value.is};
  for (const int axis : order) result.dims.push_back(value.dims[static_cast<std::size_t>(axis)]);
  if (auto* constant = std::get_if<Constant>(&result.is)) {
    constant->array = std::make_shared<const Array>(
        taken(*constant->array, result.dims, sources_of(value.dims, all_of(value.dims), order)));
  } else if (auto* weights = std::get_if<Quantised>(&result.is)) {
    std::vector<std::int32_t> moved;
    for (const auto i : sources_of(value.dims, all_of(value.dims), order))
      moved.push_back((*weights->numbers)[i]);
    weights->numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(moved));
    weights->axis = static_cast<int>(std::ranges::find(order, weights->axis) - order.begin());
  } else if (std::holds_alternative<Integers>(result.is) ||
             std::holds_alternative<Real>(result.is)) {
    if (order[0] != 0) require_images({0});
    auto* real = std::get_if<Real>(&result.is);
    graph::TensorId& id = real != nullptr ? real->id : std::get<Integers>(result.is).id;
    graph::Transpose op;
    if (order[0] == 0 && is_plain(value.dims)) {
      for (std::size_t i = 1; i < order.size(); ++i) op.order.push_back(order[i] - 1);
    } else {
      op.order = order;
      op.view.assign(value.dims.begin(), value.dims.end());
      op = graph::simplest(op, {});
    }
    id = std::ranges::is_sorted(op.order) ? shaped(id, result.dims, name)
                                          : placed(id, std::move(op), result.dims, name);
  } else if (auto* input = std::get_if<FloatInput>(&result.is)) {
    if (order[0] != 0) require_images({0});
    if (!std::ranges::is_sorted(order)) input->steps.emplace_back(order);
  } else if (std::holds_alternative<Host>(result.is)) {
    if (!std::ranges::is_sorted(order))
      throw Stop{"moves axes after what is left to the host; put the Transpose before that"};
  } else if (auto* pending = std::get_if<Pending>(&result.is);
             pending != nullptr && std::holds_alternative<NormalOf>(pending->what) &&
             order[0] == 0 && !(pending->spread && pending->spread->turn)) {
    // What onnxruntime computes in float32, whatever follows.
    if (!pending->spread)
      pending->spread = Spread{.order = {}, .pixels = pending->made, .picks = {}};
    pending->spread->turn = {value.dims, order};
  } else {
    throw Stop{"has an input that is not quantised yet: quantise it first"};
  }
  return result;
}

Value Walk::picked(const Value& from, const Picks& picks, const std::string& name,
                   std::int32_t fill) {
  const Value value = settled(from, name + "/joined");
  Value result{{}, value.is};
  for (const auto& places : picks) result.dims.push_back(static_cast<std::int64_t>(places.size()));
  std::vector<int> order(picks.size());
  std::iota(order.begin(), order.end(), 0);
  if (auto* constant = std::get_if<Constant>(&result.is)) {
    constant->array = std::make_shared<const Array>(
        taken(*constant->array, result.dims, sources_of(value.dims, picks, order)));
    return result;
  }
  if (auto* weights = std::get_if<Quantised>(&result.is)) {
    std::vector<std::int32_t> some;
    for (const auto i : sources_of(value.dims, picks, order))
      some.push_back((*weights->numbers)[i]);
    weights->numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(some));
    if (weights->scales.size() > 1) {
      std::vector<float> scales;
      for (const auto place : picks[size_of(weights->axis)])
        scales.push_back(weights->scales[size_of(place)]);
      weights->scales = std::move(scales);
    }
    return result;
  }
  const Picks all = all_of(value.dims);
  if (picks[0] != all[0]) require_images({0});
  if (std::ranges::find(result.dims, 0) != result.dims.end())
    throw Stop{fmt::format("picks {} of {}; it must pick at least one number",
                           to_string(result.dims), to_string(value.dims))};
  if (picks == all) return result;
  if (auto* input = std::get_if<FloatInput>(&result.is)) {
    input->steps.emplace_back(Picked{picks, 0});
    return result;
  }
  // What onnxruntime computes in float32, whatever follows: some of the quantised numbers.
  if (auto* pending = std::get_if<Pending>(&result.is);
      pending != nullptr && std::holds_alternative<NormalOf>(pending->what) &&
      value.dims == (pending->spread ? pending->spread->pixels : pending->made) &&
      (!pending->spread || (pending->spread->picks.empty() && !pending->spread->turn))) {
    if (!pending->spread) pending->spread = Spread{.order = {}, .pixels = value.dims, .picks = {}};
    pending->spread->picks = picks;
    return result;
  }
  auto* real = std::get_if<Real>(&result.is);
  auto* integers = std::get_if<Integers>(&result.is);
  if (real == nullptr && integers == nullptr)
    throw Stop{"has an input that is not quantised yet: quantise it first"};
  graph::Pick op{.fill = fill};
  const bool plain = is_plain(value.dims) && is_plain(result.dims);
  for (std::size_t a = plain ? 1 : 0; a < picks.size(); ++a) {
    if (plain || picks[a] != all[a]) {
      op.view.push_back(static_cast<int>(value.dims[a]));
      if (picks[a] != all[a]) op.add_runs(static_cast<int>(op.view.size()) - 1, picks[a]);
    } else if (a == 0 || picks[a - 1] != all[a - 1]) {
      op.view.push_back(static_cast<int>(value.dims[a]));
    } else {
      op.view.back() *= static_cast<int>(value.dims[a]);
    }
  }
  if (plain) op.view.clear();
  graph::TensorId& id = real != nullptr ? real->id : integers->id;
  id = placed(id, std::move(op), result.dims, name);
  if (real != nullptr) real->node = {};
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
  if (model_.inputs.empty()) refusals_.push_back("the model has no input; it must have one");
  inputs_.resize(model_.inputs.size());
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) input(i);
}

void Walk::input(std::size_t i) {
  const Port& p = model_.inputs[i];
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
  if (const Dims& first = model_.inputs[0].dims; !first.empty() && dims[0] != first[0])
    refusals_.push_back(fmt::format(
        "input {} is {}, but input {} before it is {}; they must be as "
        "many images",
        p.name, to_string(p.dims), model_.inputs[0].name, to_string(model_.inputs[0].dims)));
  batch_ = std::max<std::int64_t>(1, dims[0]);
  dims[0] = 1;
  try {
    const graph::Shape shape = inputs_[i].shape = shape_of(dims);
    if (p.type == Type::f32) {
      values_[p.name] = {dims, FloatInput{.input = i}};
    } else if (p.type == Type::s64 || p.type == Type::s32) {
      values_[p.name] = {dims, Indices{i}};
    } else {
      const auto id = add_tensor(p.name, shape, {format_of(p.type), 0, 1});
      inputs_[i].tensor = id;
      open_[id] = id;
      values_[p.name] = {dims, Integers{id}};
    }
  } catch (const Stop& stop) {
    refusals_.push_back(fmt::format("input {} {}", p.name, stop.problem));
  }
}

std::optional<std::string> refused_of_two_results(std::string_view op) {
  if (op == "Gemm" || op == "Conv") return "multiplies two results: the weights must be a constant";
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
    if (auto constant = folded(call)) {
      const Dims dims = constant->dims;
      call.result({dims, Constant{std::make_shared<const Array>(std::move(*constant))}});
    } else {
      row->run(call);
    }
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty() &&
          std::holds_alternative<Unknown>(values_.find(node.outputs[i])->second.is))
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
    if (has_images(value)) shape_of(value.dims);
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

// A table of a table's results is a table of what that one reads.
void Walk::merge_tables() {
  graph::Graph& g = out_.graph;
  std::vector<const graph::Lookup*> maker(g.tensors.size());
  std::vector<graph::TensorId> read_by(g.tensors.size());
  for (graph::Node& node : g.nodes) {
    auto* table = std::get_if<graph::Lookup>(&node.op);
    if (table == nullptr) continue;
    const graph::TensorId from = node.inputs[0];
    if (!is_for_all(*table, g.tensors[from])) continue;
    if (const graph::Lookup* before = maker[from]) {
      std::vector<std::int16_t> values;
      for (const std::int16_t v : before->values)
        values.push_back(table->values[static_cast<std::size_t>(v - lowest(g.tensors[from]))]);
      table->values = std::move(values);
      node.inputs = {read_by[from]};
      passed_.insert(from);
    }
    maker[node.output] = table;
    read_by[node.output] = node.inputs[0];
  }
}

// Tables that were passed and that nobody reads now, and tensors that nobody makes.
void Walk::remove_unread_tables() {
  graph::Graph& g = out_.graph;
  std::vector<bool> read(g.tensors.size());
  for (const graph::TensorId id : graph::all_inputs(g)) read[id] = true;
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
  passed_.clear();  // they had other numbers
  g.nodes.assign(std::move_iterator(nodes.rbegin()), std::move_iterator(nodes.rend()));
  g.input = out_.input.tensor = now[g.input];
  for (graph::TensorId& id : g.more_inputs) id = now[id];
  for (End& end : out_.more_inputs) end.tensor = now[end.tensor];
  for (graph::Node& node : g.nodes) {
    node.output = now[node.output];
    for (graph::TensorId& id : node.inputs) id = now[id];
  }
  for (End& end : out_.outputs) end.tensor = now[end.tensor];
  for (graph::TensorId& id : g.outputs) id = now[id];
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
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Port& p = model_.inputs[i];
    const Input& input = inputs_[i];
    if (!is_refused && !input.tensor)
      refusals_.push_back(inputs_.size() == 1 ? "no node uses the input"
                                              : fmt::format("no node uses the input {}", p.name));
    const End end{p.name, input.tensor.value_or(0), p.type == Type::f32};
    if (i == 0) {
      out_.input = end;
      out_.graph.input = end.tensor;
    } else {
      out_.more_inputs.push_back(end);
      out_.graph.more_inputs.push_back(end.tensor);
    }
    for (graph::Preparation step : input.preparation) {
      step.input = i;
      out_.graph.preparation.push_back(std::move(step));
    }
  }
  for (const End& end : out_.outputs)
    if (std::ranges::find(out_.graph.outputs, end.tensor) == out_.graph.outputs.end())
      out_.graph.outputs.push_back(end.tensor);
  if (!is_refused && refusals_.empty()) {
    merge_tables();
    remove_unread_tables();
    graph::simplify_transposes(out_.graph);
    remove_unread_tables();
  }
  // Some problems show only in the graph: sums beyond 32 bits, padding of whole windows.
  if (!is_refused && refusals_.empty())
    for (const graph::Finding& f : graph::check(out_.graph))
      refusals_.push_back(fmt::format("{} {}", f.where, f.message));
  if (const std::string text = refusals(); !text.empty()) {
    std::set<std::string> operators;
    for (const RefusedNodes& r : refused_nodes_) operators.insert(r.op);
    throw Refused(code::onnx_refused, fmt::format("{}: {}", name_, text), std::move(operators));
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
