// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "gen/layers/engine/hardware/normaliser.h"

namespace kumiki::gen::engine {

using graph::NormIntegers;
using graph::SoftmaxIntegers;

void PlacesOfPixels::start(std::uint64_t first, std::uint64_t step, std::uint64_t blocks,
                           std::uint64_t pixels) {
  *this = {};
  first_ = place_ = first;
  step_ = step;
  blocks_ = blocks;
  pixels_ = pixels;
}

void PlacesOfPixels::move() {
  if (ends_pixel()) {
    block_ = 0;
    place_ = ++first_;
    ++pixel_;
  } else {
    ++block_;
    place_ += step_;
  }
}

NormaliserModel::NormaliserModel(const NormaliserPlan& plan) : plan_(plan), queue_(plan.room) {
  power_up();
}

void NormaliserModel::power_up() {
  entries_.assign(static_cast<std::size_t>(plan_.lanes),
                  std::vector<std::uint64_t>(std::size_t{1} << plan_.entry_address_bits()));
  reset();
}

void NormaliserModel::reset() {
  busy_ = asking_ = false;
  part_ = on_way_ = 0;
  write_part_ = 0;
  ended_ = clock_ - plan_.pace;
  pixel_.clear();
  made_.clear();
  queue_.reset();
}

// Of the pixel that has come: its bytes, with those of the lanes past the last channel.
std::vector<std::uint8_t> NormaliserModel::results(const NormaliserIn<Values>& in) const {
  const auto lanes = static_cast<std::size_t>(plan_.lanes);
  const std::size_t count = static_cast<std::size_t>(in.beats) * lanes + in.last_lane + 1;
  const auto number = [&](std::size_t i) { return arith::value_of(pixel_[i], {8, true}); };
  const auto entry = [&](std::size_t lane, std::size_t address) {
    return entries_[lane][address & ((std::size_t{1} << plan_.entry_address_bits()) - 1)];
  };
  const auto factor_of = [](std::uint64_t e) {
    return arith::value_of(e & ((std::uint64_t{1} << NormaliserPlan::factor_bits) - 1),
                           {NormaliserPlan::factor_bits, true});
  };
  const auto share_of = [](std::uint64_t e) {
    return static_cast<std::int64_t>(e & ((std::uint64_t{1} << SoftmaxIntegers::entry_bits) - 1));
  };
  std::int64_t sum = 0, squares = 0, largest = -128;
  const auto below = [&](std::size_t i) {
    return static_cast<std::size_t>(number(i) - largest) & 255;
  };
  NormIntegers one{.size = 0, .factors = {0}, .biases = {0}, .least = -128, .most = 127};
  NormIntegers::Root root{};
  if (in.is_softmax != 0) {
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, number(i));
    for (std::size_t i = 0; i < count; ++i) sum += share_of(entry(i % lanes, below(i)));
    root.root = (static_cast<std::int64_t>(in.factor) << SoftmaxIntegers::shift) /
                std::max<std::int64_t>(sum, 1);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      sum += number(i);
      squares += number(i) * number(i);
    }
    one.size = static_cast<std::int64_t>(in.size);
    one.point = static_cast<int>(in.point);
    one.epsilon = static_cast<std::int64_t>(in.epsilon);
    one.most_shift = (1 << NormaliserPlan::root_steps) - 1;
    one.more_shift = static_cast<int>(in.more);
    root = one.root(sum, squares);
  }
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < pixel_.size(); ++i) {
    // What is past the last channel has the entry of a softmax behind all others, or is 0.
    const bool is_past = i >= count;
    const std::uint64_t e = entry(i % lanes, in.is_softmax == 0 ? i / lanes
                                             : is_past ? NormaliserPlan::softmax_entries - 1
                                                       : below(i));
    one.factors[0] = in.is_softmax != 0 ? share_of(e) : factor_of(e);
    one.biases[0] =
        arith::value_of(e >> NormaliserPlan::factor_bits, {NormaliserPlan::bias_bits, true});
    // A lane makes R * 2^4 of softmax with a d that is a power of two.
    all.push_back(static_cast<std::uint8_t>(
        in.is_softmax != 0 ? one.result_of(0, root.root << 4)
                           : one.result(0, is_past ? 0 : number(i), sum, root)));
  }
  return all;
}

