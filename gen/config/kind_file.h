// SPDX-License-Identifier: Apache-2.0
// A file in the place of a list: {"file": "w.npy"}.
#pragma once
#include "gen/config/kind.h"
#include "gen/config/reader.h"

namespace kumiki::gen::config {

// Reads the file that `node` names and checks its numbers against the list that it stands for.
bool check_file(Reader& reader, const Kind& kind, Node node);
Json file_schema();

}  // namespace kumiki::gen::config
