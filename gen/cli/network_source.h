// SPDX-License-Identifier: Apache-2.0
// Where a trained network comes from: an ONNX model, or a graph in text form.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "gen/config/writer.h"
#include "gen/graph/graph.h"

namespace kumiki::cli {

struct Network {
  gen::graph::Graph graph;
  std::vector<std::string> notes;  // what its user should know
};

bool is_network(const std::filesystem::path& path);  // by its suffix

// "1x28x28, U8, scale 0.00392157, zero point 0".
std::string end_text(const gen::graph::Tensor& tensor);

// What the host does with a number of the input before it quantises it: a line, or nothing.
std::string preparation_text(const gen::graph::Graph& graph);
// The same as a member of an object already begun; none: no member.
void write_preparation(gen::config::Writer& w, const gen::graph::Graph& graph);

// By the suffix of the file. FileError: what is wrong with it, and what would be legal.
Network load_network(const std::filesystem::path& path);

}  // namespace kumiki::cli
