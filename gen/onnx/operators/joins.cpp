// SPDX-License-Identifier: Apache-2.0
// Results of several tensors, or of many numbers of one.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"
#include "gen/onnx/operators/window.h"

namespace kumiki::gen::onnx {
namespace {

void finish_join(Call& call, Pending pending, const Dims& dims, const Quantiser& q) {
  const Value value{dims, std::move(pending)};
  call.result({dims, Integers{call.walk.quantised(value, q, call.out())}});
}

void require_map(const Dims& dims) {
  if (dims.size() != 4)
    throw Stop{
        fmt::format("reads {}: images x channels x rows x columns are legal", to_string(dims))};
}

Pending sum_of(Call& call, graph::TensorId a, graph::TensorId b, std::size_t second) {
  const Dims& dims = call.in(0).dims;
  if (dims != call.in(second).dims)
    throw Stop{fmt::format("adds {} and {}: equal shapes are legal", to_string(dims),
                           to_string(call.in(second).dims))};
  return {.what = AddOf{a, b}, .made = dims, .node = call.label};
}

// Sums of a convolution or a matrix whose bias comes as an addition of its own.
bool biased(Call& call) {
  for (const std::size_t i : {0, 1}) {
    const auto* pending = std::get_if<Pending>(&call.in(i).is);
    const auto* bias = std::get_if<Quantised>(&call.in(1 - i).is);
    if (pending == nullptr || bias == nullptr) continue;
    const auto* sum = std::get_if<SumOf>(&pending->what);
    if (bias->is_quant || !pending->chain.empty()) continue;
    const Dims& dims = call.in(i).dims;
    // Nothing stands between the products and the sum.
    if (sum == nullptr || !std::isinf(pending->low) || !std::isinf(pending->high) ||
        dims != pending->made || sum->divisor != 1 || !sum->offset.empty())
      continue;
    // One number for each channel.
    const Dims& given = call.in(1 - i).dims;
    const std::size_t outs = sum->bias.size();
    if (bias->numbers->size() != outs ||
        given.size() < dims.size() - 1 ||  // [outs], or [outs, 1, 1] of a map
        given[given.size() - (dims.size() - 1)] != static_cast<std::int64_t>(outs))
      continue;
    SumOf with = *sum;
    for (std::size_t o = 0; o < outs; ++o) {
      const float scale = bias->scales[bias->scales.size() == 1 ? 0 : o];
      const float wanted = sum->factor * call.walk.tensor(sum->in).scale *
                           with.scales[with.scales.size() == 1 ? 0 : o];
      if (std::abs(scale - wanted) > wanted * 1e-5F)
        throw Stop{
            fmt::format("adds a bias with the scale {} in channel {}: {}, input x weights{}, "
                        "is legal",
                        scale, o, wanted, sum->factor == 1 ? "" : " x alpha")};
      const std::int64_t all = std::int64_t{with.bias[o]} + (*bias->numbers)[o];
      if (all < INT32_MIN || all > INT32_MAX) throw Stop{"adds a bias that leaves 32 bits"};
      with.bias[o] = static_cast<std::int32_t>(all);
    }
    Pending result = *pending;
    result.what = std::move(with);
    call.result({dims, std::move(result)});
    return true;
  }
  return false;
}

std::int64_t axis_of(Call& call, std::int64_t otherwise, const Dims& dims) {
  auto axis = call.integer("axis", otherwise);
  if (axis < 0) axis += static_cast<std::int64_t>(dims.size());
  return axis;
}

// One behind the other along the channels; the others have the same size.
Dims joined_dims(Call& call, std::int64_t axis, std::size_t first, std::size_t step) {
  Dims dims = call.in(first).dims;
  if (axis != 1 || dims.size() < 2)
    throw Stop{
        fmt::format("joins {} along axis {}: 1, the channels, is legal", to_string(dims), axis)};
  dims[1] = 0;
  for (std::size_t i = first; i < call.count(); i += step) {
    Dims other = call.in(i).dims;
    if (other.size() != dims.size()) throw Stop{"joins tensors of different numbers of axes"};
    const auto channels = std::exchange(other[1], dims[1]);
    if (other != dims)
      throw Stop{fmt::format("joins {} and {}: shapes that differ in the channels alone are legal",
                             to_string(call.in(first).dims), to_string(call.in(i).dims))};
    dims[1] += channels;
  }
  return dims;
}

Pending average_of(Call& call, graph::TensorId in, const Dims& made) {
  return {.what = AverageOf{in}, .made = {1, made[1], 1, 1}, .node = call.label};
}

// A tensor and constants with a quantiser of their own, which are input `constant`: one for all or
// one a channel, `numbers` without their zero point.
Pending with_addend(Call& call, graph::TensorId in, const Dims& dims, std::size_t constant,
                    const std::vector<std::int64_t>& given_numbers, const Quantiser& q) {
  std::vector<std::int32_t> numbers;
  for (const std::int64_t n : given_numbers) {
    if (n < -128 || n > 255) throw Stop{fmt::format("adds the constant {}: 8 bits are legal", n)};
    numbers.push_back(static_cast<std::int32_t>(n));
  }
  const Dims& given = call.in(constant).dims;
  const bool one = numbers.size() == 1 && given.size() <= dims.size();
  if (!one && (!is_of_channels(given, dims) || numbers.size() != static_cast<std::size_t>(dims[1])))
    throw Stop{
        fmt::format("adds the constants {} of {} to {}: one number, or one for each "
                    "channel, is legal",
                    call.from(constant), to_string(given), to_string(dims))};
  return {.what = AddOf{.a = in, .constant = WithConstant{{std::move(numbers), q}, constant == 0}},
          .made = dims,
          .node = call.label};
}

// onnxruntime makes QLinearAdd of a tensor and quantised constants.
bool with_quantised(Call& call) {
  for (const std::size_t i : {0, 1}) {
    const auto* real = std::get_if<Real>(&call.in(i).is);
    const auto* w = std::get_if<Quantised>(&call.in(1 - i).is);
    if (real == nullptr || !real->table.empty() || w == nullptr || w->is_quant ||
        w->numbers->size() == 1)
      continue;
    if (w->scales.size() > 1)
      throw Stop{fmt::format("adds {} with {} scales: one scale is legal", call.from(1 - i),
                             w->scales.size())};
    std::vector<std::int64_t> numbers;
    for (const std::int64_t n : *w->numbers) numbers.push_back(n + w->zero_point);
    const Dims& dims = call.in(i).dims;
    call.result(
        {dims,
         with_addend(call, real->id, dims, 1 - i, numbers,
                     {.format = {9, true}, .zero_point = w->zero_point, .scale = w->scales[0]})});
    return true;
  }
  return false;
}

}  // namespace

void add(Call& call) {
  if (biased(call) || with_quantised(call)) return;
  for (const std::size_t i : {0, 1})
    if (is_constant(call.in(1 - i))) return with_constant(call, Link::Kind::plus, i);
  Pending sum = sum_of(call, call.numbers(0), call.numbers(1), 1);
  const Dims made = sum.made;
  call.result({made, std::move(sum)});
}

// a, its scale and zero point, b, scale, zero point, scale and zero point of the result.
void q_linear_add(Call& call) {
  for (const std::size_t i : {0, 3}) {
    if (!std::holds_alternative<Constant>(call.in(i).is)) continue;
    const std::size_t other = 3 - i;
    const auto numbers = call.constant_integers(i);
    const auto in = call.integers(other, call.quantiser(other + 1));
    const Dims& dims = call.in(other).dims;
    return finish_join(call, with_addend(call, in, dims, i, numbers, call.quantiser(i + 1)), dims,
                       call.quantiser(6));
  }
  const auto a = call.integers(0, call.quantiser(1));
  const auto b = call.integers(3, call.quantiser(4));
  finish_join(call, sum_of(call, a, b, 3), call.in(0).dims, call.quantiser(6));
}

namespace {

// Parts of one quantiser: that of the first whose quantiser is known, if there is one.
std::vector<graph::TensorId> joined_integers(Call& call) {
  std::vector<graph::TensorId> parts;
  for (std::size_t i = 0; i < call.count(); ++i)
    parts.push_back(call.as_they_are(call.in(i), i).id);
  const auto known =
      std::ranges::find_if(parts, [&](graph::TensorId id) { return !call.walk.is_open(id); });
  if (known != parts.end())
    for (const graph::TensorId id : parts)
      call.walk.seen({id}, quantiser_of(call.walk.tensor(*known)));
  return parts;
}

}  // namespace

void concat(Call& call) {
  const Dims& first = call.in(0).dims;
  const auto axis = axis_of(call, 1, first);
  if (std::holds_alternative<Constant>(call.in(0).is)) {
    // Of shapes, which PyTorch computes.
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < call.count(); ++i)
      for (const auto v : call.constant_integers(i)) all.push_back(v);
    if (axis != 0 || first.size() != 1) throw Stop{"joins constants of more than one axis"};
    const Dims dims{static_cast<std::int64_t>(all.size())};
    return call.result({dims, Constant{std::make_shared<const Array>(array_of(dims, all))}});
  }
  const Dims dims = joined_dims(call, axis, 0, 1);
  if (std::holds_alternative<Integers>(call.in(0).is)) {
    const auto parts = joined_integers(call);
    const Quantiser q = quantiser_of(call.walk.tensor(parts[0]));
    graph::Shape shape;
    for (std::size_t i = 1; i < dims.size(); ++i) shape.push_back(static_cast<int>(dims[i]));
    const auto to = call.walk.add_tensor(call.out(), shape, q);
    call.walk.follows(to, parts[0]);
    return call.result(
        {dims, Integers{call.walk.add_node(call.label, graph::Concat{}, parts, to)}});
  }
  JoinOf join;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (const auto* real = std::get_if<Real>(&call.in(i).is))
      join.parts.push_back(*real), join.parts.back().node.reset();
    else
      join.parts.push_back({call.numbers(i)});
  }
  call.result({dims, Pending{.what = std::move(join), .made = dims, .node = call.label}});
}

