// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/commands.h"
#include "gen/cli/program.h"

int main(int argc, char** argv) {
  using namespace kumiki::cli;
  const Command commands[] = {
      check_command(),      plan_command(),    generate_command(), simulate_command(),
      synthesize_command(), prove_command(),   show_command(),     cost_command(),
      timing_command(),     cache_command(),   picture_command(),  schema_command(),
      list_command(),       explain_command(), import_command(),   compile_command(),
      run_command(),        sweep_command(),   search_command(),   manual_command(),
      completion_command(), layers_command()};
  return run_program(
      {.name = "kumiki",
       .description = "Kumiki writes structural Verilog for AMD FPGAs and runs it in lockstep with "
                      "a model first.",
       .commands = commands},
      argc, argv);
}
