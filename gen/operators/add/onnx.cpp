// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// One of the shapes may have one place where the other one has many.
Pending sum_of(Call& call, graph::TensorId a, graph::TensorId b, std::size_t second) {
  const Dims &first = call.in(0).dims, &other = call.in(second).dims;
  const Dims made = shape_of_both(first, other);
  const auto spread = [&](graph::TensorId id, const Dims& from) {
    const Value value = call.walk.broadcast({from, Integers{id}}, made, call.label + "/spread");
    return std::get<Integers>(value.is).id;
  };
  // onnxruntime makes one number for many the second operand.
  const bool turns =
      first != other && call.walk.loop_of(first, made) == WithConstant::Loop::one_for_many;
  const graph::TensorId x = spread(a, first), y = spread(b, other);
  return {.what = turns ? AddOf{y, x} : AddOf{x, y}, .made = made, .node = call.label};
}

// Sums of a convolution or a matrix whose bias is an addition of its own.
bool biased(Call& call) {
  for (const std::size_t i : {0, 1}) {
    const auto* pending = std::get_if<Pending>(&call.in(i).is);
    const auto* bias = std::get_if<Quantised>(&call.in(1 - i).is);
    if (pending == nullptr || bias == nullptr) continue;
    const auto* sum = std::get_if<SumOf>(&pending->what);
    if (bias->is_quant || !pending->chain.empty()) continue;
    const Dims& dims = call.in(i).dims;
    // Nothing may stand between the products and the sum.
    if (sum == nullptr || !std::isinf(pending->low) || !std::isinf(pending->high) ||
        dims != pending->made || sum->divisor != 1 || !sum->offset.empty())
      continue;
    // The bias must be one number for each channel.
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
        throw Stop{fmt::format(
            "adds a bias with the scale {} in channel {}; it must be {}, input x weights{}", scale,
            o, wanted, sum->factor == 1 ? "" : " x alpha")};
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

// Adds quantised constants, which are input `constant`, to a tensor: one for all channels or one
// for each. `numbers` have their zero point subtracted.
Pending with_addend(Call& call, graph::TensorId in, const Dims& dims, std::size_t constant,
                    const std::vector<std::int64_t>& given_numbers, const Quantiser& q) {
  std::vector<std::int32_t> numbers;
  for (const std::int64_t n : given_numbers) {
    if (n < -128 || n > 255) throw Stop{fmt::format("adds the constant {}; it must fit 8 bits", n)};
    numbers.push_back(static_cast<std::int32_t>(n));
  }
  const Dims& given = call.in(constant).dims;
  if (!is_one_or_channels(given, dims)) {
    const auto [low, high] = std::ranges::minmax(numbers);
    Quantiser as = q;
    // Mostly it is of the type of the other operand.
    as.format = call.walk.tensor(in).format;
    if (as.format.bits != 8 || !as.format.range().contains(low) ||
        !as.format.range().contains(high))
      as.format = {8, low < 0};
    if (!as.format.range().contains(high) || !as.format.range().contains(as.zero_point))
      throw Stop{
          fmt::format("adds the constants {} from {} to {} with the zero point {}; they "
                      "must be numbers of 8 bits",
                      call.from(constant), low, high, as.zero_point)};
    const Dims made = shape_of_both(dims, given);
    const auto id = call.walk.constants(numbers, given, made, as, call.name(constant));
    // One number for many is the second operand.
    const auto is_one = [&](const Dims& operand) {
      return call.walk.loop_of(operand, made) == WithConstant::Loop::one_for_many;
    };
    const bool is_first = constant == 0 ? !is_one(given) : is_one(dims);
    const auto all = call.walk.repeated(in, dims, made, call.label + "/spread");
    return {.what = is_first ? AddOf{id, all} : AddOf{all, id}, .made = made, .node = call.label};
  }
  // Of tokens the constants have the last axis.
  const auto loop = call.is_of_tokens ? WithConstant::Loop::both : call.walk.loop_of(given, dims);
  return {.what = AddOf{.a = in,
                        .constant = WithConstant{.constant = {std::move(numbers), q},
                                                 .is_first = constant == 0,
                                                 .loop = loop}},
          .made = dims,
          .node = call.label};
}

// onnxruntime fuses a tensor and quantised constants into QLinearAdd.
bool with_quantised(Call& call) {
  for (const std::size_t i : {0, 1}) {
    const auto* real = std::get_if<Real>(&call.in(i).is);
    const auto* w = std::get_if<Quantised>(&call.in(1 - i).is);
    if (real == nullptr || !real->table.empty() || w == nullptr || w->is_quant ||
        w->numbers->size() == 1)
      continue;
    if (w->scales.size() > 1)
      throw Stop{fmt::format("adds {} with {} scales; it must have one", call.from(1 - i),
                             w->scales.size())};
    std::vector<std::int64_t> numbers;
    for (const std::int64_t n : *w->numbers) numbers.push_back(n + w->zero_point);
    const Dims& dims = call.in(i).dims;
    Pending sum =
        with_addend(call, real->id, dims, 1 - i, numbers,
                    {.format = {9, true}, .zero_point = w->zero_point, .scale = w->scales[0]});
    const Dims made = sum.made;
    call.result({made, std::move(sum)});
    return true;
  }
  return false;
}

}  // namespace

static void add(Call& call) {
  if (biased(call) || with_quantised(call)) return;
  for (const std::size_t i : {0, 1})
    if (is_constant(call.in(1 - i))) return with_constant(call, Link::Kind::plus, i);
  Pending sum = sum_of(call, call.numbers(0), call.numbers(1), 1);
  const Dims made = sum.made;
  call.result({made, std::move(sum)});
}

// Inputs: a, its scale and zero point; b, its scale and zero point; the result's scale and zero
// point.
static void q_linear_add(Call& call) {
  for (const std::size_t i : {0, 3}) {
    if (!std::holds_alternative<Constant>(call.in(i).is)) continue;
    const std::size_t other = 3 - i;
    const auto numbers = call.constant_integers(i);
    const auto in = call.integers(other, call.quantiser(other + 1));
    Pending sum = with_addend(call, in, call.in(other).dims, i, numbers, call.quantiser(i + 1));
    const Dims made = sum.made;
    return finish_join(call, std::move(sum), made, call.quantiser(6));
  }
  const auto a = call.integers(0, call.quantiser(1));
  const auto b = call.integers(3, call.quantiser(4));
  Pending sum = sum_of(call, a, b, 3);
  const Dims made = sum.made;
  finish_join(call, std::move(sum), made, call.quantiser(6));
}

std::vector<Row> forms(std::type_identity<graph::Add>) {
  return {
      {{"Add", "add, bias, thresholds, lookup",
        "of shapes whose axes are equal or of one place; of a convolution and its int32 bias; of "
        "quantised constants; of others one for each channel, for each place of the last axis, or "
        "for all; of the float input"},
       on_tokens<add>},
      {{"com.microsoft.QLinearAdd", "add, thresholds, lookup",
        "of shapes whose axes are equal or of one place; of constants"},
       on_tokens<q_linear_add>},
  };
}

}  // namespace kumiki::gen::onnx
