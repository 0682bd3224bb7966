// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/budget.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "gen/config/document.h"
#include "gen/config/messages.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/pipeline/build.h"
#include "gen/layers/pipeline/folding.h"
#include "gen/layers/pipeline/messages.h"
#include "gen/layers/pipeline/queues.h"
#include "ir/activity.h"
#include "ir/arch.h"
#include "ir/expected.h"
#include "ir/limits.h"
#include "ir/processors.h"
#include "ir/resources.h"

namespace kumiki::gen::pipeline {
namespace {

PipelinePlan whole(const Request& r, const PipelinePlan& machines) {
  PipelinePlan plan = with_queues(machines, r.context.store);
  plan.input_last = r.input_last;
  plan.counted = r.counters;
  plan.in_luts = r.in_luts;
  plan.in_trees = r.in_trees;
  plan.urams = r.urams;
  return plan;
}

Priced priced(PipelinePlan plan, ir::Family family, const ir::Limits& limits) {
  Builder builder(family, limits);
  build_top(builder, build_pipeline, plan, input_shape(plan));
  ir::require_few_cells(builder.design());
  const ir::Cost cost = ir::count_resources(builder.design()).total;
  return {std::move(plan), cost};
}

// Prices the points of a front in order, as many at once as there are processors.
class Pricing {
 public:
  Pricing(const Request& r, const Folder& folder, ir::Family family, std::vector<FrontPoint> points)
      : r_(r), folder_(folder), family_(family), points_(std::move(points)) {}
  bool has_more() const { return !ahead_.empty() || begun_ < points_.size(); }
  // LimitError: the next netlist is too large to build.
  Priced next() {
    while (begun_ < points_.size() && ahead_.size() < ir::processors()) begin();
    std::future<Priced> one = std::move(ahead_.front());
    ahead_.pop_front();
    return one.get();
  }

 private:
  void begin() {
    // Foldings cache their results without locks, so only this thread calls them.
    ahead_.push_back(std::async(
        std::launch::async | std::launch::deferred,
        [this](const PipelinePlan& machines) {
          return priced(whole(r_, machines), family_, r_.context.limits);
        },
        folder_.of_clocks(points_[begun_++].clocks)));
  }

