// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/counts/flow.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gen/layers/pipeline/counts/agenda.h"
#include "gen/layers/pipeline/counts/lazy.h"
#include "ir/ceil_div.h"
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
//
// Most of a run fills a deep pipeline, and meanwhile the machines of its first layers do the same
// frame after frame. So boxes that follow each other are a part. A part whose state is that of a
// frame before repeats: nobody visits its boxes, and it shows outside what it showed then, as long
// as it sees outside what it saw then. When it sees anything else, its boxes catch up from the
// state in which it began to repeat.
class Flow::Clocks {
 public:
  Clocks(const PipelinePlan& p, std::int64_t period)
      : boxes_(p.boxes.size()),
        agenda_(boxes_ + p.weights.size() + 3 + ceil_div(p.boxes.size(), boxes_of_a_part)),
        own_(boxes_ + p.weights.size() + 4) {
    for (std::size_t b = 0; b < boxes_; ++b) {
      nodes_.push_back({Lazy(p.boxes[b].machine->counts()), p.boxes[b].sources, readers_of(p, b)});
      nodes_.back().has_room = p.boxes[b].machine->room() > 0;
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
    make_parts(p);
    for (std::size_t n = 0; n < nodes_.size(); ++n) touch(n);
    give_all(0, agenda_);
  }
  Clocks(const Clocks&) = delete;

  const FlowRun& run(const FlowEnd& end) {
    agenda_.put(nodes_.size(), end.clocks);
    slowest_ = end.slowest;
    run_.is_too_slow = false;
    for (std::int64_t event = 0; run_.turn == 0 && run_.ends.size() < end.frames; ++event) {
      if (event % 4096 == 0) ir::stop_if_interrupted();
      const std::size_t frames = run_.ends.size();
      if (!go_on() || run_.is_too_slow) break;
      if (run_.ends.size() == frames) continue;
      look_for_turn();
      if (end.is_enough && end.is_enough(run_.ends)) break;
    }
    run_.fullest.clear();
    for (std::size_t n = 0; n < boxes_; ++n) run_.fullest.push_back(nodes_[n].counts.fullest());
    return run_;
  }

 private:
  static constexpr std::size_t boxes_of_a_part = 32;
  static constexpr std::size_t no_part = ~std::size_t{0};

  struct Node {
    Lazy counts;
    std::vector<std::size_t> sources;  // of each input
    std::vector<Reader> readers;
    bool has_room = false;  // whose fullest moment counts
    std::size_t part = no_part;
    bool is_at_end = false;                 // a source or the sink sees it
    std::vector<std::size_t> seen_by = {};  // other parts
  };

  // What a node shows from a clock on.
  struct Change {
    std::int64_t after;  // clocks after the part's `since`
    std::size_t node;
    Shown shown;
  };

  struct Part {
    std::size_t first, end;              // boxes
    std::int64_t beats;                  // of its last box, in a frame
    std::int64_t frame_ends;             // when so many of them have left
    std::vector<std::size_t> sees = {};  // nodes outside
    // The end of the last frame, the state then, and what has changed since at its border.
    std::int64_t since = 0;
    std::vector<std::int64_t> state = {};
    std::vector<Change> changes = {};
    // If it repeats: its boxes stand in the state of the clock `stands`, in which it saw `seen`.
    bool repeats = false;
    std::int64_t period = 0, stands = 0;
    std::vector<Shown> seen = {};
    std::size_t at = 0, now = 0;         // changes that were; with those of this clock
    std::vector<std::size_t> came = {};  // nodes outside that have changed in this clock
    bool is_checked = false;

    bool has(std::size_t node) const { return node >= first && node < end; }
    std::int64_t next() const {
      if (changes.empty()) return forever;
      return at < changes.size() ? since + changes[at].after : since + period + changes[0].after;
    }
    // Until `clock` is in the period that begins at `since`.
    void turn(std::int64_t clock) {
      if (clock - since <= period || at < changes.size()) return;
      since += (clock - since - 1) / period * period;
      at = 0;
    }
  };

  std::size_t member(std::size_t part) const { return nodes_.size() + 1 + part; }

  void make_parts(const PipelinePlan& p) {
    for (std::size_t first = 0; first < boxes_; first += boxes_of_a_part) {
      const std::size_t end = std::min(first + boxes_of_a_part, boxes_);
      const std::int64_t beats = p.boxes[end - 1].machine->output().beats();
      Part part{.first = first, .end = end, .beats = beats, .frame_ends = beats};
      const auto see = [&](std::size_t node) {
        if (!part.has(node)) part.sees.push_back(node);
      };
      for (std::size_t n = first; n < end; ++n) {
        nodes_[n].part = parts_.size();
        for (const Reader& r : nodes_[n].readers) see(r.box);
        for (const std::size_t source : nodes_[n].sources) {
          see(source);
          for (const Reader& r : nodes_[source].readers) see(r.box);
        }
      }
      std::ranges::sort(part.sees);
      part.sees.erase(std::unique(part.sees.begin(), part.sees.end()), part.sees.end());
      for (const std::size_t n : part.sees) nodes_[n].seen_by.push_back(parts_.size());
      parts_.push_back(std::move(part));
    }
    // The sources and the sink are in no part.
    for (std::size_t n = boxes_; n < nodes_.size(); ++n) {
      for (const Reader& r : nodes_[n].readers) nodes_[r.box].is_at_end = true;
      for (const std::size_t source : nodes_[n].sources) nodes_[source].is_at_end = true;
    }
  }

  // Advances to the next event. Returns false at the end.
  bool go_on() {
    const std::int64_t before = agenda_.clock();
    const auto& due = agenda_.go_on();
    const std::int64_t clock = agenda_.clock();
    if (due.empty())
      throw DesignError(code::pipeline_stops,
                        fmt::format("the pipeline stops in clock {} of its own model", before));
    if (std::ranges::find(due, nodes_.size()) != due.end()) {
      for (Node& n : nodes_)
        if (!is_still(n)) n.counts.catch_up(clock);
      return false;
    }
    for (const std::size_t n : due) {
      if (n > nodes_.size()) {
        repeat(n - nodes_.size() - 1, clock);
        continue;
      }
      if (nodes_[n].counts.wake())
        changed_.emplace_back(n, std::exchange(shown_[n], nodes_[n].counts.shown()));
      if (nodes_[n].part == no_part) continue;
      const Part& part = parts_[nodes_[n].part];
      if (n + 1 == part.end && nodes_[n].counts.left() >= part.frame_ends)
        ended_.push_back(nodes_[n].part);
    }
    for (const auto& [n, showed] : changed_) {
      if (tell_parts(n, clock)) touch_who_sees(n, showed);
    }
    changed_.clear();
    for (const std::size_t part : checked_) check(part, clock);
    checked_.clear();
    for (const std::size_t n : due)
      if (n < nodes_.size() && !is_touched_[n]) agenda_.put(n, nodes_[n].counts.next());
    give_all(clock, agenda_);
    for (const std::size_t part : ended_) end_frame(part, clock);
    ended_.clear();
    return true;
  }

  bool is_still(const Node& n) const { return n.part != no_part && parts_[n.part].repeats; }

  void touch(std::size_t n) {
    const Node& node = nodes_[n];
    if (is_touched_[n] || (alone_ == no_part ? is_still(node) : node.part != alone_)) return;
    touched_.push_back(n);
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
  void give_all(std::int64_t clock, Agenda& agenda) {
    for (const std::size_t n : touched_) {
      nodes_[n].counts.give(given_to(n), clock);
      agenda.put(n, nodes_[n].counts.next());
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

  // The parts that see a change of this clock, and its own, note it or will compare it. Returns
  // whether a box sees it that is visited.
  bool tell_parts(std::size_t n, std::int64_t clock) {
    const Node& node = nodes_[n];
    bool is_visited = node.is_at_end || !is_still(node);
    if (!node.is_at_end && node.seen_by.empty()) return is_visited;
    if (node.part != no_part) note(parts_[node.part], n, clock);
    for (const std::size_t p : node.seen_by) {
      note(parts_[p], n, clock);
      if (!parts_[p].repeats) {
        is_visited = true;
        continue;
      }
      parts_[p].came.push_back(n);
      will_check(p);
    }
    return is_visited;
  }
  void note(Part& part, std::size_t n, std::int64_t clock) {
    if (!part.repeats) part.changes.push_back({clock - part.since, n, shown_[n]});
  }
  void will_check(std::size_t p) {
    if (!parts_[p].is_checked) checked_.push_back(p);
    parts_[p].is_checked = true;
  }

  // Shows what the part showed a period before.
  void repeat(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    part.turn(clock);
    for (part.now = part.at; part.now < part.changes.size(); ++part.now) {
      const Change& c = part.changes[part.now];
      if (part.since + c.after != clock) break;
      if (part.has(c.node)) changed_.emplace_back(c.node, std::exchange(shown_[c.node], c.shown));
    }
    will_check(p);
  }

  // Whether it sees what it saw a period before.
  bool sees_the_same(const Part& part) const {
    std::size_t same = 0;
    for (std::size_t i = part.at; i < part.now; ++i) {
      const Change& c = part.changes[i];
      if (part.has(c.node)) continue;
      if (shown_[c.node] != c.shown || std::ranges::find(part.came, c.node) == part.came.end())
        return false;
      ++same;
    }
    return same == part.came.size();
  }
  void check(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    part.is_checked = false;
    if (sees_the_same(part)) {
      part.at = part.now;
      agenda_.put(member(p), part.next());
    } else {
      stop_repeating(p, clock);
    }
    part.now = part.at;
    part.came.clear();
  }
  void stop_repeating(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    const std::vector<Change> now(part.changes.begin() + static_cast<std::ptrdiff_t>(part.at),
                                  part.changes.begin() + static_cast<std::ptrdiff_t>(part.now));
    part.turn(clock);
    catch_up(p, clock);
    part.repeats = false;
    agenda_.put(member(p), forever);
    for (std::size_t n = part.first; n < part.end; ++n) agenda_.put(n, nodes_[n].counts.next());
    part.changes.resize(part.at);
    for (const Change& c : now)
      if (part.has(c.node)) note(part, c.node, clock);
    for (const std::size_t n : part.came) note(part, n, clock);
  }

  // Brings the boxes of a part that repeats from `since` to a clock of that period.
  void catch_up(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    std::vector<Shown> seen;
    for (std::size_t i = 0; i < part.sees.size(); ++i)
      seen.push_back(std::exchange(shown_[part.sees[i]], part.seen[i]));
    alone_ = p;
    std::vector<std::size_t> touched;
    std::swap(touched, touched_);
    const std::size_t changes = nodes_.size(), end = nodes_.size() + 1;
    own_.restart(part.since);
    for (std::size_t n = part.first; n < part.end; ++n) {
      Lazy& counts = nodes_[n].counts;
      counts.shift(part.since - part.stands);
      shown_[n] = counts.shown();
      own_.put(n, counts.next());
    }
    own_.put(end, clock);
    auto change = part.changes.begin();
    const auto find_change = [&] {
      while (change != part.changes.end() && part.has(change->node)) ++change;
      const bool is_one = change != part.changes.end() && part.since + change->after < clock;
      own_.put(changes, is_one ? part.since + change->after : forever);
    };
    find_change();
    for (bool goes_on = true; goes_on;) {
      const auto& due = own_.go_on();
      for (const std::size_t n : due) {
        if (n == end) goes_on = false;
        if (n >= changes || !nodes_[n].counts.wake()) continue;
        touch_who_sees(n, std::exchange(shown_[n], nodes_[n].counts.shown()));
      }
      if (!goes_on) break;
      if (std::ranges::find(due, changes) != due.end()) {
        for (; change != part.changes.end() && part.since + change->after == own_.clock(); ++change)
          if (!part.has(change->node))
            touch_who_sees(change->node, std::exchange(shown_[change->node], change->shown));
        find_change();
      }
      for (const std::size_t n : due)
        if (n < changes && !is_touched_[n]) own_.put(n, nodes_[n].counts.next());
      give_all(own_.clock(), own_);
    }
    for (const std::size_t n : touched_) is_touched_[n] = false;
    std::swap(touched, touched_);
    alone_ = no_part;
    for (std::size_t i = 0; i < part.sees.size(); ++i) shown_[part.sees[i]] = seen[i];
    for (std::size_t n = part.first; n < part.end; ++n) nodes_[n].counts.give(given_to(n), clock);
    part.stands = clock;
  }

  std::vector<std::int64_t> state_of(const Part& part, std::int64_t clock) {
    std::vector<std::int64_t> now;
    for (std::size_t n = part.first; n < part.end; ++n) {
      nodes_[n].counts.state(clock, now);
      if (nodes_[n].has_room) now.push_back(nodes_[n].counts.held());
    }
    for (const std::size_t n : part.sees)
      now.insert(now.end(), {shown_[n].ready, shown_[n].valid ? 1 : 0});
    return now;
  }
  void begin_to_repeat(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    part.repeats = true;
    part.since = part.stands = clock;
    part.at = part.now = 0;
    part.seen.clear();
    for (const std::size_t n : part.sees) part.seen.push_back(shown_[n]);
    agenda_.put(member(p), part.next());
  }
  void end_frame(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    while (part.frame_ends <= nodes_[part.end - 1].counts.left()) part.frame_ends += part.beats;
    auto now = state_of(part, clock);
    if (now == part.state) {
      part.period = clock - part.since;
      run_.is_too_slow = run_.is_too_slow || part.period > slowest_;
      for (std::size_t n = part.first; n < part.end; ++n) agenda_.put(n, forever);
      begin_to_repeat(p, clock);
      return;
    }
    for (std::size_t n = part.first; n < part.end; ++n) agenda_.put(n, nodes_[n].counts.next());
    part.state = std::move(now);
    part.since = clock;
    part.changes.clear();
  }
  // Lets the period of a part that repeats begin in this clock.
  void stand_in(std::size_t p, std::int64_t clock) {
    Part& part = parts_[p];
    if (part.at == part.changes.size()) part.turn(clock + 1);
    if (part.since == clock) return;
    catch_up(p, clock);
    const std::int64_t gone = clock - part.since;
    for (std::size_t i = 0; i < part.changes.size(); ++i)
      part.changes[i].after += i < part.at ? part.period - gone : -gone;
    const auto next = part.changes.begin() + static_cast<std::ptrdiff_t>(part.at);
    std::rotate(part.changes.begin(), next, part.changes.end());
    part.state = state_of(part, clock);
    begin_to_repeat(p, clock);
  }

  // The states determine all outputs and the whole future, so equal states mean that frames repeat.
  void look_for_turn() {
    const std::int64_t clock = agenda_.clock();
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (parts_[p].repeats) stand_in(p, clock);
    std::vector<std::int64_t> now;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const bool still = is_still(nodes_[n]);
      nodes_[n].counts.state(still ? parts_[nodes_[n].part].stands : clock, now);
      if (!still) agenda_.put(n, nodes_[n].counts.next());
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
  std::vector<Part> parts_;
  Agenda agenda_;  // of the nodes, of the end, and of the parts that repeat
  Agenda own_;     // of a part that catches up: of the nodes, of what it saw, and of the end
  std::size_t alone_ = no_part;  // it catches up
  // Of this clock: nodes with what they showed before, parts to check, parts whose frame ends.
  std::vector<std::pair<std::size_t, Shown>> changed_;
  std::vector<std::size_t> checked_, ended_;
  std::vector<std::vector<std::int64_t>> states_;  // after every frame
  std::int64_t slowest_ = forever;                 // clocks of a frame of a part that repeats
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
