// SPDX-License-Identifier: Apache-2.0
// T9: an accumulator to an operand of the next layer in one slice,
//   q = clamp(round((acc + bias) * scale / 2^shift) + zero point).
// The accumulator is on A (or in two parts on A and D: what carry-lane leaves), the scale on B, the
// bias times the scale and the zero point on C, the rounding in RND and the carry-in, saturation
// from the pattern detector.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/packing/certificate.h"
#include "gen/packing/plan.h"

namespace kumiki::gen::packing {

enum class Rounding : std::uint8_t { HalfUp, HalfAway, HalfEven };

struct RequantRequest {
  Interval accumulator;       // as it stands on A (or A + D), biases still in it
  Interval bias;              // per channel; minus an offset-binary bias belongs here too
  Interval scale{1, 131071};  // per channel, positive
  int shift = 16;             // the same for all channels: it is wiring
  Interval zero_point;        // per channel
  Rounding rounding = Rounding::HalfEven;
  Interval clamp{-128, 127};  // the operand's range, or a part of it: ReLU, ReLU6
  bool two_parts = false;
  Limits limits;
};

// How a tie, found by the pattern detector, is turned to the even neighbour.
enum class TieFix : std::uint8_t { None, ClearLsb, SetLsb };
enum class Saturation : std::uint8_t {
  None,     // the range is proved to fit
  Pattern,  // PATTERNDETECT and PATTERNBDETECT say whether the bits above the field agree
  Lut,  // the detector is busy with ties: the few bits above the field are compared in the fabric
};

struct RequantPlan {
  RequantRequest request;
  Opmode opmode;
  int inmode = 0;
  int carryinsel = 0;
  Exact rnd = 0;
  bool uses_c = false;  // C = (bias * scale) + (zero point << shift), a constant of the channel
  std::uint64_t pattern = 0;
  std::uint64_t mask = 0;  // 1: the bit is not compared
  bool uses_pattern = false;
  TieFix tie_fix = TieFix::None;
  Saturation saturation = Saturation::None;
  int field_lsb = 0;  // q before saturation: P[field_lsb + field_bits - 1 : field_lsb]
  int field_bits = 0;
  bool field_signed = true;
  int above_bits = 0;  // Saturation::Lut: bits above the field (its sign bit included) compared
  bool compare_low = false;  // the clamp cuts into the field: compared after saturation
  bool compare_high = false;
  int latency = 0;  // to the saturated result, registered
  std::vector<std::pair<std::string, std::string>> attributes;
  Certificate certificate;
};

struct RequantValues {
  std::int64_t accumulator = 0;
  std::int64_t scale = 1;
  std::int64_t bias = 0;
  std::int64_t zero_point = 0;
};

// Throws DesignError with the statement that breaks.
RequantPlan plan_requant(const RequantRequest& request);

// The definition, from integers alone.
std::int64_t requantise(const RequantRequest& request, const RequantValues& values);
// What the slice and the few gates behind it do.
std::int64_t evaluate(const RequantPlan& plan, const RequantValues& values);

// The 17-bit scale and the shift nearest to a positive ratio: scale / 2^shift. A field of n bits
// at the shift must end in P: `most_shift` is 48 - n.
struct Scale {
  std::int64_t scale = 1;
  int shift = 0;
};
Scale nearest_scale(double ratio, int most_shift = 46);

std::string to_string(Rounding rounding);
std::string to_text(const RequantPlan& plan);

}  // namespace kumiki::gen::packing
