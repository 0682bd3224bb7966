// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/store.h"

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::packing {
namespace {

void plan_shift_chain(StorePlan& plan) {
  const StoreRequest& r = plan.request;
  plan.load_cycles = std::min(r.slices, r.limits.column_height);
  // The first weight in goes furthest up. Columns load side by side, each from its own foot.
  for (int k = 0; k < plan.load_cycles; ++k) plan.order.push_back(plan.load_cycles - 1 - k);
  const int last = plan.skew(r.slices - 1);
  plan.period = plan.load_cycles + (r.enable == StoreEnable::Common ? last : 0) + plan.lag();
  const char* port = r.side == Side::Packed ? "A" : "B";
  plan.attributes = {{fmt::format("{}REG", port), "2"},
                     {fmt::format("{}CASCREG", port), "1"},
                     {fmt::format("{}_INPUT", port), "CASCADE above a column's first slice"}};
}

void plan_two_entries(StorePlan& plan) {
  const StoreRequest& r = plan.request;
  plan.load_cycles = r.slices;  // one bus, an enable a slice
  for (int k = 0; k < r.slices; ++k) plan.order.push_back(k);
  plan.period = plan.skew(r.slices - 1) + 1 + plan.lag();
  plan.select_bit = r.side == Side::Packed ? 0 : 4;
  const char* reg = r.side == Side::Packed ? "AREG" : "BREG";
  plan.attributes = {{reg, "1"}};
}

// B1 and B2 of every slice, clock edge by clock edge.
struct ShiftChain {
  const StorePlan& plan;
  const std::vector<std::vector<std::int64_t>>& weights;
  std::vector<std::int64_t> b1;
  std::vector<std::int64_t> b2;

  int swap(int tile) const { return tile < 0 ? 0 : plan.period + tile * plan.request.tile_cycles; }

  // The pulse of the load of `tile` that slice gets in this cycle, -1 for none.
  int pulse(int tile, int slice, int cycle) const {
    const int local = plan.place_in_column(slice);
    const int foot = plan.skew(slice) - local;
    const bool common = plan.request.enable == StoreEnable::Common;
    const int start = swap(tile - 1) + (common ? plan.skew(plan.request.slices - 1) : foot);
    const int first = common ? 0 : local;
    const int k = cycle - start;
    return k >= first && k < plan.load_cycles ? k : -1;
  }

  void edge(int cycle) {
    const auto before = b1;
    for (int i = 0; i < plan.request.slices; ++i)
      for (int tile = 0; tile < static_cast<int>(weights.size()); ++tile) {
        if (cycle == swap(tile) + plan.skew(i)) b2[i] = before[i];
        const int k = pulse(tile, i, cycle);
        if (k < 0) continue;
        const int local = plan.place_in_column(i);
        // Columns shorter than the tallest take useless words first, which leave them at the top.
        const int slice = i - local + plan.order[k];
        const bool mine =
            slice < plan.request.slices &&
            slice / plan.request.limits.column_height == i / plan.request.limits.column_height;
        b1[i] = local > 0 ? before[i - 1] : mine ? weights[tile][slice] : 0;
      }
  }
};

// Both entries of every slice; the one not selected is written from the bus.
struct TwoEntries {
  const StorePlan& plan;
  const std::vector<std::vector<std::int64_t>>& weights;
  std::vector<std::int64_t> entry[2];

  int swap(int tile) const { return tile < 0 ? 0 : plan.period + tile * plan.request.tile_cycles; }

  void edge(int cycle) {
    for (int tile = 0; tile < static_cast<int>(weights.size()); ++tile)
      for (int i = 0; i < plan.request.slices; ++i)
        if (cycle == swap(tile - 1) + plan.skew(i)) entry[tile % 2][i] = weights[tile][i];
  }
};

}  // namespace

int StorePlan::wait() const {
  const int last = request.slices - 1;
  // With two entries a word comes for one slice after the other, so the load must wait only for the
  // gaps between columns.
  if (request.kind == StoreKind::TwoEntries) return skew(last) - last + lag();
  return (request.enable == StoreEnable::Common ? skew(last) : 0) + lag();
}

StorePlan plan_store(const StoreRequest& request) {
  StorePlan plan{.request = request};
  if (request.slices < 1) throw DesignError(Code::too_few, "store: no slices; legal: at least one");
  if (request.preadder && request.side == Side::Packed)
    throw DesignError(
        Code::store_behind_preadder,
        "store: packed operands behind the pre-adder, whose D has one register; legal: shared "
        "operands, or packed words that come added up");
  const bool chain = request.kind == StoreKind::ShiftChain;
  chain ? plan_shift_chain(plan) : plan_two_entries(plan);
  for (int i = 0; i < request.slices; ++i)
    if (!chain || plan.place_in_column(i) == 0) plan.column_feed.push_back(i);
  const int port =
      request.side == Side::Shared ? request.limits.narrow_bits : request.limits.wide_bits;
  plan.certificate.at_most("bits of a stored operand", request.operand_bits, port);
  plan.certificate.at_most("cycles from swap to swap", plan.period, request.tile_cycles,
                           "tiles of at least that many cycles");
  plan.registers_saved = std::int64_t{request.slices} * request.operand_bits;
  if (const Statement* broken = plan.certificate.first_broken())
    throw DesignError(Code::not_proved,
                      fmt::format("store: {}; legal: {}", to_string(*broken), broken->otherwise));
  return plan;
}

std::vector<std::vector<std::vector<std::int64_t>>> simulate(
    const StorePlan& plan, const std::vector<std::vector<std::int64_t>>& weights) {
  const StoreRequest& r = plan.request;
  const auto slices = static_cast<std::size_t>(r.slices);
  const auto tiles = static_cast<int>(weights.size());
  ShiftChain chain{plan, weights, std::vector<std::int64_t>(slices),
                   std::vector<std::int64_t>(slices)};
  TwoEntries two{
      plan, weights, {std::vector<std::int64_t>(slices), std::vector<std::int64_t>(slices)}};
  std::vector<std::vector<std::vector<std::int64_t>>> used(
      weights.size(), std::vector<std::vector<std::int64_t>>(slices));
  const int end = chain.swap(tiles - 1) + plan.skew(r.slices - 1) + r.tile_cycles + 1;
  for (int cycle = 0; cycle <= end; ++cycle) {
    for (int i = 0; i < r.slices; ++i)
      for (int tile = 0; tile < tiles; ++tile) {
        const int since = cycle - chain.swap(tile) - plan.skew(i);
        if (since < 1 || since > r.tile_cycles) continue;
        used[tile][i].push_back(r.kind == StoreKind::ShiftChain ? chain.b2[i]
                                                                : two.entry[tile % 2][i]);
      }
    r.kind == StoreKind::ShiftChain ? chain.edge(cycle) : two.edge(cycle);
  }
  return used;
}

std::string to_text(const StorePlan& plan) {
  const StoreRequest& r = plan.request;
  std::string text = fmt::format("store of {} slices, {}\n", r.slices,
                                 r.kind == StoreKind::TwoEntries ? "two entries"
                                 : r.side == Side::Packed        ? "A1 shifts, A2 multiplies"
                                                                 : "B1 shifts, B2 multiplies");
  text += fmt::format("  load {} cycles, swap every {} cycles, possible every {}", plan.load_cycles,
                      r.tile_cycles, plan.period);
  if (r.kind == StoreKind::ShiftChain)
    text += r.enable == StoreEnable::Common ? ", one enable" : ", enables skewed";
  else
    text += fmt::format(", INMODE[{}] selects", plan.select_bit);
  text += fmt::format(", {} flip-flops saved\n ", plan.registers_saved);
  for (const auto& [name, value] : plan.attributes) text += fmt::format(" {} {}", name, value);
  text += "\ncertificate\n";
  for (const auto& statement : plan.certificate.statements())
    text += "  " + to_string(statement) + "\n";
  return text;
}

}  // namespace kumiki::gen::packing
