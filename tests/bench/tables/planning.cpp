// SPDX-License-Identifier: Apache-2.0
// `bench planning`: measures how long the search for a compressor tree takes. The sums are random,
// so that the solver was not tuned for any of them.
#include <algorithm>
#include <bit>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "gen/blocks/compressor/options.h"
#include "gen/blocks/compressor/solver/random.h"
#include "ir/processors.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {
namespace planning_table {
namespace {

using namespace gen::compressor;

struct PlanningOptions {
  std::uint32_t sums = 10, bits = 512, effort = 1;
  std::uint64_t seed = 1;
  std::string objective;  // empty: all
  bool beside = false;    // repeat it while other work runs
  bool json = false;
};

struct Sum {
  std::string name;
  Shape shape;
};

// Words of bits, or of pairs whose products are added.
Sum words(unsigned count, unsigned bits, bool are_pairs) {
  // As many columns as the largest sum has bits. For words that are long compared with their
  // number: the bits of a word plus the bits of the number.
  const unsigned columns = bits < 32 ? std::bit_width(count * ((std::uint64_t{1} << bits) - 1))
                                     : bits + std::bit_width(count - 1);
  const std::vector<unsigned> none(columns);
  std::vector<unsigned> all = none;
  std::fill_n(all.begin(), bits, count);
  return {fmt::format("{} words of {}{}", count, bits, are_pairs ? " pairs" : ""),
          are_pairs ? Shape{none, all} : Shape{all, none}};
}

// The bits that a multiplier adds.
Sum products(unsigned rows, unsigned columns) {
  Shape shape{std::vector(rows + columns, 0U), std::vector(rows + columns, 0U)};
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned c = 0; c < columns; ++c) ++shape.bits[r + c];
  return {fmt::format("heap {}x{}", rows, columns), std::move(shape)};
}

// Draws sums of at least three words or rows; small sizes are as frequent as large ones.
class Sums {
 public:
  Sums(std::uint64_t seed, unsigned most_bits) : random_(seed), most_(most_bits) {}
  Sum draw() {
    switch (random_.below(4)) {
      case 0:
        return words(between(3, most_), 1, false);
      case 1: {
        const unsigned rows = of_any_size(3, most_ / 3);
        return products(rows, of_any_size(3, most_ / rows));
      }
      case 2:
        return of_words(most_, false);
      default:
        return of_words(most_ / 2, true);
    }
  }

 private:
  unsigned between(unsigned low, unsigned high) {
    return low + static_cast<unsigned>(random_.below(high - low + 1));
  }
  // Every power of two is equally likely.
  unsigned of_any_size(unsigned low, unsigned high) {
    const auto octaves = static_cast<unsigned>(std::bit_width(high / low));
    const unsigned begin = low << random_.below(octaves);
    return between(begin, std::min(high, 2 * begin - 1));
  }
  Sum of_words(unsigned most, bool are_pairs) {
    const unsigned count = of_any_size(3, most);
    return words(count, of_any_size(1, most / count), are_pairs);
  }

  Random random_;
  unsigned most_;
};

// Occupies all processors but one while it lives.
class OtherWork {
 public:
  OtherWork() {
    for (unsigned i = 1; i < ir::processors(); ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        volatile std::uint64_t turns = 0;
        while (!stop.stop_requested()) turns = turns + 1;
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

int run(const PlanningOptions& options, flow::Context& context) {
  Sums sums(options.seed, options.bits);
  Results table;
  for (std::uint32_t i = 0; i < options.sums; ++i) {
    const Sum sum = sums.draw();
    for (const Objective objective :
         {Objective::stages, Objective::luts, Objective::area, Objective::delay}) {
      if (!options.objective.empty() && options.objective != name(objective)) continue;
      TreeOptions how{.objective = objective, .effort = options.effort};
      how.anew = TreeOptions::Anew{};
      how.context = context;
      std::chrono::duration<double> seconds{}, beside{};
      const auto planned = [&](std::chrono::duration<double>& taken) {
        const auto start = std::chrono::steady_clock::now();
        TreePlan found = plan_tree(sum.shape, how);
        taken = std::chrono::steady_clock::now() - start;
        return found;
      };
      const TreePlan tree = planned(seconds);
      if (options.beside) {
        const OtherWork work;
        if (planned(beside) != tree)
          throw std::logic_error(sum.name + ": other work, another tree");
      }
      Result row{{"sum", sum.name},
                 {"bits", sum.shape.total()},
                 {"objective", name(objective)},
                 {"stages", tree.stages.size()},
                 {"luts", audit(tree).luts()},
                 {"seconds", seconds.count()}};
      if (options.beside) row["seconds_beside_work"] = beside.count();
      table.push_back(std::move(row));
    }
  }
  std::vector<std::string> columns{"sum", "bits", "objective", "stages", "luts", "seconds"};
  if (options.beside) columns.emplace_back("seconds_beside_work");
  table.print(columns, options.json);
  return ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto options = std::make_shared<PlanningOptions>();
  number(app, "--sums", options->sums, {1, 10'000}, "how many are drawn")->capture_default_str();
  number(app, "--bits", options->bits, {9, 4096}, "bits that they have at most, two in a pair")
      ->capture_default_str();
  number(app, "--seed", options->seed, any_seed, "seed of the draw")->capture_default_str();
  app.add_option("--objective", options->objective, "rows of this objective")
      ->check(CLI::IsMember({"stages", "luts", "area", "delay"}));
  number(app, "--effort", options->effort, {0, 5}, "of the solver")->capture_default_str();
  app.add_flag(
      "--beside-work", options->beside,
      "plan each once more while all processors but one are busy; the tree must be the same");
  add_json(app, options->json);
  add_take_incumbent(app, settings);
  add_trace(app, settings);
  return runs(run, options);
}

}  // namespace
}  // namespace planning_table

Command bench_planning() {
  return {"planning", "how long trees of sums that are drawn at random take to find",
          planning_table::declare};
}

}  // namespace kumiki::cli
