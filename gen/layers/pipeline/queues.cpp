// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/queues.h"

#include <algorithm>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/graph/text.h"
#include "gen/layers/pipeline/counts/flow.h"
#include "gen/layers/pipeline/machines/fifo.h"
#include "ir/ceil_div.h"
#include "ir/error.h"

namespace kumiki::gen::pipeline {
namespace {

// An input of a box in the plan without queues.
struct Edge {
  std::size_t box, input;
  Stream stream;
  bool is_forked;
  // Branches part or meet here: without room, two machines could wait for each other.
  bool is_of_branches;
  // Weights wait outside, and the map of a layer whose weights come waits in the memory that gives
  // it for every pass. There is no queue.
  bool waits;
};

std::string kind_of(const PipelinePlan& p, std::size_t box) { return p.boxes[box].machine->kind(); }

std::vector<Edge> edges_of(const PipelinePlan& p) {
  std::vector<Edge> all;
  std::vector<bool> gives_weights(p.boxes.size());
  const auto is_of_weights = [&](std::size_t source) {
    return Box::is_outside(source) ? source != Box::from_outside : bool{gives_weights[source]};
  };
  for (std::size_t b = 0; b < p.boxes.size(); ++b) {
    const auto& sources = p.boxes[b].sources;
    gives_weights[b] = std::ranges::all_of(sources, is_of_weights);
    const bool meet = std::ranges::count_if(sources, std::not_fn(is_of_weights)) > 1;
    const bool has_weights = !gives_weights[b] && std::ranges::any_of(sources, is_of_weights);
    const auto streams = p.boxes[b].machine->inputs();
    for (std::size_t i = 0; i < streams.size(); ++i) {
      // What has one of several inputs gives only its own map, or drops the others at once.
      const bool has_input = kind_of(p, b) == "input";
      const bool is_of_input = !Box::is_outside(sources[i]) && kind_of(p, sources[i]) == "input";
      const bool is_forked = readers_of(p, sources[i]).size() > 1;
      const bool comes_again =
          has_weights && !Box::is_outside(sources[i]) && kind_of(p, sources[i]) == "reorder";
      all.push_back({b, i, streams[i], is_forked, is_forked || meet || is_of_input,
                     is_of_weights(sources[i]) || comes_again || has_input});
    }
  }
  return all;
}

struct Queued {
  PipelinePlan plan;
  std::vector<std::optional<std::size_t>> queue;  // the box of the queue, by edge
};

using Depths = std::vector<std::int64_t>;  // by edge; 0: no queue

Queued queued(const PipelinePlan& p, const std::vector<Edge>& edges, const Depths& depths) {
  Queued out{.plan = {.graph = p.graph, .inputs = p.inputs, .weights = p.weights, .boxes = {}},
             .queue = {}};
  std::vector<std::size_t> moved(p.boxes.size());
  std::size_t e = 0;
  for (std::size_t b = 0; b < p.boxes.size(); ++b) {
    Box box = p.boxes[b];
    for (std::size_t i = 0; i < box.sources.size(); ++i, ++e) {
      std::size_t& source = box.sources[i];
      if (!Box::is_outside(source)) source = moved[source];
      out.queue.emplace_back();
      if (depths[e] == 0) continue;
      out.queue.back() = out.plan.boxes.size();
      const std::string name =
          box.sources.size() == 1 ? box.name + "_queue" : fmt::format("{}_queue{}", box.name, i);
      out.plan.boxes.push_back(
          {name, machine(FifoPlan{.stream = edges[e].stream, .depth = depths[e]}), {source}});
      source = out.plan.boxes.size() - 1;
    }
    moved[b] = out.plan.boxes.size();
    out.plan.boxes.push_back(std::move(box));
  }
  return out;
}

// In a deep network, frames take longer until the first one has left. So a trial judges the frames
// after those that are under way then. The chosen depths run until the state repeats, because a
// queue that gains one beat a frame fills up only after many frames.
constexpr std::int64_t judged_frames = 4, most_trials = 12;
// Limits on the cost of runs: a beat of a machine takes a quarter of a microsecond.
constexpr std::int64_t beats_of_a_proof = 20'000'000, beats_of_trials = 50'000'000;
constexpr std::int64_t least_frames = 16, most_frames = 256;
constexpr std::size_t slow_frames = 3;
constexpr std::int64_t least_memory = 32;  // beats: the smallest memory of LUTs

class Search {
 public:
  explicit Search(const PipelinePlan& p) : p_(p), edges_(edges_of(p)) {
    for (const Box& b : p.boxes) beats_ += b.machine->output().beats();
  }

