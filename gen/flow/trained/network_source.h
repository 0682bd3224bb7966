// SPDX-License-Identifier: Apache-2.0
// Where a trained network comes from: an ONNX model, or a graph in text form.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "gen/config/writer.h"
#include "gen/graph/graph.h"
#include "gen/onnx/import.h"

namespace kumiki::flow {

struct Network {
  gen::graph::Graph graph;
  std::vector<std::string> notes;  // what its user should know
};

bool is_network(const std::filesystem::path& path);  // by its suffix

// A line each for the input, for what the host does with its numbers before it quantises them, and
// for the outputs: "output  logits: 10, U8, scale 0.0117, zero point 128".
std::string ends_text(const gen::graph::Graph& graph);
// What the host does as a member of an object already begun; nothing: no member.
void write_preparation(gen::config::Writer& w, const gen::graph::Graph& graph);

// By the suffix of the file. FileError: what is wrong with it, and what would be legal.
Network load_network(const std::filesystem::path& path,
                     gen::onnx::Averages averages = gen::onnx::Averages::as_onnxruntime);

}  // namespace kumiki::flow
