// SPDX-License-Identifier: Apache-2.0
// `bench compressor`: standard heaps, with their trees counted on generated netlists. It uses
// shipped trees if there are any; --solve searches all of them again.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "backends/support/files.h"
#include "gen/blocks/compressor/build.h"
#include "gen/cli/output.h"
#include "gen/layers/compressor/request.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/measure.h"
#include "tests/bench/tables/tables.h"

namespace kumiki::cli {
namespace compressor_table {
namespace {

using namespace gen::compressor;

struct Row {
  std::string heap, file;
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

// Partial products of n products of 8-bit words, without their AND gates.
SumSpec products_heap(unsigned n) {
  CompressorRequest r;
  for (unsigned i = 0; i < 8; ++i) r.operands.push_back({.count = n, .bits = 8, .column = i});
  SumSpec s = spec(r);
  s.module = fmt::format("products{}", n);
  return s;
}

// What the paper's first layer leaves of a neuron's N inputs: a count of two bits for three pairs,
// or of three bits for six bits.
SumSpec first_counts(unsigned n, bool embedded) {
  const unsigned group = embedded ? 6 : 3, rest = n % group;
  CompressorRequest r;
  for (unsigned column = 0; column < (embedded ? 3u : 2u); ++column)
    r.operands.push_back(
        {.count = n / group + (rest >= 1u << column ? 1 : 0), .bits = 1, .column = column});
  SumSpec s = spec(r);
  s.module = fmt::format("counts{}{}", n, embedded ? "e" : "");
  return s;
}

std::vector<Row> rows() {
  using enum Objective;
  std::vector<Row> all;
  auto add = [&](const std::string& heap, std::string file, SumSpec sum, Objective objective,
                 std::uint32_t pipeline = 0) {
    if (objective != stages) file += fmt::format("-{}", name(objective));
    all.push_back({heap, file + ".txt", std::move(sum), of(objective, pipeline)});
  };
  auto popcount = [&](unsigned n, Objective objective, std::uint32_t pipeline = 0) {
    add(fmt::format("popcount {}{}", n, pipeline ? ", pipelined" : ""),
        fmt::format("popcount{}{}", n, pipeline ? "-pipelined" : ""), spec(PopcountRequest{{}, n}),
        objective, pipeline);
  };
  for (unsigned n : {16u, 32u, 64u, 128u, 256u})
    for (Objective o : {stages, luts, area, delay}) popcount(n, o);
  for (unsigned n : {512u, 1024u, 4096u})
    for (Objective o : {stages, luts})
      if (o != luts || n > 512) popcount(n, o);
  for (unsigned n : {64u, 128u, 256u, 512u, 1024u}) popcount(n, paper);
  for (unsigned n : {32u, 64u, 128u, 256u})
    for (bool embedded : {false, true})
      add(fmt::format("{} heap {}", embedded ? "embedded" : "XNOR", n),
          fmt::format("{}{}", embedded ? "embedded" : "xnor", n), first_counts(n, embedded), paper);
  popcount(64, stages, 1);
  popcount(256, stages, 1);
  popcount(256, luts, 1);
  for (unsigned n : {8u, 16u})
    for (Objective o : {stages, luts, area, delay, paper})
      if (o != luts || n == 8)
        add(fmt::format("heap {0}x{0}", n), fmt::format("heap{0}x{0}", n), multiplier_heap(n), o);
  add("multiplier 8x8u", "multiplier8x8u", spec(MultiplierRequest{{}, 8, 8, false}), stages);
  for (unsigned n : {8u, 16u})
    for (bool is_signed : {false, true})
      for (Objective o : {area, delay})
        add(fmt::format("multiplier {0}x{0}{1}", n, is_signed ? 's' : 'u'),
            fmt::format("multiplier{0}x{0}{1}", n, is_signed ? 's' : 'u'),
            spec(MultiplierRequest{{}, n, n, is_signed}), o);
  for (unsigned n : {9u, 25u, 49u})
    for (Objective o : {stages, delay})
      add(fmt::format("{} products 8x8", n), fmt::format("products{}", n), products_heap(n), o);
  CompressorRequest words;
  words.operands = {{.count = 32, .bits = 32}};
  for (Objective o : {stages, area, delay, paper})
    add("32 words of 32", "sum32x32", spec(words), o);
  return all;
}

// The share of the behaviour's delay that a tree may take.
double most_of_naive(const Row& row) { return row.options.objective == Objective::area ? 1 : 0.85; }

// The sum as a Verilog expression; everything else is left to the synthesiser.
std::string behaviour(const SumPlan& plan) {
  std::string ports, terms, wires;
  unsigned word = 0;
  for (const PortShape& p : plan.spec.ports) {
    ports += fmt::format("input [{}:0] {}, ", p.count * p.width - 1, p.name);
    for (unsigned i = 0; i < p.count; ++i)
      wires += fmt::format("  wire {}[{}:0] v{} = {}[{}:{}]", p.is_signed ? "signed " : "",
                           plan.width - 1, word++,
                           p.is_signed ? fmt::format("$signed({}", p.name) : p.name,
                           (i + 1) * p.width - 1, i * p.width) +
               (p.is_signed ? ");\n" : ";\n");
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

Results results(const HeapOptions& options, flow::Context& context) {
  Results table;
  backends::OutputSet trees;
  auto all = rows();
  std::vector<std::string> names;
  for (const Row& row : all) names.push_back(row.heap);
  for (Row& row : all) {
    if (!is_meant(row.heap, options.heap, names)) continue;
    if (!options.objective.empty() && options.objective != name(row.options.objective)) continue;
    const auto start = std::chrono::steady_clock::now();
    row.options.context = context;
    row.options.family = options.family;
    if (options.effort) row.options.effort = *options.effort;
    if (options.solve) row.options.anew = {options.seed, options.stages};
    const SumPlan plan = plan_sum(row.spec, row.options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    Result one{{"heap", row.heap}};
    const std::string text = behaviour(plan);
    trees.add(row.file, tree_file("compressor", row.heap, plan.tree, options));
    const auto layer = make_sum_layer(plan);
    one.append(measure(*layer, plan.tree, seconds.count(), options.family, text, options.naive));
    if (options.naive && is_timed(row.options.objective)) {
      one["asked_ns"] = most_of_naive(row) * one["naive_delay_ns"].number();
      one["is_fast"] = one["delay_ns"].number() <= one["asked_ns"].number();
    }
    table.push_back(std::move(one));
  }
  if (!options.trees.empty()) trees.commit(options.trees, theirs(options.force));
  return table;
}

namespace {

int run(const HeapOptions& options, flow::Context& context) {
  const Results rows = results(options, context);
  const int printed = print_rows(rows, {"heap"}, options);
  const bool all_fast = std::ranges::all_of(rows, [](const Result& r) {
    const Cell* is_fast = r.find("is_fast");
    return is_fast == nullptr || is_fast->flag();
  });
  return all_fast ? printed : design_failed;
}

Run declare(CLI::App& app, Settings& settings) { return with_heaps(app, settings, run); }

}  // namespace
}  // namespace compressor_table

Command bench_compressor() {
  return {"compressor", "compressor trees beside what Yosys makes of the same sums",
          compressor_table::declare};
}

}  // namespace kumiki::cli
