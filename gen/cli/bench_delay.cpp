// SPDX-License-Identifier: Apache-2.0
// `bench delay`: popcounts for the shortest delay beside what Yosys makes of the behaviour, by one
// estimate for both.
#include <chrono>

#include <fmt/format.h>

#include "gen/cli/bench.h"
#include "gen/cli/measure.h"
#include "gen/compressor/layers.h"

namespace kumiki::cli {
namespace {

std::string behaviour(unsigned n) {
  std::string sum = "0";
  for (unsigned i = 0; i < n; ++i) sum += fmt::format(" + x[{}]", i);
  return fmt::format(
      "module naive(input [{}:0] x, output [{}:0] sum);\n  assign sum = {};\n"
      "endmodule\n",
      n - 1, gen::compressor::popcount_shape(n).width() - 1, sum);
}

}  // namespace

int bench_delay(const Options& options) {
  auto sizes = options.terms;
  if (sizes.empty())
    for (unsigned n = 2; n <= 64; ++n) sizes.push_back(n);
  gen::Json table = gen::Json::array();
  bool none_slower = true;
  for (auto size : sizes) {
    const auto n = static_cast<unsigned>(size);
    const auto start = std::chrono::steady_clock::now();
    gen::compressor::PopcountRequest request{{}, n};
    request.objective = gen::compressor::Objective::delay;
    request.effort = options.effort.value_or(0);
    auto layer = gen::compressor::make_layer(request);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    gen::Json row{{"n", n}};
    row.update(measure(*layer, seconds.count(), ir::Family::series7, behaviour(n), options));
    if (options.naive) {
      row["is_slower"] = row["delay_ns"] > row["naive_delay_ns"];
      none_slower = none_slower && !row["is_slower"].get<bool>();
    }
    table.push_back(std::move(row));
  }
  std::vector<std::string> keys{"n", "stages", "luts", "levels", "carry_bits", "delay_ns"};
  if (options.naive)
    keys.insert(keys.end(),
                {"naive_luts", "naive_levels", "naive_carry_bits", "naive_delay_ns", "is_slower"});
  print_columns(table, keys, options);
  return none_slower ? ok : design_failed;
}

}  // namespace kumiki::cli
