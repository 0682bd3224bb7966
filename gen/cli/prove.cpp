// SPDX-License-Identifier: Apache-2.0
// `prove`: every layer's netlist, or what the user made of it, against its definition in plain
// Verilog.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>

#include "backends/emit/report/report.h"
#include "backends/formal/edited.h"
#include "backends/support/file.h"
#include "backends/support/text.h"
#include "gen/cli/cli.h"
#include "gen/cli/project.h"
#include "gen/flow/prove.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::cli {
namespace {

using backends::proof::Status;
using backends::proof::Verdict;

// The netlist that is proved: what would be built, or what the user made of it.
class Netlist {
 public:
  Netlist(const Plans& plans, const Options& options) {
    if (options.netlists.empty()) return;
    project_.emplace(options.config);
    names_.emplace(project_->design());
    std::vector<backends::VerilogSource> files;
    for (const auto& path : options.netlists) files.push_back({path, backends::read_file(path)});
    try {
      edited_.emplace(*names_, files, options.seconds);
    } catch (const DesignError& e) {
      throw FileError(e.what());  // the file is wrong, not the design
    }
    std::string left_out;
    for (std::size_t i = 0; i < plans.layers.size(); ++i)
      if (!is_asked(i)) left_out += (left_out.empty() ? "" : ", ") + plans.layers[i].name;
    if (!left_out.empty())
      fmt::print(stderr, "{}: no module of these layers, which are left out: {}\n",
                 fmt::join(options.netlists, ", "), left_out);
  }
  bool is_asked(std::size_t i) const { return !edited_ || gates(i).has_value(); }
  std::optional<backends::proof::Gates> gates(std::size_t i) const {
    if (!edited_) return std::nullopt;
    return edited_->gates({project_->layers[i].name, project_->network.layers[i].module});
  }

 private:
  std::optional<Project> project_;
  std::optional<ir::Names> names_;
  std::optional<backends::proof::Edited> edited_;
};

// Nothing when the type has no definition in Verilog.
std::optional<Verdict> verdict_on(const Plans& plans, std::size_t i,
                                  const std::optional<gen::proof::Reference>& reference,
                                  const Netlist& netlist, const Options& options) {
  const auto& layer = plans.layers[i];
  if (!reference) return std::nullopt;
  if (const auto gates = netlist.gates(i))
    return backends::proof::prove(*gates, flow::question_of(*reference),
                                  {options.depth, options.seconds});
  return flow::prove(layer, plans.document.target.family, {options.depth, options.seconds});
}

// "one clock", "any state, sums", ...
std::string how(const Verdict& v) { return v.method + (v.by_sums ? ", sums" : ""); }

gen::Json to_json(const Verdict& v) {
  gen::Json json{{"result", name(v.status)}, {"method", how(v)}};
  if (v.status == Status::bounded || v.status == Status::unfinished) json["clocks"] = v.clocks;
  if (v.status != Status::refuted) return json;
  const auto& c = v.counterexample;
  gen::Json inputs = gen::Json::array();
  for (const auto& clock : c.inputs) {
    inputs.push_back(gen::Json::object());
    for (const auto& port : clock) inputs.back()[port.name] = port.value;
  }
  json["counterexample"] = {
      {"inputs", inputs}, {"output", c.output}, {"expected", c.expected}, {"got", c.got}};
  return json;
}

// What stands in the table: "proved", "proved for 14 clocks", ...
std::string in_words(const Verdict& v) {
  if (v.status == Status::bounded) return fmt::format("proved for {} clocks", v.clocks);
  if (v.status == Status::unfinished && v.clocks > 0)
    return fmt::format("not finished: {} clocks proved", v.clocks);
  return std::string(name(v.status));
}

}  // namespace

int prove(const Options& options) {
  const Plans plans(options.config);
  const Netlist netlist(plans, options);
  gen::Json layers = gen::Json::array();
  bool refuted = false, open = false;
  if (!options.json)
    fmt::print("{:<20} {:<16} {:<32} {:<16} {:>8}\n", "layer", "type", "result", "how", "seconds");
  for (std::size_t i = 0; i < plans.layers.size(); ++i) {
    if (!netlist.is_asked(i)) continue;
    const auto& layer = plans.layers[i];
    const auto begin = std::chrono::steady_clock::now();
    const auto [reference, why] = layer.layer->definition();
    const auto verdict = verdict_on(plans, i, reference, netlist, options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    refuted |= verdict && verdict->status == Status::refuted;
    open |= !verdict || verdict->status == Status::unfinished;
    gen::Json row{{"layer", layer.name}, {"type", layer.type}};
    row.update(verdict ? to_json(*verdict)
                       : gen::Json{{"result", "no definition in Verilog"}, {"why", why}});
    row["seconds"] = taken.count();
    layers.push_back(row);
    if (options.json) continue;
    fmt::print("{:<20} {:<16} {:<32} {:<16} {:>8.1f}\n", layer.name, layer.type,
               verdict ? in_words(*verdict) : "no definition in Verilog",
               verdict ? how(*verdict) : "-", taken.count());
    if (!verdict) fmt::print("  {}\n", why);
    if (verdict && verdict->status == Status::refuted)
      fmt::print("{}", backends::proof::to_text(verdict->counterexample));
    std::fflush(stdout);  // a layer may take minutes
  }
  if (options.json)
    fmt::print("{}\n",
               backends::json_text(gen::Json{{"name", plans.document.name}, {"layers", layers}}));
  return refuted ? design_failed : open ? unproved : ok;
}

}  // namespace kumiki::cli
