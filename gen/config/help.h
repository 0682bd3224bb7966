// SPDX-License-Identifier: Apache-2.0
// Help for people, from the same tables: what `kumiki list` prints.
#pragma once
#include <string>

#include "gen/config/document.h"

namespace kumiki::gen::config {

std::string help(const Registry& registry);  // the layer types, one a line
std::string help(const LayerType& type);     // every key of one
std::string help(const Table& table);        // keys, kinds, defaults; nested objects indented
// "required", "default 7" or the meaning of an absent key. `defaults`: of the table, key by key.
std::string presence(const Attribute& attribute, const Json& defaults);

}  // namespace kumiki::gen::config