  Depths run() {
    const Depths found = depths_of_a_run();
    auto choices = this->choices(found);
    std::ranges::stable_sort(choices, {}, [&](const Depths& d) { return bits_of(d); });
    Depths deeper = found;
    for (int turn = 0; turn < 4; ++turn) {
      for (std::size_t e = 0; e < edges_.size(); ++e)
        if (!edges_[e].waits) deeper[e] = std::max<std::int64_t>(2 * deeper[e], 2);
      choices.push_back(deeper);
    }
    for (const Depths& d : choices) {
      if (!seems_to_keep_pace(d)) continue;
      if (const Depths fewer = with_fewer(d); fewer != d && keeps_pace(fewer) && keeps_going(fewer))
        return fewer;
      if (keeps_pace(d) && keeps_going(d)) return d;
    }
    throw DesignError(
        code::pipeline_stops,
        fmt::format("none of the queues that were tried lets a frame pass in {} clocks",
                    p_.interval()));
  }

  PipelinePlan plan_of(const Depths& depths) const { return queued(p_, edges_, depths).plan; }

  // Empty: the text holds no depths of this pipeline.
  std::optional<Depths> parsed(const std::string& text) const {
    std::istringstream in(text);
    const Depths depths{std::istream_iterator<std::int64_t>(in), {}};
    const bool fits = depths.size() == edges_.size() && in.eof() &&
                      std::ranges::all_of(depths, [](std::int64_t d) {
                        return d == 0 || d == FifoPlan::depth_for(d);
                      });
    return fits ? std::optional(depths) : std::nullopt;
  }

 private:
  // The depth of each queue is its fullest moment in two runs in which no queue is ever full. With
  // one place more in each of them the runs would be the same. In the fast run the machines between
  // two branches hold beats of their own; in the slow one they hold none, so all of them wait in
  // queues.
  Depths depths_of_a_run() {
    Depths depths;
    for (const Edge& e : edges_)
      depths.push_back(e.waits ? 0 : FifoPlan::depth_for(most_frames * e.stream.beats()));
    const Queued roomy = queued(p_, edges_, depths);
    std::future<FlowRun> slow_run;  // in a thread, if there is one
    if (std::ranges::any_of(edges_, &Edge::is_of_branches))
      slow_run =
          std::async([&] { return flow(roomy.plan, slow_period(), {.frames = slow_frames}); });
    const FlowRun run = flow(roomy.plan, p_.interval(), {.frames = frames_of_a_proof()});
    unhindered_ = run.ends;
    under_way_ = run.ends[0] / p_.interval() + 1;
    std::optional<FlowRun> slow;
    if (slow_run.valid()) slow = slow_run.get();
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (!roomy.queue[e]) continue;
      std::int64_t fullest = run.fullest[*roomy.queue[e]];
      if (edges_[e].is_of_branches) fullest = std::max(fullest, slow->fullest[*roomy.queue[e]]);
      // One beat waits in the output register, and one in the machine before it.
      depths[e] = fullest <= 2 && !edges_[e].is_forked ? 0 : FifoPlan::depth_for(fullest - 1);
    }
    return depths;
  }

