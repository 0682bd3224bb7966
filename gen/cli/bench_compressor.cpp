// SPDX-License-Identifier: Apache-2.0
// `bench compressor`: standard heaps, their trees counted on generated netlists. Trees come from
// the shelf where it has them; --solve finds all of them again.
#include <chrono>

#include <fmt/format.h>

#include "gen/cli/bench.h"
#include "gen/cli/measure.h"
#include "gen/compressor/layers.h"

namespace kumiki::cli {
namespace {

using namespace gen::compressor;

struct Row {
  std::string heap;
  SumSpec spec;
  TreeOptions options;
};

TreeOptions of(Objective objective, std::uint32_t pipeline = 0) {
  return {.pipeline = pipeline, .objective = objective};
}

// The bits of an n x n multiplier, without its AND gates.
SumSpec multiplier_heap(unsigned n) {
  CompressorRequest r;
  for (unsigned i = 0; i < n; ++i) r.operands.push_back({.count = 1, .bits = n, .column = i});
  SumSpec s = spec(r);
  s.module = fmt::format("heap{0}x{0}", n);
  return s;
}

std::vector<Row> rows() {
  using enum Objective;
  std::vector<Row> all;
  auto popcount = [&](unsigned n, Objective objective, std::uint32_t pipeline = 0) {
    all.push_back({fmt::format("popcount {}{}", n, pipeline ? ", pipelined" : ""),
                   spec(PopcountRequest{{}, n}), of(objective, pipeline)});
  };
  for (unsigned n : {16u, 32u, 64u, 128u, 256u}) {
    popcount(n, stages);
    popcount(n, area);
  }
  popcount(512, stages);
  popcount(1024, stages);
  popcount(64, stages, 1);
  popcount(256, stages, 1);
  all.push_back({"heap 8x8", multiplier_heap(8), of(stages)});
  all.push_back({"heap 16x16", multiplier_heap(16), of(stages)});
  all.push_back({"multiplier 8x8u", spec(MultiplierRequest{{}, 8, 8, false}), of(stages)});
  CompressorRequest words;
  words.operands = {{.count = 32, .bits = 32}};
  all.push_back({"32 words of 32", spec(words), of(stages)});
  return all;
}

// The sum as a Verilog expression; the synthesiser is free in all else.
std::string behaviour(const SumPlan& plan) {
  std::string ports, terms, wires;
  unsigned word = 0;
  for (const PortShape& p : plan.spec.ports) {
    ports += fmt::format("input [{}:0] {}, ", p.count * p.width - 1, p.name);
    for (unsigned i = 0; i < p.count; ++i)
      wires += fmt::format("  wire {}[{}:0] v{} = {}[{}:{}];\n", p.is_signed ? "signed " : "",
                           plan.width - 1, word++,
                           p.is_signed ? fmt::format("$signed({}", p.name) : p.name,
                           (i + 1) * p.width - 1, i * p.width) +
               (p.is_signed ? ")" : "");
  }
  for (const Term& t : plan.spec.terms) {
    terms += fmt::format("{}(v{}{})", terms.empty() ? "" : " + ", t.a,
                         t.b ? fmt::format(" * v{}", *t.b) : "");
    if (t.column > 0) terms += fmt::format(" * {}'d{}", plan.width, std::uint64_t{1} << t.column);
  }
  return fmt::format("module naive({}output [{}:0] sum);\n{}  assign sum = {};\nendmodule\n", ports,
                     plan.width - 1, wires, terms);
}

}  // namespace

int bench_compressor(const Options& options) {
  gen::Json table = gen::Json::array();
  for (Row& row : rows()) {
    if (!options.heap.empty() && row.heap.find(options.heap) == std::string::npos) continue;
    const auto start = std::chrono::steady_clock::now();
    if (options.effort) row.options.effort = *options.effort;
    SumPlan plan = plan_sum(row.spec, row.options);
    if (options.solve) plan.tree = solve_again(plan.tree, row.options.effort);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    gen::Json one{{"heap", row.heap}};
    const std::string text = behaviour(plan);
    one.update(measure(*make_sum_layer(std::move(plan)), seconds.count(), ir::Family::series7, text,
                       options));
    table.push_back(std::move(one));
  }
  if (options.json)
    fmt::print("{}\n", table.dump(2));
  else
    print_table(table, {"heap"});
  return ok;
}

}  // namespace kumiki::cli
