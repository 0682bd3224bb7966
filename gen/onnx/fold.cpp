// SPDX-License-Identifier: Apache-2.0
#include "gen/onnx/fold.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

using Whole = std::int64_t;
constexpr std::size_t most_numbers = std::size_t{1} << 28;

template <class T>
std::vector<T> numbers_of(const Array& a) {
  if constexpr (std::is_same_v<T, Whole>)
    return a.integers();
  else
    return a.doubles();
}

std::size_t numbers_in(const Dims& dims) {
  std::size_t all = 1;
  for (const auto d : dims) {
    if (d < 0) throw Stop{fmt::format("makes a constant of {}", to_string(dims))};
    all *= static_cast<std::size_t>(d);
    if (all > most_numbers) throw Stop{"makes a constant of more than 2^28 numbers"};
  }
  return all;
}

Array made_of(const Dims& dims, const std::vector<Whole>& values, Type type) {
  return array_of(dims, values, type);
}
Array made_of(const Dims& dims, const std::vector<double>& values, Type type) {
  Array made = array_of(dims, values, type);
  for (const double x : made.doubles())
    if (!std::isfinite(x)) throw Stop{"makes a constant that is not a finite number"};
  return made;
}

// Two's complement.
template <class Operation>
Whole wrapped(Whole a, Whole b, Operation operation) {
  return static_cast<Whole>(
      operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

Whole quotient(Whole a, Whole b) {
  if (b == 0) throw Stop{"divides a constant by 0"};
  return b == -1 ? wrapped(0, a, std::minus<>()) : a / b;
}
// The remainder has the sign of the divisor.
Whole modulo(Whole a, Whole b) {
  if (b == 0) throw Stop{"divides a constant by 0"};
  if (b == -1) return 0;
  const Whole rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
Whole power(Whole a, Whole b) {
  if (b < 0) throw Stop{"has a negative exponent of integers"};
  Whole made = 1;
  for (; b > 0; b >>= 1, a = wrapped(a, a, std::multiplies<>()))
    if (b & 1) made = wrapped(made, a, std::multiplies<>());
  return made;
}

// A function of two numbers, for integers and for real numbers. Doubles that are rounded to float32
// once give the sums, differences, products and quotients of float32.
template <class T>
using OfTwo = T (*)(T, T);
struct Binary {
  std::string_view op;
  OfTwo<Whole> whole = nullptr;
  OfTwo<double> real = nullptr;
  bool compares = false;  // makes a truth value
};
constexpr Binary binaries[] = {
    {"Add", [](Whole a, Whole b) { return wrapped(a, b, std::plus<>()); },
     [](double a, double b) { return a + b; }},
    {"Sub", [](Whole a, Whole b) { return wrapped(a, b, std::minus<>()); },
     [](double a, double b) { return a - b; }},
    {"Mul", [](Whole a, Whole b) { return wrapped(a, b, std::multiplies<>()); },
     [](double a, double b) { return a * b; }},
    {"Div", quotient, [](double a, double b) { return a / b; }},
    {"Mod", modulo},
    {"Pow", power},
    {"Min", [](Whole a, Whole b) { return std::min(a, b); },
     [](double a, double b) { return std::min(a, b); }},
    {"Max", [](Whole a, Whole b) { return std::max(a, b); },
     [](double a, double b) { return std::max(a, b); }},
    {"And", [](Whole a, Whole b) { return a & b; }, nullptr, true},
    {"Or", [](Whole a, Whole b) { return a | b; }, nullptr, true},
    {"Xor", [](Whole a, Whole b) { return a ^ b; }, nullptr, true},
    {"Equal", [](Whole a, Whole b) { return Whole{a == b}; },
     [](double a, double b) { return static_cast<double>(a == b); }, true},
    {"Less", [](Whole a, Whole b) { return Whole{a < b}; },
     [](double a, double b) { return static_cast<double>(a < b); }, true},
    {"LessOrEqual", [](Whole a, Whole b) { return Whole{a <= b}; },
     [](double a, double b) { return static_cast<double>(a <= b); }, true},
    {"Greater", [](Whole a, Whole b) { return Whole{a > b}; },
     [](double a, double b) { return static_cast<double>(a > b); }, true},
    {"GreaterOrEqual", [](Whole a, Whole b) { return Whole{a >= b}; },
     [](double a, double b) { return static_cast<double>(a >= b); }, true},
};

struct Unary {
  std::string_view op;
  Whole (*whole)(Whole) = nullptr;
  double (*real)(double) = nullptr;
};
constexpr Unary unaries[] = {
    {"Neg", [](Whole a) { return wrapped(0, a, std::minus<>()); }, [](double a) { return -a; }},
    {"Abs", [](Whole a) { return a < 0 ? wrapped(0, a, std::minus<>()) : a; },
     [](double a) { return std::abs(a); }},
    {"Sign", [](Whole a) { return Whole{a > 0} - Whole{a < 0}; },
     [](double a) { return static_cast<double>((a > 0) - (a < 0)); }},
    {"Not", [](Whole a) { return Whole{a == 0}; }},
    {"Floor", nullptr, [](double a) { return std::floor(a); }},
    {"Ceil", nullptr, [](double a) { return std::ceil(a); }},
    {"Round", nullptr, [](double a) { return std::nearbyint(a); }},
    {"Sqrt", nullptr, [](double a) { return std::sqrt(a); }},
};

// Axis i of several shapes that are broadcast to `to`.
Dims broadcast(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()), 1);
  const auto size = [&](const Dims& d, std::size_t axis) {
    return axis + d.size() < dims.size() ? 1 : d[axis + d.size() - dims.size()];
  };
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto x = size(a, i), y = size(b, i);
    if (x != y && x != 1 && y != 1)
      throw Stop{fmt::format("joins constants of {} and {}; their shapes must fit", to_string(a),
                             to_string(b))};
    dims[i] = x == 1 ? y : x;
  }
  numbers_in(dims);
  return dims;
}

}  // namespace

