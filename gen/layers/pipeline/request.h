// SPDX-License-Identifier: Apache-2.0
// A user's request for a pipeline.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/config/table.h"
#include "gen/layers/common/graph_file.h"
#include "gen/layers/pipeline/plan.h"
#include "ir/context.h"

namespace kumiki::gen::pipeline {

struct Request {
  std::optional<GraphFile> graph;
  // Either at most so many clocks from frame to frame, with the fewest slices; or budgets of
  // slices, LUT sites and memories of 18 Kbit, with the fewest clocks.
  std::optional<std::int64_t> clocks, slices, luts, brams;
  std::optional<NodeNames> in_luts = {}, in_trees = {}, weights_outside = {};
  std::int64_t memory_bits = 128;
  // At most so many bytes of weights come from outside in a clock: layers move there until the
  // memories suffice.
  std::optional<double> bytes_a_clock = {};
  std::int64_t urams = 0;  // that memories written at run time may take
  bool input_last = false;
  Counted counters = Counted::nothing;
  ir::Context context = {};
};

const config::TableOf<Request>& request_table();

}  // namespace kumiki::gen::pipeline
