// SPDX-License-Identifier: Apache-2.0
// What the README says of an array, step by step and without clocks: register writes and streams
// in, output beats out. Knows nothing of layouts.
#pragma once
#include <cmath>
#include <map>
#include <vector>

#include "gen/layers/array/streams.h"

namespace kumiki::gen::array::test {

struct Word {
  std::int64_t value;
  bool kept;
};

class Interpreter {
 public:
  Interpreter(const ArrayPlan& plan, const std::vector<RegisterWrite>& writes,
              IndividualStream& individual, CommonStream& common, ParameterStream& parameters)
      : p_(plan), individual_(individual), common_(common), parameters_(parameters) {
    for (const RegisterWrite& w : writes) words_[w.address] = w.data;
  }

  // All beats of a layer, one after the other.
  std::vector<std::vector<Word>> layer(int number) {
    now_ = number;
    beats_.clear();
    lot_.clear();
    if (p_.request.batched_fc && get(fields::compute_batch) != 0)
      batch();
    else if (get(fields::compute_fc) != 0)
      neurons();
    else
      convolution();
    return beats_;
  }

 private:
  using Sums = std::map<std::array<std::int64_t, 3>, std::int64_t>;  // slot, row, column

  std::int64_t get(const Field& f) const {
    const std::uint64_t word = words_.at(address(f.engine, now_, f.word));
    return static_cast<std::int64_t>((word >> f.low) % (std::uint64_t{1} << f.width)) + f.less;
  }
  std::int64_t signed_of(std::uint64_t v) const {
    const int bits = p_.operand_bits();
    return static_cast<std::int64_t>(v) -
           ((v >> (bits - 1) & 1) != 0 ? std::int64_t{1} << bits : 0);
  }

  // A lot of words, played once more when it is kept.
  void begin_block(std::int64_t block_of_lot) {
    const bool fresh = block_of_lot == 0 || get(fields::common_keep) == 0;
    if (fresh) {
      lot_.clear();
      for (std::int64_t i = 0; i < get(fields::common_length); ++i) {
        common_.next(common_words_);
        std::vector<std::int64_t> beat;
        for (const std::uint64_t w : common_words_) beat.push_back(signed_of(w));
        lot_.push_back(beat);
      }
    }
    at_ = 0;
  }

  void neurons() {
    for (std::int64_t block = 0; block < get(fields::compute_blocks); ++block) {
      begin_block(block);
      Sums sums;
      for (std::int64_t i = 0; i < get(fields::compute_channels); ++i) {
        individual_.next(data_, keep_);
        const std::int64_t x = lot_.at(at_++).at(0);
        for (int e = 0; e < p_.fc_elements(); ++e)
          sums[{i % p_.depth(), e / p_.columns(), e % p_.columns()}] +=
              x * signed_of(data_.at(static_cast<std::size_t>(e)));
      }
      const bool last = block == get(fields::drain_strips) - 1;
      const std::int64_t rows = get(last ? fields::drain_rows_last : fields::drain_rows);
      for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<std::int64_t> out;
        for (std::int64_t c = 0; c < p_.columns(); ++c) {
          std::int64_t sum = 0;
          for (std::int64_t s = 0; s < get(fields::drain_slots); ++s) sum += sums[{s, row, c}];
          out.push_back(sum);
        }
        const Field& tail = last ? fields::drain_tail_last : fields::drain_tail;
        emit(out, row == rows - 1 ? get(tail) : get(fields::drain_words), true);
      }
    }
  }

  // Outputs down, images across; a beat has an input of each image, then a weight of each output.
  void batch() {
    using namespace fields;
    for (std::int64_t strip = 0; strip < get(drain_strips); ++strip)
      for (std::int64_t block = 0; block < get(drain_blocks); ++block) {
        Sums sums;
        for (std::int64_t i = 0; i < get(compute_channels); ++i) {
          individual_.next(data_, keep_);
          for (std::int64_t r = 0; r < p_.rows(); ++r)
            for (std::int64_t c = 0; c < p_.columns(); ++c)
              sums[{0, r, c}] += signed_of(data_.at(static_cast<std::size_t>(c))) *
                                 signed_of(data_.at(static_cast<std::size_t>(p_.columns() + r)));
        }
        const bool last_strip = strip == get(drain_strips) - 1;
        const bool last_block = block == get(drain_blocks) - 1;
        for (std::int64_t r = 0; r < get(last_strip ? drain_rows_last : drain_rows); ++r) {
          std::vector<std::int64_t> out;
          for (std::int64_t c = 0; c < p_.columns(); ++c) out.push_back(sums[{0, r, c}]);
          emit(out, get(last_block ? drain_words_last : drain_words), true);
        }
      }
  }

