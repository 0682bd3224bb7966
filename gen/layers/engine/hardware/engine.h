// SPDX-License-Identifier: Apache-2.0
// The core behind a stream of operations.
//
// A beat has a byte for every column, or for several rows of columns. The stream has packets, each
// with a beat of its kind first:
//
//   operation   registers; taps; a table if there is one, entry by entry, and that of the second
//               numbers; then tile by tile the weights, column by column, and the parameters. If
//               weights are numbers of maps, chunks: a word of weights behind a beat that says so;
//               or first place, count of places less 1, which are the weights
//   load        first place, count of places less 1; then the places, part by part
//   store       first place, count of places less 1; the places leave through the other stream
//   normalise   registers of the normaliser, then its entries
//
// An operation begins when the one before it has ended. Meanwhile the registers, taps, weights and
// parameters of the next one come, as far as there is room. A load or a store waits until all
// operations before it have ended, but for the last ones if its first beat says so. It has the
// banks in clocks in which operations do not write, or read. An operation whose weights are numbers
// of maps waits for all. The normaliser begins as a load does; operations begin, and loads and
// stores come, when it has ended.
#pragma once
#include "gen/hdl/queue_model.h"
#include "gen/layers/engine/hardware/core_model.h"
#include "gen/layers/engine/hardware/normaliser.h"

namespace kumiki::gen::engine {

enum class Packet : std::uint8_t { operation, load, store, normalise };

// Beats of the parts of a packet.
struct Beats {
  explicit Beats(const CorePlan& plan);
  std::uint32_t bits = 0;  // of a beat
  // Of all registers; a tap; a move, or a chunk of weights.
  std::uint32_t register_bits = 0, tap_bits = 0, move_bits = 0;
  std::uint32_t normaliser_bits = 0;  // of all its registers
  std::int64_t of(std::uint32_t width) const { return (width + bits - 1) / bits; }
  std::int64_t registers() const { return of(register_bits); }
  std::int64_t tap() const { return of(tap_bits); }
  std::int64_t move() const { return of(move_bits); }
  std::int64_t entry() const { return of(SumTables::bits); }
  std::int64_t parameter() const { return of(CorePlan::parameter_bits); }
  std::int64_t normaliser() const { return of(normaliser_bits); }
  std::int64_t normaliser_entry() const { return of(NormaliserPlan::entry_bits); }
};
// The first beat: its kind, the unit, whether there is a table and a second number, whether ties of
// their sums go to the even one, whether weights are numbers of maps, taps less 1. Of a load, a
// store or the normaliser: how many operations before it may not have ended yet; 2: any.
inline constexpr std::uint32_t kind_place = 0, depthwise_place = 2, maximum_place = 3,
                               table_place = 4, adds_place = 5, ties_place = 6, fills_place = 7,
                               taps_place = 8, beside_place = 2, most_beside = 2;

template <class R>
struct EngineIn {
  typename R::Bit rst, in_valid, out_ready;
  std::vector<typename R::UInt> in_data;
  static constexpr auto ports() {
    return std::tuple(port("rst", &EngineIn::rst), port("in_valid", &EngineIn::in_valid),
                      port("in_data", &EngineIn::in_data), port("out_ready", &EngineIn::out_ready));
  }
};
template <class R>
struct EngineOut {
  typename R::Bit in_ready, out_valid, out_last;
  std::vector<typename R::UInt> out_data;
  static constexpr auto ports() {
    return std::tuple(port("in_ready", &EngineOut::in_ready),
                      port("out_valid", &EngineOut::out_valid),
                      port("out_last", &EngineOut::out_last, &EngineOut::out_valid),
                      port("out_data", &EngineOut::out_data, &EngineOut::out_valid));
  }
};

struct EnginePlan {
  CorePlan core;
  static constexpr std::uint32_t read_depth = 16;  // words of the maps on their way out
  std::string module_name() const;
  friend bool operator==(const EnginePlan&, const EnginePlan&) = default;
};

EngineIn<Hardware> input_shape(const EnginePlan& plan);
EngineOut<Hardware> output_shape(const EnginePlan& plan);
EngineOut<Hardware> build_engine(Scope& s, const EnginePlan& plan, const EngineIn<Hardware>& in);

// What the stream of operations is at.
struct EngineState {
  enum Of : unsigned {
    kind,
    waits,
    registers,
    taps,
    table,
    settles,
    settled,
    rows,
    parameters,
    move,
    load,
    chunk,
    fill,
    store,
    // Of an engine with a normaliser.
    constants,
    constants_settle,
    constants_settled,
    entries,
    normalises,
    count
  };
};

// Both streams clock by clock.
class EngineModel {
 public:
  explicit EngineModel(const EnginePlan& plan);
  void power_up();
  EngineOut<Values> shown() const;  // before the edge, whatever the inputs are
  EngineOut<Values> step(const EngineIn<Values>& in);

 private:
  void reset();
  void take(const EngineIn<Values>& in, CoreIn<Values>& core, NormaliserIn<Values>& unit);
  bool collect(const EngineIn<Values>& in, std::int64_t beats);
  std::uint64_t field(std::uint32_t width);
  EnginePlan plan_;
  Beats beats_;
  CoreModel core_;
  EngineState::Of state_ = EngineState::kind;
  Packet kind_ = Packet::operation;
  bool depthwise_ = false, maximum_ = false, has_table_ = false, adds_ = false, ties_ = false,
       fills_ = false, pending_ = false, bank_ = false, write_bank_ = false;
  int starting_ = 0;  // clocks to the start
  CoreIn<Values> next_, now_;
  std::vector<std::uint64_t> gathered_;  // bytes
  std::size_t at_ = 0;                   // bit of them
  std::uint64_t taps_ = 0, entry_ = 0;
  std::uint64_t beside_ = 0;
  std::int64_t tap_ = 0, row_ = 0, beats_of_tile_ = 0, lane_ = 0, tile_ = 0, part_ = 0;
  std::uint64_t place_ = 0, left_ = 0, to_ask_ = 0;
  bool asks_ = false;
  std::size_t under_way_ = 0;                     // words that were asked for and have not left
  QueueModel<std::vector<std::uint64_t>> words_;  // of the maps
  std::optional<NormaliserModel> normaliser_;
  NormaliserIn<Values> constants_;  // its registers
};

}  // namespace kumiki::gen::engine
