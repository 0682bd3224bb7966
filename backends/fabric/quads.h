// SPDX-License-Identifier: Apache-2.0
// Quads and their remaining room: the rules of slices.h, without the order of placement.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "backends/fabric/elements.h"

namespace kumiki::backends::fabric {

constexpr std::uint32_t positions = 4;

struct Quad {
  // One bit a position: LUT taken, flip-flops of both rows taken, bypasses taken.
  std::uint8_t luts = 0;
  std::array<std::uint8_t, 2> flops{}, bypasses{};
  // The signals that its flip-flops share so far; none: nothing yet.
  std::uint32_t clock = none, reset = none;
  std::array<std::uint32_t, 2> control{none, none};

  bool has_lut(std::uint32_t position) const { return luts >> position & 1; }
  bool is_unclaimed() const { return control[0] == none && control[1] == none; }
};

class Quads {
 public:
  Quads(ir::Family family, const std::vector<Control>& controls)
      : is_old_(family == ir::Family::series7), controls_(controls) {}

  std::uint32_t add();
  std::size_t size() const { return quads_.size(); }
  const Quad& operator[](std::uint32_t q) const { return quads_[q]; }

  void take_lut(std::uint32_t q, std::uint32_t position);
  // A free position for a LUT with a flip-flop behind it; none: there is none.
  std::uint32_t free_lut(std::uint32_t q) const;
  // Takes a bypass for DI, a carry input or the select of a MUXF.
  void take_bypass(std::uint32_t q, std::uint32_t position);
  void set_clock(std::uint32_t q, std::uint32_t clock) { quads_[q].clock = clock; }

  // Whether a flip-flop with this control fits the row. `claim` gives the row this control.
  bool takes(std::uint32_t q, std::uint32_t row, std::uint32_t control) const;
  void claim(std::uint32_t q, std::uint32_t row, std::uint32_t control);
  // Puts a flip-flop behind the LUT or the carry of the position. False: it is occupied, or the
  // control differs.
  bool put_behind(std::uint32_t q, std::uint32_t row, std::uint32_t position,
                  std::uint32_t control);
  enum class Way { none, bypass, lut };
  // Puts a flip-flop with input from elsewhere: by a bypass, or through a free LUT.
  Way put(std::uint32_t q, std::uint32_t row, std::uint32_t control);

 private:
  std::uint8_t& bypasses(std::uint32_t q, std::uint32_t row) {
    return quads_[q].bypasses[is_old_ ? 0 : row];
  }

  bool is_old_;
  const std::vector<Control>& controls_;
  std::vector<Quad> quads_;
};

}  // namespace kumiki::backends::fabric
