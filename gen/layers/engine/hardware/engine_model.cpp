// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/encode.h"
#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/hardware/fields.h"

namespace kumiki::gen::engine {

using State = EngineState;

Beats::Beats(const CorePlan& p)
    : bits(static_cast<std::uint32_t>(8 * p.shape.beat_bytes())),
      tap_bits(p.place_bits() + 4 * CorePlan::coordinate_bits),
      move_bits(2 * p.place_bits() + 1) {
  CoreIn<Hardware> in = input_shape(p);
  for_each_register(in, in, [&](const UInt& r, const UInt&) { register_bits += r.width(); });
  NormaliserIn<Hardware> unit = input_shape(p.normaliser());
  for_each_normaliser_register(unit, unit,
                               [&](const UInt& r, const UInt&) { normaliser_bits += r.width(); });
}

EngineModel::EngineModel(const EnginePlan& plan)
    : plan_(plan), beats_(plan.core), core_(plan.core), words_(EnginePlan::read_depth) {
  if (plan.core.shape.normalises) normaliser_.emplace(plan.core.normaliser());
  power_up();
}

void EngineModel::power_up() {
  core_.power_up();
  next_ = now_ = quiet(plan_.core);
  bank_ = false;
  constants_ = {};
  if (normaliser_) normaliser_->power_up();
  reset();
}

void EngineModel::reset() {
  state_ = State::kind;
  pending_ = write_bank_ = false;
  starting_ = 0;
  asks_ = false;
  under_way_ = 0;
  words_.reset();
  gathered_.clear();
}

// A field of what was gathered, from the lowest bits on.
std::uint64_t EngineModel::field(std::uint32_t width) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i, ++at_)
    value |= (gathered_[at_ / 8] >> (at_ % 8) & 1) << i;
  return value;
}

bool EngineModel::collect(const EngineIn<Values>& in, std::int64_t beats) {
  if (!in.in_valid) return false;
  gathered_.insert(gathered_.end(), in.in_data.begin(), in.in_data.end());
  at_ = 0;
  return std::ssize(gathered_) == beats * plan_.core.shape.beat_bytes();
}

EngineOut<Values> EngineModel::shown() const {
  const CorePlan& p = plan_.core;
  const CoreOut<Values> seen = core_.shown();
  EngineOut<Values> out{};
  switch (state_) {
    case State::kind:
    case State::registers:
    case State::taps:
    case State::table:
    case State::move:
    case State::chunk:
    case State::constants:
    case State::entries:
      out.in_ready = true;
      break;
    case State::load:
      out.in_ready = seen.m_writes;
      break;
    case State::rows:
      out.in_ready = seen.w_ready;
      break;
    case State::parameters:
      out.in_ready = seen.p_ready;
      break;
    default:
      break;
  }
  out.out_data.assign(static_cast<std::size_t>(p.shape.beat_bytes()), 0);
  out.out_valid = state_ == State::store && words_.valid();
  if (out.out_valid) {
    for (std::int64_t c = 0; c < p.shape.beat_bytes(); ++c)
      out.out_data[static_cast<std::size_t>(c)] =
          words_.front()[static_cast<std::size_t>(part_ * p.shape.beat_bytes() + c)];
    out.out_last = left_ == 0 && part_ + 1 == p.beats_of_place();
  }
  return out;
}

