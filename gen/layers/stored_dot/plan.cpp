// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/stored_dot/plan.h"

#include <fmt/format.h>

#include "gen/blocks/packing/word.h"
#include "gen/layer/host.h"
#include "gen/layers/common/write.h"
#include "ir/error.h"

namespace kumiki::gen::stored_dot {
namespace {

using arith::Exact;
using arith::Interval;
using packing::Side;
using packing::StoreEnable;
using packing::StoreKind;

// The lane width G. With d << G beside x, one of the pre-adder's 27 bits is for the borrow of x.
int guard_of(const Request& r, const packing::Limits& limits) {
  return limits.wide_bits - 1 - r.data_bits;
}

Interval product_of(const Request& r) {
  const Interval x = arith::signed_range(r.data_bits);
  return arith::signed_range(r.weight_bits) * (r.operation == Operation::sum ? x + x : x);
}

int widest_data(const Request& r, const packing::Limits& limits) {
  if (r.side == Side::Packed) return limits.narrow_bits;
  return limits.wide_bits - (r.operation == Operation::product ? 0 : 1);
}

packing::StoreRequest store_request(const Request& r, const packing::Limits& limits) {
  packing::StoreRequest s{.slices = r.terms,
                          .tile_cycles = 1 << 30,
                          .kind = r.kind,
                          .enable = r.enable,
                          .side = r.side,
                          .operand_bits = r.weight_bits,
                          .preadder = r.operation != Operation::product,
                          .limits = limits};
  s.tile_cycles = r.tile_cycles.value_or(packing::plan_store(s).period);
  return s;
}

std::optional<config::Violation> shape_complaint(const Request& r, const packing::Limits& limits) {
  if (r.kind == StoreKind::TwoEntries && r.enable == StoreEnable::Skewed)
    return config::Violation{Code::key_without_use, "enable",
                             "has no meaning: entries are written one slice after the other",
                             "common with two-entries"};
  if (r.side == Side::Packed && r.operation != Operation::product)
    return config::Violation{Code::preadder_not_free, "operation",
                             "needs the pre-adder in front of the port on which weights rest",
                             "product with weights on A, or weights on B"};
  const int widest_weight = r.side == Side::Shared ? limits.narrow_bits : limits.wide_bits;
  if (r.weight_bits > widest_weight)
    return config::Violation{Code::operand_too_wide, "weight_bits",
                             "is wider than the port on which weights rest",
                             fmt::format("1 to {}", widest_weight)};
  if (const int widest = widest_data(r, limits); r.data_bits > widest)
    return config::Violation{Code::operand_too_wide, "data_bits",
                             "is wider than the multiplier's other side",
                             fmt::format("1 to {}", widest)};
  return {};
}

std::optional<config::Violation> range_complaint(const Request& r, const packing::Limits& limits) {
  const Exact span = product_of(r).span();
  if (r.operation == Operation::pair) {
    const int guard = guard_of(r, limits);
    if (guard < 1 || span * r.terms >= arith::power_of_two(guard))
      return config::Violation{
          Code::lane_overflow, "terms",
          fmt::format("with pairs: the span of the lane of x is {}, not at most {}",
                      packing::to_string(span * r.terms),
                      packing::to_string(arith::power_of_two(std::max(guard, 0)) - 1)),
          guard < 1 || span >= arith::power_of_two(guard)
              ? "fewer data_bits or weight_bits"
              : fmt::format("1 to {}",
                            packing::to_string((arith::power_of_two(guard) - 1) / span))};
  }
  if (arith::signed_bits(product_of(r) * Exact{r.terms}) > packing::kWordBits)
    return config::Violation{Code::sum_too_wide, "terms", "makes sums that leave the 48 bits of P",
                             "fewer terms or bits"};
  return {};
}

std::string operation_name(Operation o) {
  return o == Operation::product ? "product" : o == Operation::sum ? "sum" : "pair";
}

}  // namespace

std::optional<config::Violation> complaint(const Request& r, const packing::Limits& limits) {
  if (auto wrong = shape_complaint(r, limits)) return wrong;
  if (auto wrong = range_complaint(r, limits)) return wrong;
  Request open = r;
  open.tile_cycles.reset();
  const int period = store_request(open, limits).tile_cycles;
  if (r.tile_cycles && *r.tile_cycles < period)
    return config::Violation{
        Code::tile_too_short, "tile_cycles",
        fmt::format("is less than the {} cycles from swap to swap that the store can keep up",
                    period),
        fmt::format("at least {}", period)};
  return {};
}

StoredPlan plan(const Request& r, const packing::Limits& limits) {
  if (auto wrong = complaint(r, limits)) {
    wrong->legal += " is legal";
    throw config::Refusal(*wrong);
  }
  StoredPlan p{.request = r, .store = packing::plan_store(store_request(r, limits))};
  p.sum = product_of(r) * Exact{r.terms};
  if (r.operation != Operation::pair) {
    p.lanes.within("sum", p.sum, arith::signed_range(packing::kWordBits));
    return p;
  }
  p.guard = guard_of(r, limits);
  // R is half the lane where that is legal (the split is then one inverter), else the lowest legal.
  const Interval legal{-p.sum.lo, arith::power_of_two(p.guard) - 1 - p.sum.hi};
  const Exact half = arith::power_of_two(p.guard - 1);
  p.low_offset = static_cast<std::int64_t>(legal.contains(half) ? half : legal.lo);
  const Interval x = arith::signed_range(r.data_bits);
  p.lanes.within("packed word x + d * 2^G", x + shifted(x, p.guard),
                 arith::signed_range(limits.wide_bits));
  p.lanes.within("lane of x, R added", p.sum + Exact{p.low_offset}, arith::unsigned_range(p.guard));
  p.lanes.within("lane of d", p.sum, arith::signed_range(packing::kWordBits - p.guard));
  return p;
}

int StoredPlan::columns() const {
  return request.kind == StoreKind::ShiftChain ? static_cast<int>(store.column_feed.size()) : 1;
}

std::string StoredPlan::module_name() const {
  const Request& r = request;
  return fmt::format("stored_dot_{}{}x{}_{}{}{}_s{}xs{}",
                     r.operation == Operation::product ? "" : operation_name(r.operation) + "_",
                     r.chains, r.terms, r.kind == StoreKind::ShiftChain ? "chain" : "two",
                     r.enable == StoreEnable::Skewed ? "_skewed" : "", on_b() ? "" : "_on_a",
                     r.data_bits, r.weight_bits);
}

bool StoredPlan::operator==(const StoredPlan& other) const {
  return request == other.request &&
         store.request.limits.column_height == other.store.request.limits.column_height;
}

StoredIn<Hardware> StoredPlan::input_shape() const {
  const auto words = [](int count, int width) {
    return std::vector(static_cast<std::size_t>(count),
                       SInt::shape(static_cast<std::uint32_t>(width)));
  };
  return {.rst = {},
          .en = {},
          .in_valid = {},
          .weight_valid = {},
          .swap = {},
          .weights = words(columns() * request.chains, request.weight_bits),
          .x = words(slices(), request.data_bits),
          .d = words(preadder() ? slices() : 0, request.data_bits)};
}

StoredOut<Hardware> StoredPlan::output_shape() const {
  return {.weight_ready = {},
          .full = {},
          .out_valid = {},
          .p = std::vector(static_cast<std::size_t>(request.chains * results()),
                           SInt::shape(static_cast<std::uint32_t>(arith::signed_bits(sum))))};
}

HostFacts host_facts(const StoredPlan& p) {
  const auto& s = p.store;
  const bool chain = p.request.kind == StoreKind::ShiftChain;
  HostFacts facts;
  facts.push_back(
      {"weights", fmt::format("a load is {} words{}, one in every clock with en, weight_valid and "
                              "weight_ready; word k is for slice {}{}",
                              s.load_cycles, p.columns() > 1 ? " of each column" : "",
                              chain ? fmt::format("{} - k", s.order.front()) : "k",
                              p.columns() > 1 ? ", counted in its column" : "")});
  facts.push_back(
      {"weight_ready",
       s.wait() == 0
           ? std::string("1 until the load is complete, and in the clock of a swap, in which the "
                         "next load begins: it depends on swap in the same clock")
           : fmt::format("1 until the load is complete, from {} clock{} after a swap or reset on",
                         s.wait(), s.wait() == 1 ? "" : "s")});
  facts.push_back({"swap",
                   "taken in a clock with en while full is 1, not kept otherwise; it serves "
                   "the set that begins in this clock and all after it"});
  facts.push_back({"period", fmt::format("{} enabled clocks from swap to swap where words always "
                                         "come",
                                         s.period)});
  facts.push_back({"lateness", fmt::format("enabled clocks by which operand i of a set comes later "
                                           "than in_valid, {}",
                                           runs(p.lateness()))});
  facts.push_back({"rst",
                   "forgets sets under way and a load, complete or not, with en = 0 too; the "
                   "weights in use stay; without any load they are 0"});
  return facts;
}

std::vector<std::uint32_t> StoredPlan::lateness() const {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < request.terms; ++i) all.push_back(static_cast<std::uint32_t>(store.skew(i)));
  return all;
}

