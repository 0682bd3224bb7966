// SPDX-License-Identifier: Apache-2.0
// `bench vision`: whole pipelines for lines of 1920 pixels, including line memories and streams.
#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "gen/layers/vision/layer.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/trial.h"

namespace kumiki::cli {
namespace vision_table {
namespace {

using namespace gen::vision;

struct Entry {
  std::string name;
  Request request;
};

StageRequest stage(StageKind kind, std::int64_t size = 3) {
  StageRequest s;
  s.kernel = kind;
  s.size = size;
  return s;
}

Request request(std::int64_t pixels, std::vector<StageRequest> stages) {
  Request r;
  r.width = 1920;
  r.height = 1080;
  r.pixels = pixels;
  r.stages = std::move(stages);
  return r;
}

// Nine coefficients that are not a column times a row.
StageRequest general() {
  StageRequest s = stage(StageKind::convolve);
  s.coefficients = {{1, -2, 3, -4, 127, -6, 7, -8, -128}};
  return s;
}

StageRequest median(std::int64_t size, Style style) {
  StageRequest s = stage(StageKind::median, size);
  s.style = style;
  return s;
}

std::vector<Entry> entries() {
  StageRequest loaded = general(), edges = stage(StageKind::threshold);
  loaded.loadable = true;
  edges.size.reset();
  edges.value = 100;
  StageRequest magnitude = edges;
  magnitude.value.reset();
  magnitude.kernel = StageKind::magnitude;
  std::vector<Entry> all{
      {"convolve 3x3, any coefficients", request(2, {general()})},
      {"convolve 3x3, loaded", request(2, {loaded})},
      {"gaussian 3x3", request(2, {stage(StageKind::gaussian)})},
      {"gaussian 5x5", request(2, {stage(StageKind::gaussian, 5)})},
      {"gaussian 5x5", request(4, {stage(StageKind::gaussian, 5)})},
      {"box 3x3", request(2, {stage(StageKind::box)})},
      {"laplacian 3x3", request(2, {stage(StageKind::laplacian)})},
      {"sobel x and y", request(1, {stage(StageKind::sobel)})},
      {"sobel x and y", request(2, {stage(StageKind::sobel)})},
      {"sobel x and y", request(4, {stage(StageKind::sobel)})},
      {"gaussian, sobel, magnitude, threshold",
       request(2, {stage(StageKind::gaussian), stage(StageKind::sobel), magnitude, edges})},
  };
  for (const std::int64_t size : {3, 5})
    for (const Style style : {Style::slices, Style::luts})
      all.push_back({fmt::format("median {0}x{0}, {1}", size,
                                 style == Style::slices ? "slices compare" : "all in LUTs"),
                     request(4, {median(size, style)})});
  StageRequest erode = median(5, Style::slices), dilate = erode;
  erode.kernel = StageKind::erode;
  dilate.kernel = StageKind::dilate;
  all.push_back({"erode 5x5, dilate 5x5", request(4, {erode, dilate})});
  return all;
}

Result row(const Entry& entry, const TrialOptions& options, const backends::Cache& cache) {
  const Pipeline pipeline = make_pipeline(entry.request, {});
  // 16,000 clocks are a few lines of full length and some hundred small frames.
  const auto [total, exact, saved] =
      try_layer({"filter", "vision", {}, make_layer(pipeline)}, options, cache, 16'000, 1);
  Result r;
  r["pipeline"] = entry.name;
  r["pixels"] = pipeline.geometry.pixels;
  r["slices"] = total.dsps;
  r["luts"] = total.luts;
  r["lut_memory"] = total.lut_rams;
  r["ffs"] = total.ffs;
  r["carries"] = total.carry_bits;
  r["bram18"] = total.brams_18k;
  r["lines_late"] = pipeline.lines_late();
  r["latency"] = pipeline.latency();
  r["exact"] = exact;
  return r;
}

void print(const Results& rows) {
  std::vector<std::vector<std::string>> lines{{"pipeline", "pixels/clk", "slices", "LUT", "LUTMEM",
                                               "FF", "CARRY", "BRAM18", "lines", "latency",
                                               "exact"}};
  for (const auto& r : rows) {
    lines.push_back({r["pipeline"].text()});
    for (const char* key : {"pixels", "slices", "luts", "lut_memory", "ffs", "carries", "bram18",
                            "lines_late", "latency"})
      lines.back().push_back(r[key].text());
    lines.back().push_back(r["exact"].flag() ? "yes" : "NO");
  }
  fmt::print("{}", backends::table(lines));
}

int run(const TrialOptions& options, flow::Context& context) {
  Results rows;
  for (const Entry& entry : asked_for(entries(), options))
    rows.push_back(row(entry, options, context.cache()));
  return finish(rows, options.json, print);
}

Run declare(CLI::App& app, Settings& settings) { return with_trials(app, settings, run); }

}  // namespace
}  // namespace vision_table

Command bench_vision() {
  return {"vision", "pipelines of filters: what they take and how late they are",
          vision_table::declare};
}

}  // namespace kumiki::cli
