// SPDX-License-Identifier: Apache-2.0
// The model of an array in integers, clock by clock: model_step.cpp has the clock, model.cpp the
// arithmetic. A sum is computed when its step is issued, and becomes visible when the hardware
// finishes that step.
#pragma once
#include <array>
#include <deque>

#include "gen/layers/array/plan.h"
#include "gen/layers/array/ports.h"
#include "gen/layers/array/registers.h"
#include "gen/layers/array/tensor.h"

namespace kumiki::gen::array {

// Counts of the plan are ints; indices of vectors are not.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

class ArrayModel {
 public:
  explicit ArrayModel(const ArrayPlan& plan);
  void power_up();
  const ArrayOut<Values>& step(const ArrayIn<Values>& in);

 private:
  enum class State : std::uint8_t { idle, fetch, init, run, flush };
  // An engine's walk over the layers. The descriptor is available one clock after `fetch`; two
  // clocks later the first step waits. The drain counts in two stages.
  static constexpr int init_clocks = 2, drain_init_clocks = 4;
  struct Walk {
    State state = State::idle;
    int layer = 0;
    int waits = 0;
    bool running() const { return state == State::run; }
    bool begins() const { return state == State::init && waits == init_clocks; }
  };
  // Whether one more may begin; what began or ended in the previous clock does not count yet.
  struct Room {
    int used = 0;
    bool left = true;
    void step(bool begins, bool ends) {
      left = used <= ArrayPlan::waiting_words - 2;
      used += begins - ends;
    }
  };
  // A row of results on its way through the drain, and its flags.
  struct Row {
    bool valid = false;
    int slot = 0, part = 0, row = 0, half = 0;
    bool fc = false, first_slot = false, emit = false, odd = false;
    int pool = 0;
    bool average = false, relu = false;
    int layer = 0;
    int words = 0;
    bool row_last = false, last = false, final = false;
    std::vector<std::int64_t> lanes;
  };
  struct Beat {
    bool valid = false;
    std::vector<std::uint64_t> data;
    std::vector<bool> keep;
    bool last = false, final = false;
  };

  std::uint32_t field(const Field& f, int layer) const;
  std::int64_t signed_field(const Field& f, int layer, int bits) const {
    return wrapped(field(f, layer), bits);
  }
  // Whether the descriptor sets the field and the hardware for it exists.
  bool asks(const Field& f, int layer, bool built) const { return built && field(f, layer) != 0; }
  void next_layer(Walk& walk) const;
  void advance(Walk& walk) const;
  void reset();

  // The combinational nets of this clock, computed from registers and inputs.
  struct Wires {
    bool last_words, leave, row_done, load_row, par_ready, drain_reads, out_taken;  // results
    bool fc, batch, down, across;                                                   // the layer
    bool slot_last, tap_last, window_last, capture;                                 // the step
    bool no_room, issue, take_common, block_end, blocks_over;
    bool consume, last_operand, want_load, load_direct, load_shadow, shift;  // its operands
    bool read, shadow_there;                                                 // feeder
    bool load_fc, ind_ready, ind_take;                                       // loader
    bool none, com_ready, fetch;                                             // common memory
  };
  void wires_of_results(Wires& w, const ArrayIn<Values>& in) const;
  void wires_of_steps(Wires& w) const;
  void wires_of_feed(Wires& w) const;
  void wires_of_operands(Wires& w, const ArrayIn<Values>& in) const;
  void show(const Wires& w);
  // The clock edge, engine by engine.
  void leave(const Wires& w, const ArrayIn<Values>& in);
  bool drain(const Wires& w);
  bool read_row(Row& row);
  void step_elements(const Wires& w, bool released);
  void move_chain(const Wires& w);
  void next_operand(const Wires& w);
  void next_place(const Wires& w);
  void next_state(const Wires& w);
  void feed(const Wires& w);
  void read_banks();
  std::size_t bank_word(int bank, int half, std::uint32_t address) const;
  void write_banks(const ArrayIn<Values>& in);
  void load(const Wires& w, const ArrayIn<Values>& in);
  void remember(const Wires& w, const ArrayIn<Values>& in);
  void configure(const ArrayIn<Values>& in);

