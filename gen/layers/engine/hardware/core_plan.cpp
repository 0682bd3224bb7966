// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/core_plan.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/slices.h"
#include "gen/blocks/packing/planner.h"
#include "gen/config/document.h"
#include "gen/hdl/cells.h"
#include "gen/layers/engine/messages.h"

namespace kumiki::gen::engine {

std::uint32_t CorePlan::place_bits() const {
  return address_width(static_cast<std::uint64_t>(bank_rows())) + 2;
}
std::uint32_t CorePlan::word_bits() const {
  return address_width(static_cast<std::uint64_t>(shape.weight_words));
}
std::uint32_t CorePlan::tap_bits() const {
  return address_width(static_cast<std::uint64_t>(EngineShape::most_taps));
}

std::uint32_t CorePlan::turn_bits() const {
  return address_width(static_cast<std::uint64_t>(parts()));
}

std::int64_t CorePlan::slices() const {
  const auto of_column = static_cast<std::int64_t>(chain.slices.size());
  constexpr std::int64_t of_lane = 2;
  return shape.columns * (EngineShape::pixels / chain.packed_count * of_column + of_lane) +
         chain_rows() * EngineShape::pixels + (shape.normalises ? normaliser().slices() : 0);
}

std::uint32_t CorePlan::ahead_bits() const {
  return address_width(static_cast<std::uint64_t>(tiles_ahead() + 1));
}

int CorePlan::column_latency() const {
  return chain.latency - static_cast<int>(chain.cycles() - 1);
}

int CorePlan::late(std::int64_t row) const {
  for (const auto& slice : chain.slices)
    if (slice.term == row) return packing::arrival(chain, slice);
  return 0;
}

// On two clocks operands come in the second half of the clock after the feed and in the first half
// of the next one, and results cross in the second half of theirs.
int CorePlan::held(Unit unit) const {
  switch (unit) {
    case Unit::products:
      return is_double ? feed_clocks + 1 + column_latency() / 2 + 1
                       : feed_clocks + column_latency() + 1;
    case Unit::depthwise:
      static_assert(multiply_clocks % 2 == 1);
      return feed_clocks + 1 + (is_double ? (multiply_clocks + 1) / 2 : multiply_clocks);
    case Unit::maximum:
      return feed_clocks + (is_double ? 3 : 2);
  }
  return 0;
}

int CorePlan::second_waits(Unit unit) const {
  constexpr int of_the_part = 2, issued_later = 1;
  return held(unit) + lane_clocks() - issued_later - held(Unit::maximum) - of_the_part;
}

int CorePlan::freed() const {
  int most = 0;
  for (std::int64_t row = 0; row < chain_rows(); ++row) most = std::max(most, late(row));
  return feed_clocks + 2 + most / static_cast<int>(halves());
}

std::string CorePlan::module_name() const {
  return fmt::format("engine_core_r{}c{}{}{}", shape.rows, shape.columns,
                     shape.beat_parts == 1 ? "" : fmt::format("b{}", shape.beat_bytes()),
                     is_double ? "_2x" : "");
}

namespace {

[[noreturn]] void refuse(const char* key, std::string why) {
  throw config::Refusal({code::no_core, key, std::move(why), "", true});
}

bool is_power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

// config::Refusal: what a shape lacks.
void require_shape(const CorePlan& plan) {
  const EngineShape& s = plan.shape;
  const std::int64_t parts = s.columns < 1 ? 0 : s.rows / s.columns, pixels = EngineShape::pixels;
  if (s.columns < 2)
    refuse("columns",
           fmt::format("{} columns: a beat of the stream needs two; use 2 or more", s.columns));
  if (parts * s.columns != s.rows || !is_power_of_two(parts) || parts > CorePlan::most_parts)
    refuse("rows",
           fmt::format("{} rows and {} columns: rows must be 1, 2, 4, 8 or 16 times the columns",
                       s.rows, s.columns));
  if (s.rows > CorePlan::most_rows)
    refuse("rows", fmt::format("{} rows: the core has at most {}", s.rows, CorePlan::most_rows));
  if (s.rows % plan.halves() != 0)
    refuse("rows", fmt::format("{} rows on two clocks: the rows must be even", s.rows));
  beat_parts_of(s.beat_bytes(), s.rows, s.columns);
  if (s.normalises && s.columns > NormaliserPlan::most_lanes)
    refuse("columns", fmt::format("{} columns: a normaliser has a lane for each, at most {}; use "
                                  "fewer columns, or no normaliser",
                                  s.columns, NormaliserPlan::most_lanes));
  if (!is_power_of_two(s.weight_words) || s.weight_words < 2)
    refuse("ring", fmt::format("a ring of {} words: the words must be a power of two, at least 2",
                               s.weight_words));
  if (s.places % pixels != 0 || s.places < 2 * pixels)
    refuse("places", fmt::format("{} places: there must be {} or more, and a multiple of {}",
                                 s.places, 2 * pixels, pixels));
}

}  // namespace

std::int64_t beat_parts_of(std::int64_t bytes, std::int64_t rows, std::int64_t columns) {
  if (columns < 1 || bytes % columns != 0 || !is_power_of_two(bytes / columns) || bytes > rows)
    refuse("bus", fmt::format("{} bytes a beat and {} columns: there must be {} or twice, four "
                              "times, ... as many, and at most {}",
                              bytes, columns, columns, rows));
  return bytes / columns;
}

CorePlan plan_core(const EngineShape& shape, bool is_double, bool has_ultra_ram,
                   const packing::Limits& limits) {
  CorePlan plan{
      .shape = shape, .is_double = is_double, .has_ultra_ram = has_ultra_ram, .chain = {}};
  plan.lane = requant::FloatLanePlan::of(8, limits.wide_bits);
  require_shape(plan);
  const std::int64_t words = shape.weight_words * plan.halves();
  packing::Request wanted{.packed = {.bits = 8},
                          .shared = {.bits = 8},
                          .terms = plan.chain_rows() * words,
                          .cycles = words,
                          .limits = limits,
                          .objective = packing::Objective::LeastArea,
                          .tuning = {}};
  wanted.tuning.packed_count = 2;
  // A constant of each word would have to be taken off again.
  const auto is_plain = [](const packing::Result& r) { return r.constant == 0; };
  for (packing::PackingPlan& p : packing::enumerate(wanted))
    if (p.terms_per_cycle == plan.chain_rows() && p.cycles() == words && p.words == 1 &&
        p.packed_count == 2 && p.shared_count == 1 && std::ranges::all_of(p.results, is_plain)) {
      plan.chain = std::move(p);
      return plan;
    }
  throw config::Refusal({code::no_core, "rows",
                         fmt::format("{} rows: no chain of slices adds {} products in a "
                                     "clock; use fewer rows",
                                     shape.rows, plan.chain_rows()),
                         "", true});
}

}  // namespace kumiki::gen::engine
