// SPDX-License-Identifier: Apache-2.0
// One of several inputs of a network. All of them come in one stream, map after map. This machine
// gives the beats of its own map and drops those of the others.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct InputPlan {
  Stream all;  // one line of the beats of all maps; numbers are the lowest bits of a lane
  std::int64_t first = 0;  // beat of the map in that line
  Stream map;
  std::vector<Stream> inputs() const { return {all}; }
  Stream output() const { return map; }
  Selection schedule() const { return {.of = all.beats(), .first = first, .beats = map.beats()}; }
  std::int64_t slices() const { return 0; }
  int levels() const { return all.beats() > 1 << 16 ? 4 : 3; }
  std::string kind() const { return "input"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const InputPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const InputPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const InputPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