// Scale and zero point of the result, then each input with its own.
void q_linear_concat(Call& call) {
  if (call.count() < 5 || call.count() % 3 != 2)
    throw Stop{fmt::format("has {} inputs: 2 and 3 for each tensor are legal", call.count())};
  const Dims dims = joined_dims(call, axis_of(call, 1, call.in(2).dims), 2, 3);
  JoinOf join;
  for (std::size_t i = 2; i < call.count(); i += 3)
    join.parts.push_back({call.integers(i, call.quantiser(i + 1))});
  finish_join(call, {.what = std::move(join), .made = dims, .node = call.label}, dims,
              call.quantiser(0));
}

namespace {

// Zeros around numbers that are never less than 0 are padding of the pool itself: smaller than
// everything, in no window alone.
bool takes_pads(Call& call) {
  const Value& value = call.padded(0);
  const auto kernel = call.integers("kernel_shape", {});
  const auto* integers = std::get_if<Integers>(&value.is);
  const auto* real = std::get_if<Real>(&value.is);
  if (integers == nullptr && real == nullptr) return false;
  const graph::Tensor& in = call.walk.tensor(integers != nullptr ? integers->id : real->id);
  const auto given = call.integers("pads", {0, 0, 0, 0});
  for (const std::size_t a : {0, 1, 2, 3})
    if (kernel.size() != 2 || given.size() != 4 || value.pads[a] + given[a] >= kernel[a % 2])
      return false;
  return in.format.range().lo == in.zero_point && call.text("auto_pad", "NOTSET") == "NOTSET" &&
         call.integer("ceil_mode", 0) == 0;
}

}  // namespace

