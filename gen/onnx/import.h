// SPDX-License-Identifier: Apache-2.0
// Turns a trained and quantised ONNX model into a graph of integers. Float operators between
// dequantisers and a quantiser (QDQ) and onnxruntime's QLinear operators mean the same here. The
// import refuses what has no exact integer meaning, and reports all refusals of a file at once.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/onnx/model.h"
#include "ir/error.h"

namespace kumiki::gen::onnx {

// An input or output of the model and its tensor in the graph.
struct End {
  std::string name;  // in the model
  graph::TensorId tensor = 0;
  // The model has real numbers there: the host quantises or dequantises with the tensor's scale and
  // zero point.
  bool is_float = false;
  friend bool operator==(const End&, const End&) = default;
};

struct Imported {
  graph::Graph graph;
  End input;
  std::vector<End> outputs;
  std::vector<End> more_inputs = {};  // in the order of the graph
  // Notes for the user: operators left to the host, and places where onnxruntime computes in
  // float32, so that a result halfway between two numbers may round the other way.
  std::vector<std::string> notes;
};

// All refusals of a model, one on each line.
struct Refused : DesignError {
  Refused(const Code& code, const std::string& text, std::set<std::string> of = {});
  std::set<std::string> operators;  // of the refused nodes
};
// How to import means of windows and transposed convolutions that onnxruntime adds in float32,
// where the order of addition matters. Either in its order, which no machine of a pipeline
// implements, or as sums of integers, whose results may differ by one.
enum class Averages { as_onnxruntime, sums };
// Refused; FileError as for read_model.
Imported import_model(const std::filesystem::path& file,
                      Averages averages = Averages::as_onnxruntime);
Imported import_model(const Model& model, const std::string& name,
                      Averages averages = Averages::as_onnxruntime);

// What the import supports, one row for each operator.
struct Supported {
  std::string_view op;      // "Conv", "com.microsoft QLinearAdd"
  std::string_view as;      // in the graph: "conv"
  std::string_view limits;  // "2 dimensions; any groups, strides, dilations, pads"
};
std::vector<Supported> supported();

}  // namespace kumiki::gen::onnx
