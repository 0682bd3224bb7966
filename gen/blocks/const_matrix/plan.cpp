// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
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

// Criteria to choose the next shared pair.
std::vector<Sharing> ways(const Task& task) {
  std::vector<Sharing> all;
  const auto add = [&](std::initializer_list<double> parts, std::initializer_list<double> mores) {
    for (const double part : parts)
      for (const double more : mores) all.push_back({.part = part, .more = more});
  };
  // No sharing: tables take all of a row if inputs are narrow.
  if (task.input.bits < table_inputs) add({0}, {0});
  add({1, 3}, {2, 6});
  for (Sharing& way : all) way.arity = arity_of(task);
  return all;
}

// A network, and the sums that it was made from.
struct Made {
  Network network;
  Sums sums;
};

Made made(const Task& task, const Sums& start, const Sharing& way) {
  const TreeRules rules{.arity = way.arity, .depth = way.depth};
  Sums sums = dissolved(share(start, way), rules);
  Network network = trees_of(sums, rules);
  place_registers(network, task.levels);
  return {std::move(network), std::move(sums)};
}

auto cost(const Network& network) {
  return std::tuple(sites(network), network.latency, flip_flops(network));
}

// The sums with `percent` of them dissolved, and some digits in another form.
Sums disturbed(Sums sums, unsigned percent, std::mt19937_64& random) {
  const auto chance = [&](unsigned of_100) { return random() % 100 < of_100; };
  for (std::uint32_t s = 0; s < sums.shared.size(); ++s)
    if (chance(percent)) dissolve(sums, s);
  for (auto* rows : {&sums.shared, &sums.outputs})
    for (Row& row : *rows)
      for (Operand& low : row)
        for (Operand& high : row)
          if (low.node == high.node && chance(10)) recode(low, high);
  return ordered(std::move(sums));
}

// Simulated annealing: shares parts of the network anew, at random, and keeps what is smaller, at
// first also what is a little larger. A large matrix allows fewer steps in the same time, so they
// are smaller.
void improve(const Task& task, Made now, Solution& best) {
  if (now.sums.shared.empty()) return;
  ir::Activity activity("improving a constant matrix");
  std::mt19937_64 random(1);
  const int steps = std::min(2000, 1'500'000 / best.digits);
  const auto percent = static_cast<unsigned>(10 + steps / 200);
  const int latest = task.latency.value_or(best.network.latency);
  Sharing way = best.sharing;
  int size = sites(now.network);
  for (int left = steps * (task.effort > 1 ? 5 : 1); left > 0; --left) {
    activity.at(fmt::format("{} networks left", left));
    const Sums start = disturbed(now.sums, percent, random);
    way.seed = random();
    Made next = made(task, start, way);
    ++best.tried;
    const auto allowance = static_cast<unsigned>(std::int64_t{size} * left / 600'000);
    const int next_size = sites(next.network);
    if (next_size > size + static_cast<int>(random() % (allowance + 1))) continue;
    if (next.network.latency > latest) continue;
    now = std::move(next);
    size = next_size;
    if (cost(now.network) < cost(best.network)) best.network = now.network;
  }
}

// The smallest network with at most `depth` chains in sequence.
std::optional<Solution> smallest(const Task& task, int depth) {
  const Sums digits = digits_of(task.rows, inputs_of(task));
  Solution best;
  Sums sums;
  ir::Activity activity("planning a constant matrix");
  const auto all = ways(task);
  for (Sharing way : all) {
    activity.at(fmt::format("network {} of {}", best.tried + 1, all.size()));
    way.depth = depth;
    auto [network, used] = made(task, digits, way);
    if (task.latency && network.latency > *task.latency) continue;
    if (best.tried == 0 || cost(network) < cost(best.network)) {
      best.network = std::move(network);
      sums = std::move(used);
      best.sharing = way;
    }
    ++best.tried;
  }
  for (const Row& row : digits.outputs) best.digits += static_cast<int>(row.size());
  if (best.tried == 0) return std::nullopt;
  if (task.effort > 0) improve(task, {best.network, std::move(sums)}, best);
  return best;
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
  any.effort = 0;  // `solve` starts from the same networks
  for (any.latency = task.latency.value_or(-1) + 1; !solve(any); ++*any.latency)
    ;
  return *any.latency;
}

}  // namespace kumiki::gen::const_matrix
