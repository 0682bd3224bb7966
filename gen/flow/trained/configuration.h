// SPDX-License-Identifier: Apache-2.0
// A configuration with a layer for a trained network, for manual editing, and its graph next to it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "ir/context.h"

namespace kumiki::flow {

// The kind of layer: an array of elements, an engine, or a pipeline of a requested size.
struct LayerFor {
  std::string as;  // array, engine or dataflow
  std::optional<std::int64_t> clocks, slices, luts, brams;
  // Nodes of a pipeline, or "all"; for trees also "binarised".
  std::vector<std::string> in_luts = {}, in_trees = {}, weights_outside = {};
  std::optional<double> bytes_a_clock = {};
  std::optional<std::int64_t> urams = {};
  std::optional<std::int64_t> batch = {};  // of an engine: images of a run
  // Of the table: the pipeline is folded until it fits. It stands in place of all budgets.
  std::string device = {};
};
void require_size(const LayerFor& layer);  // UsageError

struct NewConfiguration {
  std::string what;  // "a pipeline of 40 slices, a frame every 96 clocks"
  std::filesystem::path graph;
};
// Writes both files or neither. FileError: one of them exists; LimitError: `model` cannot become
// such a layer.
NewConfiguration write_configuration(const LayerFor& layer, const std::string& model,
                                     const gen::graph::Graph& graph,
                                     const std::filesystem::path& file, bool force,
                                     const ir::Context& context = {});

}  // namespace kumiki::flow
