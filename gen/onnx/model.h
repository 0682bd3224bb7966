// SPDX-License-Identifier: Apache-2.0
// An ONNX file as plain values: nodes, constants, inputs and outputs. Nothing here knows what an
// operator means, and only model.cpp knows how the file is encoded.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kumiki::gen::onnx {

// The type of a tensor's numbers; `other` never occurs in a network of integers.
enum class Type : std::uint8_t { f32, f64, u4, s4, u8, s8, u16, s16, s32, s64, boolean, other };
std::string to_string(Type type);  // "int8"
Type type_of(std::int64_t onnx);   // of the number that stands for it in a file
bool is_float(Type type);

using Dims = std::vector<std::int64_t>;
std::string to_string(const Dims& dims);  // "[1, 3, 28, 28]"; "?" for open dimensions

// A tensor of constants. Only `type` tells signed and unsigned types apart.
struct Array {
  Type type = Type::f32;
  Dims dims;
  std::string bytes;  // little-endian, the last index fastest; two 4-bit numbers share a byte
  std::size_t count() const;
  std::vector<float> floats() const;           // for f32 and f64
  std::vector<double> doubles() const;         // the same without rounding
  std::vector<std::int64_t> integers() const;  // for all other types
  friend bool operator==(const Array&, const Array&) = default;
};
// Integers of that type, by their low bits.
Array array_of(const Dims& dims, const std::vector<std::int64_t>& values, Type type = Type::s64);
Array array_of(const Dims& dims, const std::vector<float>& values);
Array array_of(const Dims& dims, const std::vector<double>& values, Type type);  // f32 or f64

// An attribute of a kind that no operator of a network of integers has: a graph, a list of strings.
struct Foreign {
  friend bool operator==(const Foreign&, const Foreign&) = default;
};
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, Array, Foreign>;

struct Node {
  std::string name;    // often ""
  std::string domain;  // "" for ONNX itself
  std::string op;
  std::vector<std::string> inputs, outputs;  // "": omitted
  std::map<std::string, Attribute, std::less<>> attributes;
};

// An input or an output. A dimension that the model leaves open is -1.
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
  std::vector<Port> inputs, outputs;  // inputs exclude constants

  std::int64_t opset(std::string_view domain) const;  // 0: not used
};

// FileError: not an ONNX file, a truncated file, tensors whose bytes do not match their shape, or
// data outside the folder of the file.
Model read_model(const std::filesystem::path& file);
// The same from bytes; external data is read from `folder`.
Model parse_model(std::string_view bytes, const std::string& name,
                  const std::filesystem::path& folder);
// Parses a single TensorProto, as conformance cases store them.
Array parse_array(std::string_view bytes, const std::string& name);

}  // namespace kumiki::gen::onnx
