// SPDX-License-Identifier: Apache-2.0
// The commands, each in its own file; a new one needs that file, a line here and one in main.cpp.
#pragma once
#include "gen/cli/command.h"

namespace kumiki::cli {

Command check_command();
Command plan_command();
Command generate_command();
Command simulate_command();
Command synthesize_command();
Command prove_command();
Command show_command();
Command cost_command();
Command timing_command();
Command cache_command();
Command picture_command();
Command schema_command();
Command list_command();
Command explain_command();
Command sweep_command();
Command search_command();
Command import_command();
Command compile_command();
Command run_command();
// For packages and completions.
Command manual_command();
Command completion_command();
Command layers_command();

}  // namespace kumiki::cli