std::vector<std::size_t> places(const Dims& of, const Dims& to) {
  std::vector<std::size_t> all(numbers_in(to)), step(to.size(), 0);
  std::size_t stride = 1;
  for (std::size_t i = of.size(); i-- > 0; stride *= static_cast<std::size_t>(of[i]))
    if (of[i] > 1) step[i + to.size() - of.size()] = stride;
  for (std::size_t n = 0; n < all.size(); ++n) {
    std::size_t rest = n;
    for (std::size_t i = to.size(); i-- > 0; rest /= static_cast<std::size_t>(to[i]))
      all[n] += rest % static_cast<std::size_t>(to[i]) * step[i];
  }
  return all;
}

namespace {

template <class T>
Array combined(const Array& a, const Array& b, Type type, OfTwo<T> function) {
  if (function == nullptr)
    throw Stop{fmt::format("computes with constants of {}", to_string(a.type))};
  const Dims dims = broadcast(a.dims, b.dims);
  const auto x = numbers_of<T>(a), y = numbers_of<T>(b);
  const auto of_x = places(a.dims, dims), of_y = places(b.dims, dims);
  std::vector<T> made(of_x.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = function(x[of_x[i]], y[of_y[i]]);
  if (type != Type::boolean) return made_of(dims, made, type);
  return array_of(dims, std::vector<Whole>(made.begin(), made.end()), type);
}

Array combined(const Binary& of, const Array& a, const Array& b) {
  if (a.type != b.type)
    throw Stop{fmt::format("joins constants of {} and {}; they must have one type",
                           to_string(a.type), to_string(b.type))};
  const Type type = of.compares ? Type::boolean : a.type;
  return is_float(a.type) ? combined<double>(a, b, type, of.real)
                          : combined<Whole>(a, b, type, of.whole);
}

template <class T>
Array mapped(const Array& a, T (*function)(T)) {
  if (function == nullptr)
    throw Stop{fmt::format("computes with constants of {}", to_string(a.type))};
  auto x = numbers_of<T>(a);
  for (T& n : x) n = function(n);
  return made_of(a.dims, x, a.type);
}

Array where(Call& call) {
  const Array &condition = call.constant(0), &a = call.constant(1), &b = call.constant(2);
  if (a.type != b.type)
    throw Stop{fmt::format("joins constants of {} and {}; they must have one type",
                           to_string(a.type), to_string(b.type))};
  const Dims dims = broadcast(condition.dims, broadcast(a.dims, b.dims));
  const auto chooses = condition.integers();
  const auto of_choice = places(condition.dims, dims), of_a = places(a.dims, dims),
             of_b = places(b.dims, dims);
  const auto choice = [&](const auto& x, const auto& y) {
    auto made = x;
    made.clear();
    for (std::size_t i = 0; i < of_choice.size(); ++i)
      made.push_back(chooses[of_choice[i]] != 0 ? x[of_a[i]] : y[of_b[i]]);
    return made_of(dims, made, a.type);
  };
  return is_float(a.type) ? choice(a.doubles(), b.doubles()) : choice(a.integers(), b.integers());
}

Array cast_to(const Array& a, Type type) {
  if (is_float(a.type) && is_float(type)) return made_of(a.dims, a.doubles(), type);
  if (is_float(type)) {
    std::vector<double> reals;
    for (const Whole n : a.integers())
      reals.push_back(type == Type::f32 ? static_cast<double>(static_cast<float>(n))
                                        : static_cast<double>(n));
    return array_of(a.dims, reals, type);
  }
  std::vector<Whole> numbers;
  if (is_float(a.type)) {
    for (const double x : a.doubles()) {
      if (type != Type::boolean && !(std::abs(x) < 0x1p31))
        throw Stop{fmt::format("makes an integer of {}; it must be within 32 bits", x)};
      numbers.push_back(type == Type::boolean ? Whole{x != 0} : static_cast<Whole>(x));
    }
  } else {
    numbers = a.integers();
    if (type == Type::boolean)
      for (Whole& n : numbers) n = n != 0;
  }
  return array_of(a.dims, numbers, type);
}

Array joined(Call& call) {
  const Array& first = call.constant(0);
  const auto axis = axis_of(call, 0, first.dims);
  if (axis < 0 || axis >= static_cast<Whole>(first.dims.size()))
    throw Stop{fmt::format("joins constants of {} along axis {}", to_string(first.dims), axis)};
  const auto along = static_cast<std::size_t>(axis);
  Array made{.type = first.type, .dims = first.dims};
  made.dims[along] = 0;
  std::size_t pieces = 1;
  for (std::size_t i = 0; i < along; ++i) pieces *= static_cast<std::size_t>(first.dims[i]);
  for (std::size_t i = 0; i < call.count(); ++i) {
    Dims dims = call.constant(i).dims;
    if (dims.size() == made.dims.size()) made.dims[along] += std::exchange(dims[along], 0);
    Dims others = first.dims;
    others[along] = 0;
    if (dims != others || call.constant(i).type != first.type)
      throw Stop{fmt::format("joins constants of {} {} and {} {}", to_string(first.type),
                             to_string(first.dims), to_string(call.constant(i).type),
                             to_string(call.constant(i).dims))};
  }
  numbers_in(made.dims);
  const auto all = [&](auto of) {
    std::vector<decltype(of(first))> parts;
    for (std::size_t i = 0; i < call.count(); ++i) parts.push_back(of(call.constant(i)));
    decltype(of(first)) numbers;
    for (std::size_t piece = 0; piece < pieces; ++piece)
      for (const auto& part : parts) {
        const auto size = static_cast<std::ptrdiff_t>(part.size() / pieces);
        const auto from = part.begin() + static_cast<std::ptrdiff_t>(piece) * size;
        numbers.insert(numbers.end(), from, from + size);
      }
    return array_of(made.dims, numbers, made.type);
  };
  return is_float(first.type) ? all([](const Array& a) { return a.doubles(); })
                              : all([](const Array& a) { return a.integers(); });
}

// Numbers from a start up to a limit, by steps.
Array range(Call& call) {
  const Array& start = call.constant(0);
  if (is_float(start.type)) throw Stop{"counts in real numbers; it must count in integers"};
  Whole ends[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto given = call.constant_integers(i);
    if (given.size() != 1) throw Stop{fmt::format("has {}; it must be one number", call.from(i))};
    ends[i] = given[0];
  }
  const auto [from, to, step] = ends;
  if (step == 0) throw Stop{"counts by steps of 0"};
  std::vector<Whole> numbers;
  for (Whole n = from; step > 0 ? n < to : n > to; n += step) {
    numbers.push_back(n);
    if (numbers.size() > most_numbers) throw Stop{"makes a constant of more than 2^28 numbers"};
  }
  return array_of({static_cast<Whole>(numbers.size())}, numbers, start.type);
}

Array filled(Call& call) {
  const Dims dims = call.constant_integers(0);
  const std::size_t all = numbers_in(dims);
  const Attribute* given = call.attribute("value");
  if (given == nullptr) return array_of(dims, std::vector<float>(all, 0));
  const auto* value = std::get_if<Array>(given);
  if (value == nullptr || value->count() != 1) throw Stop{"has a value that is not one number"};
  return is_float(value->type)
             ? made_of(dims, std::vector<double>(all, value->doubles()[0]), value->type)
             : array_of(dims, std::vector<Whole>(all, value->integers()[0]), value->type);
}

// Repeated along the axes of one place.
Array expanded(Call& call) {
  const Array& in = call.constant(0);
  const Dims dims = broadcast(in.dims, call.constant_integers(1));
  const auto taken = [&](const auto& numbers) {
    auto made = numbers;
    made.clear();
    for (const std::size_t place : places(in.dims, dims)) made.push_back(numbers[place]);
    return array_of(dims, made, in.type);
  };
  return is_float(in.type) ? taken(in.doubles()) : taken(in.integers());
}

// ReduceProd and its like, of integers.
Array reduced(Call& call, OfTwo<Whole> function) {
  const Array& in = call.constant(0);
  if (is_float(in.type))
    throw Stop{fmt::format("computes with constants of {}", to_string(in.type))};
  const bool keeps = call.integer("keepdims", 1) != 0;
  const bool none = call.integer("noop_with_empty_axes", 0) != 0;
  const auto axes = call.has(1) ? call.constant_integers(1) : call.integers("axes", {});
  const auto rank = static_cast<Whole>(in.dims.size());
  std::vector<bool> goes(in.dims.size(), axes.empty() && !none);
  for (const Whole axis : axes) {
    const Whole from_0 = axis < 0 ? axis + rank : axis;
    if (from_0 < 0 || from_0 >= rank)
      throw Stop{fmt::format("has the axis {} of {}", axis, to_string(in.dims))};
    goes[static_cast<std::size_t>(from_0)] = true;
  }
  Dims kept = in.dims, dims;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (goes[i]) kept[i] = 1;
    if (keeps || !goes[i]) dims.push_back(kept[i]);
  }
  const auto numbers = in.integers();
  if (numbers.empty()) throw Stop{"has no numbers to combine"};
  const auto to = places(kept, in.dims);
  std::vector<std::optional<Whole>> sums(numbers_in(kept));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto& sum = sums[to[i]];
    sum = sum ? function(*sum, numbers[i]) : numbers[i];
  }
  std::vector<Whole> made;
  for (const auto& sum : sums) made.push_back(*sum);
  return array_of(dims, made, in.type);
}

