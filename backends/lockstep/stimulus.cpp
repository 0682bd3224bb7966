// SPDX-License-Identifier: Apache-2.0
#include "backends/lockstep/stimulus.h"

#include <algorithm>

namespace kumiki::backends {
namespace {

// Of a word of any width, or of every byte of it: packed operands have their extremes there.
constexpr std::uint64_t corner_limbs[] = {
    0,
    ~std::uint64_t{0},
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    0x8080808080808080,  // every byte at its minimum
    0x7f7f7f7f7f7f7f7f,  // … at its maximum
    0x0101010101010101,
    0x8181818181818181,
};
constexpr unsigned corner_count =
    std::size(corner_limbs) + 3;  // and msb alone, all but msb, one walking bit

}  // namespace

Role role_of(const ir::PortSlot& port) {
  if (port.width != 1) return Role::data;
  auto last = port.name.substr(port.name.rfind('_') + 1);
  if (last == "en" || last == "ce") return Role::enable;
  if (last == "rst" || last == "reset") return Role::reset;
  if (last == "valid" || last == "tvalid" || last == "ready" || last == "tready")
    return Role::valid;
  return Role::data;
}

Stimulus::Stimulus(const ir::PortLayout& ports, StimulusOptions options)
    : input_limbs_(ports.input_limbs), options_(std::move(options)), random_(options_.seed) {
  for (const ir::PortSlot& slot : ports.inputs) ports_.push_back({slot, role_of(slot)});
  // One reset in every part of the run, also short after its start when there are many.
  for (std::uint64_t r = 0; r < options_.resets; ++r)
    reset_at_.push_back((r * options_.cycles + below(std::max<std::uint64_t>(options_.cycles, 1))) /
                        options_.resets);
}

void Stimulus::choose_mood() {
  if (mood_left_-- > 0) return;
  mood_ = static_cast<Mood>(below(3));
  mood_left_ = below(40);
  corner_ = static_cast<unsigned>(below(corner_count));
}

void Stimulus::next(ir::Frame& inputs) {
  inputs.assign(input_limbs_, 0);
  if (cycle_ < options_.first.size()) {
    inputs = options_.first[cycle_];
    ++counts_.given;
  } else {
    choose_mood();
    ++(mood_ == Mood::random ? counts_.random : counts_.corners);
    for (Port& p : ports_) drive(p, inputs);
    if (options_.constrain) options_.constrain(inputs);
  }
  ++cycle_;
}

void Stimulus::drive(Port& port, ir::Frame& inputs) {
  std::uint64_t& limb = inputs[port.slot.limb];
  switch (port.role) {
    case Role::data:
      return drive_data(port.slot, inputs);
    case Role::enable:
    case Role::valid:
      limb = !drive_stall(port);
      return;
    case Role::reset:
      limb = resets_now(port);
      return;
  }
}

bool Stimulus::drive_stall(Port& port) {
  if (port.stalled_for > 0) {
    --port.stalled_for;
  } else if (!chance(options_.stall / 2)) {
    return false;
  } else if (chance(0.1)) {
    port.stalled_for = below(20);  // a long one now and then
  }
  ++counts_.stalls;
  return true;
}

// Resets last one to four cycles.
bool Stimulus::resets_now(const Port&) {
  bool now = std::ranges::any_of(
      reset_at_, [&](std::uint64_t at) { return cycle_ >= at && cycle_ < at + 1 + at % 4; });
  counts_.resets += std::ranges::count(reset_at_, cycle_);
  return now;
}

void Stimulus::drive_data(const ir::PortSlot& slot, ir::Frame& inputs) {
  // A run of one corner on every port is the longest legal run of the worst sign; else ports
  // differ.
  if (mood_ == Mood::one_corner) return fill(slot, inputs, corner_);
  if (mood_ == Mood::corners && below(4) != 0)
    return fill(slot, inputs, static_cast<unsigned>(below(corner_count)));
  fill(slot, inputs, corner_count);
}

void Stimulus::fill(const ir::PortSlot& slot, ir::Frame& inputs, unsigned corner) {
  for (std::uint32_t i = 0; i < slot.limbs(); ++i)
    inputs[slot.limb + i] = corner < std::size(corner_limbs)        ? corner_limbs[corner]
                            : corner == std::size(corner_limbs) + 1 ? ~std::uint64_t{0}
                            : corner < corner_count                 ? 0
                                                                    : random_();
  std::uint32_t top = slot.width - 1;
  if (corner == std::size(corner_limbs))
    inputs[slot.limb + top / 64] |= std::uint64_t{1} << (top % 64);
  if (corner == std::size(corner_limbs) + 1)
    inputs[slot.limb + top / 64] &= ~(std::uint64_t{1} << (top % 64));
  if (corner == std::size(corner_limbs) + 2) {
    auto bit = static_cast<std::uint32_t>(cycle_ % slot.width);
    inputs[slot.limb + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  if (slot.width % 64 != 0)
    inputs[slot.limb + top / 64] &= (std::uint64_t{1} << (slot.width % 64)) - 1;
}

}  // namespace kumiki::backends
