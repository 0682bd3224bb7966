// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/picture.h"
#include "gen/layer/host.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/common/write.h"
#include "gen/layers/dot/messages.h"

namespace kumiki::gen::dot {
namespace {

std::string format_name(const packing::OperandFormat& f) {
  return fmt::format("{}{}{}", f.is_signed ? "s" : "u", f.bits, f.narrow ? "n" : "");
}

std::vector<UInt> operand_shape(const packing::OperandFormat& f, std::int64_t count) {
  return std::vector(f.known() ? 0 : static_cast<std::size_t>(count),
                     UInt::shape(static_cast<std::uint32_t>(f.bits)));
}

// What the planner cannot prove.
config::Violation told(const Request& request, const packing::Refusal& r) {
  const auto by = fmt::format("is refused by {}: {}", packing::to_string(r.scheme), r.reason());
  if (!r.passed_over.empty())
    return {r.code, fmt::format("tuning/{}", r.passed_over), by,
            "use it with one of these schemes: " + r.broken.otherwise};
  if (request.cycles && r.broken.name.starts_with("cycles"))
    return {r.code, "cycles", by, legal_instead(r)};
  if (!request.scheme) {
    const auto given = tuning_table().present(&request.tuning);
    return every_scheme_refused(given.empty() ? "terms" : "tuning/" + given.front(), r);
  }
  if (request.tuning.guard && r.broken.bound != arith::Interval{})
    return {r.code, "tuning/guard", by, legal_instead(r)};
  return scheme_refused(r);
}

// The last scheme, one product in a slice, accepts the most requests. So its refusal is shown, or
// that of the last scheme that considered every key of the request.
packing::Planned best(const packing::Request& wanted,
                      const std::optional<packing::Scheme>& scheme) {
  if (scheme) return packing::best_plan(wanted, *scheme);
  std::vector<packing::Refusal> refused;
  auto all = packing::enumerate(wanted, &refused);
  if (!all.empty()) return std::move(all.front());
  const auto looked = std::find_if(refused.rbegin(), refused.rend(),
                                   [](const auto& r) { return r.passed_over.empty(); });
  return looked == refused.rend() ? refused.back() : *looked;
}

}  // namespace

Expected<DotPlan, config::Violation> plan(const Request& request, const packing::Limits& limits) {
  const auto refused = [](Code code, const char* what) {
    return config::Violation{code, "terms", what, "", true};
  };
  packing::Request wanted = packing_request(request);
  wanted.limits = limits;
  // Known values are wired to their slices, so every term needs a slice of its own.
  const bool known = wanted.packed.known() || wanted.shared.known();
  DotPlan p{.skew = request.skew, .sharing = request.sharing, .clocking = request.clocking};
  if (p.is_double() && wanted.shared.known())
    return refused(code::known_values_in_cycles,
                   "known values are wired to their slices, which meet two shared operands in "
                   "a clock; with double clocking only the packed operands may be known");
  if ((known || p.is_double()) && !wanted.cycles) wanted.cycles = 1;
  auto packed = best(wanted, request.scheme);
  if (!packed) return told(request, packed.reason());
  p.packing = *std::move(packed);
  if (known && p.packing.cycles() > 1)
    return refused(code::known_values_in_cycles,
                   "known values are wired to their slices; use 1 cycle a result with them");
  if (p.is_double() && p.packing.cycles() > 1)
    return refused(code::more_cycles_than_terms,
                   "double clocking takes all terms in one clock; use 1 cycle with it");
  return p;
}

std::vector<packing::Result> DotPlan::results() const {
  std::vector<packing::Result> all = packing.results;
  for (std::size_t i = 0; is_double() && i < packing.results.size(); ++i) {
    packing::Result r = packing.results[i];
    r.shared += packing.shared_count;
    for (auto& left : r.left)
      if (left.operand.side == packing::Side::Shared) left.operand.index += packing.shared_count;
    all.push_back(std::move(r));
  }
  return all;
}

// After the slices, a pair waits for its second half and for the edge of clk. If their latency is
// even, the first result of a pair arrives in the second half of a clock.
std::uint32_t DotPlan::latency() const {
  const auto of_slices = static_cast<std::uint32_t>(packing.latency - (packing.cycles() - 1));
  return is_double() ? of_slices / 2 + 2 : of_slices;
}

double DotPlan::macs_per_slice() const {
  return packing::mac_per_slice(packing).value() * halves();
}

std::string DotPlan::module_name() const {
  std::string scheme = packing::to_string(packing.scheme);
  std::replace(scheme.begin(), scheme.end(), '-', '_');
  return fmt::format("dot_{}_{}x{}_n{}{}{}", scheme, format_name(packing.packed),
                     format_name(packing.shared), packing.terms,
                     packing.cycles() > 1 ? fmt::format("_c{}", packing.cycles()) : "",
                     skew == packing::Skew::External ? "_skewed" : "") +
         (is_double() ? "_2x" : "");
}

std::vector<std::uint32_t> DotPlan::lateness() const {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(slots()), 0);
  if (skew == packing::Skew::External)
    for (const auto& slice : packing.slices)
      if (slice.term >= 0)
        all[slice.term] = static_cast<std::uint32_t>(packing::arrival(packing, slice) / halves());
  return all;
}

