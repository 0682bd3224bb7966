// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/tables/measure.h"

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "gen/cli/naive.h"
#include "gen/cli/netlist_figures.h"
#include "ir/check.h"

namespace kumiki::cli {

Result measure(const gen::Layer& layer, const gen::compressor::TreePlan& tree, double seconds,
               ir::Family family, const std::string& behaviour, bool naive) {
  gen::Builder builder(family);
  ir::Module& module = layer.build(builder, {});
  builder.design().set_top(module.id());
  ir::require_legal(builder.design(), {.warnings = false});
  const NetlistFigures ours = netlist_figures(builder.design());
  const auto audit = gen::compressor::audit(tree);
  Result row{{"family", std::string(ir::family_name(family))},
             {"objective", gen::compressor::name(tree.objective)},
             {"stages", tree.stages.size()},
             {"luts", ours.luts},
             {"carries", ours.carries},
             {"ffs", ours.ffs},
             {"dense_slices", ours.slices},
             {"levels", ours.levels},
             {"carry_bits", ours.carry_bits},
             {"delay_ns", ours.ns()},
             {"longest_chain", audit.longest_chain},
             {"gpcs", audit.gpcs},
             {"bound", tree.bound == 0 ? Cell("-") : Cell(tree.bound)},
             {"proven", tree.is_proven},
             {"seconds", seconds}};
  if (!naive || behaviour.empty()) return row;
  const auto [smaller, faster] = cli::naive({.verilog = behaviour}, family);
  row["naive_luts"] = smaller.luts;
  row["naive_carries"] = smaller.carries;
  row["naive_dense_slices"] = smaller.slices;
  row["naive_levels"] = faster.levels;
  row["naive_carry_bits"] = faster.carry_bits;
  row["naive_delay_ns"] = faster.ns();
  return row;
}

std::string tree_file(const std::string& table, const std::string& heap,
                      const gen::compressor::TreePlan& tree, const HeapOptions& options) {
  return fmt::format("# kumiki-bench {} --heap \"{}\" --objective {} --solve --effort {}{}{}\n{}",
                     table, heap, gen::compressor::name(tree.objective), options.effort.value_or(1),
                     options.seed == 1 ? "" : fmt::format(" --solver-seed {}", options.seed),
                     options.stages == 0 ? "" : fmt::format(" --stages {}", options.stages),
                     gen::compressor::to_text(tree));
}

int print_rows(const Results& rows, const std::vector<std::string>& first_columns,
               const HeapOptions& options) {
  auto keys = first_columns;
  for (const char* key : {"objective",
                          "stages",
                          "luts",
                          "bound",
                          "proven",
                          "carries",
                          "ffs",
                          "dense_slices",
                          "levels",
                          "carry_bits",
                          "delay_ns",
                          "longest_chain",
                          "gpcs",
                          "seconds",
                          "naive_luts",
                          "naive_carries",
                          "naive_dense_slices",
                          "naive_levels",
                          "naive_carry_bits",
                          "naive_delay_ns",
                          "asked_ns",
                          "is_fast"})
    keys.emplace_back(key);
  require_rows(rows, options.heap, options.objective);
  rows.print(keys, options.json);
  return ok;
}

}  // namespace kumiki::cli
