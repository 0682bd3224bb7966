// SPDX-License-Identifier: Apache-2.0
// Functions of one number. Of numbers of 8 bits they are tables; clips of sums wait with them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

void apply(Call& call, float (*function)(float, float), float parameter = 0,
           bool approximate = false, std::size_t i = 0) {
  if (!through(call, i, function, parameter)) {
    call.numbers(i);  // says why not
    throw Stop{"reads what is not quantised"};
  }
  if (approximate) call.approximate();
}

void clip_to(Call& call, float low, float high) {
  if (std::isnan(low) || std::isnan(high) || low > high)
    throw Stop{fmt::format("clips to {} to {}: numbers in this order are legal", low, high)};
  const Value& value = call.in(0);
  if (const auto* pending = std::get_if<Pending>(&value.is)) {
    Pending result = *pending;
    result.low = std::clamp(result.low, low, high);
    result.high = std::clamp(result.high, low, high);
    return call.result({value.dims, std::move(result)});
  }
  apply(
      call, [](float x, float bound) { return std::max(x, bound); }, low);
  auto& real = call.made_real();
  for (float& x : real.table) x = std::min(x, high);
}

// A bound of Clip: an attribute until opset 10, an input since.
float bound(Call& call, std::size_t i, const char* attribute, float otherwise) {
  const float given = call.real(attribute, otherwise);
  if (!call.has(i)) return given;
  if (const auto* w = std::get_if<Quantised>(&call.in(i).is);
      w != nullptr && w->numbers->size() == 1)
    return static_cast<float>(w->numbers->front()) * w->scales[0];
  const Array& array = call.constant(i);
  if (!is_float(array.type) || array.count() != 1)
    throw Stop{
        fmt::format("has {} of {}: one float32 is legal", call.from(i), to_string(array.dims))};
  return array.floats()[0];
}

// A function between integers with their own quantisers: input 0 with 1 and 2, result with 3 and 4.
void between(Call& call, float (*function)(float, float), float parameter, bool approximate) {
  const auto* integers = std::get_if<Integers>(&call.in(0).is);
  if (integers == nullptr)
    throw Stop{fmt::format("reads {}, which is not quantised: integers are legal", call.from(0))};
  Real real{call.walk.seen(*integers, call.quantiser(1))};
  real.table = table_of(call.walk.tensor(real.id));
  for (float& x : real.table) x = function(x, parameter);
  real.approximate = approximate;
  const Value value{call.in(0).dims, std::move(real)};
  call.result({value.dims, Integers{call.walk.quantised(value, call.quantiser(3), call.out())}});
}

float logistic(float x, float) {
  return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(x))));
}
float leaky(float x, float alpha) { return x >= 0 ? x : alpha * x; }

float one_constant(Call& call, std::size_t i) {
  if (const auto* w = std::get_if<Quantised>(&call.in(i).is);
      w != nullptr && w->numbers->size() == 1)
    return static_cast<float>(w->numbers->front()) * w->scales[0];
  const auto* c = std::get_if<Constant>(&call.in(i).is);
  if (c == nullptr || !is_float(c->array->type) || c->array->count() != 1)
    throw Stop{fmt::format("takes {}: one constant of float32 is legal", call.from(i))};
  return c->array->floats()[0];
}

bool is_constant(const Value& value) {
  return std::holds_alternative<Constant>(value.is) || std::holds_alternative<Quantised>(value.is);
}

}  // namespace

bool through(Call& call, std::size_t i, float (*function)(float, float), float parameter) {
  const Value& value = call.in(i);
  const auto* real = std::get_if<Real>(&value.is);
  if (real == nullptr) return false;
  Real result = *real;
  if (result.table.empty()) {
    if (call.walk.tensor(result.id).format.bits > 8) return false;
    result.table = table_of(call.walk.tensor(result.id));
  }
  for (float& x : result.table) {
    x = function(x, parameter);
    if (std::isnan(x)) throw Stop{"makes what is no number"};
  }
  call.result({value.dims, std::move(result)});
  return true;
}

void relu(Call& call) { clip_to(call, 0, infinite); }
void clip(Call& call) {
  const float low = bound(call, 1, "min", -infinite), high = bound(call, 2, "max", infinite);
  clip_to(call, low, high);
}
void leaky_relu(Call& call) { apply(call, leaky, call.real("alpha", 0.01F)); }
void sigmoid(Call& call) { apply(call, logistic, 0, true); }
void tanh_of(Call& call) {
  apply(
      call, [](float x, float) { return static_cast<float>(std::tanh(static_cast<double>(x))); }, 0,
      true);
}
void hard_sigmoid(Call& call) {
  const float alpha = call.real("alpha", 0.2F), beta = call.real("beta", 0.5F);
  apply(
      call, [](float x, float a) { return a * x; }, alpha, true);
  for (float& x : call.made_real().table) x = std::clamp(x + beta, 0.0F, 1.0F);
}
void hard_swish(Call& call) {
  apply(
      call, [](float x, float) { return x * std::clamp(x * (1.0F / 6) + 0.5F, 0.0F, 1.0F); }, 0,
      true);
}

void mul(Call& call) {
  const std::size_t constant = is_constant(call.in(0)) ? 0 : 1;
  if (!is_constant(call.in(constant)))
    throw Stop{"multiplies two results: a result and a constant are legal"};
  // onnxruntime multiplies numbers first and scales then.
  apply(
      call, [](float x, float c) { return x * c; }, one_constant(call, constant), true,
      1 - constant);
}
void sub(Call& call) {
  apply(
      call, [](float x, float c) { return x - c; }, one_constant(call, 1));
}
void div(Call& call) {
  apply(
      call, [](float x, float c) { return x / c; }, one_constant(call, 1));
}

void q_linear_sigmoid(Call& call) { between(call, logistic, 0, true); }
void q_linear_leaky_relu(Call& call) { between(call, leaky, call.real("alpha", 0.01F), false); }

}  // namespace kumiki::gen::onnx
