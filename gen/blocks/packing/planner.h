// SPDX-License-Identifier: Apache-2.0
// From an objective to proved plans: every statement of their certificates holds.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "ir/error.h"
#include "ir/expected.h"

namespace kumiki::gen::packing {

enum class Objective : std::uint8_t { FewestSlices, NoLut, ShortestLatency, LeastArea };

// Settings that a user may fix by hand; the scheme chooses everything left open.
struct Tuning {
  std::optional<int> guard;           // G: offset of the second lane
  std::optional<int> segment;         // N: terms a chain before separation
  std::optional<int> packed_count;    // operands on the 27-bit side
  std::optional<int> shared_count;    // operands on the 18-bit side
  std::optional<bool> centre_packed;  // multiply unsigned packed operands as signed ones
  std::optional<bool> centre_shared;
  std::optional<int> chains_per_drain;  // shared-drain: 1 or 2
  std::optional<int> macc_slices;       // wp486-macc: slices that share the terms
  std::optional<int> watch_bits;        // wrap-counter: top bits compared
  std::optional<int> look_period;       // carry-lane: products between two looks at the low lane
  std::optional<int> canary_bits;       // canary: bits compared at a lane's foot
};

struct Request {
  OperandFormat packed;
  OperandFormat shared;
  std::int64_t terms = 1;
  // Cycles that a set of results may take. Left open: 1 if there are slices for it, otherwise as
  // many as the scheme needs.
  std::optional<std::int64_t> cycles;
  Limits limits;
  Objective objective = Objective::FewestSlices;
  // The consumer adds constants and operand sums to its own bias: results stay offset-binary.
  bool offset_results = false;
  Tuning tuning;
  // Keys of the tuning that a user has set. A scheme that ignores one of them is refused.
  std::vector<std::string> asked_for = {};
};

// Why there is no plan: a statement that cannot be proved, or a setting that would be ignored.
struct Refusal {
  Code code;
  Scheme scheme;
  Statement broken;
  // The key of the tuning that the scheme ignores; empty: another reason.
  std::string passed_over = {};
  // The statement that fails, without the scheme before it and the legal values after it.
  std::string reason() const;
};
std::string to_string(const Refusal& refusal);

using Planned = Expected<PackingPlan, Refusal>;

// The best plan of one scheme for the request's objective.
Planned best_plan(const Request& request, Scheme scheme);

// Every proved plan of every scheme, best first. Refusals go to `refused`, if it is given.
std::vector<PackingPlan> enumerate(const Request& request, std::vector<Refusal>* refused = nullptr);

}  // namespace kumiki::gen::packing
