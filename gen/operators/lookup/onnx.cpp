// SPDX-License-Identifier: Apache-2.0
// Functions of one number. For numbers of 8 bits they become tables; a clip of sums waits with the
// sums.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gen/onnx/fold.h"
#include "gen/onnx/operators/operators.h"
#include "gen/operators/lookup/onnx_kernels.h"

namespace kumiki::gen::onnx {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

void clip_to(Call& call, float low, float high, std::size_t i = 0) {
  if (std::isnan(low) || std::isnan(high) || low > high)
    throw Stop{fmt::format("clips to {} to {}; the lower number must come first", low, high)};
  const Value& value = call.in(i);
  if (const auto* input = std::get_if<FloatInput>(&value.is)) {
    FloatInput result = *input;
    result.steps.emplace_back(Bounds{low, high});
    return call.result({value.dims, std::move(result)});
  }
  if (const auto* pending = std::get_if<Pending>(&value.is)) {
    Pending result = *pending;
    if (!result.chain.empty()) {
      if (low > -infinite) result.chain.push_back({Link::Kind::at_least, {low}});
      if (high < infinite) result.chain.push_back({Link::Kind::at_most, {high}});
      return call.result({value.dims, std::move(result)});
    }
    result.low = std::clamp(result.low, low, high);
    result.high = std::clamp(result.high, low, high);
    return call.result({value.dims, std::move(result)});
  }
  apply(
      call, [](float x, float bound) { return std::max(x, bound); }, low, false, i);
  auto& real = call.made_real();
  for (float& x : real.table) x = std::min(x, high);
}

// A bound of Clip: an attribute until opset 10, an input from opset 11.
float bound(Call& call, std::size_t i, const char* attribute, float otherwise) {
  const float given = call.real(attribute, otherwise);
  if (!call.has(i)) return given;
  if (const auto* w = std::get_if<Quantised>(&call.in(i).is);
      w != nullptr && w->numbers->size() == 1)
    return static_cast<float>(w->numbers->front()) * w->scales[0];
  const Array& array = call.constant(i);
  if (!is_float(array.type) || array.count() != 1)
    throw Stop{
        fmt::format("has {} of {}; it must be one float32", call.from(i), to_string(array.dims))};
  return array.floats()[0];
}

// A function between integers with quantisers of their own: inputs 1 and 2 for input 0, inputs 3
// and 4 for the result.
void between(Call& call, float (*function)(float, float), float parameter = 0) {
  Real real{call.integers(0, call.quantiser(1))};
  real.table = table_of(call.walk.tensor(real.id));
  for (float& x : real.table) x = function(x, parameter);
  const Value value{call.in(0).dims, std::move(real)};
  call.result({value.dims, Integers{call.walk.quantised(value, call.quantiser(3), call.out())}});
}

float logistic(float x, float) { return kernel_logistic(x); }
float leaky(float x, float alpha) { return x >= 0 ? x : alpha * x; }

float link_of(Link::Kind kind, float x, float c) {
  switch (kind) {
    case Link::Kind::plus:
      return x + c;
    case Link::Kind::minus:
      return x - c;
    case Link::Kind::from:
      return c - x;
    case Link::Kind::times:
      return x * c;
    case Link::Kind::over:
      return x / c;
    default:
      return x;
  }
}

}  // namespace

void apply(Call& call, float (*function)(float, float), float parameter, bool approximate,
           std::size_t i) {
  if (!through(call, i, function, parameter)) {
    call.numbers(i);  // throws a more precise reason if it can
    throw Stop{"reads what is not quantised"};
  }
  if (approximate) call.approximate();
}

