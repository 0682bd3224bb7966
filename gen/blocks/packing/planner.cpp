// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/fabric.h"
#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing {
namespace {

struct Candidate {
  PackingPlan plan;
  Exact luts = 0;  // counted if they decide
};

// Compares resources a product and clock; negative: `a` takes less.
Exact compared(Exact of_a, const PackingPlan& a, Exact of_b, const PackingPlan& b) {
  return of_a * a.cycles() * b.macs() - of_b * b.cycles() * a.macs();
}

// Negative: `a` serves better, as far as no LUT is counted.
Exact compared(const PackingPlan& a, const PackingPlan& b, Objective objective) {
  if (objective == Objective::LeastArea) return 0;
  if (objective == Objective::NoLut && a.lut_free() != b.lut_free()) return a.lut_free() ? -1 : 1;
  if (objective == Objective::ShortestLatency && a.latency != b.latency)
    return a.latency - b.latency;
  return less(mac_per_slice(a), mac_per_slice(b)) - less(mac_per_slice(b), mac_per_slice(a));
}

bool is_smaller(const Candidate& one, const Candidate& other, Objective objective) {
  const PackingPlan &a = one.plan, &b = other.plan;
  if (objective == Objective::LeastArea) {
    const auto area = [](const Candidate& c) {
      return Exact{c.plan.limits.luts} * std::ssize(c.plan.slices) + c.luts;
    };
    if (const Exact less_area = compared(area(one), a, area(other), b); less_area != 0)
      return less_area < 0;
    if (mac_per_slice(a) != mac_per_slice(b)) return less(mac_per_slice(b), mac_per_slice(a));
  }
  if (const Exact fewer = compared(one.luts, a, other.luts, b); fewer != 0) return fewer < 0;
  return a.latency < b.latency;
}

// Best first. LUTs are counted only for plans that are equal otherwise.
void rank(std::vector<Candidate>& all, Objective objective) {
  std::ranges::stable_sort(all, [&](const Candidate& a, const Candidate& b) {
    return compared(a.plan, b.plan, objective) < 0;
  });
  for (auto first = all.begin(), last = first; first != all.end(); first = last) {
    last = std::find_if(first + 1, all.end(), [&](const Candidate& c) {
      return compared(first->plan, c.plan, objective) != 0;
    });
    if (last - first == 1) continue;
    for (auto c = first; c != last; ++c) c->luts = sites_of_fabric(c->plan);
    std::stable_sort(first, last, [&](const Candidate& a, const Candidate& b) {
      return is_smaller(a, b, objective);
    });
  }
}

// Why no variant of the request can have a plan: it contradicts itself, or a setting made by hand
// would have no effect.
std::optional<Refusal> why_not(const SchemeEntry& entry, const Request& request) {
  const auto refused = [&](Code code, const std::string& what, const std::string& otherwise,
                           const Interval& value = {}, const Interval& bound = {}) {
    return Refusal{
        code, entry.scheme, {what, value, Relation::Within, bound, otherwise, false}, {}};
  };
  for (const std::string& key : request.asked_for) {
    if (entry.is_tuned_by(key)) continue;
    std::vector<std::string> others;
    for (const SchemeEntry& other : scheme_table())
      if (other.is_tuned_by(key)) others.emplace_back(other.name);
    Refusal refusal = refused(code::key_without_use, fmt::format("{} has no effect on it", key),
                              fmt::format("{}", fmt::join(others, ", ")));
    refusal.passed_over = key;
    return refusal;
  }
  if (request.terms < 1 || request.terms > 65536)
    return refused(code::out_of_range, "terms", "1 to 65536 terms", Interval::point(request.terms),
                   {1, 65536});
  if (request.cycles && (*request.cycles < 1 || *request.cycles > request.terms))
    return refused(code::out_of_range, "cycles", "at most one cycle for every term",
                   Interval::point(*request.cycles), {1, request.terms});
  for (const auto& [side, format] :
       {std::pair{"packed", &request.packed}, {"shared", &request.shared}})
    if (const auto wrong = format->contradiction(request.terms))
      return refused(wrong->code, fmt::format("{} operand: {}", side, to_string(*wrong)), "");
  return {};
}

void add_candidates(const SchemeEntry& entry, const Request& request, std::vector<Candidate>& all,
                    std::vector<Refusal>& refused) {
  if (auto why = why_not(entry, request)) {
    refused.push_back(*std::move(why));
    return;
  }
  for (const Request& variant : entry.variants(request)) {
    Planned one = entry.draft(variant);
    if (!one) {
      refused.push_back(one.reason());
    } else if (const Statement* broken = one->certificate.first_broken()) {
      refused.push_back({code::not_proved, entry.scheme, *broken});
      // Tunings without effect here would give the same plan twice.
    } else if (std::ranges::find(all, *one, &Candidate::plan) == all.end()) {
      all.push_back({*std::move(one)});
    }
  }
}

}  // namespace

std::string Refusal::reason() const {
  const Statement& s = broken;
  const bool compared = s.value != Interval{} || s.bound != Interval{};
  if (!compared) return s.name;
  if (s.relation == Relation::Within && s.bound.lo == s.bound.hi)
    return fmt::format("{} is {}, not {}", s.name, to_string(s.value), to_string(s.bound));
  if (s.relation == Relation::Within)
    return fmt::format("{} is {}, outside {}", s.name, to_string(s.value), to_string(s.bound));
  return fmt::format("{} is {}, not {} {}", s.name, to_string(s.value), to_string(s.relation),
                     to_string(s.bound));
}

std::string to_string(const Refusal& r) {
  const std::string& otherwise = r.broken.otherwise;
  return fmt::format("{}: {}{}", to_string(r.scheme), r.reason(),
                     otherwise.empty() ? "" : "; use " + otherwise);
}

Planned best_plan(const Request& request, Scheme scheme) {
  std::vector<Candidate> all;
  std::vector<Refusal> refused;
  add_candidates(entry_of(scheme), request, all, refused);
  if (all.empty()) return refused.front();
  rank(all, request.objective);
  return std::move(all.front().plan);
}

std::vector<PackingPlan> enumerate(const Request& request, std::vector<Refusal>* refused) {
  std::vector<Candidate> all;
  std::vector<Refusal> reasons;
  for (const auto& entry : scheme_table()) add_candidates(entry, request, all, reasons);
  rank(all, request.objective);
  if (refused != nullptr) *refused = std::move(reasons);
  std::vector<PackingPlan> plans;
  for (Candidate& c : all) plans.push_back(std::move(c.plan));
  return plans;
}

}  // namespace kumiki::gen::packing
