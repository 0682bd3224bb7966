// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "gen/blocks/const_matrix/stages.h"
#include "ir/activity.h"
#include "ir/error.h"

namespace kumiki::gen::const_matrix {
namespace {

// Chains of three are possible if a register follows them.
int arity_of(const Task& task) { return task.levels >= 3 && !task.pairs ? 3 : 2; }

std::vector<Interval> inputs_of(const Task& task) {
  return std::vector<Interval>(task.rows.at(0).size(), task.input.range());
}

// Criteria to choose the next shared pair. The first ones were best for most matrices. Every effort
// also tries all of the lower efforts.
std::vector<Sharing> ways(const Task& task) {
  std::vector<Sharing> all;
  const auto add = [&](std::initializer_list<double> parts, std::initializer_list<double> mores) {
    for (const double part : parts)
      for (const double more : mores) all.push_back({.part = part, .more = more});
  };
  // No sharing: tables take all of a row if inputs are narrow.
  if (task.input.bits < table_inputs) add({0}, {0});
  add({0.3, 0.7}, {4, 6});
  if (task.effort >= 1) add({0, 0.5, 1}, {1, 2, 6});
  if (task.effort >= 2) add({0.15, 0.4, 0.6, 0.85}, {0, 0.5, 1, 2, 3, 5, 8});
  for (Sharing& way : all) way.arity = arity_of(task);
  return all;
}

constexpr int depth_without_limit = 64;

Network made(const Task& task, const Sums& digits, const Sharing& way) {
  const TreeRules rules{.arity = way.arity, .depth = way.depth};
  Network network = trees_of(dissolved(share(digits, way), rules), rules);
  place_registers(network, task.levels);
  return network;
}

auto cost(const Network& network) {
  return std::tuple(sites(network), network.latency, flip_flops(network));
}

// The smallest network with at most `depth` chains in sequence.
std::optional<Solution> smallest(const Task& task, int depth) {
  const Sums digits = digits_of(task.rows, inputs_of(task));
  Solution best;
  ir::Activity activity("planning a constant matrix");
  const auto all = ways(task);
  for (Sharing way : all) {
    activity.at(fmt::format("network {} of {}", best.tried + 1, all.size()));
    way.depth = depth;
    Network network = made(task, digits, way);
    if (task.latency && network.latency > *task.latency) continue;
    if (best.tried == 0 || cost(network) < cost(best.network)) {
      best.network = std::move(network);
      best.sharing = way;
    }
    ++best.tried;
  }
  for (const Row& row : digits.outputs) best.digits += static_cast<int>(row.size());
  return best.tried == 0 ? std::nullopt : std::optional(best);
}

// The fewest chains in sequence that some network needs.
int least_depth(const Task& task) {
  int depth = 0;
  for (const Row& row : digits_of(task.rows, inputs_of(task)).outputs) {
    int own = 0;
    for (std::size_t reach = 1; reach < row.size();
         reach *= static_cast<std::size_t>(arity_of(task)))
      ++own;
    depth = std::max(depth, own);
  }
  return depth;
}

}  // namespace

void require_narrow(const Task& task) {
  for (std::size_t m = 0; m < task.rows.size(); ++m) {
    Interval sum;
    for (const std::int64_t f : task.rows[m]) sum = sum + task.input.range() * arith::Exact{f};
    if (bits_of(sum) > most_output_bits)
      throw DesignError(code::sum_too_wide, fmt::format("output {} has {} bits", m, bits_of(sum)));
  }
}

std::optional<Solution> solve(const Task& task) {
  require_narrow(task);
  if (!task.latency || task.levels == 0) return smallest(task, depth_without_limit);
  // Try as many chains as fit between two registers, then fewer, until the latency is met.
  const int most = *task.latency * std::max(1, task.levels / 2);
  for (int depth = most; depth >= least_depth(task); --depth)
    if (auto best = smallest(task, depth)) return best;
  return std::nullopt;
}

int shortest_latency(const Task& task) {
  Task any = task;
  any.latency.reset();
  return smallest(any, std::max(1, least_depth(task)))->network.latency;
}

}  // namespace kumiki::gen::const_matrix
