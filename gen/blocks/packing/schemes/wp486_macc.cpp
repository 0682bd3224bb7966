// SPDX-License-Identifier: Apache-2.0
// WP486: one slice accumulates in P until its low lane is full. One to six slices may share the
// terms, and the fabric adds their words.
#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/draft.h"
#include "gen/blocks/packing/schemes/schemes.h"
#include "gen/blocks/packing/schemes/wp487.h"

namespace kumiki::gen::packing::schemes {

std::vector<Request> macc_variants(const Request& request) {
  if (request.tuning.macc_slices) return {request};
  std::vector<Request> all;
  for (int slices = 1; slices <= 6 && slices <= request.terms; ++slices) {
    all.push_back(request);
    all.back().tuning.macc_slices = slices;
  }
  return all;
}

Planned wp486_macc(const Request& request) {
  Draft draft(request, Scheme::Wp486Macc);
  PackingPlan& plan = draft.plan;
  const std::int64_t slices = request.tuning.macc_slices.value_or(1);
  if (slices < 1 || slices > plan.terms)
    draft.refuse(code::out_of_range, "slices that share the terms",
                 "at most one slice for every term", Interval::point(slices), {1, plan.terms});
  if (!wp487::lay_out_signed(draft)) return draft.finish();
  // Whole cycles only: 7 terms on 2 slices would leave a slot empty, 6 do not.
  const std::int64_t most = request.tuning.segment.value_or(wp487::limit(draft));
  const std::int64_t words = std::max<std::int64_t>(1, std::min(most, plan.terms) / slices);
  const std::int64_t rounds = ceil_div(plan.terms, words * slices);
  draft.fold(slices, ceil_div(plan.terms, rounds * slices), rounds);
  const std::int64_t round = plan.terms_per_round;
  plan.segment = round;
  plan.segments = plan.rounds;
  plan.separation = Separation::Increment;
  plan.drain = plan.rounds > 1 ? Drain::Lut : Drain::None;
  wp487::prove_chain(draft, round, "");
  if (request.cycles)
    draft.proof().at_most("cycles of a result", plan.cycles(), *request.cycles,
                          fmt::format("{} slices", ceil_div(plan.terms, *request.cycles)));

  const auto op = [](Opmode::W w, Opmode::Z z) { return Opmode::of(w, z, Opmode::M); };
  int last = -1;
  for (std::int64_t i = 0; i < slices; ++i) {
    const bool accumulates = i == slices - 1 && plan.words > 1;
    if (accumulates && i > 0 && !plan.limits.w_multiplexer)
      draft.refuse(code::not_on_family, "P + PCIN + product on " + plan.limits.family, "one slice");
    SliceKind kind = draft.multiply_kind(accumulates ? "accumulate"
                                         : i == 0    ? "first"
                                                     : "middle",
                                         op(Opmode::W0, i == 0 ? Opmode::Z0 : Opmode::ZPcin));
    if (accumulates) kind.run = i == 0 ? op(Opmode::W0, Opmode::ZP) : op(Opmode::WP, Opmode::ZPcin);
    last = draft.add_slice({.kind = draft.add_kind(kind),
                            .cycle = plan.multiply_latency + static_cast<int>(i),
                            .term = i,
                            .cascade = last});
  }
  plan.chains.push_back({0, static_cast<int>(slices), 0});
  draft.add_result(plan.lanes[0], {wp487::low(draft, last)}, 0);
  draft.add_result(plan.lanes[1], wp487::high(draft, last, round), 0);
  return draft.finish();
}

}  // namespace kumiki::gen::packing::schemes