void max_pool(Call& call) {
  const Value& value = takes_pads(call) ? call.padded(0) : call.in(0);
  require_map(value.dims);
  if (call.integer("storage_order", 0) != 0) throw Stop{"has storage_order = 1: 0 is legal"};
  Value result{value.dims, value.is};
  if (auto* input = std::get_if<FloatInput>(&result.is)) {
    input->steps.emplace_back(
        graph::MaxPool{window_of(call, call.integers("kernel_shape", {}), value, result.dims)});
    return call.result(std::move(result));
  }
  graph::TensorId in = 0;
  if (const auto* integers = std::get_if<Integers>(&value.is)) {
    in = integers->id;
  } else if (const auto* real = std::get_if<Real>(&value.is);
             real != nullptr && std::ranges::is_sorted(real->table)) {
    in = real->id;  // the largest number stands for the largest value
  } else {
    in = call.numbers(0);
  }
  graph::MaxPool pool{window_of(call, call.integers("kernel_shape", {}), value, result.dims)};
  graph::Shape shape;
  for (std::size_t i = 1; i < result.dims.size(); ++i)
    shape.push_back(static_cast<int>(result.dims[i]));
  const auto to = call.walk.add_tensor(call.out(), shape, quantiser_of(call.walk.tensor(in)));
  call.walk.follows(to, in);
  call.walk.add_node(call.label, pool, {in}, to);
  if (auto* integers = std::get_if<Integers>(&result.is)) integers->id = to;
  if (auto* real = std::get_if<Real>(&result.is)) real->id = to;
  call.result(std::move(result));
}

void global_average_pool(Call& call) {
  const graph::TensorId in = call.numbers(0);
  require_map(call.in(0).dims);
  Pending mean = average_of(call, in, call.in(0).dims);
  const Dims made = mean.made;
  call.result({made, std::move(mean)});
}

