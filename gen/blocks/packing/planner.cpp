// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gen/blocks/packing/check.h"
#include "gen/blocks/packing/hardware/fabric.h"
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
  if (!s.otherwise.empty()) text += "; use " + s.otherwise;
  return text;
}

}  // namespace

Refusal::Refusal(Code code, Scheme s, Statement b)
    : DesignError(code, message(s, b)), scheme(s), broken(std::move(b)) {}

std::string Refusal::reason() const { return broken_text(broken); }

namespace {

// Devices with DSP48E2 have 94 to 197 LUTs for each slice.
constexpr std::int64_t luts_of_slice = 100;

// A candidate counts its LUTs only if they decide, and only once.
struct Candidate {
  PackingPlan plan;
  mutable std::optional<std::int64_t> luts = {};
  Exact fabric() const {
    if (!luts) luts = sites_of_fabric(plan);
    return *luts;
  }
  Exact area() const {
    return Exact{luts_of_slice} * static_cast<std::int64_t>(plan.slices.size()) + fabric();
  }
};

// Compares resources a product and clock; negative: `a` takes less.
Exact compared(Exact of_a, const PackingPlan& a, Exact of_b, const PackingPlan& b) {
  return of_a * a.cycles() * b.macs() - of_b * b.cycles() * a.macs();
}

bool ahead(const Candidate& one, const Candidate& other, Objective objective) {
  const PackingPlan &a = one.plan, &b = other.plan;
  if (objective == Objective::NoLut && a.lut_free() != b.lut_free()) return a.lut_free();
  if (objective == Objective::ShortestLatency && a.latency != b.latency)
    return a.latency < b.latency;
  if (objective == Objective::LeastArea)
    if (const Exact less_area = compared(one.area(), a, other.area(), b); less_area != 0)
      return less_area < 0;
  if (mac_per_slice(a) != mac_per_slice(b)) return less(mac_per_slice(b), mac_per_slice(a));
  if (const Exact fewer = compared(one.fabric(), a, other.fabric(), b); fewer != 0)
    return fewer < 0;
  return a.latency < b.latency;
}

}  // namespace

bool better(const PackingPlan& a, const PackingPlan& b, Objective objective) {
  return ahead({a}, {b}, objective);
}

namespace {

// A setting made by hand must have an effect.
void require_tuned(const SchemeEntry& entry, const Request& request) {
  for (const std::string& key : request.asked_for) {
    if (entry.is_tuned_by(key)) continue;
    std::vector<std::string> others;
    for (const SchemeEntry& other : scheme_table())
      if (other.is_tuned_by(key)) others.emplace_back(other.name);
    Refusal refusal(Code::key_without_use, entry.scheme,
                    {fmt::format("{} has no effect on it", key),
                     {},
                     Relation::Within,
                     {},
                     fmt::format("{}", fmt::join(others, ", ")),
                     false});
    refusal.passed_over = key;
    throw Refusal(refusal);
  }
}

}  // namespace

PackingPlan draft(const Request& request, Scheme scheme) { return entry_of(scheme).draft(request); }

PackingPlan plan(const Request& request, Scheme scheme) {
  const SchemeEntry& entry = entry_of(scheme);
  require_tuned(entry, request);
  std::optional<Candidate> best;
  std::optional<Refusal> refusal;
  for (const auto& variant : entry.variants(request)) {
    try {
      Candidate one{entry.draft(variant)};
      if (const Statement* broken = one.plan.certificate.first_broken())
        throw Refusal(Code::not_proved, scheme, *broken);
      check(one.plan);
      if (!best || ahead(one, *best, request.objective)) best = std::move(one);
    } catch (const Refusal& refused) {
      if (!refusal) refusal = refused;
    }
  }
  if (best) return std::move(best->plan);
  throw Refusal(*refusal);
}

std::vector<PackingPlan> enumerate(const Request& request, std::vector<Refusal>* refused) {
  std::vector<Candidate> found;
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
    if (std::none_of(found.begin(), found.end(), [&](const Candidate& c) { return c.plan == one; }))
      found.push_back({std::move(one)});
  };
  for (const auto& entry : scheme_table())
    unless_refused([&] {
      require_tuned(entry, request);
      for (const auto& variant : entry.variants(request))
        unless_refused([&] { consider(entry, variant); });
    });
  std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
    return ahead(a, b, request.objective);
  });
  std::vector<PackingPlan> plans;
  for (Candidate& c : found) plans.push_back(std::move(c.plan));
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
