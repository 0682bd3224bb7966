// SPDX-License-Identifier: Apache-2.0
// `bench conv2d`: whole engines with everything counted: skew, feed, control, drains.
#include <fmt/format.h>

#include "gen/flow/network.h"
#include "gen/layers/matrix/layer.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/trial.h"

namespace kumiki::cli {
namespace conv2d_table {
namespace {

using gen::matrix::ConvRequest;
using gen::matrix::Sharing;

struct Entry {
  const char* name;
  ConvRequest request;
};

ConvRequest conv(std::int64_t channels, std::int64_t size, std::int64_t kernel,
                 std::int64_t slices) {
  ConvRequest r;
  r.in_channels = r.out_channels = channels;
  r.height = r.width = size;
  r.kernel = {kernel, kernel};
  r.padding = kernel / 2;
  r.slices = slices;
  r.source = gen::matrix::WeightSource::random;
  return r;
}

std::vector<Entry> entries() {
  auto narrow = conv(64, 14, 3, 288);
  narrow.weights.narrow = true;
  narrow.sharing = Sharing::Input;
  auto loaded = conv(64, 14, 3, 288);
  loaded.source = gen::matrix::WeightSource::port;
  auto odd_sizes = conv(60, 9, 3, 288);
  auto int4 = conv(64, 14, 3, 288);
  int4.activations = {.bits = 4, .is_signed = false};
  int4.weights = {.bits = 4};
  int4.sharing = Sharing::Input;
  return {
      {"3x3, 64 to 64", conv(64, 14, 3, 288)}, {"3x3, 64 to 64, 512 slices", conv(64, 14, 3, 544)},
      {"1x1, 64 to 64", conv(64, 14, 1, 288)}, {"3x3, weights narrow, input sharing", narrow},
      {"3x3, weights loaded", loaded},         {"3x3, 60 to 60, odd sizes", odd_sizes},
      {"3x3, S4 weights, U4 pixels", int4},
  };
}

// Loaded weights come first, and again after the reset.
std::uint64_t cycles_for(const gen::matrix::MatrixPlan& plan) {
  const auto beats = plan.embedded() ? 0 : plan.tiles * plan.words * plan.rows;
  return 12'000 + 8 * static_cast<std::uint64_t>(beats);
}

Result row(const Entry& entry, const TrialOptions& options, const backends::Cache& cache) {
  const auto request = gen::matrix::matrix_request(entry.request);
  const auto plan = gen::matrix::plan(request);
  const auto [total, exact, saved] =
      try_layer({"conv", "conv2d", {}, gen::matrix::make_layer(request)}, options, cache,
                cycles_for(plan), 1);
  const auto macs = static_cast<double>(plan.macs_per_clock());
  const auto luts = total.luts + total.lut_rams;
  Result r;
  r["engine"] = entry.name;
  r["scheme"] = gen::packing::to_string(plan.chain().scheme);
  r["rows"] = plan.rows;
  r["columns"] = plan.columns;
  r["slices"] = total.dsps;
  r["luts"] = luts;
  r["ffs"] = total.ffs;
  r["carries"] = total.carry_bits;
  r["bram18"] = total.brams_18k;
  r["mac_per_cycle"] = macs;
  r["mac_per_slice"] = macs / static_cast<double>(total.dsps);
  r["mac_per_slice_sustained"] = plan.sustained();
  r["lut_per_mac"] = static_cast<double>(luts) / macs;
  r["exact"] = exact && plan.chain().certificate.holds();
  return r;
}

void print(const Results& rows) {
  fmt::print("{:36} {:16} {:>5} {:>4} {:>6} {:>6} {:>6} {:>6} {:>7} {:>9} {:>10} {:>9} {:>8} {}\n",
             "engine", "scheme", "rows", "cols", "slices", "LUT", "FF", "BRAM18", "MAC/clk",
             "MAC/slice", "sustained", "LUT/MAC", "CARRY", "exact");
  for (const auto& r : rows)
    fmt::print(
        "{:36} {:16} {:>5} {:>4} {:>6} {:>6} {:>6} {:>6} {:>7} {:>9.3f} {:>10.3f} {:>9.2f} {:>8} "
        "{}\n",
        r["engine"].text(), r["scheme"].text(), r["rows"].text(), r["columns"].text(),
        r["slices"].text(), r["luts"].text(), r["ffs"].text(), r["bram18"].text(),
        r["mac_per_cycle"].number(), r["mac_per_slice"].number(),
        r["mac_per_slice_sustained"].number(), r["lut_per_mac"].number(), r["carries"].text(),
        r["exact"].flag() ? "yes" : "NO");
}

int run(const TrialOptions& options, flow::Context& context) {
  Results rows;
  for (const Entry& entry : asked_for(entries(), options))
    rows.push_back(row(entry, options, context.cache()));
  return finish(rows, options.json, print);
}

Run declare(CLI::App& app, Settings& settings) { return with_trials(app, settings, run); }

}  // namespace
}  // namespace conv2d_table

Command bench_conv2d() {
  return {"conv2d", "convolution engines: slices, LUTs and MACs a clock, promised and sustained",
          conv2d_table::declare};
}

}  // namespace kumiki::cli