std::string to_text(const StoredPlan& p) {
  const Request& r = p.request;
  std::string text =
      fmt::format("{} chain{} of {} slices, {} of S{} data and S{} weights that rest on {}\n",
                  r.chains, r.chains == 1 ? "" : "s", r.terms, operation_name(r.operation),
                  r.data_bits, r.weight_bits, p.on_b() ? "B" : "A");
  if (r.operation == Operation::pair)
    text += fmt::format("  lane of x P[{}:0] - {}, lane of d P[47:{}]\n", p.guard - 1, p.low_offset,
                        p.guard);
  for (const auto& statement : p.lanes.statements()) text += "  " + to_string(statement) + "\n";
  text += to_text(p.store);
  text += fmt::format(
      "ports\n  weights: {} words of {} bits, word j of chain c is element c*{} + j\n"
      "  word k of a load is for slice {}\n"
      "  x{}: {} operands of {} bits, operand i of chain c is element c*{} + i, {} clocks later\n"
      "  p: {} sums of {} bits\n",
      p.columns() * r.chains, r.weight_bits, p.columns(),
      r.kind == StoreKind::ShiftChain ? fmt::format("{} - k of its column", p.store.order.front())
                                      : "k",
      p.preadder() ? ", d" : "", p.slices(), r.data_bits, r.terms,
      p.columns() > 1 ? fmt::format("i + i/{}", p.store.request.limits.column_height) : "i",
      r.chains * p.results(), arith::signed_bits(p.sum));
  text += fmt::format(
      "{} slices, {} products a cycle, {:.3f} MAC/slice while weights load, {} flip-flops saved, "
      "latency {}\n",
      p.slices(), p.slices() * p.results(), static_cast<double>(p.results()), p.flip_flops_saved(),
      p.latency());
  return text + to_text(host_facts(p));
}

