// SPDX-License-Identifier: Apache-2.0
// A trained and quantised ONNX model becomes a graph of integers. Float operators between
// dequantisers and a quantiser (QDQ) and onnxruntime's QLinear operators mean the same thing here.
// What has no exact integer meaning is refused, all of a file at once.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/onnx/model.h"
#include "ir/error.h"

namespace kumiki::gen::onnx {

// An end of the model: which tensor of the graph it is.
struct End {
  std::string name;  // in the model
  graph::TensorId tensor = 0;
  // Real numbers there: a host quantises or dequantises with the tensor's scale and zero point.
  bool is_float = false;
  friend bool operator==(const End&, const End&) = default;
};

struct Imported {
  graph::Graph graph;
  End input;
  std::vector<End> outputs;
  // What a user has to know: operators that are left to the host, and where onnxruntime computes
  // in float32, so that a result halfway between two numbers may be the other one there.
  std::vector<std::string> notes;
};

// Every refusal of a model, a line each.
struct Refused : DesignError {
  using DesignError::DesignError;
};
// Means of windows that onnxruntime adds in float32, where the order of addition decides: its
// order, which no machine of a pipeline has, or sums of integers, whose results may be others by
// one.
enum class Averages { as_onnxruntime, sums };
// Refused; FileError as of read_model.
Imported import_model(const std::filesystem::path& file,
                      Averages averages = Averages::as_onnxruntime);
Imported import_model(const Model& model, const std::string& name,
                      Averages averages = Averages::as_onnxruntime);

// What is imported, a row an operator.
struct Supported {
  std::string_view op;      // "Conv", "com.microsoft QLinearAdd"
  std::string_view as;      // of the graph: "conv"
  std::string_view limits;  // "2 dimensions; any groups, strides, dilations, pads"
};
std::vector<Supported> supported();

}  // namespace kumiki::gen::onnx
