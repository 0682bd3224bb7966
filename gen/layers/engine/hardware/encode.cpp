// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/encode.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>

#include "gen/arith/format.h"

namespace kumiki::gen::engine {
namespace {

std::uint64_t byte(std::int64_t value) { return static_cast<std::uint64_t>(value) & 255; }

// Four second numbers are read at once, so they are where the walk goes.
std::string why_not(const Walk& w, Unit unit, const Second& second) {
  if (unit == Unit::maximum) return "it has a second number behind a maximum";
  if (!follows(second.from, w))
    return "its second number is stored in phases, or with lines of another length";
  if (!sum_tables(second))
    return fmt::format("no two tables give the sums of scales {:a} and {:a} for {:a}",
                       second.fresh.scale, second.other.scale, second.result.scale);
  return {};
}

constexpr std::size_t most_phases = std::size_t{1} << CorePlan::phase_bits;
constexpr int bias_bits = 32, factor_bits = arith::FloatFactor::factor_bits,
              step_bits = arith::FloatFactor::step_bits;
static_assert(bias_bits + factor_bits + step_bits == CorePlan::parameter_bits);

}  // namespace

std::uint64_t word_of(const Parameter& p) {
  return std::uint64_t{static_cast<std::uint32_t>(p.bias)} |
         std::uint64_t{p.factor.factor} << bias_bits |
         static_cast<std::uint64_t>(p.factor.steps) << (bias_bits + factor_bits);
}

Parameter parameter_of(std::uint64_t word) {
  const auto field = [&](int first, int bits) {
    return static_cast<std::uint32_t>(word >> first & ((std::uint64_t{1} << bits) - 1));
  };
  return {.bias = static_cast<std::int32_t>(field(0, bias_bits)),
          .factor = {.factor = field(bias_bits, factor_bits),
                     .steps = static_cast<int>(field(bias_bits + factor_bits, step_bits))}};
}

CoreIn<Values> quiet(const CorePlan& p) {
  CoreIn<Values> in{};
  in.tap_bounds.assign(4, 0);
  in.w_data.assign(static_cast<std::size_t>(p.shape.beat_bytes()), 0);
  in.m_data.assign(static_cast<std::size_t>(p.shape.rows), 0);
  return in;
}

std::string why_not(const CorePlan& p, const Op& op) {
  const Walk& w = op.walk;
  constexpr std::int64_t most = (1 << CorePlan::coordinate_bits) - 2;
  if (op.table && op.unit == Unit::maximum) return "it has a table behind a maximum";
  if (op.second)
    if (std::string why = why_not(w, op.unit, *op.second); !why.empty()) return why;
  constexpr std::int64_t most_turns = 1 << CorePlan::coordinate_bits;
  if (std::ssize(w.taps) > EngineShape::most_taps)
    return fmt::format("a walk has {} taps; it must have at most {}", w.taps.size(),
                       EngineShape::most_taps);
  if (w.repeats > most_turns || op.tiles > std::int64_t{1} << CorePlan::tile_bits)
    return fmt::format("{} repetitions and {} tiles; there must be at most {}", w.repeats, op.tiles,
                       most_turns);
  if (w.repeats > 1 && w.height > 1) return "it repeats its taps on more than one line";
  if (w.weight_words() > p.most_words())
    return fmt::format("a tile has {} words of weights; it must have at most {}", w.weight_words(),
                       p.most_words());
  if (w.height > most || w.pitch > most)
    return fmt::format("the walk has {} lines of {}; it must have at most {}", w.height, w.pitch,
                       most);
  if (w.height > 1 && w.pitch < EngineShape::pixels)
    return fmt::format("a line has {} places; it must have at least {}", w.pitch,
                       EngineShape::pixels);
  if (op.unit == Unit::depthwise) {
    std::int64_t largest = op.fills.empty() ? 1 : 128;
    for (const std::int8_t weight : op.weights)
      largest = std::max<std::int64_t>(largest, std::abs(weight));
    if (w.words() * 128 * largest >= 1 << 23)
      return fmt::format("a channel has {} products; their sum must have at most 24 bits",
                         w.words());
  }
  if (op.first_channel % p.shape.columns != 0)
    return "its channels begin within a tile, and the map has phases";
  for (const Steps& steps : {op.target.columns, op.target.lines}) {
    const auto& all = steps.steps;
    if (all.size() > most_phases ||
        std::adjacent_find(all.begin(), all.end() - 1, std::not_equal_to()) != all.end() - 1)
      return fmt::format("its target has {} phases that one step does not join", all.size());
  }
  return {};
}

Encoded encode(const CorePlan& p, const Op& op) {
  const Walk& w = op.walk;
  const std::int64_t parts = p.parts();
  const auto place = [&](std::int64_t at) {
    return static_cast<std::uint64_t>(at) & ((std::uint64_t{1} << p.place_bits()) - 1);
  };
  const auto less_1 = [](std::int64_t count) { return static_cast<std::uint64_t>(count - 1); };
  Encoded e{.registers = quiet(p),
            .taps = {},
            .table = {},
            .weights = {},
            .fills = op.fills,
            .parameters = {}};
  CoreIn<Values>& r = e.registers;
  r.depthwise = op.unit == Unit::depthwise;
  r.maximum = op.unit == Unit::maximum;
  const bool has_lanes = op.unit != Unit::maximum;
  r.from = place(w.from);
  r.block_step = place(w.block_step);
  r.tile_step = place(w.tile_step);
  r.repeat_step = place(w.repeat_step);
  r.blocks = less_1(w.blocks);
  r.taps = less_1(std::ssize(w.taps));
  r.repeats = less_1(w.repeats);
  r.sets = less_1(ceil_div(w.pixels(), EngineShape::pixels));
  r.tiles = less_1(op.tiles);
  r.words = has_lanes ? static_cast<std::uint64_t>(w.weight_words()) : 0;
  r.again = w.repeats_weights;
  r.pitch = less_1(w.pitch);
  r.pad = byte(w.pad);
  r.zero = byte(op.zero_point);
  r.low = byte(op.lowest);
  r.high = byte(op.highest);
  const std::int64_t tiles_of_block = op.unit == Unit::products ? parts : 1;
  r.part = static_cast<std::uint64_t>(op.first_tile % tiles_of_block);
  r.target = place(op.target.first + op.target.lines.first + op.target.columns.first +
                   op.first_tile / tiles_of_block * op.target.block_step);
  r.target_step = place(op.target.block_step);
  r.column_step = place(op.target.columns.steps.front());
  r.other_column_step = place(op.target.columns.steps.back());
  r.line_step = place(op.target.lines.steps.front());
  r.other_line_step = place(op.target.lines.steps.back());
  r.column_phases = less_1(std::ssize(op.target.columns.steps));
  r.line_phases = less_1(std::ssize(op.target.lines.steps));
  r.width = less_1(w.width);
  r.height = less_1(w.height);
  constexpr std::int64_t most = (1 << CorePlan::coordinate_bits) - 1;
  for (const Tap& t : w.taps) {
    Encoded::Tap tap{.offset = place(t.offset), .bounds = {}};
    for (const std::size_t axis : {0, 1})
      for (const std::int64_t at : {t.from[axis], t.to[axis]})
        tap.bounds.push_back(static_cast<std::uint64_t>(std::clamp<std::int64_t>(at, 0, most)));
    e.taps.push_back(std::move(tap));
  }
  const auto number_of = [&](std::size_t bits) {
    return op.table ? (*op.table)[bits ^ 128] : static_cast<std::int8_t>(bits);
  };
  const auto put = [&](std::int64_t entry) {
    e.table.push_back(arith::raw_of(entry, {SumTables::bits, true}));
  };
  r.has_table = op.table || op.second;
  if (op.second) {
    const Target& from = op.second->from;
    const SumTables tables = sum_tables(*op.second).value();
    r.adds = true;
    r.ties = tables.ties_to_even;
    r.second = place(from.first + from.lines.first + from.columns.first +
                     op.first_tile / tiles_of_block * from.block_step);
    r.second_step = place(from.block_step);
    for (std::size_t bits = 0; bits < 256; ++bits)
      put(tables.fresh[static_cast<std::uint8_t>(number_of(bits))]);
    for (const std::int32_t entry : tables.other) put(entry);
  } else if (op.table) {
    for (std::size_t bits = 0; bits < 256; ++bits) put(entry_of(number_of(bits)));
  }
  // Row by row in an operation, column by column for the ring.
  const std::int64_t columns = p.places_of_word(op.unit), of_word = p.shape.rows * columns;
  for (auto word = op.weights.begin(); word != op.weights.end(); word += of_word)
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t row = 0; row < p.shape.rows; ++row) {
        if (row % p.shape.beat_bytes() == 0) e.weights.emplace_back();
        e.weights.back().push_back(byte(word[row * columns + c]));
      }
  const std::int64_t of_tile = p.lanes_of_tile(op.unit);
  for (std::int64_t tile = 0; tile < op.tiles && has_lanes; ++tile) {
    e.parameters.emplace_back();
    for (std::int64_t lane = 0; lane < of_tile; ++lane)
      e.parameters.back().push_back(
          word_of(op.parameters[static_cast<std::size_t>(tile * of_tile + lane)]));
  }
  return e;
}

