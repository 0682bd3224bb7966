// SPDX-License-Identifier: Apache-2.0
// kumiki-bench: tables of what the generators reach, counted on the netlists that they make.
#include "gen/cli/program.h"
#include "tests/bench/tables/bench.h"

int main(int argc, char** argv) {
  using namespace kumiki::cli;
  const Command tables[] = {
      bench_packing(),     bench_conv2d(),   bench_compressor(), bench_neuron(),   bench_dense(),
      bench_reach(),       bench_delay(),    bench_vision(),     bench_devices(),  bench_array(),
      bench_clock(),       bench_pipeline(), bench_matrix(),     bench_planning(), bench_zoo(),
      bench_interpreter(), bench_requant(),  bench_engine(),     bench_placed()};
  return run_program(
      {.name = "kumiki-bench",
       .description = "Prints a table of what the generators reach, counted on their netlists.",
       .commands = tables,
       .keeps_trees = false},  // it is about the solver
      argc, argv);
}
