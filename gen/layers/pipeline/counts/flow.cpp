// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/flow.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gen/layers/pipeline/counts/agenda.h"
#include "gen/layers/pipeline/counts/lazy.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::gen::pipeline {
namespace {

// Offers beats from outside: always, or evenly over the period of a frame.
class Offers : public Counts {
 public:
  Offers(std::int64_t beats, std::int64_t period) : beats_(beats), period_(period) {}
  Shown shown() const override { return {.ready = 0, .valid = has_come()}; }
  std::int64_t alike(const Given& given) const override {
    if (!has_come()) return (-late_ - 1) / beats_;
    if (!given.ready) return forever;
    return period_ > beats_ ? std::min(left_ - 1, late_ / (period_ - beats_)) : left_ - 1;
  }
  void clock(const Given& given, std::int64_t clocks) override {
    const bool leaves = has_come() && given.ready;
    if (period_ > 0) late_ += clocks * (leaves ? beats_ - period_ : beats_);
    if (leaves && (left_ -= clocks) == 0) left_ = beats_;
  }
  void state(std::vector<std::int64_t>& all) const override {
    all.insert(all.end(), {left_, late_});
  }

 private:
  bool has_come() const { return late_ >= 0; }
  std::int64_t beats_, period_;  // of a frame; 0: always
  std::int64_t left_ = beats_;   // of the current frame
  // How long the next beat could have come, in clocks times the beats of a frame; negative: it
  // may not yet.
  std::int64_t late_ = 0;
};

// Takes everything and records the ends of frames.
class Takes : public Counts {
 public:
  Takes(std::int64_t beats, std::vector<std::int64_t>& ends) : beats_{beats}, ends_(ends) {}
  Shown shown() const override { return {.ready = 1, .valid = false}; }
  std::int64_t alike(const Given& given) const override {
    return given.valid != 0 ? beats_.left() : forever;
  }
  void clock(const Given& given, std::int64_t clocks) override {
    if (given.valid != 0 && beats_.ends(clocks)) ends_.push_back(clock_);
    clock_ += clocks;
  }
  void state(std::vector<std::int64_t>& all) const override { all.push_back(beats_.at); }

 private:
  Cyclic beats_;  // of a frame
  std::vector<std::int64_t>& ends_;
  std::int64_t clock_ = 0;
};

}  // namespace

// The boxes, then the sources, then the sink.
class Flow::Clocks {
 public:
  Clocks(const PipelinePlan& p, std::int64_t period)
      : boxes_(p.boxes.size()), agenda_(boxes_ + p.weights.size() + 3) {
    for (std::size_t b = 0; b < boxes_; ++b) {
      nodes_.push_back({Lazy(p.boxes[b].machine->counts()), p.boxes[b].sources, readers_of(p, b)});
      for (std::size_t& source : nodes_.back().sources)
        if (Box::is_outside(source)) source = boxes_ + Box::outside(source);
    }
    nodes_.push_back({Lazy(std::make_unique<Offers>(p.input().beats(), period)),
                      {},
                      readers_of(p, Box::from_outside)});
    // Weights wait for whoever reads them.
    for (std::size_t w = 0; w < p.weights.size(); ++w)
      nodes_.push_back({Lazy(std::make_unique<Offers>(p.weights[w].stream.beats(), 0)),
                        {},
                        readers_of(p, Box::weights(w))});
    nodes_.push_back(
        {Lazy(std::make_unique<Takes>(p.output().beats(), run_.ends)), {boxes_ - 1}, {}});
    nodes_[boxes_ - 1].readers.push_back({nodes_.size() - 1, 0});
    for (const Node& n : nodes_) shown_.push_back(n.counts.shown());
    is_touched_.resize(nodes_.size(), false);
    for (std::size_t n = 0; n < nodes_.size(); ++n) touch(n);
    give_all(0);
  }
  Clocks(const Clocks&) = delete;

  const FlowRun& run(const FlowEnd& end) {
    agenda_.put(nodes_.size(), end.clocks);
    for (std::int64_t event = 0; run_.turn == 0 && run_.ends.size() < end.frames; ++event) {
      if (event % 4096 == 0) ir::stop_if_interrupted();
      const std::size_t frames = run_.ends.size();
      if (!go_on()) break;
      if (run_.ends.size() == frames) continue;
      look_for_turn();
      if (end.is_enough && end.is_enough(run_.ends)) break;
    }
    run_.fullest.clear();
    for (std::size_t n = 0; n < boxes_; ++n) run_.fullest.push_back(nodes_[n].counts.fullest());
    return run_;
  }

