// SPDX-License-Identifier: Apache-2.0
// Any function of one number, in every lane: LUTs, or a block memory for each lane if the number
// has more bits than LUTs handle in three levels. With a function for each channel, a lane that has
// several channels has their tables in a block memory.
#pragma once
#include <string>
#include <vector>

#include "gen/layers/pipeline/machines/island.h"
#include "gen/layers/pipeline/machines/stages.h"

namespace kumiki::gen::pipeline {

struct LookupPlan {
  Stream stream;                     // of the input
  arith::Format format;              // of a result
  std::vector<std::int16_t> values;  // [number - lowest number], or [channel][...]
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return stream.with(format); }
  bool by_channel() const { return std::ssize(values) > std::int64_t{1} << stream.format.bits; }
  bool by_block() const { return by_channel() && stream.blocks() > 1; }
  bool in_memory() const;
  // The contents of a lane's memory, indexed by the raw bits of the number, and by the block above
  // them.
  std::vector<std::uint64_t> contents(std::int64_t lane) const;
  Moving schedule() const {
    return by_block() ? Island::schedule(stream, 2)
                      : Stages::schedule(stream, 1, in_memory() ? 1 : 0);
  }
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "lookup"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const LookupPlan&) const = default;
};

// Whether every number has a value and the format of the results holds all values.
bool legal(const LookupPlan& plan);

MachineOut<Hardware> build(Scope& s, const LookupPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const LookupPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
