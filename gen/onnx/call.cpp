// SPDX-License-Identifier: Apache-2.0
// What a node says and reads.
#include <cmath>

#include <fmt/format.h>

#include "gen/onnx/walk.h"

namespace kumiki::gen::onnx {
namespace {

template <class T>
T attribute_as(Call& call, std::string_view name, T otherwise, const char* kind) {
  const Attribute* found = call.attribute(name);
  if (found == nullptr) return otherwise;
  if (const T* value = std::get_if<T>(found)) return *value;
  throw Stop{fmt::format("has the attribute {} of another kind: {} is legal", name, kind)};
}

}  // namespace

const Value& Call::padded(std::size_t i) const {
  if (!has(i)) throw Stop{fmt::format("has no input {}", i)};
  return walk.values_.find(node.inputs[i])->second;
}

const Value& Call::in(std::size_t i) const {
  const Value& value = padded(i);
  if (value.pads != Pads{})
    throw Stop{
        fmt::format("reads {}, which comes from Pad: only Conv may stand behind it", from(i))};
  return value;
}

std::string Call::from(std::size_t i) const {
  return fmt::format("input {} ({})", i, node.inputs[i]);
}

void Call::result(Value value) { walk.values_[out()] = std::move(value); }

Real& Call::made_real() { return std::get<Real>(walk.values_.find(out())->second.is); }
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
    throw Stop{fmt::format("has {}, which is computed: a constant is legal", from(i))};
  return *c->array;
}

std::vector<std::int64_t> Call::constant_integers(std::size_t i) const {
  const Array& a = constant(i);
  if (is_float(a.type))
    throw Stop{fmt::format("has {} of {}: integers are legal", from(i), to_string(a.type))};
  return a.integers();
}

float Call::constant_scale(std::size_t i) const {
  const Array& a = constant(i);
  if (a.type != Type::f32 || a.count() != 1)
    throw Stop{fmt::format("has {}, {} of {}: one float32 is legal", from(i), to_string(a.dims),
                           to_string(a.type))};
  const float scale = a.floats()[0];
  if (!(scale > 0) || !std::isfinite(scale))
    throw Stop{
        fmt::format("has the scale {} in {}: a finite number above 0 is legal", scale, from(i))};
  return scale;
}

graph::TensorId Call::numbers(const Value& value, std::size_t i) const {
  if (const auto* real = std::get_if<Real>(&value.is); real != nullptr && real->table.empty())
    return real->id;
  if (const auto* pending = std::get_if<Pending>(&value.is))
    throw Stop{
        fmt::format("reads {}, the float32 result of node {}: a QuantizeLinear and a "
                    "DequantizeLinear between them are legal",
                    from(i), pending->node)};
  throw Stop{
      fmt::format("reads {}, which is not quantised: what comes out of a DequantizeLinear "
                  "is legal",
                  from(i))};
}

const Quantised& Call::weights(std::size_t i) const {
  if (const auto* weights = std::get_if<Quantised>(&in(i).is)) return *weights;
  throw Stop{
      fmt::format("has {}, which are no quantised constants: integers behind a "
                  "DequantizeLinear are legal",
                  from(i))};
}

Quantiser Call::quantiser(std::size_t i) const {
  Quantiser q{.format = {8, false}, .zero_point = 0, .scale = constant_scale(i)};
  if (!has(i + 1)) return q;
  const Array& zero = constant(i + 1);
  if (zero.count() != 1)
    throw Stop{fmt::format("has {} zero points in {}: one is legal", zero.count(), from(i + 1))};
  q.format = format_of(zero.type);
  q.zero_point = static_cast<int>(zero.integers()[0]);
  return q;
}

}  // namespace kumiki::gen::onnx
