// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/host.h"

#include "gen/layers/engine/run.h"

namespace kumiki::gen::engine {

SharedBeats::Beats SharedBeats::of(std::size_t step) {
  if (!beats_ || step_ != step) {
    beats_ = std::make_shared<const std::vector<Beat>>(beats_of(plan_, *program_, step, {}));
    step_ = step;
  }
  return beats_;
}

Host::Host(std::shared_ptr<SharedBeats> shared, std::span<const std::int32_t> image)
    : shared_(std::move(shared)), outside_(outside_of(program(), image)) {
  advance();
}

// The beats of the next step, when those of the one before have been sent.
void Host::advance() {
  while (at_ == beats_->size() && step_ < program().steps.size()) {
    const Step& step = program().steps[step_];
    if (!std::holds_alternative<Load>(step))
      beats_ = shared_->of(step_);
    else if (stores_.empty())
      beats_ = std::make_shared<const std::vector<Beat>>(
          beats_of(shared_->plan(), program(), step_, outside_));
    else
      return;
    at_ = 0;
    if (std::holds_alternative<Store>(step)) stores_.push_back(step_);
    ++step_;
  }
}

EngineIn<Values> Host::drive(bool sends, bool takes) const {
  const bool has_beat = clocks_ > 0 && at_ < beats_->size();
  return {
      .rst = clocks_ == 0,
      .in_valid = has_beat && sends,
      .out_ready = takes,
      .in_data = has_beat
                     ? (*beats_)[at_]
                     : Beat(static_cast<std::size_t>(shared_->plan().core.shape.beat_bytes()), 0)};
}

void Host::watch(const EngineIn<Values>& in, const EngineOut<Values>& out) {
  const bool sends = in.in_valid && out.in_ready,
             takes = !in.rst && in.out_ready && out.out_valid && !stores_.empty();
  if (sends) ++at_;
  if (takes) {
    left_.push_back(out.out_data);
    const Step& step = program().steps[stores_.front()];
    const bool is_last = std::ssize(left_) == beats_that_leave(shared_->plan(), step);
    has_wrong_end_ |= out.out_last != is_last;
    if (is_last) {
      const Store& store = std::get<Store>(step);
      take(shared_->plan(), program(), store, left_, outside_[store.tensor]);
      stores_.pop_front();
      left_.clear();
    }
  }
  if (sends || takes) advance();
  since_ = sends || takes ? 0 : since_ + 1;
  ++clocks_;
}

std::vector<graph::Numbers> Host::results() const { return results_of(program(), outside_); }

}  // namespace kumiki::gen::engine
