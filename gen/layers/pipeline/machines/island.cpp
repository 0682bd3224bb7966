// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/island.h"

#include "gen/blocks/packing/hardware/control.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

// The block of a number is known one clock later.
Moving Island::schedule(const Stream& stream, int latency) {
  return {.pieces = stream.pixels(),
          .beats = stream.blocks(),
          .stages = latency + (stream.blocks() > 1 ? 1 : 0)};
}

Island::Island(Scope& s, const Stream& stream, const Moving& schedule,
               const MachineIn<Hardware>& in) {
  Wire<Net> moves(s);
  const bool has_blocks = stream.blocks() > 1;
  const Net valid = packing::delayed_valid(s, in.in_valid[0], schedule.stages, moves, in.rst);
  exits_.emplace(s, stream.lanes, valid, in.out_ready, in.rst);
  moves.drive(exits_->moves(0));
  UInt block;
  if (has_blocks)
    block = packing::position(s, stream.blocks(), s.net(in.in_valid[0] & moves), in.rst).value;
  for (const UInt& number : in.in_data) {
    Lane lane{.enable = exits_->moves(std::ssize(lanes_)), .number = number, .block = block};
    if (has_blocks) {
      lane.number = reg(s, number, {.enable = lane.enable});
      lane.block = reg(s, block, {.enable = lane.enable});
    }
    lanes_.push_back(lane);
  }
}

MachineOut<Hardware> Island::leave(const std::vector<UInt>& results) {
  return {.in_ready = {exits_->moves(0)},
          .out_valid = exits_->valid(),
          .out_data = exits_->pass(results)};
}

}  // namespace kumiki::gen::pipeline
