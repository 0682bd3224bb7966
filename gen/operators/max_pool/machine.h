// SPDX-License-Identifier: Apache-2.0
// The maximum of every window of a map: first along the lines, as the pixels come, then down the
// columns. Memories hold a line of the results of the lines.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/results.h"
#include "gen/operators/max_pool/pool_axis.h"

namespace kumiki::gen::pipeline {

struct MaxPoolPlan {
  Stream stream;
  graph::Window window;

  std::optional<std::string> why_not() const;  // empty: it can be built
  PoolAxis lines() const { return {window, 0, stream.height}; }
  PoolAxis columns() const { return {window, 1, stream.width}; }
  ResultsPlan results() const;
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  Walk schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "max_pool"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const MaxPoolPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const MaxPoolPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const MaxPoolPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
