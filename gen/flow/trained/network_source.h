// SPDX-License-Identifier: Apache-2.0
// The source of a trained network: an ONNX model, or a graph in text form.
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
  std::vector<std::string> notes;  // notes for the user
};

bool is_network(const std::filesystem::path& path);  // by its suffix

// One line each for the input, for the host's preparation of its numbers before quantising, and for
// each output: "output  logits: 10, U8, scale 0.0117, zero point 128".
std::string ends_text(const gen::graph::Graph& graph);
// Writes the host's preparation as a member of an open object; writes nothing if there is none.
void write_preparation(gen::config::Writer& w, const gen::graph::Graph& graph);

// Selects the reader by the suffix of the file. FileError: what is wrong and what is required.
// `called`: what messages call a model, if not by its path.
Network load_network(const std::filesystem::path& path,
                     gen::onnx::Averages averages = gen::onnx::Averages::as_onnxruntime,
                     const std::string& called = {});

}  // namespace kumiki::flow