bool prepared(Call& call, std::size_t i, const Link& link) {
  using Kind = graph::Preparation::Kind;
  const Value& value = call.in(i);
  const auto* input = std::get_if<FloatInput>(&value.is);
  if (input == nullptr) return false;
  for (const auto& step : input->steps) {
    const bool moves =
        std::holds_alternative<Dims>(step) || std::holds_alternative<std::vector<int>>(step);
    if (!moves)
      throw Stop{
          "follows a pool, a clip or padding of the float input; move it before them, or put a "
          "quantiser between them"};
    if (link.values.size() > 1)
      throw Stop{
          "has a number for each channel after another shape or order of the float input; move it "
          "before that, or use one number for all"};
  }
  FloatInput result = *input;
  const Kind kind = link.kind == Link::Kind::plus    ? Kind::plus
                    : link.kind == Link::Kind::minus ? Kind::minus
                    : link.kind == Link::Kind::from  ? Kind::from
                    : link.kind == Link::Kind::times ? Kind::times
                                                     : Kind::over;
  result.preparation.push_back({kind, link.values});
  call.result({value.dims, std::move(result)});
  return true;
}

bool through(Call& call, std::size_t i, float (*function)(float, float), float parameter) {
  const Value& value = call.in(i);
  const auto* real = std::get_if<Real>(&value.is);
  if (real == nullptr) return false;
  Real result = *real;
  if (result.table.empty()) {
    if (call.walk.tensor(result.id).format.bits > 8) return false;
    result.table = table_of(call.walk.tensor(result.id));
  }
  result.node = {};
  for (float& x : result.table) {
    x = function(x, parameter);
    if (std::isnan(x)) throw Stop{"makes a value that is not a number"};
  }
  call.result({value.dims, std::move(result)});
  return true;
}

static void relu(Call& call) { clip_to(call, 0, infinite); }
// Clips integers, for example the 4-bit numbers in bytes that Brevitas writes.
static bool clipped_integers(Call& call) {
  const Value& value = call.in(0);
  const auto* constant = std::get_if<Constant>(&value.is);
  const auto* integers = std::get_if<Integers>(&value.is);
  if (integers == nullptr && (constant == nullptr || is_float(constant->array->type))) return false;
  const auto given = [&](std::size_t i, std::int64_t otherwise) {
    if (!call.has(i)) return otherwise;
    const auto all = call.constant_integers(i);
    if (all.size() != 1)
      throw Stop{fmt::format("has {} of {}; it must be one integer", call.from(i),
                             to_string(call.in(i).dims))};
    return all[0];
  };
  const std::int64_t low = given(1, INT32_MIN), high = given(2, INT32_MAX);
  if (low > high)
    throw Stop{fmt::format("clips to {} to {}; the lower number must come first", low, high)};
  if (constant != nullptr) {
    auto numbers = constant->array->integers();
    for (auto& n : numbers) n = std::clamp(n, low, high);
    call.result(
        {value.dims, Constant{std::make_shared<const Array>(array_of(value.dims, numbers))}});
    return true;
  }
  const graph::Tensor in = call.walk.tensor(integers->id);
  if (in.format.bits > 8)
    throw Stop{"clips integers of more than 8 bits; they must have at most 8"};
  const arith::Interval range = in.format.range();
  const arith::Interval kept{std::clamp<arith::Exact>(low, range.lo, range.hi),
                             std::clamp<arith::Exact>(high, range.lo, range.hi)};
  if (kept == range) {
    call.result(value);
    return true;
  }
  // The narrowest format that holds them, and the zero point if it is known.
  Quantiser q = quantiser_of(in);
  while (q.format.bits > 1 && !call.walk.is_open(integers->id)) {
    const graph::Format less{q.format.bits - 1, q.format.is_signed};
    if (!kept.within(less.range()) || !less.range().contains(q.zero_point)) break;
    q.format = less;
  }
  graph::Lookup lookup;
  for (arith::Exact n = range.lo; n <= range.hi; ++n)
    lookup.values.push_back(static_cast<std::int16_t>(std::clamp(n, kept.lo, kept.hi)));
  const auto to = call.walk.add_tensor(call.out(), in.shape, q);
  call.walk.follows(to, integers->id);
  call.result({value.dims,
               Integers{call.walk.add_node(call.label, std::move(lookup), {integers->id}, to)}});
  return true;
}

