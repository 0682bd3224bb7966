// SPDX-License-Identifier: Apache-2.0
// The parts of a configuration that depend on the registry: "layers" and the "defaults" for them.
#pragma once
#include <string>
#include <vector>

#include "gen/config/document.h"
#include "gen/config/reader.h"

namespace kumiki::gen::config {

bool check_defaults(Reader& reader, Node defaults, const Registry& registry);  // may be "not there"
bool check_layers(Reader& reader, Node root, const Registry& registry);
std::vector<Layer> load_layers(Node root, const Registry& registry);  // of a checked root

Kind layer_type_kind(const Registry& registry);  // of "type"
Kind layer_name_kind();                          // of "name"

}  // namespace kumiki::gen::config
