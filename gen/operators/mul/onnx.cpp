// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

// Constants that are quantised to bytes, with their quantiser.
std::optional<Real> bytes(Call& call, std::size_t i, const Dims& dims) {
  const auto* w = std::get_if<Quantised>(&call.in(i).is);
  if (w == nullptr || w->is_quant || w->scales.size() > 1) return {};
  auto numbers = *w->numbers;
  for (auto& n : numbers) n += w->zero_point;
  const auto [low, high] = std::ranges::minmax(numbers);
  const auto holds_them = [&](const graph::Format& f) {
    return f.bits == 8 && f.range().contains(low) && f.range().contains(high) &&
           f.range().contains(w->zero_point);
  };
  Quantiser q{{8, low < 0}, w->zero_point, w->scales[0]};
  // Mostly they are of the type of the other operand.
  if (const auto* other = std::get_if<Real>(&call.in(1 - i).is);
      other != nullptr && holds_them(call.walk.tensor(other->id).format))
    q.format = call.walk.tensor(other->id).format;
  if (!holds_them(q.format)) return {};
  return Real{call.walk.constants(numbers, call.in(i).dims, dims, q, call.name(i))};
}

// Other constants, as the numbers of their values.
Real values(Call& call, std::size_t i, const Dims& dims) {
  const auto given = call.constant_reals(i);
  Real real{.id = 0, .table = given};
  std::ranges::sort(real.table);
  real.table.erase(std::unique(real.table.begin(), real.table.end()), real.table.end());
  constexpr std::size_t most = 256;
  if (real.table.size() > most)
    throw Stop{fmt::format("has {} of {} different values beside a result; it must have at most {}",
                           call.from(i), real.table.size(), most)};
  std::vector<std::int32_t> numbers;
  for (const float x : given)
    numbers.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(real.table, x) - real.table.begin()));
  const int bits = std::max(1, static_cast<int>(std::bit_width(real.table.size() - 1)));
  real.table.resize(std::size_t{1} << bits, real.table.back());
  real.id =
      call.walk.constants(numbers, call.in(i).dims, dims, {{bits, false}, 0, 1}, call.name(i));
  return real;
}

// One of two operands whose result has these dims.
Real operand(Call& call, std::size_t i, const Dims& dims, bool multiplies) {
  const Value& value = call.in(i);
  if (is_constant(value)) {
    if (multiplies)
      if (auto real = bytes(call, i, dims)) return std::move(*real);
    return values(call, i, dims);
  }
  const auto* real = std::get_if<Real>(&value.is);
  if (real == nullptr) {
    call.numbers(i);  // throws: it is not quantised
    throw std::logic_error("numbers that are not real");
  }
  Real all = *real;
  all.id = call.walk.repeated(all.id, value.dims, dims, call.label + "/spread");
  return all;
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
  const Value &first = call.in(0), &second = call.in(1);
  const Dims dims = shape_of_both(first.dims, second.dims);
  const auto *x = std::get_if<Real>(&first.is), *y = std::get_if<Real>(&second.is);
  if (x != nullptr && y != nullptr && first.dims == second.dims &&
      have_one_origin(call, x->id, y->id))
    return call.result({dims, of_one(call, *x, *y, function, multiplies)});
  const Real a = operand(call, 0, dims, multiplies), b = operand(call, 1, dims, multiplies);
  if (a.approximate || b.approximate)
    throw Stop{
        "joins a function whose last bits are not known with another result; put a quantiser "
        "between them"};
  call.result(
      {dims,
       Pending{.what = PairOf{function, a, b, multiplies}, .made = dims, .node = call.label}});
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
  if (dims.size() != 4 || !is_one_or_channels(of, dims)) {
    const std::vector<std::int32_t> as_given(numbers.begin(), numbers.end());
    const Quantiser as{format_of(call.constant(constant).type), q.zero_point, q.scale};
    const Dims made = shape_of_both(dims, of);
    const auto all = call.walk.repeated(in, dims, made, call.label + "/spread");
    PairOf pair{.function = product, .a = Real{all}, .b = {}, .multiplies = true};
    pair.b.id = call.walk.constants(as_given, of, made, as, call.name(constant));
    return finish_join(call, {.what = std::move(pair), .made = made, .node = call.label}, made,
                       call.quantiser(6));
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
  const Dims dims = shape_of_both(call.in(0).dims, call.in(3).dims);
  if (have_one_origin(call, a.id, b.id) && call.in(0).dims == call.in(3).dims) {
    const Value value{dims, of_one(call, a, b, product, true)};
    return call.result({dims, Integers{call.walk.quantised(value, q, call.out())}});
  }
  PairOf pair{.function = product, .a = a, .b = b, .multiplies = true};
  pair.a.id = call.walk.repeated(a.id, call.in(0).dims, dims, call.label + "/spread");
  pair.b.id = call.walk.repeated(b.id, call.in(3).dims, dims, call.label + "/spread");
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
