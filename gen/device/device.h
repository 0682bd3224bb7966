// SPDX-License-Identifier: Apache-2.0
// The resources of devices, so that a plan can say whether it fits and how fast it might be. The
// facts come from public data sheets. What is not known for certain is 0 and printed as unknown.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/primitive.h"

namespace kumiki::gen::device {

struct Device {
  std::string_view name;   // "zu9"
  std::string_view parts;  // "xczu9eg xczu9cg": what else it is called
  std::string_view series;
  ir::Family family;
  std::uint32_t dsps;
  std::uint32_t luts;           // 6-input LUTs
  std::uint32_t memory_luts;    // of them, those that may be shift register or distributed RAM
  std::uint32_t brams_36k;      // each is two of 18 kbit
  std::uint32_t urams;          // 288 kbit
  std::uint32_t column_height;  // DSP slices that one cascade can pass: a column within one die
  std::uint32_t dsp_mhz;        // fastest clock of a slice with all its registers
  std::string_view clock_source;

  std::uint32_t ffs() const { return 2 * luts; }          // in all three families
  std::uint32_t carry_positions() const { return luts; }  // one beside every LUT
  std::uint32_t brams_18k() const { return 2 * brams_36k; }
  bool has_dsp48e2() const { return family != ir::Family::series7; }
};
std::span<const Device> devices();

// DSP blocks of other vendors, only for the comparisons of the white papers: nothing is built for
// them.
struct Rival {
  std::string_view name;  // "arria10-gx1150"
  std::string_view parts;
  std::uint32_t blocks;
  std::uint32_t multipliers;  // 18 x 19, two a block
  std::uint32_t dsp_mhz;
  std::string_view clock_source;
};
std::span<const Rival> rivals();

// By name, by part ("XCZU9EG") or by a full ordering code ("xczu9eg-ffvb1156-2-e"); case does not
// count. Null: unknown.
const Device* find_device(std::string_view name);
// DesignError that suggests the nearest name, or lists the known ones.
const Device& device(std::string_view name);
std::vector<std::string> device_names();

}  // namespace kumiki::gen::device
