// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/project.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "gen/config/source.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/messages.h"
#include "gen/layer/layer_error.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::flow {
namespace {

// Reports the refusal of a layer as an error of the configuration, at its line.
template <class Action>
auto placed(const std::string& text, const std::string& path, Action action) {
  try {
    return action();
  } catch (const gen::LayerError& e) {
    throw gen::config::refusal(text, path, e.pointer(), e.code(), e.message());
  } catch (const ir::LimitError& e) {
    throw ir::LimitError(within(path, e));
  }
}

// Wraps the layers that can be streams, and notes those that cannot. Throws if no layer can.
void wrap_streams(Plans& plans, const Reading& how) {
  const auto family = plans.document.target.family;
  std::vector<std::string> others;
  for (gen::NamedLayer& l : plans.layers)
    if (!gen::axi_stream::wrap(l.layer, family, how.context.limits)) others.push_back(l.name);
  if (others.size() == plans.layers.size())
    throw ir::LimitError(
        code::no_axi_stream,
        "no layer can stand between AXI4-Streams: conv2d, matmul, matvec and everything with rst, "
        "en, in_valid and out_valid can, but a dot or lut_macc whose operands enter askew; vision "
        "and pe_array have such streams already");
  if (!others.empty() && how.note)
    how.note(fmt::format("no AXI4-Stream is put around {}: the ports are those without the option",
                         fmt::join(others, ", ")));
}

}  // namespace

// Origins of layers name the file without its folder: they may reach outputs, which must not depend
// on the location of the user's configurations.
Plans::Plans(Given given, const Reading& how)
    : name(std::move(given.name)),
      text(std::move(given.text)),
      document(placed(text, name,
                      [&] {
                        const ir::Activity doing(fmt::format("reading {}", name));
                        return gen::config::parse_document(text, name, how.types, how.retarget,
                                                           how.context);
                      })),
      layers(gen::layers_of(document, std::filesystem::path(name).filename().string())) {
  if (how.axi_stream) wrap_streams(*this, how);
}

Given read_given(const std::string& path) { return {path, gen::config::load_text(path)}; }

Project::Project(Plans plans, const ir::Limits& limits)
    : Plans(std::move(plans)), builder(document.target.family, limits) {
  network = placed(text, name, [&] { return gen::build_network(builder, document.name, layers); });
}

ir::CheckOptions Project::check_options() const {
  return {.warnings = true,
          .cascade_height = static_cast<std::uint32_t>(document.target.column_height.value_or(0))};
}

void Project::require_legal() const {
  const ir::Activity doing("checking the netlist");
  ir::require_legal(design(), check_options());
}

}  // namespace kumiki::flow
