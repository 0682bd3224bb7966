// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/earlier.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_beats_in_registers = 2, most_beats_in_luts = 64;

}  // namespace

int Earlier::clocks(std::int64_t beats) {
  return beats <= most_beats_in_registers ? 0 : beats <= most_beats_in_luts ? 1 : 2;
}

Earlier::Earlier(Scope& s, std::int64_t beats, std::uint32_t width, bool is_found, Net valid,
                 Net reset) {
  const int late = clocks(beats);
  if (late == 0) {
    last_.emplace(s, width, RegOptions{.enable = valid});
    word_ = delay(s, last_->q(), static_cast<std::uint32_t>(beats - 1), valid);
    return;
  }
  memory_.emplace(s, width);
  const Cycle place(s, beats, valid, reset);
  // The found word is written two or three clocks after its read, before the ring comes round.
  const int behind = is_found ? late + 1 : 0;
  word_ = Memory{.depth = static_cast<std::uint32_t>(beats),
                 .width = width,
                 .style = late == 1 ? ir::memory::distributed : ir::memory::block,
                 .read = late == 1 ? ir::memory::registered : ir::memory::twice_registered,
                 .write_enable = later(s, valid, behind, reset),
                 .write_address = delay(s, place.at(), static_cast<std::uint32_t>(behind)),
                 .write_data = memory_->get(),
                 .read_enable = valid,
                 .read_address = place.at()}
              .add_to(s);
}

void Earlier::keep(const UInt& word) {
  if (memory_)
    memory_->drive(word);
  else
    last_->next(word);
}

}  // namespace kumiki::gen::pipeline