static void clip(Call& call) {
  if (clipped_integers(call)) return;
  const float low = bound(call, 1, "min", -infinite), high = bound(call, 2, "max", infinite);
  clip_to(call, low, high);
}
static void leaky_relu(Call& call) {
  const float alpha = call.real("alpha", 0.01F);
  if (std::holds_alternative<Pending>(call.in(0).is) && alpha >= 0 && std::isfinite(alpha)) {
    linked(call, 0, {Link::Kind::leaky, {alpha}});
    return;
  }
  apply(call, leaky, alpha);
}
static void sigmoid(Call& call) { apply(call, logistic); }
static void tanh_of(Call& call) {
  apply(call, [](float x, float) { return kernel_tanh(x); });
}
static void hard_sigmoid(Call& call) {
  const float alpha = call.real("alpha", 0.2F), beta = call.real("beta", 0.5F);
  apply(
      call, [](float x, float a) { return a * x; }, alpha);
  for (float& x : call.made_real().table) x = std::clamp(x + beta, 0.0F, 1.0F);
}
static void hard_swish(Call& call) {
  apply(call, [](float x, float) { return x * std::clamp(x * (1.0F / 6) + 0.5F, 0.0F, 1.0F); });
}

bool is_constant(const Value& value) {
  return std::holds_alternative<Constant>(value.is) || std::holds_alternative<Quantised>(value.is);
}

// Appends a link to the chain of a result that waits for its quantiser.
bool linked(Call& call, std::size_t i, Link link) {
  const Value& value = call.in(i);
  Pending result;
  if (const auto* pending = std::get_if<Pending>(&value.is)) {
    if (std::holds_alternative<JoinOf>(pending->what) ||
        std::holds_alternative<AddOf>(pending->what) ||
        std::holds_alternative<PairOf>(pending->what))
      throw Stop{fmt::format("follows node {}, which joins tensors; put a quantiser between them",
                             pending->node)};
    if (const auto* sum = std::get_if<SumOf>(&pending->what);
        sum != nullptr && sum->needs_quantiser)
      throw Stop{
          fmt::format("follows node {} with float32 weights, which onnxruntime quantises only "
                      "before a quantiser; put one between them, or quantise the weights",
                      pending->node)};
    if (link.values.size() > 1 && pending->spread)
      throw Stop{fmt::format(
          "has a number for each channel behind node {}, whose channels become other axes; put a "
          "quantiser between them, or fold it into the weights",
          pending->node)};
    // After a reshape the channels are different ones.
    if (link.values.size() > 1 && value.dims[1] != pending->made[1])
      throw Stop{fmt::format(
          "has a number for each channel of {}, which were {}; put a quantiser before the reshape",
          to_string(value.dims), to_string(pending->made))};
    result = *pending;
  } else if (const auto* real = std::get_if<Real>(&value.is);
             real != nullptr && real->table.empty() && link.values.size() > 1) {
    result = {.what = NumbersOf{real->id}, .made = value.dims, .node = call.label};
  } else {
    return false;
  }
  result.chain.push_back(std::move(link));
  call.result({value.dims, std::move(result)});
  return true;
}

// Adds the zero point back to quantised constants.
static Addend addend_of(const Quantised& w) {
  Addend constant{*w.numbers,
                  {.format = {9, true}, .zero_point = w.zero_point, .scale = w.scales[0]}};
  for (std::int32_t& n : constant.numbers) n += w.zero_point;
  return constant;
}

