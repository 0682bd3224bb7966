// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/engine/hardware/encode.h"
#include "gen/layers/engine/hardware/fields.h"
#include "gen/layers/engine/run.h"

namespace kumiki::gen::engine {
namespace {

// Bits that become beats.
class Writer {
 public:
  explicit Writer(const CorePlan& p) : plan_(p), beats_(p), shape_(input_shape(p)) {}

  void add(const Encoded& e) {
    const auto flag = [](bool is_set, std::uint32_t place) { return is_set ? 1u << place : 0u; };
    const CoreIn<Values>& r = e.registers;
    head(Packet::operation, flag(r.depthwise, depthwise_place) | flag(r.maximum, maximum_place) |
                                flag(r.has_table, table_place) | flag(r.adds, adds_place) |
                                flag(r.ties, ties_place) | flag(!e.fills.empty(), fills_place) |
                                static_cast<std::uint32_t>(e.taps.size() - 1) << taps_place);
    CoreIn<Values> registers = e.registers;
    for_each_register(registers, shape_,
                      [&](std::uint64_t value, const UInt& of) { put(value, of.width()); });
    end();
    for (const Encoded::Tap& tap : e.taps) {
      put(tap.offset, plan_.place_bits());
      for (const std::uint64_t bound : tap.bounds) put(bound, CorePlan::coordinate_bits);
      end();
    }
    for (const std::uint64_t entry : e.table) {
      put(entry, SumTables::bits);
      end();
    }
    const std::size_t of_tile = e.parameters.empty() ? 0 : e.weights.size() / e.parameters.size();
    const auto of_word = static_cast<std::size_t>(
        plan_.beats_of_word(r.depthwise ? Unit::depthwise : Unit::products));
    for (std::size_t tile = 0; tile < e.parameters.size(); ++tile) {
      for (std::size_t i = 0; i < of_tile; ++i) {
        if (!e.fills.empty() && i % of_word == 0) places(0, 1, false);
        all_.push_back(e.weights[tile * of_tile + i]);
      }
      if (!e.fills.empty())
        for (const Fill& fill : e.fills[tile]) places(fill.place, fill.places, true);
      for (const std::uint64_t parameter : e.parameters[tile]) {
        put(parameter, CorePlan::parameter_bits);
        end();
      }
    }
  }
  void add(const EncodedNormalise& e, std::size_t beside) {
    head(Packet::normalise, beside_field(beside));
    NormaliserIn<Values> registers = e.registers;
    NormaliserIn<Hardware> shape = input_shape(plan_.normaliser());
    for_each_normaliser_register(
        registers, shape, [&](std::uint64_t value, const UInt& of) { put(value, of.width()); });
    end();
    for (const std::uint64_t entry : e.entries) {
      put(entry, NormaliserPlan::entry_bits);
      end();
    }
  }
  void move(Packet kind, std::int64_t place, std::int64_t count, std::size_t beside) {
    head(kind, beside_field(beside));
    places(place, count, true);
  }
  void word(std::span<const std::int8_t> bytes) {
    for (const std::int8_t b : bytes) put(static_cast<std::uint8_t>(b), 8);
    end();
  }
  std::vector<Beat> take() { return std::move(all_); }

 private:
  // `are_read`: of a chunk of weights, that they are these places, and do not follow.
  void places(std::int64_t first, std::int64_t count, bool are_read) {
    put(static_cast<std::uint64_t>(first), plan_.place_bits());
    put(static_cast<std::uint64_t>(count - 1), plan_.place_bits());
    put(are_read ? 1 : 0, 1);
    end();
  }
  static std::uint32_t beside_field(std::size_t beside) {
    return std::min(static_cast<std::uint32_t>(beside), most_beside) << beside_place;
  }
  void head(Packet kind, std::uint32_t more) {
    put(static_cast<std::uint32_t>(kind) | more, 16);
    end();
  }
  void put(std::uint64_t value, std::uint32_t width) {
    for (std::uint32_t i = 0; i < width; ++i) bits_.push_back(value >> i & 1);
  }
  void end() {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (i % beats_.bits == 0)
        all_.emplace_back(static_cast<std::size_t>(plan_.shape.beat_bytes()), 0);
      if (bits_[i]) all_.back()[i % beats_.bits / 8] |= std::uint64_t{1} << i % 8;
    }
    bits_.clear();
  }
  const CorePlan& plan_;
  Beats beats_;
  CoreIn<Hardware> shape_;
  std::vector<bool> bits_;
  std::vector<Beat> all_;
};

}  // namespace

