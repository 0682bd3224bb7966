// SPDX-License-Identifier: Apache-2.0
// Static parameters of the DSP48E2 and the DSP48E1: one struct, a table for each. Reading,
// printing, Verilog text and the primitive table's entries all follow from the tables.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/primitive.h"

namespace kumiki::ir {

namespace dsp48e2 {

// The order of every enumeration is the order of its choices in the table; the default comes first.
enum class Path : std::uint8_t { direct, cascade };
enum class AMultSel : std::uint8_t { a, ad };
enum class BMultSel : std::uint8_t { b, ad };
enum class PreAddInSel : std::uint8_t { a, b };
enum class UseMult : std::uint8_t { multiply, dynamic, none };
enum class UseSimd : std::uint8_t { one48, two24, four12 };
enum class UsePatternDetect : std::uint8_t { no_patdet, patdet };
enum class SelMask : std::uint8_t { mask, c, rounding_mode1, rounding_mode2 };
enum class SelPattern : std::uint8_t { pattern, c };
enum class AutoReset : std::uint8_t { no_reset, reset_match, reset_not_match };
enum class AutoResetPriority : std::uint8_t { reset, cep };
enum class UseWideXor : std::uint8_t { off, on };
enum class XorSimd : std::uint8_t { xor24_48_96, xor12 };

inline constexpr std::uint64_t word_mask = (std::uint64_t{1} << 48) - 1;
inline constexpr std::uint8_t opmode_bits = 9, opmode_bits_of_dsp48e1 = 7;  // without W

}  // namespace dsp48e2

// A DSP48E1 has a part of these; what it lacks keeps the default. Its multiplier takes 25 bits of A
// or of the pre-adder's sum. Its USE_DPORT is `amultsel`.
struct Dsp48e2Attributes {
  Kind kind = Kind::dsp48e2;  // or dsp48e1

  // Pipeline registers: how many there are of each.
  std::uint8_t areg = 1, acascreg = 1, breg = 1, bcascreg = 1;
  std::uint8_t adreg = 1, creg = 1, dreg = 1, mreg = 1, preg = 1;
  std::uint8_t alumodereg = 1, carryinreg = 1, carryinselreg = 1, inmodereg = 1, opmodereg = 1;

  dsp48e2::Path a_input = dsp48e2::Path::direct, b_input = dsp48e2::Path::direct;
  dsp48e2::AMultSel amultsel = dsp48e2::AMultSel::a;
  dsp48e2::BMultSel bmultsel = dsp48e2::BMultSel::b;
  dsp48e2::PreAddInSel preaddinsel = dsp48e2::PreAddInSel::a;
  dsp48e2::UseMult use_mult = dsp48e2::UseMult::multiply;
  dsp48e2::UseSimd use_simd = dsp48e2::UseSimd::one48;
  std::uint64_t rnd = 0;

  dsp48e2::UsePatternDetect use_pattern_detect = dsp48e2::UsePatternDetect::no_patdet;
  dsp48e2::SelMask sel_mask = dsp48e2::SelMask::mask;
  dsp48e2::SelPattern sel_pattern = dsp48e2::SelPattern::pattern;
  dsp48e2::AutoReset autoreset_patdet = dsp48e2::AutoReset::no_reset;
  dsp48e2::AutoResetPriority autoreset_priority = dsp48e2::AutoResetPriority::reset;
  std::uint64_t mask = 0x3fffffffffff, pattern = 0;

  dsp48e2::UseWideXor use_widexor = dsp48e2::UseWideXor::off;
  dsp48e2::XorSimd xorsimd = dsp48e2::XorSimd::xor24_48_96;

  // Inverters before the pins; those of buses have a bit for each wire.
  std::uint16_t is_opmode_inverted = 0;
  std::uint8_t is_alumode_inverted = 0, is_inmode_inverted = 0;
  std::uint8_t is_carryin_inverted = 0, is_clk_inverted = 0;
  std::uint8_t is_rsta_inverted = 0, is_rstb_inverted = 0, is_rstc_inverted = 0;
  std::uint8_t is_rstd_inverted = 0, is_rstm_inverted = 0, is_rstp_inverted = 0;
  std::uint8_t is_rstctrl_inverted = 0, is_rstalumode_inverted = 0, is_rstinmode_inverted = 0;
  std::uint8_t is_rstallcarryin_inverted = 0;

  friend bool operator==(const Dsp48e2Attributes&, const Dsp48e2Attributes&) = default;
};

struct Dsp48e2Parameter {
  Param param;        // name, kind, width or choices, default: for the primitive table
  std::uint64_t max;  // the greatest valid value (of a text parameter: index)
  std::uint64_t (*get)(const Dsp48e2Attributes&);
  void (*set)(Dsp48e2Attributes&, std::uint64_t);
};

// In the vendor's (alphabetical) order.
std::span<const Dsp48e2Parameter> dsp_parameters(Kind kind);
std::span<const Param> dsp_params(Kind kind);  // the same, as the primitive table's columns
const Dsp48e2Parameter* find_dsp_parameter(Kind kind, std::string_view name);

// Text of a value as people and Verilog files write it: 2, 48'h3fff, 0x3fff, "NONE" or NONE. The
// DesignError names the parameter and its valid values.
std::uint64_t parse_value(Kind kind, const Dsp48e2Parameter& parameter, std::string_view text);
void set_parameter(Dsp48e2Attributes& attributes, std::string_view name, std::string_view text);

// To and from the parameter words of a cell.
Dsp48e2Attributes dsp_attributes(Kind kind, std::span<const std::uint64_t> params);
std::vector<std::uint64_t> dsp_param_words(const Dsp48e2Attributes& attributes);

}  // namespace kumiki::ir
