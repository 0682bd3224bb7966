// SPDX-License-Identifier: Apache-2.0
// A constant around a map, and between its lines, columns and channels. Beats of the map pass, and
// beats of the constant come from nowhere.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

// Where the numbers of a map are in a larger one, by channel, line and column; elsewhere is the
// constant.
struct Border {
  std::vector<bool> channels, lines, columns;
  std::int64_t fill = 0;
  bool is_there() const;
  bool operator==(const Border&) const = default;
};

struct PadPlan {
  Stream stream;
  Border border;

  std::optional<std::string> why_not() const;  // empty: it can be built
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  Walk schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "pad"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const PadPlan&) const = default;
};

// The lanes of the stream, or the fewest in which a frame passes in so many clocks, or those that
// take the fewest clocks.
PadPlan padded(Stream stream, const Border& border, std::int64_t clocks);

MachineOut<Hardware> build(Scope& s, const PadPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const PadPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