// Multiplies numbers by one constant for each channel: a 1x1 convolution in groups of one channel,
// as onnxruntime does for integers.
Value scaled(Call& call, graph::TensorId in, const Dims& dims, const Quantised& w, const Dims& of) {
  bool legal = dims.size() == 4 && of.size() <= 4 && w.scales.size() == 1;
  for (std::size_t d = 0; legal && d < of.size(); ++d)
    legal = of[d] == (of.size() - d == 3 ? dims[1] : 1);
  const auto channels = dims.size() == 4 ? static_cast<std::size_t>(dims[1]) : 0;
  if (!legal || (w.numbers->size() != 1 && w.numbers->size() != channels))
    throw Stop{
        fmt::format("multiplies {} with quantised constants of {}; it must be a map and one "
                    "number, or one for each channel, with one scale",
                    to_string(dims), to_string(of))};
  SumOf sum{.in = in, .groups = static_cast<int>(channels), .scales = w.scales};
  sum.constant = WithConstant{.constant = addend_of(w), .multiplies = true};
  for (std::size_t c = 0; c < channels; ++c) {
    const std::int32_t n = (*w.numbers)[w.numbers->size() == 1 ? 0 : c];
    if (n < -255 || n > 255) throw Stop{fmt::format("has the factor {}; it must fit 8 bits", n)};
    sum.weights.push_back(static_cast<std::int16_t>(n));
  }
  sum.bias.assign(channels, 0);
  return {dims, Pending{.what = std::move(sum), .made = dims, .node = call.label}};
}

// Folds two constants; at least one is the result of a DequantizeLinear.
static void of_constants(Call& call, Link::Kind kind) {
  const auto reals = [&](std::size_t i) {
    return array_of(call.in(i).dims, call.constant_reals(i));
  };
  const char* op = kind == Link::Kind::plus    ? "Add"
                   : kind == Link::Kind::minus ? "Sub"
                   : kind == Link::Kind::times ? "Mul"
                                               : "Div";
  Array made = folded(op, reals(0), reals(1));
  const Dims dims = made.dims;
  call.result({dims, Constant{std::make_shared<const Array>(std::move(made))}});
}

// The same for constants of any shape.
static void with_constants(Call& call, Link::Kind kind) {
  switch (kind) {
    case Link::Kind::plus:
      return paired(call, [](float a, float b) { return a + b; });
    case Link::Kind::times:
      return paired(
          call, [](float a, float b) { return a * b; }, true);
    case Link::Kind::over:
      return paired(call, [](float a, float b) { return a / b; });
    default:
      return paired(call, [](float a, float b) { return a - b; });
  }
}

void with_constant(Call& call, Link::Kind kind, std::size_t i) {
  if (is_constant(call.in(i)))
    return of_constants(call, kind == Link::Kind::from ? Link::Kind::minus : kind);
  const std::size_t other = 1 - i;
  const Value& value = call.in(i);
  const bool is_real = std::holds_alternative<Real>(value.is);
  if (kind == Link::Kind::over)
    for (const float v : call.constant_reals(other))
      if (v == 0) throw Stop{fmt::format("divides by 0 in {}", call.from(other))};
  const auto* quantised = std::get_if<Quantised>(&call.in(other).is);
  const bool are_many =
      is_real && quantised != nullptr && !quantised->is_quant && quantised->numbers->size() > 1;
  const bool scales = are_many && kind == Link::Kind::times;
  if (is_real &&
      (!is_one_or_channels(call.in(other).dims, value.dims) || (scales && value.dims.size() != 4)))
    return with_constants(call, kind);
  // onnxruntime fuses this into one integer node with a formula of its own.
  if (scales)
    return call.result(scaled(call, call.numbers(i), value.dims, *quantised, call.in(other).dims));
  if (are_many && kind == Link::Kind::plus)
    throw Stop{
        fmt::format("takes {}, quantised constants; use float32 constants", call.from(other))};
  const auto values = call.channel_reals(other, value.dims);
  if (linked(call, i, {kind, values}) || prepared(call, i, {kind, values})) return;
  if (values.size() > 1 || !is_real) {
    call.numbers(i);  // throws a more precise reason if it can
    throw Stop{fmt::format("takes {} numbers after a function of one; put a quantiser between them",
                           values.size())};
  }
  Real real = std::get<Real>(value.is);
  real.node = {};
  if (real.table.empty() && quantised != nullptr && !quantised->is_quant &&
      (kind == Link::Kind::times || kind == Link::Kind::plus))
    real.node = WithConstant{.constant = addend_of(*quantised),
                             .is_first = other == 0,
                             .multiplies = kind == Link::Kind::times,
                             .loop = call.walk.loop_of(call.in(other).dims, value.dims)};
  if (real.table.empty()) real.table = table_of(call.walk.tensor(real.id));
  for (float& x : real.table) x = link_of(kind, x, values[0]);
  call.result({value.dims, std::move(real)});
}

