// SPDX-License-Identifier: Apache-2.0
// What editors show besides the rules of the schema: help, initial values, whole layers. VS Code
// reads these keywords; none of them changes what the schema accepts.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gen/config/attribute.h"
#include "gen/config/document.h"

namespace kumiki::gen::config {

// "products summed\n\nan integer from 1 to 65536; default 7" in Markdown, a choice word by word.
// `defaults`: of the table, key by key.
std::string markdown_help(const Attribute& attribute, const Json& defaults);
// The sentence, and a layer as a user would write it.
std::string markdown_help(const LayerType& type);

// For `properties` of a type: if a key has no default, the values that the type's examples give
// it.
void add_examples(const LayerType& type, Json& properties);

// Offered in the place of a layer: one of each type, with values that the user can replace.
Json layer_snippets(const Registry& registry);
// Offered in an empty file.
Json document_snippets();

}  // namespace kumiki::gen::config
