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

// What a plan takes, in LUTs, as if a bit outside the slices were one.
Exact area(const PackingPlan& p) {
  return Exact{luts_of_slice} * static_cast<std::int64_t>(p.slices.size()) +
         p.overhead.addend_bits + p.overhead.counter_bits + p.overhead.result_inverters;
}

}  // namespace

bool better(const PackingPlan& a, const PackingPlan& b, Objective objective) {
  const auto by_slices = [&] { return less(mac_per_slice(b), mac_per_slice(a)); };
  const auto same_slices = [&] { return mac_per_slice(a) == mac_per_slice(b); };
  const auto fabric = [](const PackingPlan& p) {
    return std::pair(p.overhead.addend_bits + p.overhead.counter_bits, p.overhead.result_inverters);
  };
  if (objective == Objective::NoLut && a.lut_free() != b.lut_free()) return a.lut_free();
  if (objective == Objective::ShortestLatency && a.latency != b.latency)
    return a.latency < b.latency;
  if (objective == Objective::LeastArea) {
    const Exact of_a = area(a) * a.cycles() * b.macs(), of_b = area(b) * b.cycles() * a.macs();
    if (of_a != of_b) return of_a < of_b;
  }
  if (!same_slices()) return by_slices();
  if (fabric(a) != fabric(b)) return fabric(a) < fabric(b);
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
