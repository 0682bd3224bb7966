// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/stimulus.h"

#include <algorithm>

namespace kumiki::gen::array {

using namespace fields;

Stimulus::Shape Stimulus::any_shape(bool small) {
  Shape s;
  s.fc = random_() % 3 == 0;
  s.batch = s.fc && plan_.request.batched_fc && random_() % 2 == 0;
  s.blocks = up_to(2), s.strips = up_to(2), s.turns = up_to(2), s.groups = up_to(2);
  if (small) s.blocks = s.strips = s.turns = s.groups = 1;
  const std::int64_t inputs = up_to(3 * plan_.depth() + 2);
  if (s.fc) {
    if (!s.batch) s.blocks = 1;
    s.turns = s.groups = 1;
    s.channels = s.steps = inputs;
    s.slots = std::min<std::int64_t>(plan_.depth(), inputs);
    return s;
  }
  do {
    s.phases = phases_of(static_cast<int>(up_to(small ? 2 : 5)), static_cast<int>(up_to(4)),
                         static_cast<int>(up_to(2)));
  } while (s.phases.reach() > plan_.request.reach || window(s) > plan_.window_depth());
  s.channels = up_to(small ? 2 : 3);
  std::int64_t taps = 0;
  for (int i = 0; i < s.phases.phases; ++i) taps += s.phases.taps_of(i);
  s.steps = taps * taps * s.channels * plan_.depth();
  s.down = plan_.cuts_down() && random_() % 2 == 0;
  s.across = plan_.cuts_across() && random_() % 2 == 0;
  s.slots = plan_.depth() * (s.down ? 2 : 1) * (s.across ? 2 : 1);
  return s;
}

std::int64_t Stimulus::window(const Shape& s) const {
  return std::int64_t{s.phases.phases} * s.phases.phases * plan_.chunks();
}

void Stimulus::describe_input(const Shape& s, Descriptor& d) {
  d.set(loader_fc, s.fc);
  d.set(loader_count, s.channels * s.all());
  d.set(feeder_fc, s.fc);
  d.set(compute_fc, s.fc);
  d.set(compute_batch, s.batch);
  d.set(compute_channels, s.channels);
  d.set(compute_blocks, s.all());
  d.set(compute_down, s.down);
  d.set(compute_across, s.across);
  if (!s.fc) {
    d.set(loader_window, window(s));
    d.set(loader_groups, plan_.bank_groups());
    d.set_phases(s.phases);
    d.set(feeder_windows, s.channels * s.all());
    d.set(feeder_down, s.down);
  }
  const bool keep = s.steps <= plan_.common_depth() && random_() % 2 == 0;
  d.set(common_none, s.batch);
  d.set(common_keep, keep);
  d.set(common_length, s.steps);
  d.set(common_repeats, keep ? s.blocks * s.strips : 1);
  d.set(common_outers, keep ? s.turns * s.groups : s.all());
}

void Stimulus::describe_output(const Shape& s, Descriptor& d) {
  const std::int64_t rows_of_part = s.down ? plan_.cut_down().size : plan_.rows();
  const std::int64_t columns_of_part = s.across ? plan_.cut_across().size : plan_.columns();
  const bool pools = plan_.request.max_pool || plan_.request.average_pool;
  std::int64_t pool = s.fc || !pools ? 0 : up_to(3) - 1;
  if (rows_of_part <= pool || columns_of_part <= pool) pool = 0;
  auto windows = [&](std::int64_t side) { return up_to((side - (pool == 2 ? 1 : 0)) / 2); };
  auto rows = [&] {
    return pool == 0 ? up_to(rows_of_part) : 2 * windows(rows_of_part) + pool - 1;
  };
  auto words = [&] { return pool == 0 ? up_to(columns_of_part) : windows(columns_of_part); };
  d.set(drain_fc, s.fc);
  d.set(drain_batch, s.batch);
  d.set(drain_down, s.down);
  d.set(drain_across, s.across);
  d.set(drain_pool, pool);
  d.set(drain_average,
        plan_.request.average_pool && (!plan_.request.max_pool || random_() % 2 == 0));
  d.set(drain_relu, random_() % 2 == 0);
  d.set(drain_slots, s.slots);
  d.set(drain_slots_last, s.fc ? s.slots : up_to(s.slots));
  for (const Field& f : {drain_rows, drain_rows_last}) d.set(f, rows());
  for (const Field& f : {drain_words, drain_words_last, drain_tail, drain_tail_last})
    d.set(f, words());
  d.set(drain_blocks, s.blocks);
  d.set(drain_strips, s.strips);
  d.set(drain_turns, s.turns);
  d.set(drain_groups, s.groups);
  if (!plan_.request.float32) return;
  const auto byte = [&] { return up_to(256) - 129; };
  d.set_signed(loader_pad, byte());
  d.set_signed(results_zero, byte());
  // Mostly without bounds, sometimes arbitrary ones.
  const bool whole = random_() % 4 != 0;
  const std::int64_t most = (1 << (plan_.request.data_bits - 1)) - 1;
  d.set_signed(results_low, whole ? -most - 1 : byte());
  d.set_signed(results_high, whole ? most : byte());
}

void Stimulus::next_program() {
  writes_.clear();
  written_ = 0;
  // Half of the programs have a single block, so that even short runs produce results.
  const bool small = random_() % 2 == 0;
  const std::int64_t layers = small ? 1 : up_to(std::min(3, plan_.request.layers));
  std::int64_t clocks = 40;
  for (int l = 0; l < layers; ++l) {
    const Shape shape = any_shape(small);
    Descriptor d;
    describe_input(shape, d);
    describe_output(shape, d);
    for (const RegisterWrite& w : d.writes(l)) writes_.push_back(w);
    clocks += shape.all() * (shape.steps + shape.slots * plan_.elements());
  }
  writes_.push_back({start_address, static_cast<std::uint32_t>(layers - 1)});
  valid_ = static_cast<unsigned>(up_to(8));
  ready_ = static_cast<unsigned>(up_to(8));
  rest_ = writes_.size() + static_cast<std::uint64_t>(2 * clocks * 8) / std::min(valid_, ready_);
  if (random_() % 4 == 0) rest_ = 1 + random_() % rest_;  // cut short
}

void Stimulus::drive(std::uint64_t cycle, ArrayIn<Values>& in) {
  in.rst = cycle == 0 || rest_ == 0;
  in.cfg_valid = false;
  const auto some = [&](unsigned of_eight) { return random_() % 8 < of_eight; };
  in.ind_valid = some(valid_);
  in.com_valid = some(valid_);
  in.par_valid = some(valid_);
  in.out_ready = some(ready_);
  if (in.rst) {
    next_program();
    return;
  }
  --rest_;
  if (written_ == writes_.size()) return;
  in.cfg_valid = true;
  in.cfg_addr = writes_[written_].address;
  in.cfg_data = writes_[written_].data;
  ++written_;
}

}  // namespace kumiki::gen::array
