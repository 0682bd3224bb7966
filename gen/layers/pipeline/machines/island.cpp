// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/island.h"

#include "gen/blocks/packing/hardware/control.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

// The block of a number is known one clock later.
Moving Island::schedule(const Stream& stream, int latency, std::int64_t passes) {
  const bool has_blocks = stream.blocks() > 1 || passes > 1;
  return {.pieces = passes > 1 ? 1 : stream.pixels(),
          .beats = passes > 1 ? stream.beats() : stream.blocks(),
          .stages = latency + (has_blocks ? 1 : 0)};
}

Island::Island(Scope& s, const Stream& stream, const Moving& schedule,
               const MachineIn<Hardware>& in, std::int64_t passes) {
  Wire<Net> moves(s);
  const bool has_blocks = stream.blocks() > 1 || passes > 1;
  const Net valid = packing::delayed_valid(s, in.in_valid[0], schedule.stages, moves, in.rst);
  exits_.emplace(s, stream.lanes, valid, in.out_ready, in.rst);
  moves.drive(exits_->moves(0));
  UInt block;
  if (has_blocks) {
    const Net takes = s.net(in.in_valid[0] & moves);
    const auto of_pixel = packing::position(s, stream.blocks(), takes, in.rst);
    block = of_pixel.value;
    if (passes > 1) {
      const Net pixel_ends = s.net(takes & of_pixel.last);
      const auto pixel = packing::position(s, stream.pixels() / passes, pixel_ends, in.rst);
      const auto pass = packing::position(s, passes, s.net(pixel_ends & pixel.last), in.rst);
      block = block.width() == 0 ? pass.value : cat(s, {Word(pass.value), Word(block)});
    }
  }
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
