// SPDX-License-Identifier: Apache-2.0
#include "ir/delays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace kumiki::ir::timing {
namespace {

constexpr std::size_t family_count = 3, grade_count = 3;

// Speed grade -1. The 7 series has no UltraRAM.
constexpr Delays slowest[family_count] = {
    // 7 series
    {.clk_to_q = 456,
     .setup = 40,
     .control = 250,
     .lut = 124,
     .muxf7 = 220,
     .muxf8 = 100,
     .carry_entry = 400,
     .carry_position = 28,
     .carry_exit = 250,
     .carry_sum = 225,
     .carry_cascade = 10,
     .srl_clk_to_q = 1500,
     .srl_read = 124,
     .srl_setup = 150,
     .ram_clk_to_q = 1300,
     .ram_read = 124,
     .ram_setup = 350,
     .bram_clk_to_q = 2450,
     .bram_register_clk_to_q = 880,
     .bram_setup = 560,
     .dsp = {.pin = 430,
             .cascade_in = 330,
             .clk_to_q = 760,
             .select = 130,
             .pre_adder = 1190,
             .multiplier = 1260,
             .past_m = 380,
             .alu = 1350,
             .out = 165,
             .pattern = 395,
             .p_clk_to_q = 434,
             .cascade_out = 44,
             .setup = 430,
             .inner_setup = 50,
             .control = 420},
     .wire = {.base = 600,
              .doubling = 90,
              .root = 25,
              .column = 250,
              .beside = 20,
              .carry_to_carry = 0,
              .cascade = 0,
              .far = 850},
     .uncertainty = 35},
    // UltraScale
    {.clk_to_q = 140,
     .setup = 35,
     .control = 110,
     .lut = 115,
     .muxf7 = 110,
     .muxf8 = 70,
     .carry_entry = 240,
     .carry_position = 9,
     .carry_exit = 130,
     .carry_sum = 130,
     .carry_cascade = 10,
     .srl_clk_to_q = 720,
     .srl_read = 170,
     .srl_setup = 110,
     .ram_clk_to_q = 780,
     .ram_read = 170,
     .ram_setup = 150,
     .bram_clk_to_q = 1420,
     .bram_register_clk_to_q = 380,
     .bram_setup = 400,
     .dsp = {.pin = 250,
             .cascade_in = 80,
             .clk_to_q = 340,
             .select = 120,
             .pre_adder = 700,
             .multiplier = 960,
             .past_m = 75,
             .alu = 910,
             .out = 185,
             .pattern = 250,
             .p_clk_to_q = 440,
             .cascade_out = 25,
             .setup = 320,
             .inner_setup = 50,
             .control = 320},
     .wire = {.base = 270,
              .doubling = 26,
              .root = 15,
              .column = 130,
              .beside = 30,
              .carry_to_carry = 30,
              .cascade = 40},
     .uncertainty = 35},
    // UltraScale+
    {.clk_to_q = 96,
     .setup = 25,
     .control = 80,
     .lut = 100,
     .muxf7 = 85,
     .muxf8 = 55,
     .carry_entry = 180,
     .carry_position = 7,
     .carry_exit = 100,
     .carry_sum = 100,
     .carry_cascade = 8,
     .srl_clk_to_q = 550,
     .srl_read = 130,
     .srl_setup = 80,
     .ram_clk_to_q = 600,
     .ram_read = 130,
     .ram_setup = 120,
     .bram_clk_to_q = 1110,
     .bram_register_clk_to_q = 300,
     .bram_setup = 310,
     .uram_clk_to_q = 1500,
     .uram_register_clk_to_q = 600,
     .uram_setup = 350,
     .dsp = {.pin = 195,
             .cascade_in = 60,
             .clk_to_q = 263,
             .select = 92,
             .pre_adder = 540,
             .multiplier = 737,
             .past_m = 59,
             .alu = 699,
             .out = 141,
             .pattern = 190,
             .p_clk_to_q = 340,
             .cascade_out = 18,
             .setup = 250,
             .inner_setup = 40,
             .control = 250},
     .wire = {.base = 210,
              .doubling = 20,
              .root = 12,
              .column = 100,
              .beside = 25,
              .carry_to_carry = 28,
              .cascade = 30},
     .uncertainty = 35},
};

// By family, then by grade -1, -2, -3.
constexpr ClockLimits limits[family_count][grade_count] = {
    // tree  dsp       no M      no AD no M, AD  bram uram
    {{625, 464, 392, 257, 233, 290, 190, 177, 458, 0},
     {710, 550, 465, 305, 277, 346, 227, 211, 544, 0},
     {741, 628, 531, 349, 317, 397, 260, 241, 601, 0}},
    {{630, 594, 512, 361, 326, 358, 260, 238, 525, 0},
     {725, 661, 581, 429, 387, 429, 312, 286, 585, 0},
     {850, 741, 687, 462, 428, 468, 335, 316, 660, 0}},
    {{667, 645, 571, 456, 410, 468, 338, 314, 645, 575},
     {775, 775, 687, 544, 492, 565, 410, 379, 738, 600},
     {891, 891, 794, 635, 577, 655, 483, 448, 825, 650}},
};

// Scales all delays for a faster grade, by the ratio of the fastest clocks of the clock tree.
struct Scale {
  std::uint32_t slow, fast;
  Picoseconds operator()(Picoseconds t) const {
    return static_cast<Picoseconds>((static_cast<std::int64_t>(t) * slow + fast / 2) / fast);
  }
};

}  // namespace

