// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gen/blocks/packing/hardware/fabric.h"
#include "gen/layers/common/write.h"
#include "gen/layers/dot/messages.h"

namespace kumiki::gen::dot {
namespace {

std::string lanes(const packing::PackingPlan& p) {
  return fmt::format("{}x{}", p.packed_count, p.shared_count);
}

}  // namespace

Alternatives alternatives(const packing::Request& request) {
  Alternatives all;
  std::vector<packing::Refusal> refused;
  all.plans = packing::enumerate(request, &refused);
  // Known values are wired to their slices, so a layer takes them in a single cycle (plan.cpp).
  if (request.packed.known() || request.shared.known()) {
    const auto folded = [](const packing::PackingPlan& p) { return p.cycles() > 1; };
    for (const auto& p : all.plans)
      if (folded(p))
        refused.push_back({code::known_values_in_cycles,
                           p.scheme,
                           {.name = "known values are wired to their slices",
                            .value = arith::Interval::point(p.cycles()),
                            .relation = arith::Relation::AtMost,
                            .bound = arith::Interval::point(1),
                            .otherwise = "1 cycle a result"}});
    std::erase_if(all.plans, folded);
  }
  std::set<std::string> said;
  for (auto& r : refused)
    if (said.insert(to_string(r)).second) all.refused.push_back(std::move(r));
  return all;
}

std::string to_text(const Alternatives& all) {
  std::string text = fmt::format(
      "{:>3} {:16} {:>5} {:>3} {:>5} {:>7} {:>7} {:>9} {:>7} {:>7}  {}\n", "", "scheme", "lanes",
      "G", "N", "cycles", "slices", "MAC/slice", "fabric", "latency", "separation, drain");
  int rank = 0;
  for (const auto& p : all.plans) {
    text += fmt::format("{:>3} {:16} {:>5} {:>3} {:>5} {:>7} {:>7} {:>9.3f} {:>7} {:>7}  {}, {}\n",
                        ++rank, packing::to_string(p.scheme), lanes(p), p.guard, p.segment,
                        p.cycles(), p.slices.size(), packing::mac_per_slice(p).value(),
                        p.lut_free() ? "wires" : fmt::format("{} LUT", packing::sites_of_fabric(p)),
                        p.latency, packing::to_string(p.separation), packing::to_string(p.drain));
  }
  text += fmt::format("{} proved, {} refused\n", all.plans.size(), all.refused.size());
  for (const auto& r : all.refused) text += fmt::format("  {}\n", to_string(r));
  return text;
}

void write(config::Writer& w, const Alternatives& all) {
  w.objects("plans", all.plans, [&](const packing::PackingPlan& p) {
    w.member("scheme", packing::to_string(p.scheme));
    w.member("packed_count", p.packed_count);
    w.member("shared_count", p.shared_count);
    w.member("guard", p.guard);
    w.member("segment", p.segment);
    w.member("cycles", p.cycles());
    w.member("slices", p.slices.size());
    w.member("mac_per_slice", packing::mac_per_slice(p).value());
    w.member("lut_free", p.lut_free());
    w.member("luts", packing::sites_of_fabric(p));
    w.member("latency", p.latency);
    w.member("separation", packing::to_string(p.separation));
    w.member("drain", packing::to_string(p.drain));
  });
  // A statement that is only a rule ("a scheme for signed operands") has no interval.
  w.objects("refused", all.refused, [&](const packing::Refusal& r) {
    w.member("scheme", packing::to_string(r.scheme));
    w.member("breaks", r.broken.name);
    w.member("value", r.broken.value);
    w.member("relation", packing::to_string(r.broken.relation));
    w.member("bound", r.broken.bound);
    w.member("legal", r.broken.otherwise);
    w.member("message", to_string(r));
  });
}

}  // namespace kumiki::gen::dot
