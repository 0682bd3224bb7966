// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/width.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {

Stream WidthPlan::output() const {
  Stream out = stream;
  out.lanes = lanes;
  return out;
}

std::int64_t WidthPlan::parts() const {
  return cuts() ? stream.lanes / lanes : lanes / stream.lanes;
}

std::int64_t WidthPlan::last_parts() const {
  const Stream &wide = cuts() ? stream : output(), &narrow = cuts() ? output() : stream;
  return narrow.blocks() - (wide.blocks() - 1) * parts();
}

std::int64_t WidthPlan::interval() const { return (cuts() ? output() : stream).beats(); }

std::string WidthPlan::text() const {
  return fmt::format("{} lanes of {} bits become {}", stream.lanes, stream.format.bits, lanes);
}

std::string WidthPlan::module_name() const {
  return fmt::format("width{}to{}x{}_c{}", stream.lanes, lanes, stream.format.bits,
                     stream.channels);
}

bool legal(const WidthPlan& p) {
  const auto [low, high] = std::minmax({p.stream.lanes, p.lanes});
  return low >= 1 && low < high && high % low == 0;
}

std::vector<WidthPlan> width_plans(const Stream& from, std::int64_t lanes, std::int64_t interval) {
  if (from.lanes == lanes) return {};
  const WidthPlan one{.stream = from, .lanes = lanes};
  if (legal(one)) return {one};
  const auto by_way_of = [&](std::int64_t middle) {
    const WidthPlan first{.stream = from, .lanes = middle};
    return std::vector{first, WidthPlan{.stream = first.output(), .lanes = lanes}};
  };
  auto narrow = by_way_of(std::gcd(from.lanes, lanes));
  if (narrow[0].interval() <= interval) return narrow;
  return by_way_of(std::lcm(from.lanes, lanes));
}

void WidthModel::reset() {
  block_ = 0;
  word_.clear();
  leaving_.clear();
  waiting_.clear();
  part_ = 0;
  full_ = false;
  wide_.assign(static_cast<std::size_t>(plan_.lanes), 0);
}

std::int64_t WidthModel::parts_now() const {
  const std::int64_t blocks = (plan_.cuts() ? plan_.stream : plan_.output()).blocks();
  return block_ + 1 == blocks ? plan_.last_parts() : plan_.parts();
}

void WidthModel::next_block() {
  const std::int64_t blocks = (plan_.cuts() ? plan_.stream : plan_.output()).blocks();
  block_ = (block_ + 1) % blocks;
}

bool WidthModel::takes_in() const {
  if (!plan_.cuts()) return waiting_.empty();
  return word_.empty() || (word_.size() == 1 && leaving_.size() < 2);
}

MachineOut<Values> WidthModel::shown() const {
  MachineOut<Values> out{.in_ready = {takes_in()}, .out_valid = full_, .out_data = wide_};
  if (plan_.cuts()) {
    out.out_valid = !leaving_.empty();
    if (out.out_valid) out.out_data = leaving_.front();
  }
  return out;
}

void WidthModel::clock(const MachineIn<Values>& in) {
  if (plan_.cuts())
    cut(in);
  else
    put_together(in);
  if (in.rst) reset();
}

void WidthModel::cut(const MachineIn<Values>& in) {
  const bool takes = in.in_valid[0] && takes_in(), moves = !word_.empty() && leaving_.size() < 2;
  if (in.out_ready && !leaving_.empty()) leaving_.pop_front();
  if (moves) {
    leaving_.push_back(std::move(word_.front()));
    word_.pop_front();
  }
  if (!takes) return;
  for (auto at = in.in_data.begin(); std::ssize(word_) < parts_now(); at += plan_.lanes)
    word_.emplace_back(at, at + plan_.lanes);
  next_block();
}

// The unused parts of a wide beat repeat its last narrow beat.
void WidthModel::put_together(const MachineIn<Values>& in) {
  const bool room = waiting_.empty();
  if (room && in.in_valid[0]) waiting_.push_back(in.in_data);
  const bool leaves = full_ && in.out_ready;
  if (full_ && !leaves) return;
  full_ = false;
  if (waiting_.empty()) return;
  const Beat& beat = waiting_.front();
  for (auto at = wide_.begin() + part_ * plan_.stream.lanes; at != wide_.end();
       at += plan_.stream.lanes)
    std::ranges::copy(beat, at);
  waiting_.pop_front();
  if (++part_ < parts_now()) return;
  part_ = 0;
  full_ = true;
  next_block();
}

}  // namespace kumiki::gen::pipeline
