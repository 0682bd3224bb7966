// SPDX-License-Identifier: Apache-2.0
// Tokens, [..., channels]: a dense layer on them is a 1x1 convolution of a map of one row whose
// pixels are the tokens. A constant for each channel is one for each channel of that map, too.
#include <numeric>

#include <fmt/format.h>

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

graph::TensorId Walk::map_of_tokens(graph::TensorId id, std::int64_t channels,
                                    const std::string& name) {
  const auto all = static_cast<int>(graph::count(tensor(id).shape)),
             outs = static_cast<int>(channels), tokens = all / outs;
  const graph::Shape shape{outs, 1, tokens};
  if (tokens == 1) return moved(id, graph::Reshape{}, shape, name);
  return moved(id, graph::Transpose{.order = {1, 0}, .view = {tokens, outs}}, shape, name);
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
