// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/common/write.h"

#include <fmt/format.h>

namespace kumiki::gen {
namespace {

// A 128-bit value is written as a number if JSON readers can represent it, otherwise as text.
void put(config::Writer& w, arith::Exact value) {
  if (arith::Interval{-arith::power_of_two(53), arith::power_of_two(53)}.contains(value))
    w.integer(static_cast<std::int64_t>(value));
  else
    w.text(arith::to_string(value));
}

void member(config::Writer& w, std::string_view name, arith::Exact value) {
  w.key(name);
  put(w, value);
}

}  // namespace

namespace arith {

void write_value(config::Writer& w, const Interval& interval) {
  w.begin_list();
  put(w, interval.lo);
  put(w, interval.hi);
  w.end_list();
}

void write(config::Writer& w, const Statement& s) {
  w.member("what", s.name);
  w.member("value", s.value);
  w.member("relation", to_string(s.relation));
  w.member("legal", s.bound);
  w.member("holds", s.holds);
}

void write_value(config::Writer& w, const Certificate& certificate) {
  w.value(certificate.statements());
}

}  // namespace arith

namespace packing {
namespace {

void write_lane(config::Writer& w, const Lane& lane) {
  w.member("kind", lane.kind == Lane::Kind::Carries ? "carries" : "product");
  w.member("packed", lane.packed);
  w.member("shared", lane.shared);
  w.member("offset", lane.offset);
  w.member("width", lane.width);
  w.member("guard", lane.guard());
  w.member("product", lane.term);
  member(w, "bias", lane.bias);
  w.member("signed", lane.is_signed);
}

void write_kinds(config::Writer& w, const PackingPlan& p) {
  std::vector<int> used(p.kinds.size(), 0);
  for (const Slice& slice : p.slices) ++used[slice.kind];
  w.objects("slice_kinds", p.kinds, [&, at = used.begin()](const SliceKind& kind) mutable {
    w.member("name", kind.name);
    w.member("slices", *at++);
    w.member("opmode_load", to_string(kind.load));
    w.member("opmode_run", to_string(kind.run));
    member(w, "rnd", kind.rnd);
  });
}

void write_result(config::Writer& w, const Result& r) {
  w.member("packed", r.packed);
  w.member("shared", r.shared);
  w.member("bits", r.bits);
  w.member("signed", r.is_signed);
  w.member("range", r.range);
  w.member("wires", r.wires());
}

}  // namespace

void write(config::Writer& w, const PackingPlan& p) {
  const auto operand = [&](const char* name, const OperandFormat& o, int count) {
    w.object(name, [&] {
      w.member("operand", to_string(o));
      w.member("count", count);
    });
  };
  const Ratio ratio = mac_per_slice(p);
  w.member("scheme", to_string(p.scheme));
  operand("packed", p.packed, p.packed_count);
  operand("shared", p.shared, p.shared_count);
  w.member("terms", p.terms);
  w.member("guard_distance", p.guard);
  w.member("segment", p.segment);
  w.member("segments", p.segments);
  w.member("separation", to_string(p.separation));
  w.member("drain", to_string(p.drain));
  w.member("slices", p.slices.size());
  w.member("macs", p.macs());
  w.member("cycles", p.cycles());
  w.member("terms_per_cycle", p.terms_per_cycle);
  w.member("mac_per_slice", fmt::format("{}/{}", ratio.num, ratio.den));
  w.member("mac_per_slice_value", ratio.value());
  w.member("latency", p.latency);
  w.member("lut_free", p.lut_free());
  w.objects("lanes", p.lanes, [&](const Lane& lane) { write_lane(w, lane); });
  write_kinds(w, p);
  w.objects("results", p.results, [&](const Result& r) { write_result(w, r); });
  w.member("proofs", p.certificate);
}

}  // namespace packing
}  // namespace kumiki::gen
