// SPDX-License-Identifier: Apache-2.0
#include "backends/fabric/quads.h"

namespace kumiki::backends::fabric {
namespace {

constexpr std::uint8_t bit(std::uint32_t position) {
  return static_cast<std::uint8_t>(1u << position);
}

}  // namespace

std::uint32_t Quads::add() {
  quads_.emplace_back();
  return static_cast<std::uint32_t>(quads_.size() - 1);
}

void Quads::take_lut(std::uint32_t q, std::uint32_t position) { quads_[q].luts |= bit(position); }

std::uint32_t Quads::free_lut(std::uint32_t q) const {
  for (std::uint32_t p = 0; p < positions; ++p)
    if (((quads_[q].luts | quads_[q].flops[0]) & bit(p)) == 0) return p;
  return none;
}

void Quads::take_bypass(std::uint32_t q, std::uint32_t position) {
  quads_[q].bypasses[0] |= bit(position);
}

bool Quads::takes(std::uint32_t q, std::uint32_t row, std::uint32_t control) const {
  const Quad& quad = quads_[q];
  const auto& [clock, reset, enable] = controls_[control];
  if (quad.clock != none && quad.clock != clock) return false;
  if (quad.reset != none && quad.reset != reset) return false;
  return quad.control[row] == none || quad.control[row] == control;
}

void Quads::claim(std::uint32_t q, std::uint32_t row, std::uint32_t control) {
  Quad& quad = quads_[q];
  quad.clock = std::get<0>(controls_[control]);
  quad.reset = std::get<1>(controls_[control]);
  quad.control[row] = control;
  if (is_old_) quad.control[1 - row] = control;
}

bool Quads::put_behind(std::uint32_t q, std::uint32_t row, std::uint32_t position,
                       std::uint32_t control) {
  if (quads_[q].flops[row] & bit(position) || !takes(q, row, control)) return false;
  claim(q, row, control);
  quads_[q].flops[row] |= bit(position);
  return true;
}

Quads::Way Quads::put(std::uint32_t q, std::uint32_t row, std::uint32_t control) {
  if (!takes(q, row, control)) return Way::none;
  for (const Way way : {Way::bypass, Way::lut})
    for (std::uint32_t p = 0; p < positions; ++p) {
      std::uint8_t& taken = way == Way::bypass ? bypasses(q, row) : quads_[q].luts;
      if ((taken | quads_[q].flops[row]) & bit(p)) continue;
      // In a free LUT both outputs are free: O6 goes to the first row, O5 to the second.
      taken |= bit(p);
      put_behind(q, row, p, control);
      return way;
    }
  return Way::none;
}

}  // namespace kumiki::backends::fabric
