// SPDX-License-Identifier: Apache-2.0
// Tokens, [..., channels]: a dense layer on them is a 1x1 convolution of a map of one row whose
// pixels are the tokens. A constant for each channel is one for each channel of that map, too.
#include <numeric>

#include <fmt/format.h>

#include "gen/graph/transposes.h"
#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// Whether it has a number for each place of the last axis, and channels are another axis.
bool is_of_last_axis(const Dims& constant, const Dims& of) {
  const bool fits = of.size() > 2 && !constant.empty() && constant.size() <= of.size() &&
                    constant.back() == of.back() && of.back() > 1;
  return fits && std::accumulate(constant.begin(), constant.end(), std::int64_t{1},
                                 std::multiplies()) == of.back();
}

}  // namespace

namespace {

// Without the axis of images; heads are one if there are none.
struct Rows {
  int heads, rows, columns;
  explicit Rows(const Dims& dims)
      : heads(dims.size() == 4 ? static_cast<int>(dims[1]) : 1),
        rows(dims.size() > 2 ? static_cast<int>(dims[dims.size() - 2]) : 1),
        columns(static_cast<int>(dims.back())) {}
};

}  // namespace

graph::TensorId Walk::map_of_rows(graph::TensorId id, const Dims& dims, const std::string& name) {
  const Rows of(dims);
  const graph::Shape shape{of.heads * of.columns, 1, of.rows};
  if (of.rows == 1 || of.columns == 1) return moved(id, graph::Reshape{}, shape, name);
  const graph::Transpose turn{.order = {0, 2, 1}, .view = {of.heads, of.rows, of.columns}};
  return moved(id, graph::simplest(turn, {}), shape, name);
}

graph::TensorId Walk::map_of_tokens(graph::TensorId id, std::int64_t channels,
                                    const std::string& name) {
  const auto all = static_cast<std::int64_t>(graph::count(tensor(id).shape));
  return map_of_rows(id, {1, all / channels, channels}, name);
}

graph::TensorId Walk::map_of_columns(graph::TensorId id, const Dims& dims,
                                     const std::string& name) {
  const Rows of(dims);
  return moved(id, graph::Reshape{}, {of.heads * of.rows, 1, of.columns}, name);
}

Value Walk::rows_of_map(decltype(Pending::what) what, const Dims& dims, const std::string& node) {
  const Rows of(dims);
  Pending pending{
      .what = std::move(what), .made = {1, of.heads * of.columns, 1, of.rows}, .node = node};
  if (of.rows > 1 && of.columns > 1)
    pending.spread = Spread{.order = {.order = {0, 2, 1}, .view = {of.heads, of.columns, of.rows}},
                            .pixels = dims,
                            .picks = {}};
  return {dims, std::move(pending)};
}
std::size_t Walk::place_before(graph::TensorId id, std::size_t place) const {
  kernels::Workers alone;
  for (auto node = out_.graph.nodes.rbegin(); node != out_.graph.nodes.rend(); ++node) {
    if (node->output != id || node->inputs.size() != 1) continue;
    const graph::TensorId from = node->inputs[0];
    const auto* transpose = std::get_if<graph::Transpose>(&node->op);
    if (transpose != nullptr) {
      graph::Numbers places(graph::count(tensor(from).shape)), made(places.size());
      std::iota(places.begin(), places.end(), 0);
      computer(*transpose, graph::ends_of(out_.graph, *node))({places}, made, alone);
      place = static_cast<std::size_t>(made[place]);
    } else if (!graph::works_by_number(out_.graph, *node)) {
      break;
    }
    id = from;
  }
  return place;
}

Value Walk::tokens_of_map(const Value& map, const Dims& dims, const std::string& name) {
  const auto channels = static_cast<int>(map.dims[1]), tokens = static_cast<int>(map.dims[3]);
  const graph::Transpose back{.order = {1, 0}, .view = {channels, tokens}};
  Value result{dims, map.is};
  if (auto* pending = std::get_if<Pending>(&result.is)) {
    if (tokens == 1) return result;
    const Dims made = is_plain(dims) ? dims : Dims{1, tokens, channels};
    pending->spread = Spread{.order = back, .pixels = made, .picks = {}};
    return result;
  }
  auto* integers = std::get_if<Integers>(&result.is);
  graph::TensorId& id = integers != nullptr ? integers->id : std::get<Real>(result.is).id;
  id = tokens == 1 ? shaped(id, dims, name) : placed(id, back, dims, name);
  return result;
}

void Call::on_tokens(void (*reader)(Call&)) {
  const std::size_t second = count() > 2 ? 3 : 1;  // QLinearAdd: a, its scale and zero point; b
  for (const std::size_t i : {std::size_t{0}, second}) {
    const std::size_t constant = second - i;
    if (!has(i) || !has(constant)) continue;
    const Value &value = in(i), &numbers = in(constant);
    const bool is_of_numbers =
        std::holds_alternative<Integers>(value.is) || std::holds_alternative<Real>(value.is);
    if (!is_of_numbers || !is_constant(numbers) || is_of_channels(numbers.dims, value.dims) ||
        !is_of_last_axis(numbers.dims, value.dims))
      continue;
    const Dims dims = value.dims;
    const std::int64_t channels = dims.back();
    Node on_map = node;
    std::vector<std::string> made;
    const auto fresh = [&](std::string name) {
      while (walk.values_.contains(name)) name += '\'';
      return made.emplace_back(std::move(name));
    };
    on_map.inputs[i] = fresh(label + "/map");
    on_map.inputs[constant] = fresh(label + "/constants");
    on_map.outputs[0] = fresh(label + "/result");
    Value map{{1, channels, 1, 0}, value.is};
    auto* integers = std::get_if<Integers>(&map.is);
    graph::TensorId& id = integers != nullptr ? integers->id : std::get<Real>(map.is).id;
    map.dims[3] = static_cast<std::int64_t>(graph::count(walk.tensor(id).shape)) / channels;
    id = walk.map_of_tokens(id, channels, on_map.inputs[i]);
    walk.values_[on_map.inputs[constant]] =
        walk.reshaped(numbers, {channels, 1, 1}, on_map.inputs[constant]);
    walk.values_[on_map.inputs[i]] = std::move(map);
    Call call{walk, on_map, label, true};
    reader(call);
    asked.merge(call.asked);
    result(walk.tokens_of_map(walk.values_.at(on_map.outputs[0]), dims, out()));
    // Names of the file's own nodes may be the same.
    for (const auto& name : made) walk.values_.erase(name);
    return;
  }
  reader(*this);
}

}  // namespace kumiki::gen::onnx
