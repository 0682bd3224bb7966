// SPDX-License-Identifier: Apache-2.0
// Graphs in text form for the tests of one operator: their results, and why they are refused.
#pragma once
#include <string>

#include "gen/graph/interpret.h"
#include "gen/graph/text.h"
#include "ir/error.h"
#include "tests/support/refusal.h"

namespace kumiki::test {

// The numbers of the first output for these images.
inline gen::graph::Numbers result(const std::string& text, const gen::graph::Numbers& images = {}) {
  const gen::graph::Graph g = gen::graph::parse_graph("g", text);
  return gen::graph::Interpreter(g).run_all(images, g.outputs[0], 1);
}

// What is wrong with the graph, without the name of the file.
inline std::string wrong(const std::string& text) {
  const std::string all = refusal<DesignError>([&] { gen::graph::parse_graph("g", text); });
  return all.starts_with("g:\n") ? all.substr(3) : all;
}

// Whether what is written is read again, and written the same way.
inline bool is_kept(const std::string& text) {
  const gen::graph::Graph g = gen::graph::parse_graph("g", text);
  return to_text(g) == text && gen::graph::parse_graph("again", to_text(g)) == g;
}

}  // namespace kumiki::test
