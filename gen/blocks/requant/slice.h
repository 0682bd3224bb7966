// SPDX-License-Identifier: Apache-2.0
// T7 of docs/decisions/packing-theorems.md: from an accumulator to an operand in one slice,
//   q = clamp(round((acc + bias) * scale / 2^shift) + zero point).
// The accumulator is on A, the bias on D and the scale on B. RND and the carry-in do the rounding
// and add the zero point. Zero points that differ by channel come on C. The pattern detector finds
// saturation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/arith/rounding.h"
#include "gen/arith/scale.h"
#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::requant {

using arith::Certificate;
using arith::Exact;
using arith::Interval;
using packing::Limits;
using packing::Opmode;

struct RequantRequest {
  Interval accumulator;       // as it stands on A
  Interval bias;              // per channel; includes minus the offset-binary bias, if any
  Interval scale{1, 131071};  // per channel; a negative one turns the sign, 0 gives the zero point
  int shift = 16;             // the same for all channels: it is wiring
  Interval zero_point;        // per channel
  Rounding rounding = Rounding::half_even;
  Interval clamp{-128, 127};  // the operand's range, or a part of it: ReLU, ReLU6
  Limits limits;
};

// How a tie moves to its even neighbour.
enum class TieFix : std::uint8_t { None, ClearLsb, SetLsb };
enum class Saturation : std::uint8_t {
  None,     // the range is proved to fit
  Pattern,  // PATTERNDETECT and PATTERNBDETECT show whether the bits above the field agree
  Lut,      // the detector finds ties; LUTs compare the bits above the field
};

struct RequantPlan {
  RequantRequest request;
  Opmode opmode;
  int inmode = 0;
  int carryinsel = 0;
  Exact rnd = 0;
  bool bias_on_d = false;  // (A + D) * B: the multiplier's sign, and so CARRYINSEL, includes the
                           // bias
  bool rnd_on_c = false;   // there is no W: the bits of RND are on C, beside those below
  bool uses_c = false;     // C = [zero point << shift] + [ones below the shift]
  bool zero_point_on_c = false;
  bool sign_on_c = false;  // ones below the field where the product is negative
  std::uint64_t pattern = 0;
  std::uint64_t mask = 0;  // 1: the bit is not compared
  bool uses_pattern = false;
  TieFix tie_fix = TieFix::None;
  bool ties_in_luts = false;  // LUTs find the ties, and the detector finds saturation: fewer LUTs
  Saturation saturation = Saturation::None;
  int field_lsb = 0;  // q before saturation: P[field_lsb + field_bits - 1 : field_lsb]
  int field_bits = 0;
  bool field_signed = true;
  int above_bits = 0;  // Saturation::Lut: bits above the field (its sign bit included) compared
  bool compare_low = false;  // the clamp is tighter than the field: compared after saturation
  bool compare_high = false;
  int slice_latency = 0;  // clock edges from A, D and B at their ports to P
  // The clocks behind P in which the gates do their steps.
  struct Gates {
    int trees = 0, even = 0, compare = 0, choose = 0;
    int clocks() const { return choose + 1; }
  };
  Gates steps;
  int latency = 0;  // up to the result, including gates and their registers
  bool gates() const {
    return saturation != Saturation::None || tie_fix != TieFix::None || compare_low || compare_high;
  }
  std::vector<std::pair<std::string, std::string>> attributes;
  Certificate certificate;
};

struct RequantValues {
  std::int64_t accumulator = 0;
  std::int64_t scale = 1;
  std::int64_t bias = 0;
  std::int64_t zero_point = 0;
};

// Throws DesignError with the statement that fails.
RequantPlan plan_requant(const RequantRequest& request);

// The definition, from integers alone.
std::int64_t requantise(const RequantRequest& request, const RequantValues& values);

std::string to_text(const RequantPlan& plan);

}  // namespace kumiki::gen::requant
