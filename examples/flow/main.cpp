// SPDX-License-Identifier: Apache-2.0
// A configuration from a program of one's own: read, planned, built, in lockstep, counted.
#include "gen/flow/context.h"
#include "gen/flow/program.h"
#include "gen/flow/run.h"
#include "ir/resources.h"

using namespace kumiki;

int main(int argc, char** argv) {
  return flow::run_program([&] {
    flow::Context context;  // limits, the cache, who watches searches
    flow::Project project(argc > 1 ? argv[1] : "cfg.json", {.context = context});
    project.require_legal();
    for (const auto& layer : project.layers)
      fmt::print("{}\n{}", layer.name, layer.layer->plan_text());
    const auto run = flow::simulate(project, {.cycles = 10'000});
    const auto cost = ir::count_resources(project.design()).total;
    fmt::print("{} cycles, {} mismatches; {} DSP slices, {} LUTs, {} flip-flops\n", run.cycles,
               run.mismatches, cost.dsps, cost.luts, cost.ffs);
    return run.passed() ? 0 : 1;
  });
}