  std::uint32_t last_tap(std::uint32_t phase) const;
  void elements_multiply(const Wires& w);
  std::int64_t captured(int half, int slot, int row, int column) const;
  std::vector<std::int64_t> captured_row(const Row& row, bool down, bool across) const;
  void combine(Row& row);
  std::uint64_t requantised(std::int64_t v, std::uint64_t parameter, const Row& row) const;
  std::int64_t by_float32(std::int64_t biased, std::uint64_t parameter, int layer) const;

  const ArrayPlan plan_;
  ArrayOut<Values> out_{};

  std::vector<std::uint32_t> descriptors_;  // [engine][layer][word]
  int last_layer_ = 0;
  bool busy_ = false;

  Walk loader_, feeder_, common_, compute_, drain_;
  // Loader and banks.
  std::vector<std::int64_t> banks_;  // [bank][half][address][position]
  std::array<bool, 2> full_{};
  int load_half_ = 0;
  std::uint32_t group_ = 0, load_address_ = 0, loaded_ = 0;
  std::deque<std::vector<std::int64_t>> direct_coming_, direct_;  // the front is taken next
  Room direct_room_;
  std::deque<bool> direct_taken_;  // in the last clocks; it then frees its place
  // Feeder.
  int feed_half_ = 0;
  std::uint32_t feed_chunk_ = 0, feed_b_ = 0, feed_tap_ = 0, feed_a_ = 0, fed_ = 0;
  bool shadow_full_ = false;
  std::vector<std::int64_t> shadow_, chain_;  // [row][position]
  std::vector<std::int64_t> weights_;         // [row], for a batch
  // Common memory.
  std::vector<std::int64_t> kept_;                    // [place][lane]
  std::uint32_t write_ = 0, read_at_ = 0, base_ = 0;  // counters modulo the depth
  std::uint32_t word_ = 0, repeat_ = 0, outer_ = 0;
  bool common_there_ = false, common_room_ = true;  // as of the previous clock
  bool common_full_ = false;
  std::vector<std::int64_t> common_word_;  // [lane]
  // Compute.
  enum class Operand : std::uint8_t { hold, load, shift, ready };
  Operand operand_ = Operand::hold;
  int slot_ = 0, capture_half_ = 0, claimed_ = 0, flush_ = 0;
  std::uint32_t tap_b_ = 0, b_ = 0, tap_a_ = 0, a_ = 0, remaining_ = 0, block_ = 0;
  bool first_round_ = true;
  struct Issued {
    bool go = false, end = false;
  };
  std::deque<Issued> issued_;                          // on their way to the rows
  bool go_ = false, end_ = false;                      // the rows' copy of the issued step
  std::array<bool, 4> ends_{};                         // end_, delayed by 1 to 4 steps
  std::vector<std::int64_t> operands_;                 // [element]
  std::vector<std::int64_t> sums_;                     // [slot][element]
  std::array<std::vector<std::int64_t>, 2> captured_;  // [half][slot][element]
  // Drain.
  // Results of a block are numbered across all parts: the slots of a part, then those of the next.
  int ready_ = 0, drain_half_ = 0, drain_count_ = 0, drain_slot_ = 0, drain_part_ = 0;
  int drain_row_ = 0;
  std::uint32_t drain_block_ = 0, drain_strip_ = 0, drain_turn_ = 0, drain_group_ = 0;
  std::deque<Row> rows_, waiting_rows_;  // under way, and ready to leave
  Room row_room_;
  std::vector<std::int64_t> running_;  // sums over slots, or of a pooling window
  std::vector<std::int64_t> words_;    // a row that is leaving word by word
  int words_left_ = 0;
  Row leaving_;
  std::deque<Beat> lanes_, waiting_beats_;  // under way, and ready to be shown
  Room beat_room_;
  Beat shown_;
};

}  // namespace kumiki::gen::array
