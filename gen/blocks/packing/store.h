// SPDX-License-Identifier: Apache-2.0
// T7 of docs/decisions/packing-theorems.md: weights that rest in the slices. In a shift chain the
// next weights move along BCIN/BCOUT through B1 (or ACIN/ACOUT through A1), and B2 (A2) holds those
// in use. With two entries B1 and B2 (A1 and A2) hold a weight each, and INMODE selects one.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

enum class StoreKind : std::uint8_t {
  ShiftChain,  // BREG = 2, BCASCREG = 1: B1 is a stage of the chain, B2 is what is multiplied; or A
  TwoEntries,  // AREG or BREG = 1: both registers load from the port, INMODE[0] or [4] selects
};
// Which registers are enabled while the next weights come in.
enum class StoreEnable : std::uint8_t {
  Common,  // one CEB1 for all: the next load waits until the last slice has swapped
  Skewed,  // CEB1 starts a cycle later in every slice, as the swap does: loads follow without a gap
};

struct StoreRequest {
  int slices = 1;       // of one chain
  int tile_cycles = 1;  // cycles for which the same weights are used
  StoreKind kind = StoreKind::ShiftChain;
  StoreEnable enable = StoreEnable::Common;
  Side side = Side::Shared;  // B for shared operands, A for packed words that come added up
  int operand_bits = 8;
  // A, D and the pre-adder before the multiplier: operands reach it a cycle later than B does.
  bool preadder = false;
  Limits limits;
};

struct StorePlan {
  StoreRequest request;
  int load_cycles = 0;  // CEB1 pulses of one load
  int period = 0;       // cycles from one swap of slice 0 to the next that can be kept up
  std::vector<int>
      column_feed;         // slices whose B comes from the fabric: the first one of every column
  std::vector<int> order;  // order[k]: slice whose weight enters its column k-th
  int select_bit = -1;     // INMODE bit that chooses the entry, TwoEntries
  std::int64_t registers_saved = 0;  // fabric flip-flops that the same store would take
  std::vector<std::pair<std::string, std::string>> attributes;
  Certificate certificate;

  // Skew of a slice against slice 0 in cycles: one a slice, one more for every new column.
  int skew(int slice) const { return slice + slice / request.limits.column_height; }
  int place_in_column(int slice) const { return slice % request.limits.column_height; }
  int column_end(int first) const {
    return std::min(first + request.limits.column_height, request.slices);
  }
  // Cycles from an operand at its port to the multiplier, less the one of its input register.
  int lag() const { return request.preadder && request.side == Side::Shared ? 1 : 0; }
  // Cycles from a swap at slice 0 to the first word of the next load.
  int wait() const;
};

StorePlan plan_store(
    const StoreRequest& request);  // throws DesignError with the statement that breaks

// Simulates every register: loads and swaps `tiles` sets of weights, weights[tile][slice], and
// returns the weight that each slice multiplies in each cycle of each tile, with its own skew:
// [tile][slice][cycle].
std::vector<std::vector<std::vector<std::int64_t>>> simulate(
    const StorePlan& plan, const std::vector<std::vector<std::int64_t>>& weights);

std::string to_text(const StorePlan& plan);

}  // namespace kumiki::gen::packing
