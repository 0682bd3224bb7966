// SPDX-License-Identifier: Apache-2.0
// Layers in LUTs alone, with all of their products at once: one vector every clock, whatever the
// pace of the pipeline. Consecutive layers form one machine in which a vector moves straight from
// one to the next. Nothing waits between them, so only the end has room.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machines/island.h"
#include "gen/operators/conv/lut_matrix.h"
#include "gen/operators/conv/lut_numbers.h"

namespace kumiki::gen::pipeline {

struct UnrolledPlan {
  struct Layer {
    std::string name;
    LutMatrix matrix;
    std::optional<LutNumbers> numbers;  // empty: the sums are the result
    // The format of unscaled results; empty: as wide as the sums.
    std::optional<arith::Format> as_numbers = {};
    arith::Format result() const {
      return numbers ? numbers->numbers : as_numbers.value_or(matrix.sums());
    }
    int latency() const { return matrix.latency() + (numbers ? numbers->latency() : 0); }
    bool operator==(const Layer&) const = default;
  };
  std::int64_t height = 1, width = 1;  // of the maps
  std::vector<Layer> layers;
  std::vector<Stream> inputs() const;
  Stream output() const;
  Moving schedule() const { return {.pieces = height * width, .stages = latency()}; }
  std::int64_t slices() const { return 0; }
  int latency() const;
  int levels() const;
  std::string kind() const { return "unrolled"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const UnrolledPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const UnrolledPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const UnrolledPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
