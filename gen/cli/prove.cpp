// SPDX-License-Identifier: Apache-2.0
// `prove`: proves every layer's netlist, or the user's version of it, against its definition in
// plain Verilog.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>

#include "backends/emit/report/report.h"
#include "backends/formal/edited.h"
#include "backends/support/file.h"
#include "backends/support/text.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/config/writer.h"
#include "gen/flow/prove.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::cli {
namespace {

using backends::proof::Status;
using backends::proof::Verdict;

struct ProveOptions {
  Source source;
  bool json = false;
  std::vector<std::string> netlists;  // files with modules to prove instead of ours
  unsigned depth = 0;                 // clocks of a bounded proof; 0: enough
  unsigned seconds = 60;              // for each layer
};

// The netlist to prove: what would be built, or the user's version.
class Proved {
 public:
  Proved(const Plans& plans, const ProveOptions& options, flow::Context& context) {
    if (options.netlists.empty()) return;
    project_.emplace(options.source.config, reading_of(options.source, context));
    names_.emplace(project_->design());
    std::vector<backends::VerilogSource> files;
    for (const auto& path : options.netlists) files.push_back({path, backends::read_file(path)});
    try {
      edited_.emplace(*names_, files, options.seconds);
    } catch (const DesignError& e) {
      throw FileError(e.diagnostic());  // the file is wrong, not the design
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

// Empty if the type has no definition in Verilog.
std::optional<Verdict> verdict_on(const Plans& plans, std::size_t i,
                                  const std::optional<gen::proof::Reference>& reference,
                                  const Proved& netlist, const ProveOptions& options,
                                  const ir::Limits& limits) {
  const auto& layer = plans.layers[i];
  if (!reference) return std::nullopt;
  if (const auto gates = netlist.gates(i))
    return backends::proof::prove(*gates, flow::question_of(*reference),
                                  {options.depth, options.seconds});
  return flow::prove(layer, plans.document.target.family, {options.depth, options.seconds}, limits);
}

// "one clock", "any state, sums", ...
std::string how(const Verdict& v) { return v.method + (v.by_sums ? ", sums" : ""); }

using gen::config::Writer;

void write(Writer& w, const Verdict& v) {
  w.member("result", name(v.status));
  w.member("method", how(v));
  if (v.status == Status::bounded || v.status == Status::unfinished) w.member("clocks", v.clocks);
  if (v.status != Status::refuted) return;
  const auto& c = v.counterexample;
  w.object("counterexample", [&] {
    w.objects("inputs", c.inputs, [&](const auto& clock) {
      for (const auto& port : clock) w.member(port.name, port.value);
    });
    w.member("output", c.output);
    w.member("expected", c.expected);
    w.member("got", c.got);
  });
}

// The text in the table: "proved", "proved for 14 clocks", ...
std::string in_words(const Verdict& v) {
  if (v.status == Status::bounded) return fmt::format("proved for {} clocks", v.clocks);
  if (v.status == Status::unfinished && v.clocks > 0)
    return fmt::format("not finished: {} clocks proved", v.clocks);
  return std::string(name(v.status));
}

int prove(const ProveOptions& options, flow::Context& context) {
  const Plans plans(options.source.config, reading_of(options.source, context));
  const Proved netlist(plans, options, context);
  Writer w;
  w.begin_object();
  w.member("name", plans.document.name);
  w.key("layers");
  w.begin_list();
  bool refuted = false, open = false;
  if (!options.json)
    fmt::print("{:<20} {:<16} {:<32} {:<16} {:>8}\n", "layer", "type", "result", "how", "seconds");
  for (std::size_t i = 0; i < plans.layers.size(); ++i) {
    if (!netlist.is_asked(i)) continue;
    const auto& layer = plans.layers[i];
    const auto begin = std::chrono::steady_clock::now();
    const auto definition = layer.layer->definition();
    const auto verdict =
        verdict_on(plans, i, definition.reference, netlist, options, context.limits);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    refuted |= verdict && verdict->status == Status::refuted;
    open |= !verdict || verdict->status == Status::unfinished;
    w.object([&] {
      w.member("layer", layer.name);
      w.member("type", layer.type);
      if (verdict) {
        write(w, *verdict);
      } else {
        w.member("result", "no definition in Verilog");
        w.member("why", definition.why_not);
      }
      w.member("seconds", taken.count());
    });
    if (options.json) continue;
    fmt::print("{:<20} {:<16} {:<32} {:<16} {:>8.1f}\n", layer.name, layer.type,
               verdict ? in_words(*verdict) : "no definition in Verilog",
               verdict ? how(*verdict) : "-", taken.count());
    if (!verdict) fmt::print("  {}\n", definition.why_not);
    if (verdict && verdict->status == Status::refuted)
      fmt::print("{}", backends::proof::to_text(verdict->counterexample));
    std::fflush(stdout);  // a layer may take minutes
  }
  w.end_list();
  w.end_object();
  if (options.json) fmt::print("{}\n", w.printed());
  return refuted ? design_failed : open ? unproved : ok;
}

Run declare_prove(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<ProveOptions>();
  app.add_option("--netlist", o->netlists,
                 "prove the modules of this Verilog file, the top or modules of layers, instead "
                 "of those that would be built (several files: the option again)")
      ->allow_extra_args(false)
      ->take_all();
  number(app, "--depth", o->depth, {1, 100'000},
         "clocks to compare from power-up if there is no proof without a bound "
         "(default: three times the latency and 8)");
  number(app, "--time", o->seconds, {1, 1'000'000},
         "seconds for each layer, of Yosys and ABC together; its plan is not counted")
      ->capture_default_str();
  add_json(app, o->json);
  add_source(app, o->source, settings);
  return runs(prove, o);
}

}  // namespace

Command prove_command() {
  return {"prove", "prove every layer's netlist equal to its definition in plain Verilog, by Yosys",
          declare_prove};
}

}  // namespace kumiki::cli
