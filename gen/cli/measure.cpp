// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/measure.h"

#include <algorithm>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "backends/emit/yosys/yosys.h"
#include "gen/blocks/compressor/build.h"
#include "gen/cli/naive.h"
#include "gen/cli/timing.h"
#include "ir/check.h"

namespace kumiki::cli {

gen::Json measure(const gen::Layer& layer, double seconds, ir::Family family,
                  const std::string& behaviour, const Options& options) {
  gen::Builder builder(family);
  ir::Module& module = layer.build(builder, {});
  builder.design().set_top(module.id());
  ir::require_legal(builder.design(), {.warnings = false});
  auto cost = backends::count_resources(builder.design()).total;
  cost.luts = gen::compressor::lut_sites(module);
  const ir::Names names(builder.design());
  const auto netlist = nlohmann::json::parse(backends::yosys_json(names));
  const auto timing = netlist_timing(netlist["modules"].front());
  const gen::Json plan = layer.plan_json();
  gen::Json row{{"objective", plan["objective"]},
                {"stages", plan["stages"]},
                {"luts", cost.luts},
                {"carries", cost.carry_bits},
                {"ffs", cost.ffs},
                {"dense_slices", backends::dense_slices(family, cost)},
                {"levels", timing.levels},
                {"carry_bits", timing.carry_bits},
                {"delay_ns", timing.picoseconds / 1000.0},
                {"longest_chain", plan["longest_chain"]},
                {"gpcs", plan["gpcs"]},
                {"bound", plan["bound"] == 0.0 ? gen::Json("-") : plan["bound"]},
                {"proven", plan["proven"]},
                {"seconds", seconds}};
  if (!options.naive || behaviour.empty()) return row;
  const Naive other = naive({.verilog = behaviour}, family);
  row["naive_luts"] = other.luts;
  row["naive_carries"] = other.carries;
  row["naive_levels"] = other.timing.levels;
  row["naive_carry_bits"] = other.timing.carry_bits;
  row["naive_delay_ns"] = other.timing.picoseconds / 1000.0;
  return row;
}

std::string tree_file(const std::string& table, const std::string& heap,
                      const gen::compressor::TreePlan& tree, const Options& options) {
  return fmt::format(
      "# kumiki bench {} --heap \"{}\" --objective {} --solve --effort {}{}{}\n{}", table, heap,
      gen::compressor::name(tree.objective), options.effort.value_or(1),
      options.tree_seed == 1 ? "" : fmt::format(" --solver-seed {}", options.tree_seed),
      options.stages == 0 ? "" : fmt::format(" --stages {}", options.stages),
      gen::compressor::to_text(tree));
}

bool is_meant(const std::string& name, const std::string& heap,
              const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), heap) != names.end()) return name == heap;
  return name.find(heap) != std::string::npos;
}

void print_columns(const gen::Json& rows, const std::vector<std::string>& columns,
                   const Options& options) {
  if (rows.empty())
    throw UsageError(fmt::format(
        "no row is {}{}: what the first columns show without --heap and --objective is legal",
        options.heap.empty() ? "printed" : fmt::format("called \"{}\"", options.heap),
        options.objective.empty() ? "" : fmt::format(" of the objective {}", options.objective)));
  if (options.json) {
    fmt::print("{}\n", backends::json_text(rows));
    return;
  }
  std::vector<std::vector<std::string>> table{columns};
  for (const auto& row : rows) {
    table.emplace_back();
    for (const auto& key : columns) {
      if (!row.contains(key))
        table.back().emplace_back("-");
      else if (row[key].is_string())
        table.back().push_back(row[key].get<std::string>());
      else if (row[key].is_number_float())
        table.back().push_back(fmt::format("{:.4g}", row[key].get<double>()));
      else
        table.back().push_back(row[key].dump());
    }
  }
  fmt::print("{}", backends::table(table));
}

int print_rows(const gen::Json& rows, const std::vector<std::string>& first_columns,
               const Options& options) {
  auto keys = first_columns;
  for (const char* key :
       {"objective", "stages", "luts", "bound", "proven", "carries", "ffs", "dense_slices",
        "levels", "carry_bits", "delay_ns", "longest_chain", "gpcs", "seconds", "naive_luts",
        "naive_carries", "naive_levels", "naive_carry_bits", "naive_delay_ns"})
    keys.emplace_back(key);
  print_columns(rows, keys, options);
  return ok;
}

}  // namespace kumiki::cli