  const Request& r_;
  const Folder& folder_;
  ir::Family family_;
  std::vector<FrontPoint> points_;
  std::size_t begun_ = 0;
  std::deque<std::future<Priced>> ahead_;
};

// Prices the pipelines of the front, the fastest first, until one is enough. It skips and counts
// those that are too large to build; LimitError if all are.
template <class Enough>
TooLarge for_each_priced(const Request& r, const Folder& folder, ir::Family family,
                         std::int64_t slices, Enough&& is_enough) {
  ir::Activity activity("counting the pipelines of " + r.graph->graph->name);
  auto points = folder.front();
  std::erase_if(points, [&](const FrontPoint& p) { return p.slices > slices; });
  const std::size_t count = points.size();
  Pricing pricing(r, folder, family, std::move(points));
  TooLarge left_out;
  for (std::size_t i = 1; pricing.has_more(); ++i) {
    activity.at(fmt::format("{} of {}", i, count));
    try {
      if (is_enough(pricing.next())) break;
    } catch (const ir::LimitError& e) {
      left_out = {left_out.count + 1, e.what()};
      if (left_out.count == count) throw;
    }
  }
  return left_out;
}

// A layer whose weights may move outside, and about how many block RAMs that frees.
struct Movable {
  std::size_t node;
  double weights = 0, maps = 0;  // bytes; maps: those that wait in front of the passes and behind
  double freed() const {
    constexpr double bytes_of_a_memory = 2304;
    return (weights - maps) / bytes_of_a_memory;
  }
};

// Those with the smallest maps beside their weights first: each byte of weights that comes then
// frees the most memory.
std::vector<Movable> movable(const Folder& folder, std::int64_t clocks) {
  std::vector<Movable> all;
  for (const auto& [node, layer] : folder.on_chip(clocks)) {
    const auto* made = dynamic_cast<const Foldings::Convolution*>(layer.machine.get());
    if (made == nullptr || made->plan().matrix.in_trees()) continue;
    const matrix::MatrixPlan& m = made->plan().matrix;
    const matrix::ConvShape& s = m.shape;
    const auto bytes = [](std::int64_t numbers, int bits) {
      return static_cast<double>(numbers) * bits / 8;
    };
    Movable one{node, bytes(std::ssize(m.values), m.weights.bits),
                2 * bytes(s.in_channels * s.height * s.width, m.activations.bits) +
                    (layer.leave_by_maps ? 1 : 2) *
                        bytes(s.out_channels * s.out_height() * s.out_width(), 8)};
    if (one.freed() > 0) all.push_back(one);
  }
  std::ranges::stable_sort(all, std::greater<>{},
                           [](const Movable& m) { return m.weights / m.maps; });
  return all;
}

// A pipeline that exceeds what it is given.
struct Exceeding {
  ir::Cost cost;
  config::Violation why;
};

// Moves weights outside until the memories suffice.
Expected<Priced, Exceeding> with_weights_outside(const Request& r, std::int64_t clocks,
                                                 const packing::Limits& limits, ir::Family family) {
  ir::Activity activity("moving weights of " + r.graph->graph->name + " outside");
  std::set<std::size_t> outside;
  for (;;) {
    const Folder folder(r, limits, outside);
    // Queues take time to find, so they come when the machines alone fit.
    PipelinePlan machines = folder.of_clocks(clocks);
    machines.urams = r.urams;
    Priced now = priced(machines, family, r.context.limits);
    if (now.cost.brams_18k <= *r.brams) now = priced(whole(r, machines), family, r.context.limits);
    const double bytes =
        static_cast<double>(weight_bytes(now.plan)) / static_cast<double>(now.plan.interval());
    activity.at(
        fmt::format("{} layers outside, {} block RAMs", outside.size(), now.cost.brams_18k));
    if (bytes > *r.bytes_a_clock)
      return Exceeding{now.cost,
                       {code::pipeline_too_slow, "bytes_a_clock",
                        fmt::format("is too few: the weights of {} layers take {:.2f}",
                                    now.plan.weights.size(), bytes),
                        fmt::format("must be at least {:.2f}, or give more \"clocks\" or a "
                                    "larger \"bram18\"",
                                    bytes)}};
    if (now.cost.brams_18k <= *r.brams) return now;
    // What takes the place of a layer's weights takes memory, too: then there is another turn.
    double excess = static_cast<double>(now.cost.brams_18k) - static_cast<double>(*r.brams);
    const std::size_t before = outside.size();
    for (const Movable& m : movable(folder, clocks)) {
      if (excess <= 0) break;
      outside.insert(m.node);
      excess -= m.freed();
    }
    if (outside.size() == before)
      return Exceeding{
          now.cost,
          {code::pipeline_too_slow, "bram18",
           fmt::format(
               "is too few: the pipeline takes {}, and no more weights can leave the chip to "
               "free any",
               now.cost.brams_18k),
           fmt::format("must be at least {}", now.cost.brams_18k)}};
  }
}

config::Refusal refusal(const char* key, std::uint32_t fewest, const char* what) {
  return config::Refusal(
      {code::pipeline_too_slow, key,
       fmt::format("is too few for this network, which needs {} {}", fewest, what),
       fmt::format("must be at least {}", fewest)});
}

}  // namespace

PipelinePlan planned(const Request& r, const packing::Limits& limits, ir::Family family) {
  if (r.urams > 0 && !ir::arch::of(family).has_ultra_ram)
    throw config::Refusal({code::wrong_family, "uram",
                           fmt::format("asks for UltraRAM, which the family {} does not have",
                                       ir::family_name(family)),
                           "must be 0, or take the family ultrascale+"});
  if (r.bytes_a_clock) {
    auto found = with_weights_outside(r, *r.clocks, limits, family);
    if (!found) throw config::Refusal(found.reason().why);
    return std::move(found->plan);
  }
  if (!r.luts && !r.brams) return whole(r, folded(r, limits));
  const Folder folder(r, limits);
  if (r.slices) (void)folder.of_slices(*r.slices);  // throws if they are too few
  const std::int64_t slices = r.slices.value_or(std::numeric_limits<std::int64_t>::max());
  std::optional<PipelinePlan> found;
  std::optional<std::uint32_t> luts,
      brams;  // the fewest; of memories only among those with few enough LUTs
  for_each_priced(r, folder, family, slices, [&](Priced p) {
    luts = std::min(luts.value_or(p.luts()), p.luts());
    if (r.luts && p.luts() > *r.luts) return false;
    brams = std::min(brams.value_or(p.cost.brams_18k), p.cost.brams_18k);
    if (r.brams && p.cost.brams_18k > *r.brams) return false;
    found = std::move(p.plan);
    return true;
  });
  if (found) return std::move(*found);
  if (r.luts && *luts > *r.luts) throw refusal("luts", *luts, "LUTs");
  throw refusal("bram18", *brams,
                r.luts ? "block RAMs of 18 Kbit with so few LUTs" : "block RAMs of 18 Kbit");
}

Fitted fitted(const Request& r, const packing::Limits& limits, ir::Family family,
              const std::function<bool(const ir::Cost&)>& fits) {
  ir::Activity activity("folding " + r.graph->graph->name + " until it fits");
  const Folder folder(r, limits);
  std::vector<std::int64_t> paces;
  if (r.clocks)
    paces.push_back(*r.clocks);
  else
    for (const FrontPoint& p : folder.front()) paces.push_back(p.clocks);
  const auto tried = [&](std::int64_t clocks) -> Expected<Priced, Exceeding> {
    activity.at(fmt::format("{} clocks", clocks));
    if (r.bytes_a_clock) return with_weights_outside(r, clocks, limits, family);
    // Queues take time to find and only add to the cost.
    PipelinePlan machines = folder.of_clocks(clocks);
    machines.urams = r.urams;
    Priced alone = priced(machines, family, r.context.limits);
    if (!fits(alone.cost)) return alone;
    return priced(whole(r, machines), family, r.context.limits);
  };
  Fitted result{.slowest = paces.back()};
  const auto takes = [&](std::int64_t clocks) {
    auto now = tried(clocks);
    const ir::Cost cost = now ? now->cost : now.reason().cost;
    if (clocks == result.slowest) {
      result.cost = cost;
      result.lacks_bytes = !now && now.reason().why.key == "bytes_a_clock";
    }
    if (!now || !fits(cost)) return false;
    result.found = std::move(*now);
    result.clocks = clocks;
    return true;
  };
  if (!takes(paces.back())) return result;
  std::size_t from = 0, to = paces.size() - 1;
  while (from < to) {
    const std::size_t middle = std::midpoint(from, to);
    const bool is_taken = [&] {
      try {
        return takes(paces[middle]);
      } catch (const ir::LimitError&) {
        return false;  // too large to be built
      } catch (const config::Refusal&) {
        return false;  // the memory outside cannot keep the pace
      }
    }();
    if (is_taken)
      to = middle;
    else
      from = middle + 1;
  }
  return result;
}

PricedFront priced_front(const Request& r, const packing::Limits& limits, ir::Family family) {
  PricedFront all;
  all.left_out = for_each_priced(r, Folder(r, limits), family,
                                 std::numeric_limits<std::int64_t>::max(), [&](Priced p) {
                                   all.points.push_back(std::move(p));
                                   return false;
                                 });
  return all;
}

}  // namespace kumiki::gen::pipeline
