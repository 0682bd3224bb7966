// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/sort/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "gen/blocks/simd/simd.h"
#include "ir/error.h"

namespace kumiki::gen::sort {
namespace {

// The bounds of a sorter's layer while all other sorters keep theirs.
struct Slack {
  const Network& network;
  std::vector<std::vector<std::size_t>> readers;  // sorters, of every wire
  std::vector<int> driver;                        // sorter of every wire, or `unused`

  explicit Slack(const Network& n)
      : network(n),
        readers(static_cast<std::size_t>(n.wires)),
        driver(static_cast<std::size_t>(n.wires), unused) {
    for (std::size_t i = 0; i < n.sorters.size(); ++i) {
      for (const int w : n.sorters[i].in) readers[static_cast<std::size_t>(w)].push_back(i);
      for (const int w : n.sorters[i].out)
        if (w != unused) driver[static_cast<std::size_t>(w)] = static_cast<int>(i);
    }
  }
  int earliest(std::size_t i, const std::vector<int>& layer) const {
    int at = 0;
    for (const int w : network.sorters[i].in)
      if (const int d = driver[static_cast<std::size_t>(w)]; d != unused)
        at = std::max(at, layer[static_cast<std::size_t>(d)] + 1);
    return at;
  }
  int latest(std::size_t i, const std::vector<int>& layer, int count) const {
    int at = count - 1;
    for (const int w : network.sorters[i].out)
      if (w != unused)
        for (const std::size_t r : readers[static_cast<std::size_t>(w)])
          at = std::min(at, layer[r] - 1);
    return at;
  }
};

}  // namespace

int comparison_clocks(const SortPlan& p) {
  return p.form == Form::slices ? static_cast<int>(simd::latency) : 0;
}
int layer_clocks(const SortPlan& p) {
  return p.form == Form::slices ? static_cast<int>(simd::latency) : 1;
}

Schedule schedule(const SortPlan& p, std::vector<int> layer) {
  Schedule s;
  const Network& n = p.network;
  const int count = layer.empty() ? 0 : *std::max_element(layer.begin(), layer.end()) + 1;
  s.comparisons.resize(static_cast<std::size_t>(count));
  // In slices, LUTs make the exchange of the last layer; a register follows.
  s.latency = count * layer_clocks(p) + (p.form == Form::slices && count > 0 ? 1 : 0);
  s.available.assign(static_cast<std::size_t>(n.wires), 0);
  s.uses.resize(static_cast<std::size_t>(n.wires));
  std::vector<std::set<Comparison>> pairs(static_cast<std::size_t>(count));
  const auto use = [&](int wire, int clock) {
    s.uses[static_cast<std::size_t>(wire)].insert(clock);
  };
  for (std::size_t i = 0; i < n.sorters.size(); ++i) {
    const Sorter& sorter = n.sorters[i];
    const int compared = layer[i] * layer_clocks(p), exchanged = compared + comparison_clocks(p);
    for (const int w : sorter.in) use(w, compared), use(w, exchanged);
    for (const int w : sorter.out)
      if (w != unused) s.available[static_cast<std::size_t>(w)] = compared + layer_clocks(p);
    for (std::size_t a = 0; a < sorter.in.size(); ++a)
      for (std::size_t b = a + 1; b < sorter.in.size(); ++b)
        pairs[static_cast<std::size_t>(layer[i])].insert({sorter.in[a], sorter.in[b]});
  }
  for (const int w : n.outputs) use(w, s.latency);
  for (std::size_t l = 0; l < pairs.size(); ++l)
    s.comparisons[l].assign(pairs[l].begin(), pairs[l].end());
  s.layer = std::move(layer);
  return s;
}

Schedule schedule(const SortPlan& p) { return schedule(p, layers(p)); }

int flip_flops(const SortPlan& p, const Schedule& s) {
  int sum = 0;
  for (int w = 0; w < p.network.wires; ++w) {
    const auto at = static_cast<std::size_t>(w);
    // In LUTs, the clock of a sorter ends in a register.
    if (p.form == Form::luts && w >= p.network.inputs()) ++sum;
    if (!s.uses[at].empty()) sum += *s.uses[at].rbegin() - s.available[at];
  }
  return sum * p.bits;
}

namespace {

// Slices of a layer with `comparisons` comparisons a lane.
int slices(const SortPlan& p, std::size_t comparisons) {
  if (p.form == Form::luts) return 0;
  const simd::Lanes lanes = simd::lanes_for(static_cast<std::uint32_t>(p.bits));
  return static_cast<int>(
      simd::slice_count(lanes, comparisons * static_cast<std::size_t>(p.lanes)));
}

}  // namespace

int slices(const SortPlan& p, const Schedule& s) {
  int sum = 0;
  for (const auto& layer : s.comparisons) sum += slices(p, layer.size());
  return sum;
}

namespace {

// The cost in slices and waits while sorters change their layers one by one. A move recomputes only
// the part of the moved sorter.
class Moving {
 public:
  Moving(const SortPlan& plan, const Slack& slack, std::vector<int>& layer, int count)
      : plan_(plan), slack_(slack), layer_(layer), pairs_(static_cast<std::size_t>(count)) {
    latency_ = plan.latency();
    output_.resize(static_cast<std::size_t>(plan.network.wires));
    for (const int w : plan.network.outputs) output_[static_cast<std::size_t>(w)] = true;
    for (std::size_t i = 0; i < layer.size(); ++i) count_pairs(i, 1);
    for (const auto& layer_pairs : pairs_) slices_ += slices_of(layer_pairs.size());
    for (int w = 0; w < plan.network.wires; ++w) waits_ += wait_of(w);
  }

