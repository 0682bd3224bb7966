// SPDX-License-Identifier: Apache-2.0
// Both ends of an engine's streams: sends a program step by step, and keeps what is outside. A map
// that left and comes back is sent when all of it is there.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "gen/layers/engine/hardware/stream.h"

namespace kumiki::gen::engine {

// The beats of operations and stores, which say the same for every image. Hosts side by side share
// them: each step is encoded once, when the first host comes to it.
class SharedBeats {
 public:
  using Beats = std::shared_ptr<const std::vector<Beat>>;
  SharedBeats(const EnginePlan& plan, std::shared_ptr<const Program> program)
      : plan_(plan), program_(std::move(program)) {}
  const EnginePlan& plan() const { return plan_; }
  const Program& program() const { return *program_; }
  Beats of(std::size_t step);

 private:
  EnginePlan plan_;
  std::shared_ptr<const Program> program_;
  std::size_t step_ = 0;
  Beats beats_;  // of this step; null before the first one
};

class Host {
 public:
  // One image: the numbers of all inputs, in order. The first clock is a reset.
  Host(std::shared_ptr<SharedBeats> shared, std::span<const std::int32_t> image);

  // The inputs of the next clock, and what is seen in it. `sends` and `takes`: the streams do not
  // pause.
  EngineIn<Values> drive(bool sends = true, bool takes = true) const;
  void watch(const EngineIn<Values>& in, const EngineOut<Values>& out);

  bool is_done() const {
    return step_ == program().steps.size() && at_ == beats_->size() && stores_.empty();
  }
  // The numbers of every output, in order.
  std::vector<graph::Numbers> results() const;
  // A beat said that it is the last of its store, and was not; or the other way round.
  bool has_wrong_end() const { return has_wrong_end_; }
  std::int64_t clocks() const { return clocks_; }
  std::int64_t since() const { return since_; }  // clocks since something moved

 private:
  const Program& program() const { return shared_->program(); }
  void advance();
  std::shared_ptr<SharedBeats> shared_;
  std::vector<graph::Numbers> outside_;
  std::size_t step_ = 0;  // the next one
  SharedBeats::Beats beats_ = std::make_shared<const std::vector<Beat>>();
  std::size_t at_ = 0;
  std::deque<std::size_t> stores_;  // steps whose beats have not all left
  std::vector<Beat> left_;          // of the first of them
  bool has_wrong_end_ = false;
  std::int64_t clocks_ = 0, since_ = 0;
};

}  // namespace kumiki::gen::engine
