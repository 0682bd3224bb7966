// SPDX-License-Identifier: Apache-2.0
// A user's request for a constant matrix.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/blocks/const_matrix/plan.h"
#include "gen/config/table.h"
#include "gen/config/weights.h"
#include "ir/context.h"

namespace kumiki::gen::const_matrix {

enum class WeightSource { values, random };

struct Request {
  std::int64_t outputs = 1, inputs = 1;
  int bits = 8;
  bool is_signed = true;
  WeightSource source = WeightSource::values;
  std::optional<config::Weights> weights;
  std::optional<int> weight_bits;
  std::optional<std::uint32_t> seed;
  std::optional<int> levels, latency;
  std::uint32_t effort = 1;
  ir::Context context = {};
};

const config::Table& request_table();
// Requires a request that the table has checked.
Task task_of(const Request& request);

}  // namespace kumiki::gen::const_matrix
