// SPDX-License-Identifier: Apache-2.0
// The plans of a configuration as `plan --json` prints them.
#pragma once
#include "gen/config/writer.h"
#include "gen/flow/project.h"

namespace kumiki::flow {

// An object; with every other plan that there could be.
void write_plans(gen::config::Writer& w, const Plans& plans, bool with_alternatives);

}  // namespace kumiki::flow
