// SPDX-License-Identifier: Apache-2.0
// Models of a few nodes for tests of refusals: what a node reads is made here, and what the import
// says of the whole is compared from its beginning.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "gen/onnx/import.h"
#include "tests/gen/onnx/changed.h"

namespace kumiki::gen::onnx::small {

using changed::number;
using Attributes = std::map<std::string, Attribute, std::less<>>;
using Constants = std::map<std::string, Array, std::less<>>;

inline Array reals(Dims dims, std::vector<float> values) { return array_of(dims, values); }
inline Array list(std::vector<float> v) { return reals({static_cast<std::int64_t>(v.size())}, v); }
inline Array filled(const Dims& dims, float v) {
  std::size_t all = 1;
  for (const auto d : dims) all *= static_cast<std::size_t>(d);
  return array_of(dims, std::vector<float>(all, v));
}
// Of int64, a list.
inline Array whole(const Dims& v) { return array_of({static_cast<std::int64_t>(v.size())}, v); }
// Integers of `size` bytes.
inline Array integers(Type type, const Dims& dims, const std::vector<std::int64_t>& values,
                      int size = 1) {
  Array a{.type = type, .dims = dims, .bytes = {}};
  for (const std::int64_t v : values)
    for (int i = 0; i < size; ++i) a.bytes += static_cast<char>(v >> (8 * i));
  return a;
}
inline Array s8(const Dims& dims, const std::vector<std::int64_t>& v) {
  return integers(Type::s8, dims, v);
}
inline Array s32(const Dims& dims, const std::vector<std::int64_t>& v) {
  return integers(Type::s32, dims, v, 4);
}
inline Array s16(const Dims& dims, const std::vector<std::int64_t>& v) {
  return integers(Type::s16, dims, v, 2);
}
inline Array u8(int v) { return integers(Type::u8, {}, {v}); }

// A node that has the name of its result.
inline Node node(const std::string& op, std::vector<std::string> inputs, const std::string& out,
                 Attributes attributes = {}) {
  const auto dot = op.rfind('.');
  const bool plain = dot == std::string::npos;
  return {out,   plain ? "" : op.substr(0, dot), plain ? op : op.substr(dot + 1), std::move(inputs),
          {out}, std::move(attributes)};
}
inline const std::string microsoft = "com.microsoft.", qonnx = "qonnx.custom_op.general.";

// The float input x becomes q, uint8 with the scale s, 0.5, and the zero point z, 3, and d is what
// q stands for. The result of the last node is that of the model. There are the scale one, the zero
// point i, int8 and 0, and the bits b4 for QONNX with the zero point zero.
inline Model model(const Dims& x, const std::vector<Node>& nodes, const Constants& constants = {}) {
  Model m{.name = "m", .opsets = {{"", 21}}};
  m.inputs = {{"x", Type::f32, x}};
  m.constants = {{"s", number(0.5F)}, {"z", u8(3)},      {"one", number(1)},
                 {"i", s8({}, {0})},  {"b4", number(4)}, {"zero", number(0)}};
  for (const auto& [name, value] : constants) m.constants[name] = value;
  m.nodes = {node("QuantizeLinear", {"x", "s", "z"}, "q"),
             node("DequantizeLinear", {"q", "s", "z"}, "d")};
  m.nodes.insert(m.nodes.end(), nodes.begin(), nodes.end());
  m.outputs = {{m.nodes.back().outputs[0], Type::f32, {}}};
  return m;
}

inline std::string said(const Model& model) {
  std::string text = changed::refused(model, [](Model&) {});
  const std::string file = "m.onnx: ";
  return text.starts_with(file) ? text.substr(file.size()) : text;
}

// One refusal, which begins so.
MATCHER_P(One, begin, "is one refusal that begins with " + std::string(begin)) {
  return arg.starts_with(begin) && arg.find('\n') == std::string::npos;
}
inline const std::string imported = "imported";

}  // namespace kumiki::gen::onnx::small
