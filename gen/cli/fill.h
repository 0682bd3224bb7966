// SPDX-License-Identifier: Apache-2.0
// Shows in pictures and in the report how full the queues of pipelines get.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/cli/output.h"
#include "gen/layers/pipeline/fill.h"

namespace kumiki::cli {

struct LayerFill {
  std::string layer;
  std::int64_t clocks = 0;
  std::vector<gen::pipeline::QueueFill> queues;
};
void write(gen::config::Writer& w, const LayerFill& fill);

struct Fills {
  flow::Redrawn pictures;
  std::vector<LayerFill> layers;  // only pipelines
};
// Measures over so many clocks, without stalls.
Fills measured_fills(const Project& project, std::int64_t clocks);

}  // namespace kumiki::cli