EngineOut<Values> EngineModel::step(const EngineIn<Values>& in) {
  const CorePlan& p = plan_.core;
  const CoreOut<Values> seen = core_.shown();
  const EngineOut<Values> out = shown();
  CoreIn<Values> core = now_;
  core.rst = in.rst;
  core.tap_bank = bank_;
  core.start = starting_ == 1;
  const bool normalising = normaliser_ && normaliser_->busy(),
             rests = starting_ == 0 && !seen.busy && !normalising, idle = !pending_ && rests,
             begins = pending_ && rests;
  if (starting_ > 0) --starting_;
  const bool may_ask = under_way_ < EnginePlan::read_depth && seen.m_reads;
  bool asks = asks_ && may_ask;
  core.m_read = asks;
  core.m_from = place_;
  bool leaves = false;  // a word of the maps
  NormaliserIn<Values> unit = constants_;
  if (asks) {
    ++place_;
    asks_ = to_ask_-- != 0;
  }

  switch (state_) {
    case State::waits:
      if (kind_ == Packet::operation) {
        if (fills_ ? idle : !pending_) state_ = State::registers;
      } else if (kind_ == Packet::normalise && normaliser_) {
        if (!normalising) state_ = State::constants;
      } else if (!normalising && (idle || (beside_ == 1 && !pending_) || beside_ == most_beside)) {
        state_ = State::move;
      }
      break;
    case State::constants_settle:
      state_ = State::constants_settled;
      break;
    case State::constants_settled:
      unit.e_restarts = true;
      state_ = State::entries;
      break;
    case State::normalises:
      unit.start = idle || (beside_ != 0 && !pending_);
      if (unit.start) state_ = State::kind;
      break;
    case State::settles:
      state_ = State::settled;
      break;
    case State::settled:
      pending_ = true;
      row_ = tile_ = lane_ = 0;
      beats_of_tile_ = static_cast<std::int64_t>(next_.words) *
                       p.beats_of_word(depthwise_ ? Unit::depthwise : Unit::products);
      state_ = maximum_ ? State::kind : fills_ ? State::chunk : State::rows;
      break;
    case State::fill:
      if (!words_.valid()) break;
      core.w_valid = true;
      core.w_depthwise = depthwise_;
      std::copy_n(words_.front().begin() + part_ * p.shape.beat_bytes(), p.shape.beat_bytes(),
                  core.w_data.begin());
      if (!seen.w_ready) break;
      ++row_;
      if (++part_ == p.beats_of_place()) {
        part_ = 0;
        leaves = true;
        if (left_-- == 0) state_ = State::chunk;
      }
      if (row_ == beats_of_tile_) {
        row_ = 0;
        state_ = State::parameters;
      }
      break;
    case State::store:
      if (!out.out_valid || !in.out_ready) break;
      if (++part_ < p.beats_of_place()) break;
      part_ = 0;
      leaves = true;
      if (left_-- == 0) state_ = State::kind;
      break;
    default:
      take(in, core, unit);
  }
  if (normaliser_) {
    unit.rst = in.rst;
    unit.may_ask = may_ask;
    unit.word_valid = words_.valid();
    unit.may_write = seen.m_writes;
    if (words_.valid())
      unit.word = words_.front();
    else
      unit.word.assign(static_cast<std::size_t>(p.shape.rows), 0);
    const NormaliserOut<Values> made = normaliser_->step(unit);
    if (made.e_ends) state_ = State::normalises;
    leaves = leaves || made.takes;
    if (made.asks && may_ask) {
      core.m_read = asks = true;
      core.m_from = made.ask_place;
    }
    if (made.writes) {
      core.m_write = true;
      core.m_to = made.write_place;
      core.m_parts = made.write_parts;
      for (std::size_t c = 0; c < core.m_data.size(); ++c)
        core.m_data[c] = made.data[c % made.data.size()];
    }
  }
  words_.clock(seen.m_valid ? std::optional(seen.m_word) : std::nullopt, leaves);
  under_way_ += (asks ? 1 : 0) - (leaves ? 1 : 0);
  if (begins) {
    now_ = next_;
    bank_ = write_bank_;
    write_bank_ = !write_bank_;
    pending_ = false;
    starting_ = 2;
  }
  core_.clock(core);
  if (in.rst) reset();
  return out;
}

