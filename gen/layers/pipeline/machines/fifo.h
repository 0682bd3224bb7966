// SPDX-License-Identifier: Apache-2.0
// Beats that wait: `depth` of them in a memory and one in the output register.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct FifoPlan {
  Stream stream;
  std::int64_t depth = 2;  // of the memory, at least 2
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return stream; }
  Queue schedule() const { return {.pieces = stream.beats(), .depth = depth}; }
  std::int64_t slices() const { return 0; }
  int levels() const;
  std::int64_t room() const { return depth + 1; }  // one more waits in front of the memory
  // The depth for so many beats: a power of two, or rows of block memories.
  static std::int64_t depth_for(std::int64_t beats);
  std::string kind() const { return "fifo"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const FifoPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const FifoPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const FifoPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