void write(config::Writer& w, const StoredPlan& p) {
  const Request& r = p.request;
  w.member("operation", operation_name(r.operation));
  w.member("chains", r.chains);
  w.member("terms", r.terms);
  w.member("slices", p.slices());
  w.member("macs_per_cycle", p.slices() * p.results());
  w.member("mac_per_slice", static_cast<double>(p.results()));
  w.member("load_cycles", p.store.load_cycles);
  w.member("period", p.store.period);
  w.member("tile_cycles", p.store.request.tile_cycles);
  w.member("load_after_swap", p.store.wait());
  w.member("flip_flops_saved", p.flip_flops_saved());
  w.member("load_order", p.store.order);
  w.member("latency", p.latency());
  w.member("lateness", p.lateness());
  w.object("host", [&] { write(w, host_facts(p)); });
  w.object("attributes", [&] {
    for (const auto& [name, value] : p.store.attributes) w.member(name, value);
  });
  auto proofs = p.lanes.statements();
  std::ranges::copy(p.store.certificate.statements(), std::back_inserter(proofs));
  w.member("proofs", proofs);
  if (r.operation != Operation::pair) return;
  w.member("guard", p.guard);
  w.member("low_offset", p.low_offset);
}

}  // namespace kumiki::gen::stored_dot