Terms::Terms(const DotPlan& plan)
    : slots_(plan.slots()),
      words_(plan.packing.words),
      terms_per_round_(plan.packing.terms_per_round),
      oldest_(plan.latency() + plan.packing.cycles() - 1),
      late_(plan.lateness()) {}

DotIn<Hardware> DotPlan::input_shape() const {
  return {.rst = {},
          .en = {},
          .in_valid = {},
          .x = operand_shape(packing.packed, slots() * packing.packed_count),
          .y = operand_shape(packing.shared, slots() * shared_count())};
}

DotOut<Hardware> DotPlan::output_shape() const {
  DotOut<Hardware> out{};
  for (const auto& result : results())
    out.sum.push_back(UInt::shape(static_cast<std::uint32_t>(result.bits)));
  return out;
}

HostFacts host_facts(const DotPlan& p) {
  const auto& k = p.packing;
  HostFacts facts;
  std::string order = fmt::format("term j is in slot j");
  if (k.cycles() > 1) {
    order = fmt::format("term {}w + j is in slot j of clock w", p.slots());
    if (k.rounds > 1)
      order = fmt::format("term {}r + {}w + j is in slot j of clock {}r + w, w from 0 to {}",
                          k.terms_per_round, p.slots(), k.words, k.words - 1);
    order += "; clocks with en = 0 do not count, slots past the last term are not looked at";
  }
  facts.push_back({"order of terms", order});
  facts.push_back({"in_valid", "begins a set, not looked at while one is taken"});
  if (p.skew == packing::Skew::External)
    facts.push_back({"lateness", fmt::format("enabled clocks by which the operands of a slot come "
                                             "later than said above, {}",
                                             runs(p.lateness()))});
  facts.push_back(
      {"out_valid", fmt::format("{} enabled clocks after the last clock of the set", p.latency())});
  facts.push_back({"rst", "discards the sets under way, with en = 0 too"});
  return facts;
}

std::string to_text(const DotPlan& p) {
  const auto& k = p.packing;
  std::string text = packing::picture_text(k) + packing::to_text(k) + "ports\n";
  const auto port = [&](const char* name, const packing::OperandFormat& f, int count) {
    if (f.known())
      text += fmt::format("  {}: known, no port\n", name);
    else
      text += fmt::format("  {}: {} operands of {} bits, operand k of slot j is element k*{} + j\n",
                          name, count * p.slots(), f.bits, p.slots());
  };
  port("x", k.packed, k.packed_count);
  port("y", k.shared, p.shared_count());
  std::vector<std::string> widths;
  for (const auto& r : p.results()) widths.push_back(to_string(r.format()));
  text += fmt::format("  sum: {}\n", fmt::join(widths, ", "));
  text += fmt::format("sharing {}, skew {}, results {} clocks after the last operands\n",
                      p.sharing == Sharing::weight ? "weight" : "input",
                      p.skew == packing::Skew::Internal ? "internal" : "external", p.latency());
  if (p.is_double())
    text += fmt::format(
        "clocking double: slices on clk2x, {:.2f} MAC a slice and clock of the "
        "fabric, {} of {} shared operands in each half\n",
        p.macs_per_slice(), p.packing.shared_count, p.shared_count());
  return text + to_text(host_facts(p));
}

void write(config::Writer& w, const DotPlan& p) {
  write(w, p.packing);
  w.member("sharing", p.sharing == Sharing::weight ? "weight" : "input");
  w.member("skew", p.skew == packing::Skew::Internal ? "internal" : "external");
  if (p.is_double()) {
    w.member("clocking", "double");
    w.member("mac_per_slice_and_fabric_clock", p.macs_per_slice());
  }
  w.member("words", p.packing.words);
  w.member("rounds", p.packing.rounds);
  w.member("terms_per_round", p.packing.terms_per_round);
  if (p.skew == packing::Skew::External) w.member("lateness", p.lateness());
  w.object("host", [&] { write(w, host_facts(p)); });
}

}  // namespace kumiki::gen::dot
