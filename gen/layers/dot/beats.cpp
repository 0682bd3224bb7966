// SPDX-License-Identifier: Apache-2.0
// Describes the ports of a dot product element by element.
#include "gen/layers/dot/plan.h"

namespace kumiki::gen::dot {

std::vector<Beat> beats(const DotPlan& p) {
  const auto& k = p.packing;
  std::vector<Beat> all;
  const auto port = [&](const char* name, const packing::OperandFormat& f, int count) {
    if (f.known()) return;
    all.push_back(
        {.port = name,
         .formats = {f.format()},
         .elements = {{"k", count}, {"slot", p.slots()}},
         .words = {{"round", k.cycles() / k.words}, {"clock", k.words}},
         .of = {{"k", count, {{"k"}}},
                {"term", k.terms, {{"round", k.terms_per_round}, {"clock", p.slots()}, {"slot"}}}},
         .what = name,
         .padding = "not looked at",
         .when = {"in_valid", "en"},
         .runs_on = true,
         .late = p.lateness()});
  };
  port("x", k.packed, k.packed_count);
  port("y", k.shared, p.shared_count());
  std::vector<arith::Format> sums;
  bool is_left = false;
  for (const packing::Result& r : p.results()) {
    sums.push_back(r.format());
    is_left |= r.offset != 0 || !r.left.empty();
  }
  all.push_back({.port = "sum",
                 .formats = period(std::move(sums)),
                 .elements = {{"s", p.shared_count()}, {"p", k.packed_count}},
                 .of = {{"p", k.packed_count, {{"p"}}}, {"s", p.shared_count(), {{"s"}}}},
                 .what = "sum",
                 .when = {"out_valid", "en"},
                 .note = is_left ? "the sum of x[p]*y[s] less what the plan leaves to the consumer"
                                 : "the sum of x[p]*y[s] over all terms"});
  return all;
}

}  // namespace kumiki::gen::dot
