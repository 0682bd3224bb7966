// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/planner.h"

#include <fmt/format.h>

#include "gen/blocks/packing/check.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing {
namespace {

std::string broken_text(const Statement& s) {
  std::string text = s.name;
  const bool compared = s.value != Interval{} || s.bound != Interval{};
  if (compared && s.relation == Relation::Within && s.bound.lo == s.bound.hi)
    text += fmt::format(" is {}, not {}", to_string(s.value), to_string(s.bound));
  else if (compared && s.relation == Relation::Within)
    text += fmt::format(" is {}, outside {}", to_string(s.value), to_string(s.bound));
  else if (compared)
    text += fmt::format(" is {}, not {} {}", to_string(s.value), to_string(s.relation),
                        to_string(s.bound));
  return text;
}

std::string message(Scheme scheme, const Statement& s) {
  std::string text = to_string(scheme) + ": " + broken_text(s);
  if (!s.otherwise.empty()) text += "; legal: " + s.otherwise;
  return text;
}

bool same(const PackingPlan& a, const PackingPlan& b) {
  return a.scheme == b.scheme && a.slices.size() == b.slices.size() && a.latency == b.latency &&
         to_text(a) == to_text(b);
}

}  // namespace

Refusal::Refusal(Code code, Scheme s, Statement b)
    : DesignError(code, message(s, b)), scheme(s), broken(std::move(b)) {}

std::string Refusal::reason() const { return broken_text(broken); }

namespace {

// Devices with DSP48E2 have 94 to 197 LUTs for each slice.
constexpr std::int64_t luts_of_slice = 100;

// What a plan takes, in LUTs.
Exact area(const PackingPlan& p) {
  return Exact{luts_of_slice} * static_cast<std::int64_t>(p.slices.size()) + p.overhead.luts;
}

// Whether so much for all products of plan `a` in a clock is less than so much for those of `b`;
// the same: 0.
int compared(Exact of_a, const PackingPlan& a, Exact of_b, const PackingPlan& b) {
  const Exact x = of_a * a.cycles() * b.macs(), y = of_b * b.cycles() * a.macs();
  return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace

bool better(const PackingPlan& a, const PackingPlan& b, Objective objective) {
  const auto by_slices = [&] { return less(mac_per_slice(b), mac_per_slice(a)); };
  const auto same_slices = [&] { return mac_per_slice(a) == mac_per_slice(b); };
  if (objective == Objective::NoLut && a.lut_free() != b.lut_free()) return a.lut_free();
  if (objective == Objective::ShortestLatency && a.latency != b.latency)
    return a.latency < b.latency;
  if (objective == Objective::LeastArea)
    if (const int less_area = compared(area(a), a, area(b), b)) return less_area < 0;
  if (!same_slices()) return by_slices();
  if (const int fewer = compared(a.overhead.luts, a, b.overhead.luts, b)) return fewer < 0;
  return a.latency < b.latency;
}

PackingPlan draft(const Request& request, Scheme scheme) { return entry_of(scheme).draft(request); }

PackingPlan plan(const Request& request, Scheme scheme) {
  const SchemeEntry& entry = entry_of(scheme);
  std::optional<PackingPlan> best;
  std::optional<Refusal> refusal;
  for (const auto& variant : entry.variants(request)) {
    try {
      PackingPlan one = entry.draft(variant);
      if (const Statement* broken = one.certificate.first_broken())
        throw Refusal(Code::not_proved, scheme, *broken);
      check(one);
      if (!best || better(one, *best, request.objective)) best = std::move(one);
    } catch (const Refusal& refused) {
      if (!refusal) refusal = refused;
    }
  }
  if (best) return std::move(*best);
  throw Refusal(*refusal);
}

std::vector<PackingPlan> enumerate(const Request& request, std::vector<Refusal>* refused) {
  std::vector<PackingPlan> plans;
  const auto unless_refused = [&](const auto& what) {
    try {
      what();
    } catch (const Refusal& refusal) {
      if (refused != nullptr) refused->push_back(refusal);
    }
  };
  const auto consider = [&](const SchemeEntry& entry, const Request& variant) {
    PackingPlan one = entry.draft(variant);
    if (const Statement* broken = one.certificate.first_broken())
      throw Refusal(Code::not_proved, entry.scheme, *broken);
    check(one);
    // Tunings without effect here would give the same plan twice.
    if (std::none_of(plans.begin(), plans.end(),
                     [&](const PackingPlan& p) { return same(p, one); }))
      plans.push_back(std::move(one));
  };
  for (const auto& entry : scheme_table())
    unless_refused([&] {
      for (const auto& variant : entry.variants(request))
        unless_refused([&] { consider(entry, variant); });
    });
  std::stable_sort(plans.begin(), plans.end(), [&](const PackingPlan& a, const PackingPlan& b) {
    return better(a, b, request.objective);
  });
  return plans;
}

std::string to_string(Objective objective) {
  switch (objective) {
    case Objective::FewestSlices:
      return "fewest slices";
    case Objective::NoLut:
      return "no LUT";
    case Objective::ShortestLatency:
      return "shortest latency";
    case Objective::LeastArea:
      return "least area";
  }
  return "?";
}

}  // namespace kumiki::gen::packing
