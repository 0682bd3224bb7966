// SPDX-License-Identifier: Apache-2.0
// `bench reach`: target figures, compared with the smallest netlist of each heap.
#include <fmt/format.h>

#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/measure.h"
#include "tests/bench/tables/tables.h"

namespace kumiki::cli {
namespace reach_table {
namespace {

// LUT sites; for the paper's trees its own metric, counters that take one slice each.
struct Target {
  const char* heap;
  bool is_paper;
  unsigned asked;
};

constexpr Target targets[] = {
    {"popcount 64", false, 45},
    {"popcount 128", false, 93},
    {"popcount 256", false, 172},
    {"popcount 256, pipelined", false, 154},
    {"popcount 512", false, 383},
    {"popcount 1024", false, 750},
    {"popcount 4096", false, 2931},
    {"heap 8x8", false, 34},
    {"heap 16x16", false, 141},
    {"9 products 8x8", false, 333},
    {"25 products 8x8", false, 920},
    {"49 products 8x8", false, 1810},
    {"32 words of 32", false, 548},
    {"neuron 32, weights as inputs", false, 33},
    {"neuron 64, weights as inputs", false, 62},
    {"neuron 128, weights as inputs", false, 133},
    {"neuron 256, weights as inputs", false, 233},
    {"neuron 32, embedded", false, 25},
    {"neuron 64, embedded", false, 48},
    {"neuron 128, embedded", false, 94},
    {"neuron 256, embedded", false, 185},
    {"popcount 64", true, 12},
    {"popcount 128", true, 27},
    {"popcount 256", true, 53},
    {"popcount 512", true, 104},
    {"popcount 1024", true, 207},
    {"XNOR heap 32", true, 4},
    {"XNOR heap 64", true, 7},
    {"XNOR heap 128", true, 16},
    {"XNOR heap 256", true, 32},
    {"embedded heap 32", true, 2},
    {"embedded heap 64", true, 4},
    {"embedded heap 128", true, 9},
    {"embedded heap 256", true, 20},
    {"heap 8x8", true, 7},
    {"heap 16x16", true, 34},
    {"32 words of 32", true, 147},
};

// The smallest of a heap's rows.
const Result* smallest(const Results& rows, const Target& t) {
  const char* what = t.is_paper ? "gpcs" : "luts";
  const Result* best = nullptr;
  for (const Result& row : rows)
    if (row["heap"].text() == t.heap && (row["objective"].text() == "paper") == t.is_paper &&
        (best == nullptr || row[what].integer() < (*best)[what].integer()))
      best = &row;
  return best;
}

int run(const HeapOptions& options, flow::Context& context) {
  Results rows = compressor_table::results(options, context);
  for (const Result& row : neuron_table::results(options, context))
    if (row["form"].text() == "absorbed") rows.push_back(row);
  Results table;
  bool all_reached = true;
  for (const Target& t : targets) {
    const Result* found = smallest(rows, t);
    if (found == nullptr) continue;
    const Result& best = *found;
    const auto reached = best[t.is_paper ? "gpcs" : "luts"].integer();
    all_reached = all_reached && reached <= t.asked;
    table.push_back({{"heap", t.heap},
                     {"counted", t.is_paper ? "paper's slices" : "LUT sites"},
                     {"asked", t.asked},
                     {"reached", reached},
                     {"is_reached", reached <= t.asked},
                     {"objective", best["objective"]},
                     {"stages", best["stages"]},
                     {"bound", best["bound"]},
                     {"proven", best["proven"]}});
  }
  require_rows(table, options.heap, options.objective);
  table.print({"heap", "counted", "asked", "reached", "is_reached", "objective", "stages", "bound",
               "proven"},
              options.json);
  return all_reached ? ok : design_failed;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<HeapOptions>();
  o->naive = false;
  add_heaps(app, *o, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace reach_table

Command bench_reach() {
  return {"reach", "the figures that were to be reached, beside the smallest netlist of each heap",
          reach_table::declare};
}

}  // namespace kumiki::cli
