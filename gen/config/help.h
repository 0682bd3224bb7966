// SPDX-License-Identifier: Apache-2.0
// Words for people, from the same tables: what `kumiki list` prints.
#pragma once
#include <string>

#include "gen/config/document.h"

namespace kumiki::gen::config {

std::string help(const Registry& registry);  // the layer types, one a line
std::string help(const LayerType& type);     // every key of one
std::string help(const Table& table);        // keys, kinds, defaults; nested objects indented

}  // namespace kumiki::gen::config