namespace {

// A window as large as the map is a global average; smaller ones are sums of their own.
Pending windows_of(Call& call, graph::TensorId in, const Value& value) {
  require_map(value.dims);
  const auto kernel = call.integers("kernel_shape", {});
  Dims made = value.dims;
  const bool counts_pads = call.integer("count_include_pad", 0) != 0;
  const bool ceil = call.integer("ceil_mode", 0) != 0;
  const auto window = window_of(call, kernel, value, made);
  // Zeros that Pad put there are numbers like others.
  const bool pads = window.before != std::array{value.pads[0], value.pads[1]} ||
                    window.after != std::array{value.pads[2], value.pads[3]};
  if (value.pads == Pads{} && kernel == Dims{value.dims[2], value.dims[3]} && made[2] == 1 &&
      made[3] == 1 && !pads)
    return average_of(call, in, made);
  if (pads && (!counts_pads || ceil))
    throw Stop{
        "averages windows of different counts of numbers at its edges: no padding, or "
        "count_include_pad = 1 without ceil_mode, is legal"};
  SumOf mean = mean_of(in, value.dims[1], window);
  mean.is_window = value.pads == Pads{} && window.dilation == std::array{1, 1};
  return {.what = std::move(mean), .made = made, .node = call.label};
}

}  // namespace

void average_pool(Call& call) {
  const Value& value = call.padded(0);
  Pending mean = windows_of(call, call.numbers(value, 0), value);
  const Dims made = mean.made;
  call.result({made, std::move(mean)});
}

void q_linear_average_pool(Call& call) {
  if (call.integer("channels_last", 0) != 0)
    throw Stop{"has channels_last = 1: 0 is legal, as the quantiser writes it"};
  Pending mean = windows_of(call, call.integers(0, call.quantiser(1)), call.in(0));
  const Dims made = mean.made;
  finish_join(call, std::move(mean), made, call.quantiser(3));
}

void reduce_mean(Call& call) {
  const Value& value = call.in(0);
  const graph::TensorId in = call.numbers(0);
  require_map(value.dims);
  auto axes = call.has(1) ? call.constant_integers(1) : call.integers("axes", {});
  for (auto& axis : axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(axes);
  if (axes != Dims{2, 3})
    throw Stop{fmt::format("averages along axes {}: rows and columns are legal", to_string(axes))};
  const bool keeps = call.integer("keepdims", 1) != 0;
  call.ignore("noop_with_empty_axes");
  Pending mean = average_of(call, in, value.dims);
  std::get<AverageOf>(mean.what).in_float32 = true;
  const Dims dims = keeps ? mean.made : Dims{1, mean.made[1]};
  call.result({dims, std::move(mean)});
}

void q_linear_global_average_pool(Call& call) {
  const auto in = call.integers(0, call.quantiser(1));
  require_map(call.in(0).dims);
  if (call.integer("channels_last", 0) != 0)
    throw Stop{"has channels_last = 1: 0 is legal, as the quantiser writes it"};
  Pending mean = average_of(call, in, call.in(0).dims);
  const Dims dims = mean.made;
  finish_join(call, std::move(mean), dims, call.quantiser(3));
}

void arg_max(Call& call) {
  const Value& value = call.in(0);
  if (std::holds_alternative<Host>(value.is))
    throw Stop{"stands behind Softmax, which may make numbers equal: ArgMax of its input is legal"};
  const auto* integers = std::get_if<Integers>(&value.is);
  const graph::TensorId in = integers != nullptr ? integers->id : call.numbers(0);
  if (value.dims.size() != 2 || axis_of(call, 0, value.dims) != 1)
    throw Stop{fmt::format("reads {}: the last axis of a vector for each image is legal",
                           to_string(value.dims))};
  if (call.integer("select_last_index", 0) != 0)
    throw Stop{"has select_last_index = 1: 0 is legal"};
  const bool keeps = call.integer("keepdims", 1) != 0;
  const auto to = call.walk.add_tensor(call.out(), {1}, {{32, true}, 0, 1});
  call.walk.add_node(call.label, graph::ArgMax{}, {in}, to);
  call.result({keeps ? Dims{1, 1} : Dims{1}, Integers{to}});
}

// The last step, which hosts do in float.
void left_to_host(Call& call) {
  for (const auto& [name, value] : call.node.attributes) call.ignore(name);
  const Value& value = call.in(0);
  const auto* host = std::get_if<Host>(&value.is);
  const auto* integers = std::get_if<Integers>(&value.is);
  const graph::TensorId id = host != nullptr       ? host->id
                             : integers != nullptr ? integers->id
                                                   : call.numbers(0);
  call.walk.note(fmt::format("node {}: {} is left to the host; the result is its input", call.label,
                             call.node.op));
  call.result({value.dims, Host{id}});
}

}  // namespace kumiki::gen::onnx