void EngineModel::take(const EngineIn<Values>& in, CoreIn<Values>& core,
                       NormaliserIn<Values>& unit) {
  const CorePlan& p = plan_.core;
  const CoreOut<Values> seen = core_.shown();
  switch (state_) {
    case State::kind: {
      if (!in.in_valid) return;
      const std::uint64_t first = in.in_data[0];
      kind_ = static_cast<Packet>(first >> kind_place & 3);
      depthwise_ = first >> depthwise_place & 1;
      maximum_ = first >> maximum_place & 1;
      has_table_ = first >> table_place & 1;
      adds_ = first >> adds_place & 1;
      ties_ = first >> ties_place & 1;
      fills_ = first >> fills_place & 1;
      taps_ = in.in_data[taps_place / 8];
      beside_ = first >> beside_place & 3;
      state_ = State::waits;
      return;
    }
    case State::registers: {
      if (!collect(in, beats_.registers())) return;
      const CoreIn<Hardware> shape = input_shape(p);
      for_each_register(next_, shape,
                        [&](std::uint64_t& value, const UInt& of) { value = field(of.width()); });
      next_.depthwise = depthwise_;
      next_.maximum = maximum_;
      next_.has_table = has_table_;
      next_.adds = adds_;
      next_.ties = ties_;
      gathered_.clear();
      tap_ = 0;
      state_ = State::taps;
      return;
    }
    case State::taps:
      if (!collect(in, beats_.tap())) return;
      core.tap_write = true;
      core.tap_number = static_cast<std::uint64_t>(tap_) +
                        (write_bank_ ? std::uint64_t{EngineShape::most_taps} : 0);
      core.tap_offset = field(p.place_bits());
      for (std::uint64_t& bound : core.tap_bounds) bound = field(CorePlan::coordinate_bits);
      gathered_.clear();
      if (static_cast<std::uint64_t>(tap_++) != taps_) return;
      state_ = has_table_ ? State::table : State::settles;
      entry_ = 0;
      return;
    case State::table:
      if (!collect(in, beats_.entry())) return;
      core.table_write = true;
      core.table_number = entry_ + (write_bank_ ? 512 : 0);
      core.table_entry = field(SumTables::bits);
      gathered_.clear();
      if (++entry_ == (adds_ ? 512 : 256)) state_ = State::settles;
      return;
    case State::rows:
      core.w_valid = in.in_valid;
      core.w_depthwise = depthwise_;
      core.w_data = in.in_data;
      if (!in.in_valid || !seen.w_ready) return;
      ++row_;
      if (fills_ && row_ % p.beats_of_word(depthwise_ ? Unit::depthwise : Unit::products) == 0)
        state_ = State::chunk;
      if (row_ != beats_of_tile_) return;
      row_ = 0;
      state_ = State::parameters;
      return;
    case State::parameters:
      if (!seen.p_ready || !collect(in, beats_.parameter())) return;
      core.p_valid = true;
      core.p_data = field(CorePlan::parameter_bits);
      gathered_.clear();
      core.p_last = lane_ + 1 == (depthwise_ ? p.shape.rows : p.shape.columns);
      ++lane_;
      if (!core.p_last) return;
      lane_ = 0;
      state_ = static_cast<std::uint64_t>(tile_++) == next_.tiles ? State::kind
               : fills_                                           ? State::chunk
                                                                  : State::rows;
      return;
    case State::move:
    case State::chunk: {
      if (!collect(in, beats_.move())) return;
      place_ = field(p.place_bits());
      left_ = to_ask_ = field(p.place_bits());
      const bool is_of_maps = field(1) != 0;
      gathered_.clear();
      part_ = 0;
      state_ = state_ == State::chunk  ? (is_of_maps ? State::fill : State::rows)
               : kind_ == Packet::load ? State::load
                                       : State::store;
      asks_ = state_ == State::fill || state_ == State::store;
      return;
    }
    case State::constants: {
      if (!collect(in, beats_.normaliser())) return;
      NormaliserIn<Hardware> shape = input_shape(p.normaliser());
      for_each_normaliser_register(constants_, shape, [&](std::uint64_t& value, const UInt& of) {
        value = field(of.width());
      });
      gathered_.clear();
      state_ = State::constants_settle;
      return;
    }
    case State::entries:
      if (!collect(in, beats_.normaliser_entry())) return;
      unit.e_write = true;
      unit.e_data = field(NormaliserPlan::entry_bits);
      gathered_.clear();
      return;
    case State::load:
      core.m_write = in.in_valid && seen.m_writes;
      core.m_to = place_;
      core.m_parts = ((std::uint64_t{1} << p.shape.beat_parts) - 1) << part_ * p.shape.beat_parts;
      for (std::int64_t c = 0; c < p.shape.rows; ++c)
        core.m_data[static_cast<std::size_t>(c)] =
            in.in_data[static_cast<std::size_t>(c % p.shape.beat_bytes())];
      if (!core.m_write || ++part_ < p.beats_of_place()) return;
      part_ = 0;
      ++place_;
      if (left_-- == 0) state_ = State::kind;
      return;
    default:
      return;
  }
}

}  // namespace kumiki::gen::engine
