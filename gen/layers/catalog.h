// SPDX-License-Identifier: Apache-2.0
// All layer types. A new generator is one folder and one line in catalog.cpp.
#pragma once
#include <string>
#include <vector>

#include "gen/config/document.h"
#include "gen/layer/layer.h"

namespace kumiki::gen {

const config::Registry& registry();

// The planned layers of a document, in order. `file`: the name that the user gave.
std::vector<NamedLayer> layers_of(const config::Document& document, const std::string& file);

}  // namespace kumiki::gen
