// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/schemes/schemes.h"

#include <stdexcept>

namespace kumiki::gen::packing {

using namespace schemes;

const std::vector<SchemeEntry>& scheme_table() {
  using Keys = std::vector<std::string_view>;
  static const Keys chain{"guard"}, segments{"guard", "segment"},
      grid_of_lanes{"guard", "packed_count", "shared_count", "centre_packed", "centre_shared"},
      grid{"guard", "segment", "packed_count", "shared_count", "centre_packed", "centre_shared"};
  const auto with = [](Keys keys, std::string_view one) {
    keys.push_back(one);
    return keys;
  };
  static const std::vector<SchemeEntry> table{
      {Scheme::Wp487Int8, "wp487-int8", "WP487: one chain, the high word incremented at its end",
       as_given, wp487_int8, chain},
      {Scheme::Wp487Int8Dsp, "wp487-int8-dsp", "WP487: segments added and incremented in slices",
       as_given, wp487_int8_dsp, segments},
      {Scheme::Wp487Int8Lut, "wp487-int8-lut", "WP487: segments added in the fabric", as_given,
       wp487_int8_lut, segments},
      {Scheme::Wp487Uint8, "wp487-uint8", "WP487: unsigned pair without pre-adder, bias by W = C",
       as_given, wp487_uint8, chain},
      {Scheme::Wp487Uint8Dsp, "wp487-uint8-dsp", "WP487: unsigned pair, segments added in slices",
       as_given, wp487_uint8_dsp, segments},
      {Scheme::Wp486Macc, "wp486-macc",
       "WP486: a few slices accumulate, the fabric adds what they hand on", macc_variants,
       wp486_macc, with(segments, "macc_slices")},
      {Scheme::OffsetBinary, "offset-binary", "low lane biased: the split is wires", centred,
       offset_binary, grid},
      {Scheme::SharedDrain, "shared-drain", "one SIMD slice adds up two biased chains",
       drain_variants, shared_drain, with(grid, "chains_per_drain")},
      {Scheme::WeightAware, "weight-aware",
       "known weights: chains as long as they allow, zeros left out", centred, weight_aware, grid},
      {Scheme::WrapCounter, "wrap-counter",
       "the last slice accumulates, a counter follows the low lane", centred, wrap_counter,
       with(grid, "watch_bits")},
      {Scheme::CarryLane, "carry-lane",
       "the low lane's top bit is moved to a lane of its own by W = C", centred,
       schemes::carry_lane, with(grid, "look_period")},
      {Scheme::CarryLaneDrain, "carry-lane-drain", "carry-lane chains added up in SIMD slices",
       centred, carry_lane_drain, with(grid, "look_period")},
      {Scheme::Canary, "canary", "lanes narrower than their sums, the carry of a chain read off",
       canary_variants, canary,
       with({"guard", "segment", "packed_count", "shared_count"}, "canary_bits")},
      {Scheme::CarryLooks, "carry-looks", "one chain, LUTs beside it count the wraps of its lanes",
       look_variants, carry_looks, with(grid_of_lanes, "look_period")},
      {Scheme::FourLane, "four-lane", "operands on both sides, every lane biased: wires",
       grid_variants, four_lane, grid},
      {Scheme::Single,
       "single",
       "one product a slice, up to 27 x 18",
       as_given,
       single,
       {"segment"}},
  };
  return table;
}

const SchemeEntry& entry_of(Scheme scheme) {
  for (const auto& entry : scheme_table())
    if (entry.scheme == scheme) return entry;
  throw std::logic_error("a scheme without an entry in the table");
}

std::string to_string(Scheme scheme) { return entry_of(scheme).name; }

std::optional<Scheme> scheme_from(const std::string& name) {
  for (const auto& entry : scheme_table())
    if (name == entry.name) return entry.scheme;
  return std::nullopt;
}

std::vector<Scheme> all_schemes() {
  std::vector<Scheme> all;
  for (const auto& entry : scheme_table()) all.push_back(entry.scheme);
  return all;
}

namespace schemes {

std::vector<Request> as_given(const Request& request) { return {request}; }

std::vector<Request> centred(const Request& request) {
  std::vector<Request> all;
  const auto choices = [](const OperandFormat& format, const std::optional<bool>& fixed) {
    if (fixed || format.is_signed) return std::vector<bool>{fixed.value_or(false)};
    return std::vector<bool>{false, true};
  };
  for (const bool p : choices(request.packed, request.tuning.centre_packed))
    for (const bool s : choices(request.shared, request.tuning.centre_shared)) {
      Request one = request;
      one.tuning.centre_packed = p;
      one.tuning.centre_shared = s;
      all.push_back(one);
    }
  return all;
}

}  // namespace schemes
}  // namespace kumiki::gen::packing
