// SPDX-License-Identifier: Apache-2.0
// A configuration with a layer for a trained network, to be edited by hand, and its graph beside
// it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "ir/context.h"

namespace kumiki::flow {

// Which layer: an array of elements, or a pipeline, which is as large as somebody says.
struct LayerFor {
  std::string as;  // array or dataflow
  std::optional<std::int64_t> clocks, slices, luts, brams;
  // Nodes of a pipeline, or "all"; of those in trees also "binarised".
  std::vector<std::string> in_luts = {}, in_trees = {};
};
void require_size(const LayerFor& layer);  // UsageError

struct NewConfiguration {
  std::string what;  // "a pipeline of 40 slices, a frame every 96 clocks"
  std::filesystem::path graph;
};
// Both files, or nothing. FileError: one of them is there; LimitError: `model` cannot be such a
// layer.
NewConfiguration write_configuration(const LayerFor& layer, const std::string& model,
                                     const gen::graph::Graph& graph,
                                     const std::filesystem::path& file, bool force,
                                     const ir::Context& context = {});

}  // namespace kumiki::flow
