// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/stages.h"

namespace kumiki::gen::pipeline {

Moving Stages::schedule(const Stream& stream, std::size_t inputs, int stages) {
  return {.pieces = stream.pixels(),
          .beats = stream.blocks(),
          .stages = stages,
          .holds = true,
          .inputs = inputs};
}

Stages::Stages(Scope& s, const MachineIn<Hardware>& in, std::int64_t lanes,
               const Moving& schedule) {
  const std::size_t inputs = schedule.inputs;
  const RegOptions ready{.init = 1, .reset = in.rst};
  Wire<Net> moves(s);
  std::vector<Wire<Net>> first_ready;
  // An input that is not ready holds a beat and keeps it.
  std::vector<Bit> held_next;
  std::vector<Net> held;
  for (std::size_t i = 0; i < inputs; ++i) {
    first_ready.emplace_back(s);
    held_next.push_back(in.in_valid[i] | ~first_ready[i]);
    held.push_back(reg(s, held_next[i], {.reset = in.rst}));
  }
  Net valid = all_of(s, held);
  for (int stage = 0; stage < schedule.stages; ++stage)
    valid = reg(s, valid, {.enable = moves, .reset = in.rst});
  exits_.emplace(s, lanes, valid, in.out_ready, in.rst);
  moves.drive(exits_->moves(0));
  const Bit moves_next = in.out_ready | (moves & ~(valid & exits_->valid()));
  Bit leaves = moves_next;
  for (const Bit& h : held_next) leaves &= h;
  takes_.resize(exits_->groups());
  for (std::size_t i = 0; i < inputs; ++i) {
    const Net next = s.net(~held_next[i] | leaves);
    for (auto& group : takes_) group.push_back(reg(s, next, ready));
    first_ready[i].drive(takes_[0][i]);
  }
}

MachineOut<Hardware> Stages::leave(const std::vector<UInt>& lanes) {
  return {.in_ready = takes_[0], .out_valid = exits_->valid(), .out_data = exits_->pass(lanes)};
}

}  // namespace kumiki::gen::pipeline
