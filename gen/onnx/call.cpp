// SPDX-License-Identifier: Apache-2.0
// Reads the attributes and inputs of a node.
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/operators/operators.h"

namespace kumiki::gen::onnx {
namespace {

template <class T>
T attribute_as(Call& call, std::string_view name, T otherwise, const char* kind) {
  const Attribute* found = call.attribute(name);
  if (found == nullptr) return otherwise;
  if (const T* value = std::get_if<T>(found)) return *value;
  throw Stop{fmt::format("has the attribute {} of another kind; it must be {}", name, kind)};
}

}  // namespace

const Value& Call::padded(std::size_t i) const {
  if (!has(i)) throw Stop{fmt::format("has no input {}", i)};
  return walk.values_.find(node.inputs[i])->second;
}

const Value& Call::in(std::size_t i) const {
  const Value& value = any(i);
  if (has_images(value) && !is_plain(value.dims))
    throw Stop{fmt::format(
        "reads {} of {}; it must be images first and then one to three axes: reshape it", from(i),
        to_string(value.dims))};
  return value;
}

const Value& Call::any(std::size_t i) const {
  const Value& value = padded(i);
  if (value.pads == Pads{}) return value;
  const auto found = walk.padded_.find(node.inputs[i]);
  if (found != walk.padded_.end()) return found->second;
  return walk.padded_.emplace(node.inputs[i], walk.padded(value, node.inputs[i] + "/pad"))
      .first->second;
}

std::string Call::from(std::size_t i) const {
  return fmt::format("input {} ({})", i, node.inputs[i]);
}

void Call::result(Value value, std::size_t i) { walk.values_[node.outputs[i]] = std::move(value); }

Value& Call::made() { return walk.values_.find(out())->second; }
Real& Call::made_real() { return std::get<Real>(made().is); }
void Call::approximate() { made_real().approximate = true; }

const Attribute* Call::attribute(std::string_view name) {
  asked.emplace(name);
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? nullptr : &found->second;
}

std::int64_t Call::integer(std::string_view name, std::int64_t otherwise) {
  return attribute_as(*this, name, otherwise, "an integer");
}
std::vector<std::int64_t> Call::integers(std::string_view name,
                                         std::vector<std::int64_t> otherwise) {
  return attribute_as(*this, name, std::move(otherwise), "a list of integers");
}
float Call::real(std::string_view name, float otherwise) {
  return attribute_as(*this, name, otherwise, "a float");
}
std::string Call::text(std::string_view name, std::string otherwise) {
  return attribute_as(*this, name, std::move(otherwise), "a text");
}

const Array& Call::constant(std::size_t i) const {
  const auto* c = std::get_if<Constant>(&in(i).is);
  if (c == nullptr)
    throw Stop{fmt::format("has {}, which is computed; it must be a constant", from(i))};
  return *c->array;
}

std::vector<std::int64_t> Call::constant_integers(std::size_t i) const {
  const Array& a = constant(i);
  if (is_float(a.type))
    throw Stop{fmt::format("has {} of {}; it must be integers", from(i), to_string(a.type))};
  return a.integers();
}

std::vector<float> Call::constant_reals(std::size_t i) const {
  std::vector<float> all;
  if (const auto* w = std::get_if<Quantised>(&in(i).is)) {
    std::size_t stride = 1;
    for (auto d = static_cast<std::size_t>(w->axis) + 1; d < in(i).dims.size(); ++d)
      stride *= static_cast<std::size_t>(in(i).dims[d]);
    for (std::size_t n = 0; n < w->numbers->size(); ++n)
      all.push_back(static_cast<float>((*w->numbers)[n]) *
                    w->scales[w->scales.size() == 1 ? 0 : n / stride % w->scales.size()]);
  } else {
    const Array& a = constant(i);
    if (!is_float(a.type))
      throw Stop{fmt::format("has {} of {}; it must be float32", from(i), to_string(a.type))};
    all = a.floats();
  }
  for (const float x : all)
    if (!std::isfinite(x))
      throw Stop{fmt::format("has {} in {}; numbers must be finite", x, from(i))};
  return all;
}

bool is_of_channels(const Dims& constant, const Dims& of) {
  bool legal = constant.size() <= of.size() && of.size() >= 2;
  for (std::size_t d = 0; legal && d < constant.size(); ++d) {
    const std::size_t axis = of.size() - constant.size() + d;
    legal = constant[d] == (axis == 1 ? of[1] : 1);
  }
  return legal;
}

std::vector<float> Call::channel_reals(std::size_t i, const Dims& of) const {
  auto all = constant_reals(i);
  const Dims& dims = in(i).dims;
  if (all.size() == 1 && dims.size() <= of.size()) return all;
  if (!is_of_channels(dims, of) || all.size() != static_cast<std::size_t>(of[1]))
    throw Stop{fmt::format("has {} of {} for {}; it must be one number, or one for each channel",
                           from(i), to_string(dims), to_string(of))};
  return all;
}

void require_scales(const std::vector<float>& scales, const std::string& of) {
  for (const float s : scales)
    if (!(s > 0) || !std::isfinite(s))
      throw Stop{fmt::format("has the scale {} in {}; it must be a finite number above 0", s, of)};
}

void require_alike(Type zero, Type numbers, const char* what) {
  const auto is_byte = [](Type t) { return t == Type::s8 || t == Type::u8; };
  if (zero != numbers && is_byte(zero) && is_byte(numbers))
    throw Stop{fmt::format("has a zero point of {} for {} of {}; it must be of their type",
                           to_string(zero), what, to_string(numbers))};
}

float Call::constant_scale(std::size_t i) const {
  const Array& a = constant(i);
  if (a.type != Type::f32 || a.count() != 1)
    throw Stop{fmt::format("has {}, {} of {}; it must be one float32", from(i), to_string(a.dims),
                           to_string(a.type))};
  require_scales(a.floats(), from(i));
  return a.floats()[0];
}

const Integers& Call::as_they_are(const Value& value, std::size_t i) const {
  if (std::holds_alternative<Indices>(value.is))
    throw Stop{fmt::format(
        "reads {}, an input of indices; only Gather reads them, with a constant table", from(i))};
  const auto* integers = std::get_if<Integers>(&value.is);
  if (integers == nullptr)
    throw Stop{fmt::format("reads {}, which is not quantised; it must be integers", from(i))};
  return *integers;
}

graph::TensorId Call::integers(const Value& value, std::size_t i, const Quantiser& q) const {
  return walk.seen(as_they_are(value, i), q);
}

graph::TensorId Call::numbers(const Value& value, std::size_t i) const {
  if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && real->table.empty())
    return real->id;
  if (const auto* pending = std::get_if<Pending>(&value.is))
    throw Stop{
        fmt::format("reads {}, the float32 result of node {}; put a QuantizeLinear and a "
                    "DequantizeLinear between them",
                    from(i), pending->node)};
  if (std::holds_alternative<Indices>(value.is)) as_they_are(value, i);  // throws
  throw Stop{fmt::format("reads {}, which is not quantised; it must come out of a DequantizeLinear",
                         from(i))};
}

