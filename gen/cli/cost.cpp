// SPDX-License-Identifier: Apache-2.0
// `cost`: computes by formula what a network costs on an array of processing elements.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/cost.h"
#include "gen/cli/output.h"
#include "gen/config/help.h"
#include "gen/flow/messages.h"
#include "ir/error.h"
#include "ir/picture/bars.h"
#include "ir/picture/plot.h"

namespace kumiki::cli {
namespace {

using namespace gen::array;
using Rows = std::vector<std::vector<std::string>>;

struct CostOptions {
  std::string config;
  bool keys = false;     // print the keys of its configurations instead
  std::string pictures;  // folder for pictures and tables; empty: none
  bool force = false;
  bool json = false;
  bool beyond = false;                // include the modes beyond the paper
  std::optional<std::int64_t> batch;  // overrides the configuration's
};

Study read(const CostOptions& options, flow::Context& context) {
  const auto document = gen::config::read_document(options.config, cost_registry(), context);
  if (document.layers.size() != 1)
    throw DesignError(code::one_array, fmt::format("{} has {} arrays; it must have one for cost",
                                                   options.config, document.layers.size()));
  Study s{.name = document.name, .request = document.layers.front().as<Request>()};
  if (options.batch) s.request.batch = *options.batch;
  s.array = array_of(s.request);
  s.network = shapes_of(s.request);
  s.cost = cost(s.array, s.network);
  return s;
}

std::string fixed(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

Rows layer_rows(const Study& s) {
  Rows rows{{"layer", "type", "H", "C_i", "C_o", "out", "N_ic", "cycles", "ms", "Gbit/s in",
             "Gbit/s out", "input words", "MAC/slice"}};
  for (std::size_t i = 0; i < s.network.size(); ++i) {
    const LayerShape& l = s.network[i];
    const Cost& c = s.cost.layers[i];
    std::vector<std::string> row{l.name};
    if (l.kind == Kind::fc)
      row.insert(row.end(),
                 {"fc", "-", std::to_string(l.fc.inputs), std::to_string(l.fc.outputs), "-", "-"});
    else
      row.insert(row.end(), {"conv", std::to_string(l.conv.kernel),
                             std::to_string(l.conv.group_in()), std::to_string(l.conv.out_channels),
                             fmt::format("{}x{}", l.conv.out_height(), l.conv.out_width()),
                             std::to_string(l.conv.width)});
    row.insert(row.end(), {std::to_string(c.cycles), fixed(c.ms(s.array), 3),
                           fixed(c.in.gbps(s.array), 1), fixed(c.out.gbps(s.array), 1),
                           std::to_string(c.input_words), fixed(macs_per_slice(s, c), 3)});
    rows.push_back(std::move(row));
  }
  return rows;
}

// The paper's formula counts the rows that a strip needs at stride 1.
void print_strides(const Study& s) {
  for (std::size_t i = 0; i < s.network.size(); ++i) {
    const Cost& c = s.cost.layers[i];
    if (c.fetched_words <= c.input_words) continue;
    const ConvShape& shape = s.network[i].conv;
    fmt::print("{}: stride {}, dilation {}: whole strips are {} words, the formula's are {}\n",
               s.network[i].name, shape.stride, shape.dilation, c.fetched_words, c.input_words);
  }
}

void print_comparison(const Json& c) {
  Rows rows{{"layer", "ms", c["name"]}};
  for (const auto& l : c["layers"])
    rows.push_back(
        {l["name"], fixed(l["ms"].get<double>(), 1), fixed(l["other_ms"].get<double>(), 1)});
  rows.push_back(
      {"sum", fixed(c["total_ms"].get<double>(), 1), fixed(c["other_total_ms"].get<double>(), 1)});
  fmt::print("\nconvolutions, batch of {}\n{}", c["batch"].get<int>(), backends::table(rows));
}

void print_beyond(const Json& b) {
  Rows rows{{"layer", "cycles", "beyond", "gain", "Gbit/s in", "beyond", "input words", "beyond"}};
  auto row = [&](const std::string& title, std::int64_t x, std::int64_t y) {
    return std::vector<std::string>{
        title, std::to_string(x), std::to_string(y),
        fmt::format("{:.2f} x", static_cast<double>(x) / static_cast<double>(y))};
  };
  for (const auto& l : b["layers"]) {
    const auto &p = l["paper"], &q = l["beyond"];
    auto one = row(l["name"], p["cycles"], q["cycles"]);
    for (const auto& text :
         {fixed(p["input_gbps"].get<double>(), 1), fixed(q["input_gbps"].get<double>(), 1),
          p["input_words"].dump(), q["input_words"].dump()})
      one.push_back(text);
    rows.push_back(std::move(one));
  }
  auto sum = row("sum", b["paper_cycles"], b["beyond_cycles"]);
  sum.resize(rows.front().size());
  rows.push_back(std::move(sum));
  fmt::print(
      "\nbatch of {}: the paper's form, and beyond it (small maps cut the array up to {} ways "
      "each way, fully connected layers for the batch at once)\n{}"
      "MAC per slice and cycle: {:.3f}, beyond {:.3f}\n",
      b["batch"].get<int>(), b["split"].get<int>(), backends::table(rows),
      b["paper_macs_per_slice"].get<double>(), b["beyond_macs_per_slice"].get<double>());
}

void print(const Study& s, const Json& all) {
  const Array& a = s.array;
  fmt::print(
      "{}: {} x {} elements on {} slices, {} accumulators, {} bits, {} MHz, batch of {}\n\n{}\n",
      s.name, a.rows, a.columns, a.slices(), a.accumulators, a.bits, a.clock_mhz, a.batch,
      backends::table(layer_rows(s)));
  fmt::print("sum: {} cycles, {:.2f} ms, {:.2f} frames/s\n", s.cost.cycles, s.cost.ms(a),
             s.cost.frames_per_second(a));
  fmt::print("MAC per slice and cycle, sustained: {:.3f}", s.cost.macs_per_slice(a));
  if (s.cost.conv_cycles > 0)
    fmt::print(", convolutions alone {:.3f}", s.cost.conv_macs_per_slice(a));
  fmt::print("\n");
  print_strides(s);
  if (all.contains("comparisons"))
    for (const auto& c : all["comparisons"]) print_comparison(c);
  if (all.contains("beyond")) print_beyond(all["beyond"]);
}

std::string csv(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

std::string layers_csv(const Json& layers) {
  const std::vector<std::string> keys{
      "name",        "type",          "cycles",       "ms",           "input_gbps", "output_gbps",
      "input_words", "fetched_words", "output_words", "weight_words", "macs",       "sub_blocks"};
  Rows rows{keys};
  for (const auto& l : layers) {
    rows.emplace_back();
    for (const auto& key : keys)
      rows.back().push_back(l[key].is_string()         ? l[key].get<std::string>()
                            : l[key].is_number_float() ? fixed(l[key].get<double>(), 6)
                                                       : l[key].dump());
  }
  return csv(rows);
}

std::string layers_svg(const Study& s) {
  picture::Bars time{"ms", {}}, in{"Gbit/s in", {}}, out{"Gbit/s out", {}};
  for (std::size_t i = 0; i < s.network.size(); ++i) {
    const Cost& c = s.cost.layers[i];
    time.values.emplace_back(s.network[i].name, c.ms(s.array));
    in.values.emplace_back(s.network[i].name, c.in.gbps(s.array));
    out.values.emplace_back(s.network[i].name, c.out.gbps(s.array));
  }
  return picture::bars_svg({time, in, out});
}

void add_sweep(backends::OutputSet& files, const Study& s, const Sweep& sweep) {
  Rows rows{{"value", "cycles", "ms", "input_gbps", "output_gbps"}};
  picture::Panel time{fmt::format("{}: time", s.name), name(sweep.over), "ms", {}};
  picture::Panel rate{fmt::format("{}: input bandwidth", s.name), name(sweep.over), "Gbit/s", {}};
  for (const Point& p : points(s.array, sweep)) {
    const double ms = p.cost.ms(s.array), in = p.cost.in.gbps(s.array);
    rows.push_back({std::to_string(p.value), std::to_string(p.cost.cycles), fixed(ms, 6),
                    fixed(in, 6), fixed(p.cost.out.gbps(s.array), 6)});
    time.points.emplace_back(static_cast<double>(p.value), ms);
    rate.points.emplace_back(static_cast<double>(p.value), in);
  }
  files.add(sweep.name + ".csv", csv(rows));
  files.add(sweep.name + ".svg", picture::plot_svg({time, rate}));
}

int cost_of_network(const CostOptions& options, flow::Context& context) {
  if (options.keys) {
    fmt::print("{}", gen::config::help(cost_registry().types().front()));
    return ok;
  }
  if (options.config.empty())
    throw UsageError(code::missing_argument,
                     "cost needs a configuration file; --keys shows what it may say");
  const Study study = read(options, context);
  const Json all = to_json(study, options.beyond);
  if (!options.pictures.empty()) {
    backends::OutputSet files;
    files.add("cost.json", backends::json_text(all) + "\n");
    files.add("layers.csv", layers_csv(all["layers"]));
    files.add("layers.svg", layers_svg(study));
    if (study.request.sweeps)
      for (const Sweep& sweep : *study.request.sweeps) add_sweep(files, study, sweep);
    write_part(files, options.pictures, "cost", theirs(options.force));
    say_written(files, options.pictures);
  }
  if (options.json)
    fmt::print("{}\n", backends::json_text(all));
  else
    print(study, all);
  return ok;
}

Run declare_cost_of_network(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<CostOptions>();
  auto* config = app.add_option("config", o->config,
                                "configuration file (JSON) with one layer of type pe_array");
  auto* out = app.add_option(
      "-o,--out", o->pictures,
      "folder for cost.json, layers.csv, layers.svg and a .csv and .svg of every sweep");
  add_force(app, o->force)->needs(out);
  auto* json = add_json(app, o->json);
  auto* beyond =
      app.add_flag("--beyond", o->beyond,
                   "also the modes beyond the paper, with their gain: sub-blocks for small maps, "
                   "fully connected layers for a batch at once");
  auto* batch =
      number(app, "--batch", o->batch, {1, 65536}, "images (default: from the configuration)");
  auto* keys = app.add_flag("--keys", o->keys, "the keys of such a layer instead");
  for (auto* other : {config, out, json, beyond, batch}) keys->excludes(other);
  add_trace(app, settings);
  return runs(cost_of_network, o);
}

}  // namespace

Command cost_command() {
  return {"cost", "what a network costs on an array of processing elements, by formula",
          declare_cost_of_network};
}

}  // namespace kumiki::cli