Picoseconds WireDelays::through_fabric(double readers) const {
  return base +
         static_cast<Picoseconds>(doubling * std::log2(readers) + root * (std::sqrt(readers) - 1));
}

bool grade_from_name(std::string_view name, Grade& grade) {
  if (name.starts_with('-')) name.remove_prefix(1);
  if (name.size() != 1 || name[0] < '1' || name[0] > '3') return false;
  grade.value = name[0] - '0';
  return true;
}

Grade grade_of_part(std::string_view part) {
  Grade grade;
  for (std::size_t at = part.find('-'); at != std::string_view::npos; at = part.find('-', at + 1)) {
    const std::size_t end = std::min(part.find('-', at + 1), part.size());
    if (grade_from_name(part.substr(at + 1, end - at - 1), grade)) break;
  }
  return grade;
}

Delays delays(Family family, Grade grade) {
  const auto f = static_cast<std::size_t>(family);
  Delays d = slowest[f];
  const Scale scale{limits[f][0].clock_tree, clock_limits(family, grade).clock_tree};
  for (Picoseconds Delays::*member : {&Delays::clk_to_q,
                                      &Delays::setup,
                                      &Delays::control,
                                      &Delays::lut,
                                      &Delays::muxf7,
                                      &Delays::muxf8,
                                      &Delays::carry_entry,
                                      &Delays::carry_position,
                                      &Delays::carry_exit,
                                      &Delays::carry_sum,
                                      &Delays::carry_cascade,
                                      &Delays::srl_clk_to_q,
                                      &Delays::srl_read,
                                      &Delays::srl_setup,
                                      &Delays::ram_clk_to_q,
                                      &Delays::ram_read,
                                      &Delays::ram_setup,
                                      &Delays::bram_clk_to_q,
                                      &Delays::bram_register_clk_to_q,
                                      &Delays::bram_setup,
                                      &Delays::uram_clk_to_q,
                                      &Delays::uram_register_clk_to_q,
                                      &Delays::uram_setup})
    d.*member = scale(d.*member);
  for (Picoseconds DspDelays::*member :
       {&DspDelays::pin, &DspDelays::cascade_in, &DspDelays::clk_to_q, &DspDelays::select,
        &DspDelays::pre_adder, &DspDelays::multiplier, &DspDelays::past_m, &DspDelays::alu,
        &DspDelays::out, &DspDelays::pattern, &DspDelays::p_clk_to_q, &DspDelays::cascade_out,
        &DspDelays::setup, &DspDelays::inner_setup, &DspDelays::control})
    d.dsp.*member = scale(d.dsp.*member);
  for (Picoseconds WireDelays::*member :
       {&WireDelays::base, &WireDelays::doubling, &WireDelays::root, &WireDelays::column,
        &WireDelays::beside, &WireDelays::carry_to_carry, &WireDelays::cascade, &WireDelays::far})
    d.wire.*member = scale(d.wire.*member);
  return d;
}

const Delays& levels() {
  static constexpr Delays one{.lut = 1,
                              .muxf7 = 1,
                              .muxf8 = 1,
                              .carry_entry = 1,
                              .carry_sum = 1,
                              .carry_cascade = 1,
                              .srl_read = 1,
                              .ram_read = 1,
                              .counts_levels = true};
  return one;
}

const ClockLimits& clock_limits(Family family, Grade grade) {
  return limits[static_cast<std::size_t>(family)][grade.value - 1];
}

}  // namespace kumiki::ir::timing
