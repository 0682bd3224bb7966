// SPDX-License-Identifier: Apache-2.0
// The list of schemes. A new scheme is one file here and one line in schemes.cpp.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include "gen/blocks/packing/planner.h"

namespace kumiki::gen::packing {

struct SchemeEntry {
  Scheme scheme;
  const char* name;
  const char* title;
  // The tunings worth trying for a request; values fixed by hand stay. The first is the default.
  std::vector<Request> (*variants)(const Request&);
  Planned (*draft)(const Request&);
  std::vector<std::string_view> tuned_by = {};  // keys of Tuning that it uses
  bool is_tuned_by(std::string_view key) const {
    return std::ranges::find(tuned_by, key) != tuned_by.end();
  }
};

const std::vector<SchemeEntry>& scheme_table();
const SchemeEntry& entry_of(Scheme scheme);

namespace schemes {

Planned wp487_int8(const Request& request);
Planned wp487_int8_dsp(const Request& request);
Planned wp487_int8_lut(const Request& request);
Planned wp487_uint8(const Request& request);
Planned wp487_uint8_dsp(const Request& request);
Planned wp486_macc(const Request& request);
Planned offset_binary(const Request& request);
Planned shared_drain(const Request& request);
Planned weight_aware(const Request& request);
Planned wrap_counter(const Request& request);
Planned carry_lane(const Request& request);
Planned carry_lane_drain(const Request& request);
Planned canary(const Request& request);
Planned carry_looks(const Request& request);
Planned four_lane(const Request& request);
Planned single(const Request& request);

std::vector<Request> as_given(const Request& request);
std::vector<Request> centred(
    const Request& request);  // re-centring of unsigned operands on and off
std::vector<Request> macc_variants(const Request& request);
std::vector<Request> drain_variants(const Request& request);
std::vector<Request> grid_variants(const Request& request);
std::vector<Request> canary_variants(const Request& request);
std::vector<Request> look_variants(const Request& request);

}  // namespace schemes
}  // namespace kumiki::gen::packing
