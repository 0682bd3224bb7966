// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/run/subject.h"

#include <fmt/format.h>

#include <filesystem>

#include "gen/flow/project.h"
#include "gen/layers/array/layer.h"
#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/lowering/suggest.h"
#include "gen/layers/array/setup.h"
#include "ir/limits.h"

namespace kumiki::cli {
namespace {

Subject of_configuration(const std::string& file, flow::Context& context) {
  const flow::Plans plans(file, {.context = context});
  Subject subject{.family = plans.document.target.family};
  std::size_t found = 0;
  for (std::size_t i = 0; i < plans.layers.size(); ++i) {
    const gen::array::Program* program = gen::array::program_of(*plans.layers[i].layer);
    if (program == nullptr || !program->lowering || ++found > 1) continue;
    subject.network.graph = *program->lowering->graph;
    subject.program = *program;
    subject.layer = plans.layers[i].name;
    subject.clock_mhz = plans.document.layers[i].as<gen::array::Request>().clock_mhz;
  }
  if (found != 1)
    throw FileError(Code::option_needs_layer,
                    fmt::format("{}: has {} layers of type pe_array with a `graph`: one is legal",
                                file, found));
  return subject;
}

}  // namespace

Suggestion suggest_array(const gen::graph::Graph& graph, const std::string& file) {
  try {
    Suggestion s{
        .request = gen::array::suggested(std::make_shared<const gen::graph::Graph>(graph), file),
        .program = {}};
    s.program = gen::array::program_of(s.request);
    return s;
  } catch (const gen::config::Refusal& e) {
    const auto& wrong = e.violation();
    throw ir::LimitError(e.code(), fmt::format("{} on an array {}{}{}", file, wrong.message,
                                               wrong.legal.empty() ? "" : ": ", wrong.legal));
  } catch (const DesignError& e) {
    throw ir::LimitError(e.code(), fmt::format("{} on an array cannot be: {}", file, e.what()));
  }
}

Subject load_subject(const std::string& file, bool wants_array, flow::Context& context) {
  if (std::filesystem::path(file).extension() == ".json") return of_configuration(file, context);
  Subject subject{.network = load_network(file)};
  if (!wants_array) return subject;
  subject.program = suggest_array(subject.network.graph, file).program;
  subject.suggested = true;
  return subject;
}

}  // namespace kumiki::cli