std::string why_not(const EnginePlan& plan, const Program& p) {
  for (const Step& step : p.steps)
    if (const auto* op = std::get_if<Op>(&step))
      if (const std::string why = why_not(plan.core, *op); !why.empty())
        return fmt::format("{}: {}", p.graph->nodes[op->nodes[0]].name, why);
  const std::int64_t most = EngineShape::pixels * plan.core.padding_row();
  if (p.places > most)
    return fmt::format("its maps need {} places at once; there are {}", p.places, most);
  return {};
}

std::vector<Beat> beats_of(const EnginePlan& plan, const Program& p, std::size_t number,
                           const std::vector<graph::Numbers>& outside) {
  Writer writer(plan.core);
  const Step& step = p.steps[number];
  if (const auto* op = std::get_if<Op>(&step)) {
    writer.add(encode(plan.core, *op));
  } else if (const auto* load = std::get_if<Load>(&step)) {
    Machine there(p.shape);
    there.load(*load, p.graph->tensors[load->tensor], outside[load->tensor]);
    writer.move(Packet::load, load->to.base, load->to.places(), p.beside(number));
    for (std::int64_t i = 0; i < load->to.places(); ++i) writer.word(there.word(load->to.base + i));
  } else if (const auto* store = std::get_if<Store>(&step)) {
    writer.move(Packet::store, store->from.base, store->from.places(), p.beside(number));
  } else {
    writer.add(encode(plan.core.normaliser(), std::get<Normalise>(step)), p.beside(number));
  }
  return writer.take();
}

std::vector<Beat> head_of(const EnginePlan& plan, Packet kind, std::int64_t place,
                          std::int64_t count, std::size_t beside) {
  Writer writer(plan.core);
  writer.move(kind, place, count, beside);
  return writer.take();
}

namespace {
constexpr std::int64_t of_kind = 1;  // beats
}

std::int64_t beats_before_tables(const EnginePlan& plan, const Op& op) {
  const Beats beats(plan.core);
  return of_kind + beats.registers() + std::ssize(op.walk.taps) * beats.tap();
}

std::int64_t beats_that_come(const EnginePlan& plan, const Step& step) {
  const CorePlan& p = plan.core;
  const Beats beats(p);
  const auto* op = std::get_if<Op>(&step);
  if (const auto* normalise = std::get_if<Normalise>(&step))
    return of_kind + beats.normaliser() + entries_of(*normalise) * beats.normaliser_entry();
  if (!op) {
    const auto* load = std::get_if<Load>(&step);
    return of_kind + beats.move() + (load ? load->to.places() * p.beats_of_place() : 0);
  }
  const std::int64_t of_operation =
      beats_before_tables(plan, *op) + entries_of(*op) * beats.entry();
  if (op->unit == Unit::maximum) return of_operation;
  const std::int64_t words = p.words_of(*op);
  std::int64_t chunks = op->fills.empty() ? 0 : words;
  for (const std::vector<Fill>& of_tile : op->fills) chunks += std::ssize(of_tile);
  return of_operation + words * p.beats_of_word(op->unit) + chunks * beats.move() +
         op->tiles * p.lanes_of_tile(op->unit) * beats.parameter();
}

std::int64_t beats_that_leave(const EnginePlan& plan, const Step& step) {
  const auto* store = std::get_if<Store>(&step);
  return store ? store->from.places() * plan.core.beats_of_place() : 0;
}

void take(const EnginePlan& plan, const Program& p, const Store& store, std::span<const Beat> beats,
          graph::Numbers& numbers) {
  const auto bytes = static_cast<std::size_t>(plan.core.shape.beat_bytes()),
             of_place = static_cast<std::size_t>(plan.core.beats_of_place());
  Machine there(p.shape);
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const auto word = there.word(store.from.base + static_cast<std::int64_t>(i / of_place));
    for (std::size_t c = 0; c < bytes; ++c)
      word[i % of_place * bytes + c] = static_cast<std::int8_t>(beats[i][c]);
  }
  there.store(store, p.graph->tensors[store.tensor], numbers);
}

}  // namespace kumiki::gen::engine
