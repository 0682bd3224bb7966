// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/host.h"

#include <algorithm>

namespace kumiki::gen::engine {

Host::Host(const EnginePlan& plan, std::shared_ptr<const Program> program,
           std::span<const std::int32_t> image)
    : plan_(plan), program_(std::move(program)), outside_(program_->graph->tensors.size()) {
  for (const graph::TensorId id : graph::all_inputs(*program_->graph)) {
    const std::size_t count = graph::count(program_->graph->tensors[id].shape);
    outside_[id].assign(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(count));
    image = image.subspan(count);
  }
  advance();
}

// The beats of the next step, when those of the one before have been sent.
void Host::advance() {
  while (at_ == beats_.size() && step_ < program_->steps.size()) {
    const Step& step = program_->steps[step_];
    if (std::holds_alternative<Load>(step) && !stores_.empty()) return;
    beats_ = beats_of(plan_, *program_, step, outside_);
    at_ = 0;
    if (std::holds_alternative<Store>(step)) stores_.push_back(step_);
    ++step_;
  }
}

EngineIn<Values> Host::drive(bool sends, bool takes) const {
  const bool has_beat = clocks_ > 0 && at_ < beats_.size();
  return {.rst = clocks_ == 0,
          .in_valid = has_beat && sends,
          .out_ready = takes,
          .in_data =
              has_beat ? beats_[at_] : Beat(static_cast<std::size_t>(plan_.core.shape.columns), 0)};
}

void Host::watch(const EngineIn<Values>& in, const EngineOut<Values>& out) {
  const bool sends = in.in_valid && out.in_ready,
             takes = !in.rst && in.out_ready && out.out_valid && !stores_.empty();
  if (sends) ++at_;
  if (takes) {
    left_.push_back(out.out_data);
    const Step& step = program_->steps[stores_.front()];
    const bool is_last = left_.size() == beats_that_leave(plan_, step);
    has_wrong_end_ |= out.out_last != is_last;
    if (is_last) {
      const Store& store = std::get<Store>(step);
      take(plan_, *program_, store, left_, outside_[store.tensor]);
      stores_.pop_front();
      left_.clear();
    }
  }
  if (sends || takes) advance();
  since_ = sends || takes ? 0 : since_ + 1;
  ++clocks_;
}

std::vector<Numbers> Host::results() const {
  std::vector<Numbers> all;
  for (const graph::TensorId id : program_->graph->outputs) all.push_back(outside_[id]);
  return all;
}

}  // namespace kumiki::gen::engine
