// SPDX-License-Identifier: Apache-2.0
// An ONNX file as plain values: nodes, constants, what goes in and out. Nothing here knows what an
// operator means, and nothing outside of model.cpp knows how the file is encoded.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kumiki::gen::onnx {

// Of the numbers of a tensor; `other` is what no network of integers has.
enum class Type : std::uint8_t { f32, f64, u4, s4, u8, s8, u16, s16, s32, s64, boolean, other };
std::string to_string(Type type);  // "int8"
bool is_float(Type type);

using Dims = std::vector<std::int64_t>;
std::string to_string(const Dims& dims);  // "[1, 3, 28, 28]", "?" for what is open

// A tensor of constants. Types with sign and without are told apart by `type` alone.
struct Array {
  Type type = Type::f32;
  Dims dims;
  std::string bytes;  // little-endian, the last index fastest; of 4 bits two in a byte
  std::size_t count() const;
  std::vector<float> floats() const;           // of f32 and f64
  std::vector<std::int64_t> integers() const;  // of the others
  friend bool operator==(const Array&, const Array&) = default;
};
Array array_of(const Dims& dims, const std::vector<std::int64_t>& values);  // s64
Array array_of_bytes(const Dims& dims, const std::vector<std::int64_t>& values,
                     Type type);  // s8 or u8
Array array_of(const Dims& dims, const std::vector<float>& values);

// A kind of attribute that no operator of a network of integers has: a graph, a list of strings.
struct Foreign {
  friend bool operator==(const Foreign&, const Foreign&) = default;
};
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, Array, Foreign>;

struct Node {
  std::string name;    // "" is usual
  std::string domain;  // "" is ONNX' own
  std::string op;
  std::vector<std::string> inputs, outputs;  // "": left out
  std::map<std::string, Attribute, std::less<>> attributes;
};

// What goes in or comes out. A dimension that the model leaves open is -1.
struct Port {
  std::string name;
  Type type = Type::f32;
  Dims dims;
};

struct Model {
  std::string name;
  std::map<std::string, std::int64_t, std::less<>> opsets;  // by domain
  std::vector<Node> nodes;                                  // in the order of the file
  std::map<std::string, Array, std::less<>> constants;
  std::vector<Port> inputs, outputs;  // of inputs those that are no constants

  std::int64_t opset(std::string_view domain) const;  // 0: not used
};

// FileError: no ONNX file, one that was cut off, tensors whose bytes are not those of their shape,
// data outside of the folder of the file.
Model read_model(const std::filesystem::path& file);
// The same from the bytes; data kept beside the file is looked for in `folder`.
Model parse_model(std::string_view bytes, const std::string& name,
                  const std::filesystem::path& folder);
// A TensorProto alone, as conformance cases keep them.
Array parse_array(std::string_view bytes, const std::string& name);

}  // namespace kumiki::gen::onnx