NormaliserOut<Values> NormaliserModel::step(const NormaliserIn<Values>& in) {
  const auto lanes = static_cast<std::size_t>(plan_.lanes);
  NormaliserOut<Values> out{};
  out.busy = busy_;
  out.asks = asking_;
  out.ask_place = asks_.place() & ((std::uint64_t{1} << plan_.place_bits) - 1);
  out.e_ends = in.e_write && entry_ == static_cast<std::int64_t>(in.entries);
  out.writes = queue_.valid() && in.may_write;
  out.write_place = writes_.place() & ((std::uint64_t{1} << plan_.place_bits) - 1);
  out.write_parts = std::uint64_t{1} << write_part_;
  out.data = queue_.valid() ? queue_.front() : std::vector<std::uint64_t>(lanes);

  // Entries.
  if (in.e_restarts) {
    entry_ = entry_lane_ = entry_address_ = 0;
  } else if (in.e_write) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (in.is_softmax != 0 || static_cast<std::int64_t>(lane) == entry_lane_)
        entries_[lane][static_cast<std::size_t>(entry_address_)] = in.e_data;
    ++entry_;
    entry_lane_ = (entry_lane_ + 1) % plan_.lanes;
    if (in.is_softmax != 0 || entry_lane_ == 0) ++entry_address_;
  }

  // Beats.
  const auto ends_word = [&](std::int64_t part, const PlacesOfPixels& places) {
    return part + 1 == plan_.parts ||
           (places.ends_pixel() && part == static_cast<std::int64_t>(in.last_part));
  };
  const bool ends = ends_word(part_, takes_), ends_pixel = ends && takes_.ends_pixel(),
             waits = ends_pixel && in.is_softmax != 0 && clock_ < ended_ + plan_.pace,
             takes = in.word_valid && busy_ && on_way_ < plan_.room && !waits;
  out.takes = takes && ends;
  if (takes) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      pixel_.push_back(
          static_cast<std::uint8_t>(in.word[static_cast<std::size_t>(part_) * lanes + lane]));
    part_ = ends ? 0 : part_ + 1;
    if (ends) takes_.move();
    if (ends_pixel) {
      const std::vector<std::uint8_t> all = results(in);
      const auto beats = static_cast<std::int64_t>(all.size() / lanes);
      ended_ = clock_;
      for (std::int64_t i = 0; i < beats; ++i)
        made_.push_back({clock_ + plan_.reads() + beats - 1 + plan_.sums() + plan_.results + i,
                         {all.begin() + i * plan_.lanes, all.begin() + (i + 1) * plan_.lanes}});
      pixel_.clear();
    }
  }
  // Results.
  std::optional<std::vector<std::uint64_t>> comes;
  if (!made_.empty() && made_.front().clock == clock_) {
    comes = std::move(made_.front().beat);
    made_.pop_front();
  }
  queue_.clock(std::move(comes), out.writes);
  on_way_ += (takes ? 1 : 0) - (out.writes ? 1 : 0);
  bool done = false;
  if (out.writes) {
    const bool ends_place = ends_word(write_part_, writes_);
    done = ends_place && writes_.is_last();
    write_part_ = ends_place ? 0 : write_part_ + 1;
    if (ends_place) writes_.move();
  }
  if (out.asks && in.may_ask) {
    asking_ = !asks_.is_last();
    asks_.move();
  }
  busy_ = (busy_ && !done) || in.start;
  if (in.start) {
    asking_ = true;
    asks_.start(in.from, in.from_step, in.blocks, in.pixels);
    takes_.start(in.from, in.from_step, in.blocks, in.pixels);
    writes_.start(in.to, in.to_step, in.blocks, in.pixels);
  }
  ++clock_;
  if (in.rst) reset();
  return out;
}

}  // namespace kumiki::gen::engine