  void convolution() {
    using namespace fields;
    for (std::int64_t group = 0; group < get(drain_groups); ++group)
      for (std::int64_t turn = 0; turn < get(drain_turns); ++turn)
        for (std::int64_t strip = 0; strip < get(drain_strips); ++strip)
          for (std::int64_t block = 0; block < get(drain_blocks); ++block) {
            begin_block(strip * get(drain_blocks) + block);
            Sums sums;
            for (std::int64_t c = 0; c < get(compute_channels); ++c) channel(sums);
            const bool last_turn = turn == get(drain_turns) - 1;
            const std::int64_t slots = get(last_turn ? drain_slots_last : drain_slots);
            const bool last_strip = strip == get(drain_strips) - 1;
            const bool last_block = block == get(drain_blocks) - 1;
            for (std::int64_t s = 0; s < slots; ++s) {
              const std::int64_t part = s / p_.depth();
              const bool right = across() && part % 2 == 1;
              const bool low = down() && (across() ? part / 2 == 1 : part == 1);
              map_of(sums,
                     {s % p_.depth(), low ? p_.cut_down().offset : 0,
                      right ? p_.cut_across().offset : 0},
                     get(last_strip ? drain_rows_last : drain_rows),
                     get(last_block ? drain_words_last : drain_words));
            }
          }
  }

  // Cut in two parts, where the array can be.
  bool down() const { return p_.cuts_down() && get(fields::compute_down) == 1; }
  bool across() const { return p_.cuts_across() && get(fields::compute_across) == 1; }

  static int taps(const Interpreter& i, std::int64_t phase) {
    return static_cast<int>(i.get(fields::compute_taps)) -
           (phase < i.get(fields::compute_high) ? 0 : 1);
  }

  std::int64_t byte(const Field& f) const { return wrapped(get(f), 8); }
  std::int64_t padding() const { return p_.request.float32 ? byte(fields::loader_pad) : 0; }

  void channel(Sums& sums) {
    using namespace fields;
    const std::int64_t phases = get(compute_phases), step = get(compute_step);
    std::map<std::array<std::int64_t, 3>, std::int64_t> banks;  // bank, address, position
    const int chunk = p_.chunk(), banks_a_beat = p_.stream_words() / chunk;
    for (std::int64_t address = 0; address < get(loader_window); ++address)
      for (std::int64_t beat = 0; beat < get(loader_groups); ++beat) {
        individual_.next(data_, keep_);
        for (int j = 0; j < std::min(banks_a_beat, p_.banks()); ++j)
          for (int i = 0; i < chunk; ++i) {
            const auto lane = static_cast<std::size_t>(j * chunk + i);
            banks[{beat * std::min(banks_a_beat, p_.banks()) + j, address, i}] =
                keep_.at(lane) ? signed_of(data_.at(lane)) : padding();
          }
      }
    for (std::int64_t a = 0; a < phases; ++a)
      for (std::int64_t i = 0; i < taps(*this, a); ++i)
        for (std::int64_t b = 0; b < phases; ++b)
          for (std::int64_t j = 0; j < taps(*this, b); ++j)
            for (std::int64_t slot = 0; slot < p_.depth(); ++slot) {
              const std::vector<std::int64_t>& weights = lot_.at(at_++);
              for (std::int64_t r = 0; r < p_.rows(); ++r)
                for (std::int64_t c = 0; c < p_.columns(); ++c) {
                  const bool low = down() && r >= p_.cut_down().offset;
                  const bool right = across() && c >= p_.cut_across().offset;
                  // Lane down * (1 or 2) + across of the beat.
                  const std::size_t lane =
                      (low ? (p_.cuts_across() ? 2u : 1u) : 0u) + (right ? 1u : 0u);
                  const std::int64_t m = c - (right ? p_.cut_across().offset : 0) + j * step;
                  const std::int64_t bank = r - (low ? p_.cut_down().offset : 0) + i * step;
                  sums[{slot, r, c}] +=
                      weights.at(lane) *
                      banks[{bank, (a * phases + b) * p_.chunks() + m / chunk, m % chunk}];
                }
            }
  }

