// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/schemes/wp487.h"

#include <fmt/format.h>

#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/schemes/schemes.h"

namespace kumiki::gen::packing {
namespace wp487 {
namespace {

constexpr int kSignedGuard = 18;  // WP487, two INT8 products

bool lay_out_pair(Draft& draft, bool is_signed, int guard) {
  const Request& request = draft.request();
  if (request.packed.is_signed != is_signed || !request.shared.is_signed)
    draft.refuse(
        code::scheme_does_not_apply,
        fmt::format("a pair {} sharing {}", to_string(request.packed), to_string(request.shared)),
        fmt::format("a pair of {} operands sharing a signed one",
                    is_signed ? "signed" : "unsigned"));
  return draft.lay_out({.packed = 2, .shared = 1, .spacing = guard, .give_back = !is_signed});
}

}  // namespace

bool lay_out_signed(Draft& draft) {
  const Request& request = draft.request();
  // For widths other than the paper's, the guard is as wide as the ports allow.
  const bool paper = request.packed.bits == 8 && request.shared.bits == 8 &&
                     request.limits.wide_bits == ir::arch::dsp48e2.multiplier_a;
  const int guard =
      paper ? kSignedGuard
            : std::max(largest_spacing(request, {.packed = 2, .shared = 1}), request.packed.bits);
  return lay_out_pair(draft, true, request.tuning.guard.value_or(guard));
}

bool lay_out_unsigned(Draft& draft) {
  const Request& request = draft.request();
  if (!request.limits.w_multiplexer)
    draft.refuse(code::not_on_family, "giving the bias back by W = C on " + request.limits.family,
                 "wp487-int8");
  const int guard = request.limits.wide_bits - request.packed.bits;
  if (guard < 1)
    draft.refuse(code::scheme_does_not_apply, "a pair " + to_string(request.packed),
                 fmt::format("operands of up to {} bits", request.limits.wide_bits - 1));
  return lay_out_pair(draft, false, request.tuning.guard.value_or(guard));
}

std::int64_t limit(const Draft& draft) {
  const Lane& lane = draft.plan.lanes.front();
  Exact n = 65536;
  if (lane.term.hi > 0) n = std::min(n, (power_of_two(lane.width - 1) - 1) / lane.term.hi);
  if (lane.term.lo < 0) n = std::min(n, power_of_two(lane.width - 1) / -lane.term.lo);
  return static_cast<std::int64_t>(n);
}

void prove_chain(Draft& draft, std::int64_t terms, const std::string& instead) {
  const Lane& lane = draft.plan.lanes.front();
  const Lane& top = draft.plan.lanes.back();
  std::string legal = at_most(limit(draft), fmt::format("a chain at G = {}", draft.plan.guard));
  if (!instead.empty()) legal += ", " + instead;
  // The bias takes C, so a word could not continue in the next column.
  if (draft.plan.scheme == Scheme::Wp487Uint8 || draft.plan.scheme == Scheme::Wp487Uint8Dsp)
    draft.proof().at_most("slices of a chain that uses C", terms, draft.plan.limits.column_height,
                          "a chain within one column");
  draft.proof().within(fmt::format("low lane after {} terms", terms), lane.term * terms,
                       signed_range(lane.width), legal);
  draft.proof().within(fmt::format("high lane after {} terms, less the borrow", terms),
                       top.term * terms + Interval{-1, 0}, signed_range(top.width), legal);
}

Signal low(const Draft& draft, int slice) {
  return {.slice = slice, .width = draft.plan.guard, .is_signed = true};
}

std::vector<Signal> high(const Draft& draft, int slice, std::int64_t terms) {
  const Lane& top = draft.plan.lanes.back();
  const int bits = std::min(top.width, signed_bits(top.term * terms + Interval{-1, 0}));
  return {{.slice = slice, .lsb = top.offset, .width = bits, .is_signed = true},
          {.slice = slice, .lsb = top.offset - 1, .width = 1}};
}

}  // namespace wp487

namespace schemes {
namespace {

// A draft with the ports and lanes of WP487; false: refused.
bool begin(Draft& draft, bool is_signed) {
  if (draft.request().cycles.value_or(1) != 1)
    draft.refuse(code::scheme_does_not_apply, "cycles of a result",
                 "1, or wp487-int8-lut, offset-binary or shared-drain, which fold terms in time",
                 Interval::point(*draft.request().cycles), Interval::point(1));
  return is_signed ? wp487::lay_out_signed(draft) : wp487::lay_out_unsigned(draft);
}

Planned one_chain(const Request& request, Scheme scheme, const std::string& instead) {
  Draft draft(request, scheme);
  if (!begin(draft, scheme == Scheme::Wp487Int8)) return draft.finish();
  PackingPlan& plan = draft.plan;
  plan.segment = plan.terms;
  plan.separation = Separation::Increment;
  wp487::prove_chain(draft, plan.terms, instead);
  const int last = draft.add_chain({.count = plan.terms});
  draft.add_result(plan.lanes[0], {wp487::low(draft, last)}, 0);
  draft.add_result(plan.lanes[1], wp487::high(draft, last, plan.terms), 0);
  return draft.finish();
}

Planned in_slices(const Request& request, Scheme scheme) {
  Draft draft(request, scheme);
  if (!begin(draft, scheme == Scheme::Wp487Int8Dsp)) return draft.finish();
  return wp487::in_slices(std::move(draft));
}

}  // namespace

Planned wp487_int8(const Request& request) {
  return one_chain(request, Scheme::Wp487Int8,
                   "or wp487-int8-dsp or wp487-int8-lut, which add up segments");
}

Planned wp487_uint8(const Request& request) {
  return one_chain(request, Scheme::Wp487Uint8, "or wp487-uint8-dsp, which adds up segments");
}

Planned wp487_int8_dsp(const Request& request) { return in_slices(request, Scheme::Wp487Int8Dsp); }

Planned wp487_uint8_dsp(const Request& request) {
  return in_slices(request, Scheme::Wp487Uint8Dsp);
}

Planned wp487_int8_lut(const Request& request) {
  Draft draft(request, Scheme::Wp487Int8Lut);
  draft.fold_in_fabric();
  if (!wp487::lay_out_signed(draft)) return draft.finish();
  PackingPlan& plan = draft.plan;
  const std::int64_t wished = request.tuning.segment.value_or(wp487::limit(draft));
  plan.segment = std::max<std::int64_t>(1, std::min(wished, plan.terms_per_cycle));
  plan.segments = ceil_div(plan.terms_per_cycle, plan.segment);
  plan.separation = Separation::Increment;
  plan.drain = plan.segments * plan.rounds > 1 ? Drain::Lut : Drain::None;
  wp487::prove_chain(draft, plan.segment, "");

  // The words of every segment are read unchanged; the increments are carries into the adders.
  std::vector<Signal> lows;
  std::vector<Signal> highs;
  draft.for_chains([&](std::int64_t first, std::int64_t count, int start) {
    const int last = draft.add_chain({.first_term = first, .count = count, .start = start});
    lows.push_back(wp487::low(draft, last));
    for (const auto& signal : wp487::high(draft, last, count)) highs.push_back(signal);
  });
  draft.add_result(plan.lanes[0], lows, 0);
  draft.add_result(plan.lanes[1], highs, 0);
  return draft.finish();
}

}  // namespace schemes
}  // namespace kumiki::gen::packing