constexpr std::pair<std::string_view, std::string_view> reductions[] = {
    {"ReduceSum", "Add"}, {"ReduceProd", "Mul"}, {"ReduceMin", "Min"}, {"ReduceMax", "Max"}};

const Binary* binary(std::string_view op) {
  const auto* found = std::ranges::find(binaries, op, &Binary::op);
  return found == std::end(binaries) ? nullptr : found;
}

Array converted(Call& call) {
  call.ignore("saturate");
  const Type type = type_of(call.integer("to", 0));
  if (type == Type::other)
    throw Stop{"changes the type of constants; it must be bool, float32, float64 or an integer"};
  return cast_to(call.constant(0), type);
}

using Fold = Array (*)(Call&);
constexpr std::pair<std::string_view, Fold> others[] = {
    {"Where", where},     {"Range", range},   {"ConstantOfShape", filled},
    {"Expand", expanded}, {"Concat", joined}, {"Cast", converted}};

}  // namespace

Array folded(std::string_view op, const Array& a, const Array& b) {
  return combined(*binary(op), a, b);
}

std::optional<Array> folded(Call& call) {
  if (!call.node.domain.empty() || call.count() == 0) return std::nullopt;
  for (std::size_t i = 0; i < call.count(); ++i)
    if (call.has(i) && !std::holds_alternative<Constant>(call.padded(i).is)) return std::nullopt;
  const std::string_view op = call.node.op;
  if (const Binary* found = binary(op)) {
    if (op == "Mod" && call.integer("fmod", 0) != 0)
      throw Stop{"has fmod = 1 of constants; it must be 0"};
    Array made = call.constant(0);
    for (std::size_t i = 1; i < call.count(); ++i) made = combined(*found, made, call.constant(i));
    return made;
  }
  if (const auto* found = std::ranges::find(unaries, op, &Unary::op); found != std::end(unaries)) {
    const Array& a = call.constant(0);
    return is_float(a.type) ? mapped(a, found->real) : mapped(a, found->whole);
  }
  for (const auto& [name, by] : reductions)
    if (name == op) return reduced(call, binary(by)->whole);
  for (const auto& [name, fold] : others)
    if (name == op) return fold(call);
  return std::nullopt;
}

const std::vector<std::string_view>& folded_operators() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names;
    for (const Binary& b : binaries) names.push_back(b.op);
    for (const Unary& u : unaries) names.push_back(u.op);
    for (const auto& [name, by] : reductions) names.push_back(name);
    for (const auto& [name, fold] : others) names.push_back(name);
    return names;
  }();
  return all;
}

}  // namespace kumiki::gen::onnx
