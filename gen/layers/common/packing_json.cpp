// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/common/packing_json.h"

#include <fmt/format.h>

namespace kumiki::gen::packing {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of 128 bits go as numbers where JSON readers can take them, else as text.
Json number(Exact value) {
  if (Interval{-power_of_two(53), power_of_two(53)}.contains(value))
    return static_cast<std::int64_t>(value);
  return to_string(value);
}

Json interval(const Interval& i) { return Json::array({number(i.lo), number(i.hi)}); }

Json lane_json(const Lane& lane) {
  const bool carries = lane.kind == Lane::Kind::Carries;
  return {{"kind", carries ? "carries" : "product"},
          {"packed", lane.packed},
          {"shared", lane.shared},
          {"offset", lane.offset},
          {"width", lane.width},
          {"guard", lane.guard()},
          {"product", interval(lane.term)},
          {"bias", number(lane.bias)},
          {"signed", lane.is_signed}};
}

}  // namespace

Json to_json(const Certificate& certificate) {
  Json all = Json::array();
  for (const Statement& s : certificate.statements())
    all.push_back({{"what", s.name},
                   {"value", interval(s.value)},
                   {"relation", to_string(s.relation)},
                   {"legal", interval(s.bound)},
                   {"holds", s.holds}});
  return all;
}

Json to_json(const PackingPlan& p) {
  Json lanes = Json::array(), results = Json::array(), kinds = Json::array();
  for (const Lane& lane : p.lanes) lanes.push_back(lane_json(lane));
  for (const Result& r : p.results)
    results.push_back({{"packed", r.packed},
                       {"shared", r.shared},
                       {"bits", r.bits},
                       {"signed", r.is_signed},
                       {"range", interval(r.range)},
                       {"wires", r.wires()}});
  std::vector<int> used(p.kinds.size(), 0);
  for (const Slice& slice : p.slices) ++used[slice.kind];
  for (std::size_t k = 0; k < p.kinds.size(); ++k)
    kinds.push_back({{"name", p.kinds[k].name},
                     {"slices", used[k]},
                     {"opmode_load", to_string(p.kinds[k].load)},
                     {"opmode_run", to_string(p.kinds[k].run)},
                     {"rnd", number(p.kinds[k].rnd)}});
  const Ratio ratio = mac_per_slice(p);
  return {{"scheme", to_string(p.scheme)},
          {"packed", {{"operand", to_string(p.packed)}, {"count", p.packed_count}}},
          {"shared", {{"operand", to_string(p.shared)}, {"count", p.shared_count}}},
          {"terms", p.terms},
          {"guard_distance", p.guard},
          {"segment", p.segment},
          {"segments", p.segments},
          {"separation", to_string(p.separation)},
          {"drain", to_string(p.drain)},
          {"slices", p.slices.size()},
          {"macs", p.macs()},
          {"cycles", p.cycles()},
          {"terms_per_cycle", p.terms_per_cycle},
          {"mac_per_slice", fmt::format("{}/{}", ratio.num, ratio.den)},
          {"mac_per_slice_value", ratio.value()},
          {"latency", p.latency},
          {"lut_free", p.lut_free()},
          {"lanes", lanes},
          {"slice_kinds", kinds},
          {"results", results},
          {"proofs", to_json(p.certificate)}};
}

}  // namespace kumiki::gen::packing
