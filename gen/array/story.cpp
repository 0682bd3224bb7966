// SPDX-License-Identifier: Apache-2.0
#include "gen/array/story.h"

#include <algorithm>

namespace kumiki::gen::array {
void Story::next_program() {
  using namespace fields;
  writes_.clear();
  written_ = 0;
  // Half of the programs are a single block: short runs see results too.
  const bool small = random_() % 2 == 0;
  const auto layers = small ? 1 : up_to(std::min(3, plan_.request.layers));
  std::uint64_t clocks = 40;
  for (int l = 0; l < layers; ++l) {
    Descriptor d;
    const bool fc = random_() % 3 == 0;
    const bool batch = fc && plan_.request.batched_fc && random_() % 2 == 0;
    for (const Field& f : {common_none, compute_batch, drain_batch}) d.set(f, batch);
    const std::int64_t t = plan_.depth();
    std::int64_t blocks = up_to(2), strips = up_to(2), turns = up_to(2), groups = up_to(2);
    if (small) blocks = strips = turns = groups = 1;
    std::int64_t steps = 0;
    const std::int64_t inputs = up_to(3 * t + 2);
    std::int64_t slots = t;
    if (fc) {
      if (!batch) blocks = 1;
      turns = groups = 1;
      slots = std::min(t, inputs);
      steps = inputs;
      d.set(loader_fc, 1);
      d.set(loader_count, static_cast<std::uint64_t>(inputs * strips * blocks));
      d.set(feeder_fc, 1);
      d.set(compute_fc, 1);
      d.set(compute_channels, static_cast<std::uint64_t>(inputs));
      d.set(drain_fc, 1);
    } else {
      Phases p;
      do {
        p = phases_of(static_cast<int>(up_to(small ? 2 : 5)), static_cast<int>(up_to(4)),
                      static_cast<int>(up_to(2)));
      } while (p.reach() > plan_.request.reach ||
               p.phases * p.phases * plan_.chunks() > plan_.window_depth());
      const std::int64_t channels = up_to(small ? 2 : 3), all = blocks * strips * turns * groups;
      std::int64_t taps = 0;
      for (int i = 0; i < p.phases; ++i) taps += p.taps_of(i);
      steps = taps * taps * channels * t;
      d.set(loader_fc, 0);
      d.set(loader_window, static_cast<std::uint64_t>(p.phases * p.phases * plan_.chunks()));
      d.set(loader_groups, static_cast<std::uint64_t>(plan_.bank_groups()));
      d.set(loader_count, static_cast<std::uint64_t>(channels * all));
      d.set(feeder_fc, 0);
      for (const auto& [phases, count, high, step] :
           {std::tuple(feeder_phases, feeder_taps, feeder_high, feeder_step),
            std::tuple(compute_phases, compute_taps, compute_high, compute_step)}) {
        d.set(phases, static_cast<std::uint64_t>(p.phases));
        d.set(count, static_cast<std::uint64_t>(p.taps));
        d.set(high, static_cast<std::uint64_t>(p.high));
        d.set(step, static_cast<std::uint64_t>(p.step));
      }
      d.set(feeder_windows, static_cast<std::uint64_t>(channels * all));
      d.set(compute_fc, 0);
      d.set(compute_channels, static_cast<std::uint64_t>(channels));
      d.set(drain_fc, 0);
    }
    const bool down = !fc && plan_.cuts_down() && random_() % 2 == 0;
    const bool across = !fc && plan_.cuts_across() && random_() % 2 == 0;
    const std::int64_t rows_of_part = down ? plan_.cut_down().size : plan_.rows();
    const std::int64_t columns_of_part = across ? plan_.cut_across().size : plan_.columns();
    for (const Field& f : {feeder_down, compute_down, drain_down}) d.set(f, down);
    for (const Field& f : {compute_across, drain_across}) d.set(f, across);
    if (!fc) slots = t * (down ? 2 : 1) * (across ? 2 : 1);
    const std::int64_t all = blocks * strips * turns * groups;
    const bool keep = steps <= plan_.common_depth() && random_() % 2 == 0;
    d.set(common_keep, keep);
    d.set(common_length, static_cast<std::uint64_t>(steps));
    d.set(common_repeats, static_cast<std::uint64_t>(keep ? blocks * strips : 1));
    d.set(common_outers, static_cast<std::uint64_t>(keep ? turns * groups : all));
    d.set(compute_blocks, static_cast<std::uint64_t>(all));
    const bool pools = plan_.request.max_pool || plan_.request.average_pool;
    std::int64_t pool = fc || !pools ? 0 : up_to(3) - 1;
    if (rows_of_part <= pool || columns_of_part <= pool) pool = 0;
    d.set(drain_pool, static_cast<std::uint64_t>(pool));
    d.set(drain_average,
          plan_.request.average_pool && (!plan_.request.max_pool || random_() % 2 == 0));
    d.set(drain_relu, random_() % 2);
    auto rows = [&] {
      if (pool == 0) return up_to(rows_of_part);
      const auto most = pool == 1 ? rows_of_part / 2 : (rows_of_part - 1) / 2;
      return 2 * up_to(most) + pool - 1;
    };
    auto words = [&] {
      return up_to(pool == 0   ? columns_of_part
                   : pool == 1 ? columns_of_part / 2
                               : (columns_of_part - 1) / 2);
    };
    d.set(drain_slots, static_cast<std::uint64_t>(slots));
    d.set(drain_slots_last, static_cast<std::uint64_t>(fc ? slots : up_to(slots)));
    d.set(drain_rows, static_cast<std::uint64_t>(rows()));
    d.set(drain_rows_last, static_cast<std::uint64_t>(rows()));
    d.set(drain_words, static_cast<std::uint64_t>(words()));
    d.set(drain_words_last, static_cast<std::uint64_t>(words()));
    d.set(drain_tail, static_cast<std::uint64_t>(words()));
    d.set(drain_tail_last, static_cast<std::uint64_t>(words()));
    d.set(drain_blocks, static_cast<std::uint64_t>(blocks));
    d.set(drain_strips, static_cast<std::uint64_t>(strips));
    d.set(drain_turns, static_cast<std::uint64_t>(turns));
    d.set(drain_groups, static_cast<std::uint64_t>(groups));
    for (const RegisterWrite& w : d.writes(l)) writes_.push_back(w);
    clocks += static_cast<std::uint64_t>(all * (steps + slots * plan_.elements()));
  }
  writes_.push_back({start_address, static_cast<std::uint32_t>(layers - 1)});
  valid_ = static_cast<unsigned>(up_to(8));
  ready_ = static_cast<unsigned>(up_to(8));
  rest_ = writes_.size() + 2 * clocks * 8 / std::min(valid_, ready_);
  if (random_() % 4 == 0) rest_ = 1 + random_() % rest_;  // cut short
}

void Story::drive(std::uint64_t cycle, ArrayIn<Values>& in) {
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