  // Four layouts: queues only at branches; these plus two wide beats, as narrow ones, in front of
  // each machine that merges beats; all queues that the run needed, as narrow beats where possible;
  // the depths of the run.
  std::vector<Depths> choices(const Depths& found) const {
    Depths branches = found;
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (!edges_[e].is_of_branches) branches[e] = 0;
    Depths narrow = branches, all_narrow = found;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].waits || !puts_together(edges_[e].box)) continue;
      const Machine& m = *p_.boxes[edges_[e].box].machine;
      const std::int64_t parts = m.output().lanes / m.inputs()[0].lanes;
      narrow[e] = std::max(narrow[e], FifoPlan::depth_for(2 * parts));
      all_narrow[e] = std::max(all_narrow[e], narrow[e]);
      for (const Reader& r : readers_of(p_, edges_[e].box)) {
        const std::size_t behind = edge_of(r);
        if (edges_[behind].is_of_branches) continue;
        std::int64_t& wide = all_narrow[behind];
        all_narrow[e] = std::max(all_narrow[e], wide == 0 ? 0 : FifoPlan::depth_for(parts * wide));
        wide = 0;
      }
    }
    return {std::move(branches), std::move(narrow), std::move(all_narrow), found};
  }

  bool puts_together(std::size_t box) const {
    const Machine& m = *p_.boxes[box].machine;
    return m.kind() == "width" && m.output().lanes > m.inputs()[0].lanes;
  }

  std::size_t edge_of(const Reader& r) const {
    const auto at = std::ranges::find_if(
        edges_, [&](const Edge& e) { return e.box == r.box && e.input == r.input; });
    return static_cast<std::size_t>(at - edges_.begin());
  }

  std::int64_t bits_of(const Depths& depths) const {
    std::int64_t bits = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (depths[e] > 0) bits += edges_[e].stream.bits() * std::max(depths[e], least_memory);
    return bits;
  }

  // Removes queues that nothing needs.
  Depths with_fewer(Depths depths) {
    std::vector<std::size_t> alone;
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (depths[e] > 0 && !edges_[e].is_of_branches) alone.push_back(e);
    // Try the most expensive queues first.
    std::ranges::stable_sort(alone, std::greater<>{}, [&](std::size_t e) {
      return edges_[e].stream.bits() * std::max(depths[e], least_memory);
    });
    drop(depths, alone);
    return depths;
  }

  // Drops all of these queues, or recurses into each half, if frames still pass in time.
  void drop(Depths& depths, std::span<const std::size_t> some) {
    const bool is_enough =
        trials_ == most_trials || trials_ * beats_ * frames_of_a_trial() > beats_of_trials;
    if (some.empty() || is_enough) return;
    ++trials_;
    Depths fewer = depths;
    for (const std::size_t e : some) fewer[e] = 0;
    if (seems_to_keep_pace(fewer)) {
      depths = std::move(fewer);
    } else if (some.size() > 1) {
      drop(depths, some.first(some.size() / 2));
      drop(depths, some.subspan(some.size() / 2));
    }
  }

  // Goes on with the run of seems_to_keep_pace(), if it was the last one that seemed so.
  bool keeps_pace(const Depths& depths) {
    if (!trial_ || trial_->depths != depths)
      trial_ = std::make_unique<Trial>(depths, plan_of(depths));
    const auto run = run_of(*trial_, {.frames = frames_of_a_proof()});
    return run && run->interval() <= p_.interval();
  }

  // Whether frames pass whose beats come one by one, each when the one before it has come to rest.
  bool keeps_going(const Depths& depths) const {
    try {
      flow(plan_of(depths), slow_period(), {.frames = slow_frames});
      return true;
    } catch (const DesignError& e) {
      if (e.code() != code::pipeline_stops) throw;
      return false;
    }
  }
  std::int64_t slow_period() const {
    constexpr std::int64_t to_rest = 4096;  // clocks, through the longest row of machines
    return p_.interval() + p_.input().beats() * to_rest;
  }

  // Judges the last frames of a short run, or those that repeat. Stops early if frames leave far
  // later than they could, or if a part repeats too slowly: what follows it only makes it wait.
  bool seems_to_keep_pace(const Depths& depths) {
    if (too_slow_.contains(depths)) return false;
    const std::int64_t far = std::max<std::int64_t>(p_.interval() / 16, 64);
    const auto falls_behind = [&](const std::vector<std::int64_t>& ends) {
      const std::size_t known = std::min(ends.size(), unhindered_.size());
      const auto more = static_cast<std::int64_t>(ends.size() - known);
      return ends.back() - unhindered_[known - 1] - more * p_.interval() > far;
    };
    auto trial = std::make_unique<Trial>(depths, plan_of(depths));
    const auto run = run_of(*trial, {.frames = static_cast<std::size_t>(frames_of_a_trial()),
                                     .slowest = p_.interval(),
                                     .is_enough = falls_behind});
    const auto clocks = [&] {
      return run->turn > 0
                 ? run->interval()
                 : ceil_div(run->ends.back() - run->ends.rbegin()[judged_frames], judged_frames);
    };
    if (!run || run->is_too_slow || falls_behind(run->ends) || clocks() > p_.interval()) {
      too_slow_.insert(depths);
      return false;
    }
    trial_ = std::move(trial);
    return true;
  }

  std::size_t frames_of_a_proof() const {
    return static_cast<std::size_t>(std::clamp(
        beats_of_a_proof / beats_, std::max(least_frames, 2 * frames_of_a_trial()), most_frames));
  }
  // The trial covers all frames that begin unhindered before the first one has left, and those
  // until they repeat.
  std::int64_t frames_of_a_trial() const {
    return std::min(std::max(under_way_ + 1, std::ssize(unhindered_)) + judged_frames,
                    most_frames / 2);
  }

  struct Trial {
    Trial(Depths d, const PipelinePlan& plan) : depths(std::move(d)), flow(plan, 0) {}
    Depths depths;
    Flow flow;
  };

  // Null: the pipeline stops.
  static const FlowRun* run_of(Trial& trial, const FlowEnd& end) {
    try {
      return &trial.flow.run(end);
    } catch (const DesignError& e) {
      if (e.code() != code::pipeline_stops) throw;
      return nullptr;
    }
  }

  const PipelinePlan& p_;
  std::vector<Edge> edges_;
  std::int64_t beats_ = 0;                // of all machines, for a frame
  std::vector<std::int64_t> unhindered_;  // when frames leave if no queue is ever full
  std::int64_t under_way_ = 0;            // frames that begin before the first one has left
  std::int64_t trials_ = 0;
  std::unique_ptr<Trial> trial_;  // the last one that seemed to keep the pace
  std::set<Depths> too_slow_;     // trials that did not
};

// Everything that decides when machines take and give beats: the graph and its machines.
std::string request_of(const PipelinePlan& p) {
  std::string text = fmt::format("queues that never stop, a frame every {} clocks\n", p.interval());
  for (const Box& b : p.boxes) {
    std::vector<std::int64_t> state;
    b.machine->counts()->state(state);
    text += fmt::format("{} {} {} of {}: {}\n", b.machine->kind(), b.machine->text(),
                        b.machine->interval(), fmt::join(b.sources, " "), fmt::join(state, " "));
  }
  return p.graph ? text + graph::to_text(*p.graph) : text;
}

}  // namespace

PipelinePlan with_queues(const PipelinePlan& p, ir::SearchStore* store) {
  Search search(p);
  if (!store) return search.plan_of(search.run());
  static std::mutex one_at_a_time;
  const std::string request = request_of(p);
  {
    const std::lock_guard guard(one_at_a_time);
    if (const auto known = store->find(request))
      if (const auto depths = search.parsed(*known)) return search.plan_of(*depths);
  }
  const Depths found = search.run();
  const std::lock_guard guard(one_at_a_time);
  store->keep(request, fmt::format("{}", fmt::join(found, " ")));
  return search.plan_of(found);
}

}  // namespace kumiki::gen::pipeline
