// SPDX-License-Identifier: Apache-2.0
// The plans of a configuration in the form of `plan --json`.
#pragma once
#include "gen/config/writer.h"
#include "gen/flow/project.h"

namespace kumiki::flow {

// Writes an object; `with_alternatives` adds every other possible plan.
void write_plans(gen::config::Writer& w, const Plans& plans, bool with_alternatives);

}  // namespace kumiki::flow
