// SPDX-License-Identifier: Apache-2.0
// The parts of a configuration that depend on the registry: "layers" and the "defaults" for them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gen/config/document.h"
#include "gen/config/reader.h"

namespace kumiki::gen::config {

bool check_defaults(Reader& reader, Node defaults, const Registry& registry);  // may be "not there"
// The target of layers; without a target nothing is planned.
struct Planning {
  const std::optional<Target>& target;
  const ir::Context& context;
};
// Checks the layers, and plans the valid ones. Returns true if `out` has all layers. `good`: there
// was no mistake before.
bool read_layers(Reader& reader, Node root, const Registry& registry, const Planning& planning,
                 bool good, std::vector<Layer>& out);

Kind layer_type_kind(const Registry& registry);  // of "type"
Kind layer_name_kind();                          // of "name"

}  // namespace kumiki::gen::config
