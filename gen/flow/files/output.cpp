// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "backends/emit/project/board.h"
#include "backends/emit/project/component.h"
#include "backends/emit/project/header.h"
#include "backends/emit/project/project.h"
#include "backends/emit/report/report.h"
#include "backends/emit/verilog/verilog.h"
#include "backends/fabric/slices.h"
#include "backends/sim/lockstep/vectors.h"
#include "backends/support/messages.h"
#include "backends/support/sha256.h"
#include "gen/flow/axi_stream/interfaces.h"
#include "gen/flow/files/beats.h"
#include "gen/flow/files/clock.h"
#include "gen/flow/files/cocotb.h"
#include "gen/flow/files/driver.h"
#include "gen/flow/files/fabric.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/files/page.h"
#include "gen/flow/usage.h"
#include "ir/activity.h"

namespace kumiki::flow {

std::string version() { return KUMIKI_VERSION; }
std::string generator() { return "kumiki " + version(); }

std::vector<Json> add_pictures(const std::vector<gen::NamedLayer>& layers,
                               backends::OutputSet& files, const Redrawn& redrawn) {
  std::vector<Json> names;
  for (const gen::NamedLayer& l : layers) {
    Json own = Json::array();
    for (const gen::Picture& picture : pictures(*l.layer)) {
      const auto file = fmt::format("{}.{}.svg", l.name, picture.name);
      const auto again = redrawn.find(file);
      files.add(file, again == redrawn.end() ? picture.svg : again->second);
      own.push_back(file);
    }
    names.push_back(std::move(own));
  }
  return names;
}

namespace {

backends::Vectors recorded_vectors(const Project& project, std::uint64_t cycles, const Run& run) {
  auto how = stimulus_of(project, run);
  how.cycles = cycles;
  backends::Stimulus stimulus(ir::layout(project.top()), how);
  const auto model = gen::network_model(project.network);
  return backends::record_vectors(*model, stimulus, cycles);
}

// Adds golden vectors and the module that replays them; returns its name, or "" if no vectors are
// requested.
std::string add_vectors(const Project& project, const ir::Names& names, const Extras& extras,
                        const Run& run, const backends::Vectors* given,
                        backends::OutputSet& files) {
  std::optional<backends::Vectors> own;
  if (!given && extras.vectors != 0)
    given = &own.emplace(recorded_vectors(project, extras.vectors, run));
  if (!given) {
    if (extras.cocotb)
      throw UsageError(code::option_needs,
                       "--cocotb needs golden vectors; give --vectors N or --image-vectors");
    return {};
  }
  const auto bench = backends::write_vectors(names, *given, files);
  if (extras.cocotb) add_cocotb(project, names, *given, files);
  return bench;
}

void add_header(const Project& project, const ir::Names& names, backends::OutputSet& files) {
  backends::HeaderOptions options{.generator = generator()};
  for (const gen::Numbers& n : gen::numbers(project.network))
    options.numbers[n.port].push_back({n.width, n.is_signed, n.part, n.low, n.bits});
  for (const gen::NamedLayer& l : project.layers) {
    const auto facts = l.layer->facts();
    if (facts.latency) options.constants.emplace_back(l.name + " latency", *facts.latency);
    for (const auto& r : facts.registers)
      options.constants.emplace_back(fmt::format("{} register {}", l.name, r.name), r.offset);
    if (facts.host.empty()) continue;
    auto& [name, lines] = options.notes.emplace_back(l.name, std::vector<std::string>());
    for (const auto& f : facts.host) lines.push_back(fmt::format("{}: {}", f.topic, f.text));
    for (const auto& r : facts.registers)
      lines.push_back(fmt::format("register {}, 0x{:03x}: {}", r.name, r.offset, r.text));
  }
  options.functions =
      beats_functions(project.network, std::string(names.module(project.network.top)));
  backends::write_header(names, files, options);
}

}  // namespace

Json add_netlist(const Project& project, backends::OutputSet& files, const Extras& extras,
                 const Run& run, const backends::Vectors* recorded, const Redrawn& redrawn) {
  const ir::Activity doing("writing the netlist and its pictures");
  const auto sign = generator();
  const auto& document = project.document;
  const ir::Names names(project.design());
  const auto interfaces = gen::axi_stream::bus_interfaces(project.network, project.top());
  const auto verilog =
      backends::write_verilog(names, files,
                              {.generator = sign,
                               .ports = beats_note(project.network),
                               .models = true,
                               .attributes = backends::port_attributes(interfaces)});
  const auto bench = add_vectors(project, names, extras, run, recorded, files);
  const auto part = document.target.part.value_or("");
  const auto description = document.description.value_or(document.name + ", generated by " + sign);
  backends::write_project(names, verilog, files,
                          {.part = part,
                           .description = description,
                           .version = version(),
                           .bench = bench,
                           .placement = extras.placement});
  backends::write_component(names, verilog, interfaces, files,
                            {.part = part, .description = description, .version = version()});
  backends::write_board(names, interfaces, files, version(), sign);
  add_header(project, names, files);
  if (extras.driver && !add_driver(project, names, files))
    throw UsageError(code::option_value,
                     "--driver: no AXI4-Stream of the netlist carries frames; use --axi-stream "
                     "with layers that it is put around, or an engine with \"ports\": \"memory\"");
  const auto pictures = add_pictures(project.layers, files, redrawn);
  Json layers = Json::array();
  for (const gen::BuiltLayer& l : project.network.layers) {
    Json one{{"name", l.layer->name},
             {"type", l.layer->type},
             {"module", project.design().module(l.module).name()}};
    one["pictures"] = pictures[layers.size()];
    gen::config::Writer plan;
    plan.object([&] { write_plan(plan, *l.layer->layer); });
    one["plan"] = plan.take();
    if (auto fabric = fabric_of(project, layers.size())) one["fabric"] = std::move(*fabric);
    layers.push_back(std::move(one));
  }
  const backends::timing::Netlist netlist(project.design());
  const backends::timing::Goal goal{.grade = grade_of(document.target.part)};
  const auto analysis = backends::timing::analyse(netlist, goal);
  gen::config::Writer clock;
  clock.object([&] { write_clock(clock, netlist, analysis, goal); });
  return {{"report", backends::report_version},
          {"name", project.document.name},
          {"family", ir::family_name(project.document.target.family)},
          {"layers", std::move(layers)},
          {"resources", backends::to_json(ir::count_resources(project.design()),
                                          backends::fabric::pack(netlist).slices)},
          {"depth", to_json(analysis.depth)},
          {"clock", clock.take()}};
}

void write_nowhere(const Project& project) {
  backends::OutputSet files;
  add_netlist(project, files, {});
}

namespace {

// A hash of every file in the netlist's list. Files that other commands made from the same netlist
// stay.
std::string digest_of_netlist(const Project& project, const backends::OutputSet& files) {
  const ir::Names names(project.design());
  std::istringstream list(std::string(
      files.find(fmt::format("{}.f", names.module(project.design().top_id())))->text.view()));
  std::string all;
  for (std::string line; std::getline(list, line);)
    if (const auto* file = files.find(line)) all += backends::sha256(file->text.view());
  return backends::sha256(all);
}

}  // namespace

void add_report(const Project& project, backends::OutputSet& files, const Json& report,
                const std::string& command, const Source& source) {
  files.add("report.html", page(project, report, files, source));
  files.add("report.json", backends::json_text(report) + "\n");
  files.add_manifest({.generator = generator(),
                      .command = command,
                      .project = project.document.name,
                      .design = digest_of_netlist(project, files)});
}

void require_free(const std::filesystem::path& file, bool force, std::string_view option) {
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw FileError(
        {.code = code::file_is_there,
         .wrong = file.string() + " is there already",
         .required = fmt::format("name another file with {}, or give --force", option)});
}

}  // namespace kumiki::flow
