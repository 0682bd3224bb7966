// SPDX-License-Identifier: Apache-2.0
// The sum of every channel over all pixels of a map, for GlobalAverage, or over those of each line.
// The sum still contains zero points: the requantiser subtracts `pixels * zero point`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {

struct AveragePlan {
  Stream stream;
  // The format of unscaled results; empty: as wide as sums of such numbers can be.
  std::optional<arith::Format> numbers = {};
  bool by_lines = false;
  std::optional<Stream> seen_as = {};  // the sums of lines, of whatever format; empty: as a column

  std::optional<std::string> why_not() const;  // empty: it can be built
  arith::Format sum() const;
  std::int64_t terms() const { return by_lines ? stream.width : stream.pixels(); }
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  Walk schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "average"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const AveragePlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const AveragePlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const AveragePlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