EncodedNormalise encode(const NormaliserPlan& p, const Normalise& step) {
  using graph::NormIntegers;
  const auto entry = [](std::int64_t factor, std::int64_t bias) {
    return arith::raw_of(factor, NormaliserPlan::factor_bits) |
           arith::raw_of(bias, NormaliserPlan::bias_bits) << NormaliserPlan::factor_bits;
  };
  const std::int64_t rows = p.lanes * p.parts, beats = ceil_div(step.channels, p.lanes);
  const auto place = [&](std::int64_t of) {
    return arith::raw_of(of, static_cast<int>(p.place_bits));
  };
  EncodedNormalise e{
      .registers = {.from = place(step.from),
                    .from_step = place(step.from_step),
                    .to = place(step.to),
                    .to_step = place(step.to_step),
                    .pixels = place(step.pixels - 1),
                    .blocks = static_cast<std::uint64_t>(ceil_div(step.channels, rows) - 1),
                    .beats = static_cast<std::uint64_t>(beats - 1),
                    .last_part = static_cast<std::uint64_t>((beats - 1) % p.parts),
                    .last_lane = static_cast<std::uint64_t>((step.channels - 1) % p.lanes)},
      .entries = {}};
  NormaliserIn<Values>& r = e.registers;
  if (const auto* softmax = std::get_if<graph::SoftmaxIntegers>(&step.integers)) {
    r.is_softmax = 1;
    r.factor = static_cast<std::uint64_t>(softmax->factor);
    // The result and half a step.
    const std::int64_t bias = (2 * softmax->zero + 1) << (NormIntegers::point_bits - 1);
    for (std::size_t below = 0; below < softmax->entries.size(); ++below)
      e.entries.push_back(entry(
          softmax->entries[(softmax->entries.size() - below) % softmax->entries.size()], bias));
    e.entries.push_back(entry(0, bias));
  } else {
    const auto& norm = std::get<NormIntegers>(step.integers);
    r.size = static_cast<std::uint64_t>(norm.size);
    r.point = static_cast<std::uint64_t>(norm.point);
    r.epsilon = static_cast<std::uint64_t>(norm.epsilon);
    r.more = static_cast<std::uint64_t>(norm.more_shift);
    for (std::size_t c = 0; c < norm.factors.size(); ++c)
      e.entries.push_back(entry(norm.factors[c], norm.biases[c]));
  }
  r.entries = static_cast<std::uint64_t>(std::ssize(e.entries) - 1);
  return e;
}

}  // namespace kumiki::gen::engine