static void sub(Call& call) {
  if (is_constant(call.in(0))) return with_constant(call, Link::Kind::from, 1);
  if (is_constant(call.in(1))) return with_constant(call, Link::Kind::minus, 0);
  paired(call, [](float a, float b) { return a - b; });
}
static void div(Call& call) {
  if (is_constant(call.in(1))) return with_constant(call, Link::Kind::over, 0);
  if (is_constant(call.in(0))) {
    const auto dividend = call.constant_reals(0);
    if (dividend.size() != 1) return with_constants(call, Link::Kind::over);
    return apply(
        call, [](float x, float a) { return a / x; }, dividend[0], false, 1);
  }
  paired(call, [](float a, float b) { return a / b; });
}

// The larger or the smaller of two results, or of one and a constant.
static void extreme(Call& call, bool is_larger) {
  if (call.count() != 2) throw Stop{fmt::format("has {} inputs; it must have two", call.count())};
  for (const std::size_t i : {0, 1}) {
    if (!is_constant(call.in(i))) continue;
    const auto bounds = call.constant_reals(i);
    if (bounds.size() != 1) break;
    return clip_to(call, is_larger ? bounds[0] : -infinite, is_larger ? infinite : bounds[0],
                   1 - i);
  }
  if (is_larger)
    paired(call, [](float a, float b) { return std::max(a, b); });
  else
    paired(call, [](float a, float b) { return std::min(a, b); });
}
static void max(Call& call) { extreme(call, true); }
static void min(Call& call) { extreme(call, false); }

static void q_linear_sigmoid(Call& call) { between(call, logistic); }
static void q_linear_leaky_relu(Call& call) { between(call, leaky, call.real("alpha", 0.01F)); }

namespace {

constexpr auto quantised = "between quantised numbers";
constexpr auto joins = "as Mul; a pair of results has a table";
constexpr auto extremes = "of two results as Mul, with a table; of a result and a number";

}  // namespace

std::vector<Row> forms(std::type_identity<graph::Lookup>) {
  std::vector<Row> all{
      {{"Relu", "clamp, lookup", "behind anything that is quantised then"}, relu},
      {{"Clip", "clamp, lookup",
        "behind anything that is quantised then; of integers, as QCDQ has it"},
       clip},
      {{"LeakyRelu", "lookup, thresholds",
        "between quantised numbers; behind sums, alpha from 0 on"},
       leaky_relu},
      {{"Sigmoid", "lookup", quantised}, sigmoid},
      {{"Tanh", "lookup", quantised}, tanh_of},
      {{"HardSigmoid", "lookup", quantised}, hard_sigmoid},
      {{"HardSwish", "lookup", quantised}, hard_swish},
      {{"Sub", "add, thresholds, lookup", joins}, sub},
      {{"Div", "add, thresholds, lookup", joins}, div},
      {{"Max", "add, clamp, lookup", extremes}, max},
      {{"Min", "add, clamp, lookup", extremes}, min},
      {{"com.microsoft.QLinearSigmoid", "lookup", ""}, q_linear_sigmoid},
      {{"com.microsoft.QLinearLeakyRelu", "lookup", ""}, q_linear_leaky_relu},
  };
  for (const Row& row : activations()) all.push_back(row);
  return all;
}

}  // namespace kumiki::gen::onnx