  std::pair<std::int64_t, std::int64_t> value() const { return {slices_, waits_ * plan_.bits}; }

  void move(std::size_t i, int to) {
    if (layer_[i] == to) return;
    const int from = layer_[i];
    const auto count_slices = [&](int sign) {
      for (const int l : {from, to})
        slices_ += sign * slices_of(pairs_[static_cast<std::size_t>(l)].size());
    };
    count_slices(-1), count_pairs(i, -1), count_waits(i, -1);
    layer_[i] = to;
    count_pairs(i, 1), count_slices(1), count_waits(i, 1);
  }

 private:
  std::int64_t slices_of(std::size_t comparisons) const { return slices(plan_, comparisons); }

  void count_pairs(std::size_t i, int sign) {
    const auto& in = plan_.network.sorters[i].in;
    auto& pairs = pairs_[static_cast<std::size_t>(layer_[i])];
    for (std::size_t a = 0; a < in.size(); ++a)
      for (std::size_t b = a + 1; b < in.size(); ++b) {
        const auto at = pairs.try_emplace({in[a], in[b]}, 0).first;
        if ((at->second += sign) == 0) pairs.erase(at);
      }
  }

  void count_waits(std::size_t i, int sign) {
    const Sorter& sorter = plan_.network.sorters[i];
    for (const auto* wires : {&sorter.in, &sorter.out})
      for (const int w : *wires)
        if (w != unused) waits_ += sign * wait_of(w);
  }

  // Clocks from its driver to its last reader.
  std::int64_t wait_of(int wire) const {
    const auto at = static_cast<std::size_t>(wire);
    const int clocks = layer_clocks(plan_);
    const auto layer_of = [&](std::size_t sorter) { return layer_[sorter]; };
    const int driver = slack_.driver[at];
    const int now =
        driver == unused ? 0 : layer_of(static_cast<std::size_t>(driver)) * clocks + clocks;
    int last = output_[at] ? latency_ : now;
    for (const std::size_t r : slack_.readers[at])
      last = std::max(last, layer_of(r) * clocks + comparison_clocks(plan_));
    return last - now;
  }

  const SortPlan& plan_;
  const Slack& slack_;
  std::vector<int>& layer_;
  std::vector<std::map<Comparison, int>> pairs_;  // of every layer: the number of sorters that have
                                                  // each pair
  std::vector<char> output_;
  int latency_ = 0;
  std::int64_t slices_ = 0, waits_ = 0;
};

}  // namespace

std::vector<int> layers(const SortPlan& p) {
  const Network& n = p.network;
  const Slack slack(n);
  std::vector<int> layer(n.sorters.size(), 0);
  for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = slack.earliest(i, layer);
  const int count = depth(n);
  Moving moving(p, slack, layer, count);
  // Move one sorter at a time to its best layer until no move gains.
  auto best = moving.value();
  for (bool better = true; better;) {
    better = false;
    for (std::size_t i = layer.size(); i-- > 0;) {
      const int from = slack.earliest(i, layer), to = slack.latest(i, layer, count);
      int keep = layer[i];
      for (int at = from; at <= to; ++at) {
        moving.move(i, at);
        if (const auto v = moving.value(); v < best) best = v, keep = at, better = true;
      }
      moving.move(i, keep);
    }
  }
  return layer;
}

int SortPlan::latency() const {
  const int count = depth(network);
  return count * layer_clocks(*this) + (form == Form::slices && count > 0 ? 1 : 0);
}

SortCost cost(const SortPlan& p) {
  const Schedule s = schedule(p);
  SortCost c{.layers = s.layers(), .slices = slices(p, s)};
  for (const auto& layer : s.comparisons) c.comparisons += p.lanes * static_cast<int>(layer.size());
  // Two bits a LUT; a lone bit has a LUT for each of its two answers.
  if (p.form == Form::luts) c.comparison_luts = c.comparisons * (p.bits / 2 + p.bits % 2 * 2);
  for (const Sorter& sorter : p.network.sorters)
    c.exchange_luts += p.lanes * ((half_luts(sorter) * p.bits + 1) / 2);
  c.flip_flops = p.lanes * flip_flops(p, s);
  return c;
}

}  // namespace kumiki::gen::sort
