// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/plan_front.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/output.h"
#include "gen/config/writer.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/trained/network_source.h"
#include "gen/flow/trained/subject.h"
#include "gen/layers/pipeline/layer.h"
#include "ir/picture/plot.h"

namespace kumiki::cli {
namespace {

namespace pipeline = gen::pipeline;
using pipeline::Priced;

struct Front {
  std::string name;
  std::vector<Priced> points;
  pipeline::TooLarge left_out;
};

Front named(std::string name, pipeline::PricedFront front) {
  return {std::move(name), std::move(front.points), std::move(front.left_out)};
}

double frames_a_second(const Priced& p, double mhz) {
  return mhz * 1e6 / static_cast<double>(p.plan.interval());
}

std::int64_t whole_frames(const Priced& p, double mhz) {
  return static_cast<std::int64_t>(frames_a_second(p, mhz));
}

// Empty for a pipeline without slices.
std::optional<double> macs_per_slice(const Priced& p) {
  if (p.cost.dsps == 0) return {};
  return static_cast<double>(p.plan.products()) / static_cast<double>(p.plan.interval()) /
         static_cast<double>(p.cost.dsps);
}

std::vector<Front> fronts_of(const FrontOptions& options, flow::Context& context) {
  const std::string& file = options.source.config;
  if (flow::is_network(file)) {
    auto graph = std::make_shared<const gen::graph::Graph>(flow::load_network(file).graph);
    return {named(std::filesystem::path(file).stem().string(),
                  flow::front_of(std::move(graph), file,
                                 {.in_luts = pipeline::node_names_of(options.in_luts),
                                  .in_trees = pipeline::node_names_of(options.in_trees),
                                  .context = context},
                                 {}))};
  }
  without_use(!options.in_luts.empty(), "--in-luts", "a configuration");
  without_use(!options.in_trees.empty(), "--in-trees", "a configuration");
  std::vector<Front> all;
  const Plans plans(file, reading_of(options.source, context));
  for (const gen::NamedLayer& l : plans.layers) {
    const auto* plan = pipeline::plan_of(gen::axi_stream::inside(*l.layer));
    if (!plan) continue;
    pipeline::Request request{.in_luts = plan->in_luts,
                              .in_trees = plan->in_trees,
                              .urams = plan->urams,
                              .input_last = plan->input_last,
                              .counters = plan->counted,
                              .context = context};
    std::vector<std::string> outside;
    for (const pipeline::WeightStream& w : plan->weights) {
      outside.push_back(w.node);
      request.memory_bits = w.stream.bits();
    }
    request.weights_outside = pipeline::node_names_of(outside);
    all.push_back(named(l.name, flow::front_of(plan->graph, fmt::format("{}: {}", file, l.name),
                                               std::move(request), plans.document.target)));
  }
  if (all.empty())
    throw UsageError(code::option_needs,
                     fmt::format("--front: {} has no pipeline; give a layer of the type dataflow, "
                                 "or a trained network (.onnx, .graph)",
                                 file));
  return all;
}

// Plots frames in a second over cost; of pipelines with equal or more LUTs only the fastest is
// kept.
std::string svg(const Front& front, double mhz) {
  const double most = frames_a_second(front.points.front(), mhz);
  const auto [unit, name] = most >= 1e6   ? std::pair{1e6, "M/s"}
                            : most >= 1e3 ? std::pair{1e3, "k/s"}
                                          : std::pair{1.0, "1/s"};
  const std::string title = fmt::format("{}: frames at {:.5g} MHz", front.name, mhz);
  picture::Panel slices{title, "DSP slices", name, {}};
  picture::Panel luts{title, "LUT sites, memories counted", name, {}};
  std::vector<std::pair<double, double>> all;
  for (const Priced& p : front.points) {
    slices.points.emplace_back(p.cost.dsps, frames_a_second(p, mhz) / unit);
    all.emplace_back(p.luts(), frames_a_second(p, mhz) / unit);
  }
  std::ranges::reverse(slices.points);
  std::ranges::sort(all);
  for (const auto& point : all)
    if (luts.points.empty() || point.second > luts.points.back().second)
      luts.points.push_back(point);
  return picture::plot_svg({slices, luts});
}

void write(gen::config::Writer& w, const Front& front, double mhz) {
  w.member("name", front.name);
  w.member("clock_mhz", mhz);
  w.member("left_out", front.left_out.count);
  w.objects("front", front.points, [&](const Priced& p) {
    w.member("clocks", p.plan.interval());
    w.member("frames_a_second", whole_frames(p, mhz));
    w.member("slices", p.cost.dsps);
    w.member("luts", p.cost.luts);
    w.member("lut_memory", p.cost.lut_rams);
    w.member("ffs", p.cost.ffs);
    w.member("bram18", p.cost.brams_18k);
    w.member("uram", p.cost.urams);
    w.member("macs_per_slice", macs_per_slice(p));
  });
}

void print(const Front& front, double mhz) {
  std::vector<std::vector<std::string>> rows{
      {"clocks", "frames/s", "slices", "LUT", "LUTMEM", "FF", "BRAM18", "URAM", "MAC/slice"}};
  for (const Priced& p : front.points)
    rows.push_back({std::to_string(p.plan.interval()), std::to_string(whole_frames(p, mhz)),
                    std::to_string(p.cost.dsps), std::to_string(p.cost.luts),
                    std::to_string(p.cost.lut_rams), std::to_string(p.cost.ffs),
                    std::to_string(p.cost.brams_18k), std::to_string(p.cost.urams),
                    macs_per_slice(p) ? fmt::format("{:.2f}", *macs_per_slice(p)) : "-"});
  fmt::print(
      "{}: pipelines with the fewest clocks of a frame for their slices; frames a second at "
      "{:.5g} MHz\n\n{}",
      front.name, mhz, backends::table(rows));
}

}  // namespace

int plan_front(const FrontOptions& options, flow::Context& context) {
  const std::vector<Front> fronts = fronts_of(options, context);
  for (const Front& f : fronts)
    if (f.left_out.count > 0)
      fmt::print(stderr, "{}: {} of its pipelines left out, too large to be built: {}\n", f.name,
                 f.left_out.count, f.left_out.why);
  if (!options.pictures.empty()) {
    backends::OutputSet files(context.cache());
    for (const Front& f : fronts) files.add(f.name + ".front.svg", svg(f, options.clock));
    write_part(files, options.pictures, "front", theirs(options.force));
    say_written(files, options.pictures);
  }
  if (options.json) {
    gen::config::Writer w;
    w.object([&] {
      w.objects("pipelines", fronts, [&](const Front& f) { write(w, f, options.clock); });
    });
    fmt::print("{}\n", backends::json_text(w.take()));
    return ok;
  }
  for (const Front& f : fronts) {
    if (&f != &fronts.front()) fmt::print("\n");
    print(f, options.clock);
  }
  return ok;
}

}  // namespace kumiki::cli
