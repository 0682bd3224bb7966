// SPDX-License-Identifier: Apache-2.0
// A user's request for a packed dot product.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/blocks/packing/hardware/build.h"
#include "gen/blocks/packing/planner.h"
#include "gen/config/table.h"

namespace kumiki::gen::dot {

enum class Sharing { weight, input };
// Double: the slices run at twice the clock of the ports and process one shared operand in each
// half.
enum class Clocking { single, twice };

struct Operand {
  std::int32_t bits = 8;
  bool is_signed = true;
  bool narrow = false;
  std::optional<std::vector<std::int64_t>> range;
  std::optional<std::vector<std::vector<std::int64_t>>> values;
};

struct Request {
  std::optional<packing::Scheme> scheme;
  std::int64_t terms = 1;
  Operand packed, shared;
  Sharing sharing = Sharing::weight;
  packing::Skew skew = packing::Skew::Internal;
  Clocking clocking = Clocking::single;
  std::optional<std::int64_t> cycles;
  packing::Objective objective = packing::Objective::FewestSlices;
  bool offset_results = false;
  packing::Tuning tuning;
};

packing::OperandFormat format_of(const Operand& operand);
std::vector<config::Choice<packing::Scheme>> scheme_choices();
std::vector<config::Choice<packing::Objective>> wish_choices();

// The request for the planner.
packing::Request packing_request(const Request& request);

const config::Table& request_table();
const config::TableOf<Operand>& operand_table();
const config::TableOf<packing::Tuning>& tuning_table();

}  // namespace kumiki::gen::dot
