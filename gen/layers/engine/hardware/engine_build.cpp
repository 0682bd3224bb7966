// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/hdl/memory_queue.h"
#include "gen/layers/engine/hardware/core_parts.h"
#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/hardware/fields.h"
#include "gen/layers/pipeline/machines/lanes.h"

namespace kumiki::gen::engine {
namespace {

using enum EngineState::Of;

class EngineBuilder {
 public:
  EngineBuilder(Scope& s, const EnginePlan& plan, const EngineIn<Hardware>& in)
      : s_(s),
        p_(plan.core),
        in_(in),
        beats_(p_),
        normalises_(p_.shape.normalises),
        state_(s, normalises_ ? EngineState::count : constants, kind, {.reset = in.rst}),
        beat_(cat(s, std::vector<Word>(in.in_data.rbegin(), in.in_data.rend()))) {}

  EngineOut<Hardware> run() {
    Wire<Net> w_ready(s_), p_ready(s_), m_writes(s_), m_reads(s_), m_valid(s_), busy(s_),
        has_word_of_maps(s_), normalising(s_);
    const auto valid_in = [&](EngineState::Of state) {
      return s_.net(state_.in(state)&in_.in_valid);
    };

    // The first beat of a packet.
    const Net heads = valid_in(kind);
    const UInt packet = reg(s_, beat_.slice(kind_place, 2), {.enable = heads});
    const Net depthwise = reg(s_, beat_[depthwise_place], {.enable = heads}),
              maximum = reg(s_, beat_[maximum_place], {.enable = heads}),
              has_table = reg(s_, beat_[table_place], {.enable = heads}),
              adds = reg(s_, beat_[adds_place], {.enable = heads}),
              ties = reg(s_, beat_[ties_place], {.enable = heads}),
              has_fills = reg(s_, beat_[fills_place], {.enable = heads});
    const UInt beside = reg(s_, beat_.slice(beside_place, 2), {.enable = heads});
    const UInt last_tap = reg(s_, beat_.slice(taps_place, p_.tap_bits()), {.enable = heads});
    const Net is_operation = s_.net(~packet[0] & ~packet[1]);
    const Bit is_normalise = normalises_ ? packet[0] & packet[1] : Bit(ir::net_zero);

    // The operation that starts: its registers a clock before, and a clock before that from those
    // of the next one.
    Reg<Net> pending(s_, {.reset = in_.rst}), bank(s_), write_bank(s_, {.reset = in_.rst});
    Wire<Net> begins(s_);
    const Net before_start = reg(s_, begins, {.reset = in_.rst}),
              starts = reg(s_, before_start, {.reset = in_.rst});
    const Net rests = s_.net(~before_start & ~starts & ~Bit(busy) & ~Bit(normalising));
    begins.drive(pending & rests);
    const Net idle = s_.net(~pending & rests);
    pending.next(state_.in(settled) | (pending & ~begins));
    bank.next(mux(begins, write_bank, bank));
    write_bank.next(write_bank ^ begins);

    // Registers.
    const Net shifts = valid_in(registers);
    const std::uint32_t width = beats_.bits,
                        all = width * static_cast<std::uint32_t>(beats_.registers());
    Reg<UInt> next(s_, all, {.enable = shifts});
    next.next(beats_.registers() == 1 ? beat_
                                      : cat(s_, {beat_, next.q().slice(width, all - width)}));
    const Cycle of_registers(s_, beats_.registers(), shifts, in_.rst);
    const Net has_registers = of_registers.ends();
    Ports core = input_shape(p_), of_next = core;
    std::uint32_t at = 0;
    for_each_register(of_next, core, [&](UInt& field, UInt& now) {
      field = next.q().slice(at, field.width());
      at += field.width();
      now = reg(s_, field, {.enable = begins});
    });
    const auto begun = [&](Net flag) {
      return reg(s_, reg(s_, flag, {.enable = has_registers}), {.enable = begins});
    };
    core.depthwise = begun(depthwise);
    core.maximum = begun(maximum);
    core.has_table = begun(has_table);
    core.adds = begun(adds);
    core.ties = begun(ties);

    // Taps, entries, parameters and moves of several beats.
    const Net takes_tap = valid_in(taps), takes_entry = valid_in(table),
              takes_move = s_.net((state_.in(move) | state_.in(chunk)) & in_.in_valid),
              takes_parameter = s_.net(state_.in(parameters)&in_.in_valid & p_ready),
              takes_number = normalises_ ? valid_in(entries) : ir::net_zero;
    const std::int64_t most =
        std::max({beats_.tap(), beats_.entry(), beats_.move(), beats_.parameter(),
                  normalises_ ? beats_.normaliser_entry() : 0});
    std::vector<Word> beats{beat_};  // the newest first
    const Net gathers =
        s_.net(takes_tap | takes_entry | takes_move | takes_parameter | takes_number);
    for (std::int64_t i = 1; i < most; ++i)
      beats.emplace_back(reg(s_, UInt(beats.back()), {.enable = gathers}));
    const auto gathered_of = [&](std::int64_t count) {
      return cat(s_, std::span(beats).first(static_cast<std::size_t>(count)));
    };
    const Cycle of_tap(s_, beats_.tap(), takes_tap, in_.rst),
        of_entry(s_, beats_.entry(), takes_entry, in_.rst),
        of_move(s_, beats_.move(), takes_move, in_.rst),
        of_parameter(s_, beats_.parameter(), takes_parameter, in_.rst);

    const auto counted = [&](std::uint32_t bits, Net moves, Net restarts) {
      Reg<UInt> count(s_, bits, {.enable = s_.net(moves | restarts)});
      count.next(masked(s_, s_.net(~Bit(restarts)), increment(s_, count.q())));
      return count.q();
    };
    const UInt tap = counted(p_.tap_bits(), of_tap.ends(), state_.in(registers));
    const Net has_taps = s_.net(of_tap.ends() & equals(s_, tap, last_tap));
    const UInt whole_tap = gathered_of(beats_.tap());
    core.tap_bank = bank;
    core.tap_write = of_tap.ends();
    core.tap_number = cat(s_, {bits(s_, {write_bank}), tap});
    core.tap_offset = whole_tap.slice(0, p_.place_bits());
    for (std::uint32_t i = 0; i < 4; ++i)
      core.tap_bounds[i] = whole_tap.slice(p_.place_bits() + i * CorePlan::coordinate_bits,
                                           CorePlan::coordinate_bits);

    core.table_write = of_entry.ends();
    const UInt entry = counted(9, of_entry.ends(), state_.in(taps));
    const Net ends_table =
        s_.net(of_entry.ends() & equals(s_, entry.slice(0, 8), 255) & (entry[8] | ~Bit(adds)));
    core.table_number = cat(s_, {bits(s_, {write_bank}), entry});
    core.table_entry = gathered_of(beats_.entry()).slice(0, SumTables::bits);

    // Rows of weights and parameters, tile by tile.
    core.w_valid = s_.net(valid_in(rows) | (state_.in(fill)&has_word_of_maps));
    core.w_depthwise = depthwise;
    const Net takes_row = s_.net(core.w_valid & w_ready);
    const Net restarts = s_.net(in_.rst | state_.in(settled));
    const Cycle of_word(s_, p_.beats_of_word(Unit::products), takes_row, restarts),
        of_few(s_, p_.beats_of_word(Unit::depthwise), takes_row, restarts);
    const Net ends_word = s_.net(mux(depthwise, of_few.last(), of_word.last())),
              has_word = s_.net(takes_row & ends_word);
    const UInt less_1 = reg(s_, sub(s_, of_next.words, s_.constant(1, of_next.words.width())));
    const Loop word(s_, less_1, has_word, state_.in(settled));
    const Net has_rows = s_.net(takes_row & ends_word & word.last());
    Wire<Net> has_parameters(s_);
    const auto lanes_less_1 = [&](std::int64_t count) {
      return s_.constant(static_cast<std::uint64_t>(count - 1), CorePlan::lane_bits);
    };
    const Loop lane(s_,
                    mux(s_, depthwise, lanes_less_1(p_.shape.rows), lanes_less_1(p_.shape.columns)),
                    of_parameter.ends(), state_.in(settled));
    core.p_valid = of_parameter.ends();
    core.p_data = gathered_of(beats_.parameter()).slice(0, CorePlan::parameter_bits);
    core.p_last = lane.last();
    has_parameters.drive(core.p_valid & core.p_last);
    const Loop tile(s_, of_next.tiles, has_parameters, state_.in(settled));

    // Moves and chunks: place by place, part by part.
    const UInt whole_move = gathered_of(beats_.move());
    const std::uint32_t places = p_.place_bits();
    const Net begins_move = of_move.ends(), is_of_maps = whole_move[2 * places];
    const Net loads = s_.net(valid_in(load) & m_writes),
              leaves = s_.net(has_word_of_maps &
                              ((state_.in(store)&in_.out_ready) | (state_.in(fill)&w_ready)));
    const Cycle of_place(s_, p_.beats_of_place(), s_.net(loads | leaves),
                         s_.net(in_.rst | begins_move));
    const Net ends_place = of_place.ends();
    // Places of a store or fill are asked for as far as there is room for their words. `under_way`:
    // words that have not left.
    Wire<Net> leaves_place(s_), unit_takes(s_), unit_asks(s_);
    Reg<Net> asks(s_, {.reset = in_.rst});
    Reg<UInt> under_way(s_, address_width(EnginePlan::read_depth) + 1, {.reset = in_.rst});
    const Bit may_ask = ~under_way.q().msb() & m_reads;
    const Net asks_now = s_.net(asks & may_ask), asks_place = s_.net((asks | unit_asks) & may_ask);
    under_way.next(step_by_one(s_, under_way.q(), asks_place, leaves_place));
    const auto counts = [&](Net moves) {
      return RegOptions{.enable = s_.net(begins_move | moves)};
    };
    Reg<UInt> place(s_, places, counts(s_.net(asks_now | (ends_place & state_.in(load))))),
        left(s_, places, counts(ends_place)), to_ask(s_, places, counts(asks_now));
    place.next(mux(s_, begins_move, whole_move.slice(0, places), increment(s_, place.q())));
    const auto counted_down = [&](Reg<UInt>& of) {
      of.next(mux(s_, begins_move, whole_move.slice(places, places),
                  add(s_, of.q(), s_.constant((std::uint64_t{1} << places) - 1, places))));
      return s_.net(~Bit(any_of(s_, of.q())));
    };
    const Net is_last = counted_down(left), is_last_ask = counted_down(to_ask);
    leaves_place.drive((ends_place & ~state_.in(load)) | unit_takes);
    asks.next((begins_move & mux(packet[1], ~Bit(packet[0]), state_.in(chunk)&is_of_maps)) |
              (asks & ~(asks_now & is_last_ask)));
    core.m_write = loads;
    core.m_to = place.q();
    std::vector<Net> part;
    for (std::int64_t i = 0; i < p_.parts(); ++i)
      part.push_back(
          p_.beats_of_place() == 1
              ? ir::net_one
              : equals(s_, of_place.at(), static_cast<std::uint64_t>(i / p_.shape.beat_parts)));
    core.m_parts = bits(s_, part);
    for (std::size_t c = 0; c < core.m_data.size(); ++c)
      core.m_data[c] = in_.in_data[c % in_.in_data.size()];
    core.m_read = asks_now;
    core.m_from = place.q();

    // The normaliser has the movers' ports while it is busy.
    Wire<UInt> of_maps(s_, static_cast<std::uint32_t>(8 * p_.shape.rows));
    Net starts_normaliser = ir::net_zero, has_constants = ir::net_zero, ends_entries = ir::net_zero;
    if (normalises_) {
      NormaliserIn<Hardware> unit = input_shape(p_.normaliser());
      const Net constant = valid_in(constants);
      const std::uint32_t all_constants = width * static_cast<std::uint32_t>(beats_.normaliser());
      Reg<UInt> gathered(s_, all_constants, {.enable = constant});
      gathered.next(beats_.normaliser() == 1
                        ? beat_
                        : cat(s_, {beat_, gathered.q().slice(width, all_constants - width)}));
      has_constants = Cycle(s_, beats_.normaliser(), constant, in_.rst).ends();
      std::uint32_t bit = 0;
      for_each_normaliser_register(unit, unit, [&](UInt& field, const UInt& shape) {
        const std::uint32_t bits_of = shape.width();
        field = gathered.q().slice(bit, bits_of);
        bit += bits_of;
      });
      unit.rst = in_.rst;
      // At the most one operation runs beside it.
      starts_normaliser =
          s_.net(state_.in(normalises) & (idle | ((beside[0] | beside[1]) & ~pending)));
      unit.start = starts_normaliser;
      unit.e_restarts = state_.in(constants_settled);
      unit.e_write = Cycle(s_, beats_.normaliser_entry(), takes_number, in_.rst).ends();
      unit.e_data = gathered_of(beats_.normaliser_entry()).slice(0, NormaliserPlan::entry_bits);
      unit.may_ask = s_.net(may_ask);
      unit.word_valid = has_word_of_maps;
      unit.may_write = m_writes;
      unit.word = pipeline::lanes_of(of_maps.get(), static_cast<std::uint32_t>(p_.shape.rows));
      const NormaliserOut<Hardware> made =
          instantiate(s_, build_normaliser, p_.normaliser(), unit, "normaliser");
      ends_entries = made.e_ends;
      normalising.drive(made.busy);
      unit_takes.drive(made.takes);
      unit_asks.drive(made.asks);
      core.m_write = s_.net(loads | made.writes);
      core.m_read = asks_place;
      core.m_to = mux(s_, normalising, made.write_place, place.q());
      core.m_from = mux(s_, normalising, made.ask_place, place.q());
      core.m_parts = mux(s_, normalising, made.write_parts, core.m_parts);
      for (std::size_t c = 0; c < core.m_data.size(); ++c)
        core.m_data[c] = mux(s_, normalising, made.data[c % made.data.size()], core.m_data[c]);
    } else {
      for (Wire<Net>* wire : {&normalising, &unit_takes, &unit_asks}) wire->drive(ir::net_zero);
    }

    // A word of the maps, beat by beat: it leaves, or is weights.
    std::vector<UInt> of_beats;
    for (std::uint32_t from = 0; from < of_maps.get().width(); from += beats_.bits)
      of_beats.push_back(of_maps.get().slice(from, beats_.bits));
    const std::vector<UInt> beat_of_maps = pipeline::lanes_of(
        of_beats.size() == 1 ? of_beats[0]
                             : select(s_, of_place.at(), std::span<const UInt>(of_beats)),
        beats_.bits / 8);
    for (std::size_t c = 0; c < core.w_data.size(); ++c)
      core.w_data[c] = mux(s_, state_.in(fill), beat_of_maps[c], in_.in_data[c]);

    core.rst = in_.rst;
    core.start = starts;
    const CoreOut<Hardware> out = instantiate(s_, build_core, p_, core, "core");
    w_ready.drive(out.w_ready);
    p_ready.drive(out.p_ready);
    m_writes.drive(out.m_writes);
    m_reads.drive(out.m_reads);
    m_valid.drive(out.m_valid);
    busy.drive(out.busy);

    state_.go(kind, waits, heads);
    state_.go(waits, registers, is_operation & ~pending & (rests | ~has_fills));
    state_.go(waits, move,
              ~is_operation & ~is_normalise & ~Bit(normalising) &
                  (idle | (beside[0] & ~pending) | beside[1]));
    state_.go(registers, taps, has_registers);
    state_.go(taps, table, has_taps & has_table);
    state_.go(taps, settles, Net(has_taps));
    state_.go(table, settles, ends_table);
    state_.go(settles, settled);
    state_.go(settled, kind, maximum);
    state_.go(settled, chunk, Net(has_fills));
    state_.go(settled, rows);
    state_.go(chunk, fill, begins_move & is_of_maps);
    state_.go(chunk, rows, Net(begins_move));
    state_.go(rows, parameters, has_rows);
    state_.go(rows, chunk, has_word & has_fills);
    state_.go(parameters, kind, has_parameters & tile.last());
    state_.go(parameters, chunk, has_parameters & has_fills);
    state_.go(parameters, rows, Net(has_parameters));
    state_.go(move, load, begins_move & packet[0]);
    state_.go(move, store, begins_move);
    state_.go(load, kind, ends_place & is_last);
    state_.go(fill, parameters, has_rows);
    state_.go(fill, chunk, ends_place & is_last);
    state_.go(store, kind, ends_place & is_last);
    if (normalises_) {
      state_.go(waits, constants, is_normalise & ~Bit(normalising));
      state_.go(constants, constants_settle, has_constants);
      state_.go(constants_settle, constants_settled);
      state_.go(constants_settled, entries);
      state_.go(entries, normalises, ends_entries);
      state_.go(normalises, kind, starts_normaliser);
    }
    state_.finish();

    EngineOut<Hardware> result{};
    const Bit takes_normaliser =
        normalises_ ? state_.in(constants) | state_.in(entries) : Bit(ir::net_zero);
    result.in_ready =
        s_.net(state_.in(kind) | state_.in(registers) | state_.in(taps) | state_.in(table) |
               state_.in(move) | state_.in(chunk) | (state_.in(load)&m_writes) |
               (state_.in(rows)&w_ready) | (state_.in(parameters)&p_ready) | takes_normaliser);
    const MemoryQueue words(s_, EnginePlan::read_depth, ir::memory::distributed, m_valid,
                            leaves_place, in_.rst);
    has_word_of_maps.drive(words.valid());
    result.out_valid = s_.net(state_.in(store)&words.valid());
    result.out_last = s_.net(is_last & part.back());
    std::vector<Word> bytes;
    for (std::size_t c = out.m_word.size(); c-- > 0;) bytes.push_back(out.m_word[c]);
    of_maps.drive(words.pass(cat(s_, bytes)));
    result.out_data = beat_of_maps;
    return result;
  }

 private:
  Scope& s_;
  const CorePlan& p_;
  const EngineIn<Hardware>& in_;
  Beats beats_;
  bool normalises_;
  Fsm state_;
  UInt beat_;
};

}  // namespace

std::string EnginePlan::module_name() const {
  return core.module_name().replace(0, std::string("engine_core").size(), "engine");
}

EngineIn<Hardware> input_shape(const EnginePlan& p) {
  EngineIn<Hardware> in;
  in.in_data.assign(static_cast<std::size_t>(p.core.shape.beat_bytes()), UInt::shape(8));
  return in;
}

EngineOut<Hardware> output_shape(const EnginePlan& p) {
  EngineOut<Hardware> out;
  out.out_data.assign(static_cast<std::size_t>(p.core.shape.beat_bytes()), UInt::shape(8));
  return out;
}

EngineOut<Hardware> build_engine(Scope& s, const EnginePlan& p, const EngineIn<Hardware>& in) {
  s.module().set_about("operations from a stream");
  return EngineBuilder(s, p, in).run();
}

}  // namespace kumiki::gen::engine
