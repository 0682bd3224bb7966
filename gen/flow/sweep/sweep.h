// SPDX-License-Identifier: Apache-2.0
// A file that describes which configurations to examine, and for what:
//
//   {"kumiki": 1, "name": "matrices", "base": "conv.json",
//    "vary": {"/layers/0/slices": [64, 128], "/simulation/seed": {"from": 1, "to": 32}},
//    "where": ["slices < 512 || scheme == 'carry-lane-drain'"],
//    "do": ["plan", "sim"],
//    "collect": {"columns": ["slices", "exact"], "pareto": ["luts", "mac_per_slice"]}}
//
// Points are numbered from 1; the variable written last changes fastest.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gen/flow/sweep/expression.h"
#include "gen/flow/sweep/figure.h"
#include "gen/flow/sweep/refused.h"

namespace kumiki::flow::sweep {

inline constexpr std::uint64_t most_combinations = 20'000'000;

// A value in every base that varies from point to point. Conditions call it by its last key, with
// earlier keys if two variables end alike, or by all of its keys: layers_1_slices.
struct Variable {
  std::string pointer;  // "/layers/0/slices"; "" for the base itself if there are several
  std::string name, long_name = {};
  std::vector<Json> values;
  // The unique name in tables.
  const std::string& title() const { return pointer.empty() ? name : pointer; }
};

// The goal of `search`.
struct Goal {
  const Figure* figure = nullptr;
  bool most = false;
  std::vector<Expression> subject_to;  // over variables and figures
};

struct Sweep {
  std::filesystem::path file;
  std::string name;
  std::vector<std::string> bases;  // next to the sweep's file
  std::vector<Variable> variables;
  std::vector<Expression> where;  // over variables
  std::vector<Step> steps = {Step::plan};
  std::vector<const Figure*> columns, pareto;
  std::optional<Goal> goal;

  // The parsed bases, in order.
  std::vector<Json> parsed;
  // The combinations that satisfy `where`, in order.
  std::vector<std::uint64_t> points;

  std::size_t place(std::uint64_t combination, std::size_t variable) const;  // index among its
                                                                             // values
  const Json& value(std::uint64_t combination, std::size_t variable) const {
    return variables[variable].values[place(combination, variable)];
  }
  Json values(std::uint64_t combination) const;        // all variables by title
  ValueOf values_of(std::uint64_t combination) const;  // by name; null for unknown names
};

// Whether the expression holds for these values; Refused names the file and the expression.
bool holds(const Sweep& sweep, const Expression& expression, const ValueOf& values);

// ConfigError lists everything that is wrong, including in bases; FileError.
Sweep read_sweep(const std::filesystem::path& file);

// Lists the points of an otherwise complete sweep. LimitError, Refused: none or too many points;
// Interrupted.
void choose_points(Sweep& sweep);

// The name of a point's configuration in messages and in the point's folder.
inline constexpr const char* configuration_file = "configuration.json";

// A point as a configuration; files that it names are looked up next to its base.
Given configuration_of(const Sweep& sweep, std::uint64_t combination);

}  // namespace kumiki::flow::sweep