 private:
  struct Node {
    Lazy counts;
    std::vector<std::size_t> sources;  // of each input
    std::vector<Reader> readers;
  };

  // Advances to the next event. Returns false at the end.
  bool go_on() {
    const std::int64_t before = agenda_.clock();
    const auto& due = agenda_.go_on();
    if (due.empty())
      throw DesignError(code::pipeline_stops,
                        fmt::format("the pipeline stops in clock {} of its own model", before));
    if (std::ranges::find(due, nodes_.size()) != due.end()) {
      for (Node& n : nodes_) n.counts.catch_up(agenda_.clock());
      return false;
    }
    for (const std::size_t n : due) {
      if (!nodes_[n].counts.wake()) continue;
      const Shown before = std::exchange(shown_[n], nodes_[n].counts.shown());
      touch_who_sees(n, before);
    }
    for (const std::size_t n : due)
      if (!is_touched_[n]) agenda_.put(n, nodes_[n].counts.next());
    give_all(agenda_.clock());
    return true;
  }

  void touch(std::size_t n) {
    if (!is_touched_[n]) touched_.push_back(n);
    is_touched_[n] = true;
  }
  // Readers see valid. A source sees ready, and so do its other readers: a beat goes to all.
  void touch_who_sees(std::size_t n, const Shown& before) {
    const Node& node = nodes_[n];
    if (shown_[n].valid != before.valid)
      for (const Reader& r : node.readers) touch(r.box);
    std::uint32_t changed = shown_[n].ready ^ before.ready;
    for (std::size_t i = 0; changed != 0; ++i, changed >>= 1) {
      if ((changed & 1) == 0) continue;
      const std::size_t source = node.sources[i];
      touch(source);
      if (nodes_[source].readers.size() > 1)
        for (const Reader& r : nodes_[source].readers) touch(r.box);
    }
  }
  void give_all(std::int64_t clock) {
    for (const std::size_t n : touched_) {
      nodes_[n].counts.give(given_to(n), clock);
      agenda_.put(n, nodes_[n].counts.next());
      is_touched_[n] = false;
    }
    touched_.clear();
  }

  // A beat goes to all of its readers or to none. A single reader sees valid even if it is not
  // ready.
  Given given_to(std::size_t n) const {
    Given given{.valid = 0, .ready = are_ready(n)};
    std::uint32_t input = 1;
    for (const std::size_t source : nodes_[n].sources) {
      if (shown_[source].valid && (nodes_[source].readers.size() == 1 || are_ready(source)))
        given.valid |= input;
      input <<= 1;
    }
    return given;
  }
  bool are_ready(std::size_t source) const {
    return std::ranges::all_of(nodes_[source].readers, [&](const Reader& r) {
      return (shown_[r.box].ready >> r.input & 1) != 0;
    });
  }

  // The states determine all outputs and the whole future, so equal states mean that frames repeat.
  void look_for_turn() {
    std::vector<std::int64_t> now;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      nodes_[n].counts.state(agenda_.clock(), now);
      agenda_.put(n, nodes_[n].counts.next());
    }
    const auto same = std::ranges::find(states_.rbegin(), states_.rend(), now);
    if (same != states_.rend()) run_.turn = static_cast<std::size_t>(same - states_.rbegin()) + 1;
    states_.push_back(std::move(now));
  }

  std::size_t boxes_;
  std::vector<Node> nodes_;
  std::vector<Shown> shown_;          // by each of them
  std::vector<std::size_t> touched_;  // their inputs may have changed
  std::vector<char> is_touched_;
  Agenda agenda_;
  std::vector<std::vector<std::int64_t>> states_;  // after every frame
  FlowRun run_;
};

Flow::Flow(const PipelinePlan& plan, std::int64_t period)
    : clocks_(std::make_unique<Clocks>(plan, period)) {}

Flow::~Flow() = default;

const FlowRun& Flow::run(const FlowEnd& end) { return clocks_->run(end); }

std::int64_t FlowRun::interval() const {
  if (turn > 0) {
    const auto frames = static_cast<std::int64_t>(turn);
    return (ends.back() - ends[ends.size() - 1 - turn] + frames - 1) / frames;
  }
  // No repetition is proved, so use the slowest frame of the later half.
  std::int64_t longest = 0;
  for (std::size_t f = std::max<std::size_t>(ends.size() / 2, 1); f < ends.size(); ++f)
    longest = std::max(longest, ends[f] - ends[f - 1]);
  return longest;
}

FlowRun flow(const PipelinePlan& plan, std::int64_t period, const FlowEnd& end) {
  return Flow(plan, period).run(end);
}

}  // namespace kumiki::gen::pipeline
