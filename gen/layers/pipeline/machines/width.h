// SPDX-License-Identifier: Apache-2.0
// The same numbers with more or fewer lanes: the machine cuts beats or merges them. If neither
// number of lanes divides the other, two machines in series do it.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct WidthPlan {
  Stream stream;           // of the input
  std::int64_t lanes = 1;  // of the output
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  bool cuts() const { return lanes < stream.lanes; }
  std::int64_t parts() const;  // narrow beats of a wide one
  // The same for the last block of a pixel: only as many as hold channels.
  std::int64_t last_parts() const;
  Parts schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "width"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const WidthPlan&) const = default;
};

// Whether one machine suffices: the lanes differ and one number divides the other. The number of
// channels does not matter: the last beat of a pixel may hold fewer on either side.
bool legal(const WidthPlan& plan);

// The machines that convert the lanes of `from`: none, one or two. Two of them meet at the common
// divisor, which has the fewest registers, if a frame then takes at most `interval` clocks.
// Otherwise they meet at the common multiple, where neither side ever waits for the middle.
std::vector<WidthPlan> width_plans(const Stream& from, std::int64_t lanes, std::int64_t interval);

MachineOut<Hardware> build(Scope& s, const WidthPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const WidthPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
