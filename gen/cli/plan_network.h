// SPDX-License-Identifier: Apache-2.0
// `plan` and `show` of a trained network.
#pragma once
#include <optional>
#include <string>

namespace kumiki::cli {

struct NetworkPlanOptions {
  std::string file;      // MODEL.onnx or NET.graph
  std::string pictures;  // folder for one, none when empty
  std::optional<int> factor_bits;
  bool force = false, channels = false, json = false;
};
int plan_network(const NetworkPlanOptions& options);

// The picture into this file; without one its nodes as text, a line each.
int show_network(const std::string& network, const std::string& file, bool force);

}  // namespace kumiki::cli
