// SPDX-License-Identifier: Apache-2.0
// `plan` and `show` for a trained network.
#pragma once
#include <optional>
#include <string>

#include "backends/support/cache.h"

namespace kumiki::cli {

struct NetworkPlanOptions {
  std::string file;      // MODEL.onnx or NET.graph
  std::string pictures;  // folder for a picture; empty: none
  std::optional<int> factor_bits;
  bool force = false, channels = false, json = false;
};
int plan_network(const NetworkPlanOptions& options, const backends::Cache& cache);

// Draws the picture into this file; without a file prints the nodes as text, one line each.
int show_network(const std::string& network, const std::string& file, bool force);

}  // namespace kumiki::cli