  // Results of one accumulator from an element on: pooled, row by row.
  void map_of(Sums& sums, const std::array<std::int64_t, 3>& from, std::int64_t rows,
              std::int64_t words) {
    auto sum = [&](std::int64_t y, std::int64_t x) {
      return sums[{from[0], from[1] + y, from[2] + x}];
    };
    const std::int64_t size = get(fields::drain_pool) == 0 ? 1 : get(fields::drain_pool) + 1;
    const std::int64_t pitch = size == 1 ? 1 : 2;
    const bool average = get(fields::drain_average) != 0;
    const std::int64_t results = (rows - size) / pitch + 1;
    for (std::int64_t y = 0; y < results; ++y) {
      std::vector<std::int64_t> out;
      for (std::int64_t x = 0; x < words; ++x) {
        std::int64_t v = sum(pitch * y, pitch * x);
        for (std::int64_t k = 1; k < size * size; ++k) {
          const std::int64_t w = sum(pitch * y + k / size, pitch * x + k % size);
          v = average ? v + w : std::max(v, w);
        }
        out.push_back(v);
      }
      emit(out, words, false);
      // One set of parameters serves all rows of a slot.
      if (y < results - 1) have_parameters_ = true;
    }
    have_parameters_ = false;
  }

  void emit(const std::vector<std::int64_t>& row, std::int64_t words, bool each_beat) {
    const std::int64_t lanes = p_.request.output_words;
    for (std::int64_t first = 0; first < words; first += lanes) {
      if (each_beat || (!have_parameters_ && first == 0)) parameters_.next(parameter_);
      std::vector<Word> beat;
      for (std::int64_t i = 0; i < lanes; ++i) {
        const bool kept = first + i < words;
        const auto which = static_cast<std::size_t>(each_beat ? i : 0);
        const std::int64_t sum = kept ? row.at(static_cast<std::size_t>(first + i)) : 0;
        beat.push_back({kept ? requantised(sum, parameter_.at(which)) : 0, kept});
      }
      beats_.push_back(std::move(beat));
    }
  }

  std::int64_t requantised(std::int64_t sum, std::uint64_t parameter) const {
    const int wide = p_.packed() ? 32 : 48;
    const std::int64_t modulus = std::int64_t{1} << wide;
    std::int64_t v =
        (sum + static_cast<std::int64_t>(parameter % (std::uint64_t{1} << wide))) % modulus;
    if (v < -modulus / 2) v += modulus;
    if (v >= modulus / 2) v -= modulus;
    if (p_.request.float32) {
      // A double holds products of sums of few bits exactly.
      const auto factor = static_cast<double>(parameter >> 32 & 0x3FFFFFF);
      const auto shift = static_cast<int>(15 + 3 * (parameter >> 58));
      const auto product = static_cast<float>(std::ldexp(static_cast<double>(v) * factor, -shift));
      const auto zero = static_cast<double>(byte(fields::results_zero));
      const double result = std::nearbyint(static_cast<double>(product)) + zero;
      return static_cast<std::int64_t>(std::clamp(result,
                                                  static_cast<double>(byte(fields::results_low)),
                                                  static_cast<double>(byte(fields::results_high))));
    }
    if (p_.packed()) v *= static_cast<std::int64_t>(parameter >> 32 & 0xFFFF);
    v = ((v >> (parameter >> 48)) + 1) >> 1;
    const std::int64_t most = (std::int64_t{1} << (p_.request.data_bits - 1)) - 1;
    return std::clamp(v, get(fields::drain_relu) != 0 ? 0 : -most - 1, most);
  }

  const ArrayPlan& p_;
  IndividualStream& individual_;
  CommonStream& common_;
  ParameterStream& parameters_;
  std::map<std::uint32_t, std::uint32_t> words_;
  int now_ = 0;
  std::vector<std::vector<std::int64_t>> lot_;  // beats
  std::size_t at_ = 0;
  bool have_parameters_ = false;
  std::vector<std::uint64_t> data_, common_words_, parameter_;
  std::vector<bool> keep_;
  std::vector<std::vector<Word>> beats_;
};

}  // namespace kumiki::gen::array::test