std::optional<Quantised> Call::integer_weights(std::size_t i) const {
  if (const auto* weights = std::get_if<Quantised>(&in(i).is)) return *weights;
  // Integer weights in float32, as FINN stores them.
  if (const auto* c = std::get_if<Constant>(&in(i).is); c != nullptr && is_float(c->array->type)) {
    std::vector<std::int32_t> numbers;
    for (const float x : c->array->floats())
      if (std::abs(x) <= 255 && x == std::nearbyint(x))
        numbers.push_back(static_cast<std::int32_t>(x));
    if (numbers.size() == c->array->count())
      return Quantised{
          .numbers = std::make_shared<const std::vector<std::int32_t>>(std::move(numbers)),
          .scales = {1},
          .is_quant = true,
          .is_float = true};
  }
  return std::nullopt;
}

Quantised Call::weights(std::size_t i) const {
  if (auto weights = integer_weights(i)) return std::move(*weights);
  throw Stop{fmt::format(
      "has {}, which are not quantised constants; use integers with a DequantizeLinear", from(i))};
}

Quantiser Call::quantiser(std::size_t i) const {
  Quantiser q{.format = {8, false}, .zero_point = 0, .scale = constant_scale(i)};
  if (!has(i + 1)) return q;
  const Array& zero = constant(i + 1);
  if (zero.count() != 1)
    throw Stop{
        fmt::format("has {} zero points in {}; it must have one", zero.count(), from(i + 1))};
  q.format = format_of(zero.type);
  q.zero_point = static_cast<int>(zero.integers()[0]);
  return q;
}

}  // namespace kumiki::gen::onnx
