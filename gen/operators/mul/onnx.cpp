// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

const Real& real_of(Call& call, std::size_t i) {
  if (const auto* real = std::get_if<Real>(&call.in(i).is)) return *real;
  call.numbers(i);  // throws: it is not quantised
  throw std::logic_error("numbers that are not real");
}

// The shape of a result of inputs i and k. One of them may have one number for each channel of the
// other one.
Dims shape_of_pair(Call& call, std::size_t i, std::size_t k) {
  const Dims &a = call.in(i).dims, &b = call.in(k).dims;
  const auto is_gate_of = [](const Dims& gate, const Dims& map) {
    return map.size() == 4 && gate == Dims{map[0], map[1], 1, 1};
  };
  if (a == b || is_gate_of(b, a)) return a;
  if (is_gate_of(a, b)) return b;
  throw Stop{
      fmt::format("joins {} and {}; the shapes must be equal, or one must be a number for each "
                  "channel of the other, as [1, channels, 1, 1]",
                  to_string(a), to_string(b))};
}

// The table of a function of the origin's number.
std::vector<float> of_origin(Call& call, const Real& real, const Walk::Origin& origin) {
  const graph::Tensor& t = call.walk.tensor(real.id);
  const std::vector<float> table = real.table.empty() ? table_of(t) : real.table;
  std::vector<float> all;
  for (const std::int32_t n : origin.numbers)
    all.push_back(table[static_cast<std::size_t>(n - graph::lowest(t))]);
  return all;
}

float product(float a, float b) { return a * b; }

// Both are functions of one number, and so is the result.
Real of_one(Call& call, const Real& a, const Real& b, float (*function)(float, float),
            bool multiplies) {
  const auto first = call.walk.origin_of(a.id), second = call.walk.origin_of(b.id);
  Real made{.id = first.id, .table = of_origin(call, a, first)};
  const std::vector<float> other = of_origin(call, b, second);
  for (std::size_t i = 0; i < other.size(); ++i) {
    made.table[i] = function(made.table[i], other[i]);
    if (std::isnan(made.table[i])) throw Stop{"makes a value that is not a number"};
  }
  made.approximate = a.approximate || b.approximate;
  made.error = std::max(a.error, b.error);
  if (multiplies && a.table.empty() && b.table.empty()) made.node = ProductOf{a.id, b.id};
  return made;
}

bool have_one_origin(Call& call, graph::TensorId a, graph::TensorId b) {
  return call.walk.tensor(a).format.bits <= 8 && call.walk.tensor(b).format.bits <= 8 &&
         call.walk.origin_of(a).id == call.walk.origin_of(b).id;
}

}  // namespace

void paired(Call& call, float (*function)(float, float), bool multiplies) {
  const Dims dims = shape_of_pair(call, 0, 1);
  Real a = real_of(call, 0), b = real_of(call, 1);
  if (have_one_origin(call, a.id, b.id) && call.in(0).dims == call.in(1).dims)
    return call.result({dims, of_one(call, a, b, function, multiplies)});
  if (a.approximate || b.approximate)
    throw Stop{
        "joins a function whose last bits are not known with another result; put a quantiser "
        "between them"};
  a.id = call.walk.spread(a.id, dims, call.label + "/spread");
  b.id = call.walk.spread(b.id, dims, call.label + "/spread");
  call.result({dims, Pending{.what = PairOf{function, std::move(a), std::move(b), multiplies},
                             .made = dims,
                             .node = call.label}});
}

static void mul(Call& call) {
  for (const std::size_t i : {0, 1})
    if (is_constant(call.in(i))) return with_constant(call, Link::Kind::times, 1 - i);
  paired(call, product, true);
}

static void times_constants(Call& call, std::size_t constant) {
  const std::size_t other = 3 - constant;
  const auto numbers = call.constant_integers(constant);
  const Quantiser q = call.quantiser(constant + 1);
  Quantised w{.scales = {q.scale}};
  std::vector<std::int32_t> less;
  for (const auto n : numbers) {
    if (n < -255 || n > 255) throw Stop{fmt::format("has the factor {}; it must fit 8 bits", n)};
    less.push_back(static_cast<std::int32_t>(n - q.zero_point));
  }
  w.numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(less));
  const graph::TensorId in = call.integers(other, call.quantiser(other + 1));
  const Dims &dims = call.in(other).dims, &of = call.in(constant).dims;
  if (dims.size() != 4 && numbers.size() == 1 && of.size() <= dims.size()) {
    Real real{.id = in};
    real.table = table_of(call.walk.tensor(in));
    real.node = WithConstant{.constant = {{static_cast<std::int32_t>(numbers[0])}, q},
                             .is_first = constant == 0,
                             .multiplies = true};
    return call.result(
        {dims, Integers{call.walk.quantised({dims, real}, call.quantiser(6), call.out())}});
  }
  const Value value = scaled(call, in, dims, w, of);
  call.result({value.dims, Integers{call.walk.quantised(value, call.quantiser(6), call.out())}});
}

// Inputs: a, its scale and zero point; b, its scale and zero point; the result's scale and zero
// point.
static void q_linear_mul(Call& call) {
  for (const std::size_t i : {0, 3})
    if (std::holds_alternative<Constant>(call.in(i).is)) return times_constants(call, i);
  const Real a{call.integers(0, call.quantiser(1))}, b{call.integers(3, call.quantiser(4))};
  const Quantiser q = call.quantiser(6);
  const Dims dims = shape_of_pair(call, 0, 3);
  if (have_one_origin(call, a.id, b.id) && call.in(0).dims == call.in(3).dims) {
    const Value value{dims, of_one(call, a, b, product, true)};
    return call.result({dims, Integers{call.walk.quantised(value, q, call.out())}});
  }
  PairOf pair{.function = product, .a = a, .b = b, .multiplies = true};
  pair.a.id = call.walk.spread(a.id, dims, call.label + "/spread");
  pair.b.id = call.walk.spread(b.id, dims, call.label + "/spread");
  finish_join(call, {.what = std::move(pair), .made = dims, .node = call.label}, dims, q);
}

std::vector<Row> forms(std::type_identity<graph::Mul>) {
  return {
      {{"Mul", "mul, thresholds, lookup",
        "of equal shapes, or of a map and a number for each channel; of constants, a number for "
        "each channel, for each place of the last axis, or for all, before a quantiser, of the "
        "float input too; of two constants"},
       on_tokens<mul>},
      {{"com.microsoft.QLinearMul", "mul, conv, thresholds, lookup",
        "as Mul; of a map by constants, one for each channel or for all; of tokens by constants "
        "for the last axis"},
       on_tokens<q_linear_mul>},
  };
}

}  // namespace kumiki::gen::onnx
