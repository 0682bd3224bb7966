// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/fabric.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

#include "backends/support/tool.h"
#include "gen/cli/naive.h"
#include "gen/flow/files/fabric.h"

namespace kumiki::cli {
namespace {

Json why(const std::string& reason) { return {{"why", reason}}; }

Json synthesized(const gen::proof::Reference& reference, ir::Family family, unsigned seconds) {
  try {
    const NetlistFigures form = naive({reference.verilog, "gold", seconds}, family).smaller;
    return {{"luts", form.luts}, {"carries", form.carries}};
  } catch (const backends::TimeIsUp&) {
    return why(fmt::format("Yosys takes longer than {} seconds (--time)", seconds));
  }
}

using Known = std::map<std::string, Json>;  // by definition: equal layers are synthesised once

Json naive_form(const Project& project, std::size_t i, unsigned seconds, Known& known) {
  const gen::config::Target& target = project.document.target;
  if (!fabric_of(project, i)) return why("it has DSP slices, so LUT sites cannot be compared");
  const auto [reference, why_not] = project.layers[i].layer->definition();
  if (!reference) return why(why_not);
  if (!reference->parts.empty())
    return why(
        "a pipeline's definition is written for proofs, with handshakes in parts of their own: "
        "it is not meant for synthesis");
  Json& one = known[reference->verilog];
  if (one.is_null()) one = synthesized(*reference, target.family, seconds);
  return one;
}

}  // namespace

std::vector<Json> naive_forms(const Project& project, unsigned seconds) {
  Known known;
  std::vector<Json> all;
  for (std::size_t i = 0; i < project.layers.size(); ++i)
    all.push_back(naive_form(project, i, seconds, known));
  return all;
}

}  // namespace kumiki::cli
