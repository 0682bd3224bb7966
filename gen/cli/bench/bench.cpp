// SPDX-License-Identifier: Apache-2.0
// `bench`: tables of what the generators reach, counted on the netlists that they make.
#include <fmt/format.h>

#include "gen/cli/bench/bench.h"

namespace kumiki::cli {
namespace {

struct Table {
  const char* name;
  int (*run)(const Options&);
};

constexpr Table tables[] = {
    {"packing", packing_table::run},       {"conv2d", conv2d_table::run},
    {"compressor", compressor_table::run}, {"neuron", neuron_table::run},
    {"reach", reach_table::run},           {"delay", delay_table::run},
    {"vision", vision_table::run},         {"devices", devices_table::run},
    {"array", array_table::run},
};

}  // namespace

std::vector<std::string> bench_tables() {
  std::vector<std::string> names;
  for (const Table& t : tables) names.emplace_back(t.name);
  return names;
}

int bench(const Options& options) {
  std::vector<std::string> names;
  for (const Table& t : tables) {
    if (options.table == t.name) return t.run(options);
    names.push_back(fmt::format("\"{}\"", t.name));
  }
  fmt::print(stderr, "kumiki: \"{}\" is no table: {} is legal\n", options.table,
             fmt::join(names, " or "));
  return usage;
}

}  // namespace kumiki::cli
