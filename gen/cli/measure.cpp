// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/measure.h"

#include <fmt/format.h>

#include "backends/report/report.h"
#include "gen/cli/naive.h"
#include "gen/compressor/build.h"
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
  const auto depth = backends::logic_depth(builder.design());
  const gen::Json plan = layer.plan_json();
  gen::Json row{{"objective", plan["objective"]},
                {"stages", plan["stages"]},
                {"luts", cost.luts},
                {"carries", cost.carry_bits},
                {"ffs", cost.ffs},
                {"dense_slices", backends::dense_slices(family, cost)},
                {"levels", depth.luts},
                {"longest_chain", plan["longest_chain"]},
                {"gpcs", plan["gpcs"]},
                {"bound", plan["bound"]},
                {"proven", plan["proven"]},
                {"seconds", seconds}};
  if (options.naive && !behaviour.empty()) row["naive_luts"] = naive_luts(behaviour, family);
  return row;
}

void print_table(const gen::Json& rows, const std::vector<std::string>& first_columns) {
  auto keys = first_columns;
  for (const char* key :
       {"objective", "stages", "luts", "bound", "proven", "carries", "ffs", "dense_slices",
        "levels", "longest_chain", "gpcs", "seconds", "naive_luts"})
    keys.emplace_back(key);
  std::vector<std::vector<std::string>> table{keys};
  for (const auto& row : rows) {
    table.emplace_back();
    for (const auto& key : keys) {
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

}  // namespace kumiki::cli
