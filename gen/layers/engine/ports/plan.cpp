// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/ports/plan.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace kumiki::gen::engine {

std::uint32_t PortsPlan::size_code() const {
  return static_cast<std::uint32_t>(std::countr_zero(word_bytes()));
}

std::uint32_t PortsPlan::words_of_a_move() const {
  return std::max(1u, move_bits / (8 * word_bytes()));
}

std::uint32_t fnv1a(std::string_view bytes) {
  std::uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Of what decides how a program is encoded.
std::uint32_t PortsPlan::build_hash() const {
  const CorePlan& c = engine.core;
  return fnv1a(fmt::format("5 {} {} {} {} {} {} {}", c.shape.rows, c.shape.columns,
                           c.shape.beat_parts, c.shape.places, c.shape.weight_words, c.is_double,
                           c.shape.normalises));
}

pipeline::CountersPlan PortsPlan::counters() const {
  return {.events = static_cast<std::int64_t>(Event::count)};
}

std::string PortsPlan::module_name() const { return engine.module_name() + "_ports"; }

bool can_have_ports(const EnginePlan& p) {
  const std::int64_t bytes = p.core.shape.beat_bytes();
  return bytes >= 4 && bytes <= 64 && std::has_single_bit(static_cast<std::uint64_t>(bytes));
}

}  // namespace kumiki::gen::engine
