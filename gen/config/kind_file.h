// SPDX-License-Identifier: Apache-2.0
// A file instead of a list: {"file": "w.npy"}.
#pragma once
#include "gen/config/kind.h"
#include "gen/config/reader.h"

namespace kumiki::gen::config {

// Reads the file that `node` names and checks its numbers as those of the list.
bool check_file(Reader& reader, const Kind& kind, Node node);
Json file_schema();

}  // namespace kumiki::gen::config
