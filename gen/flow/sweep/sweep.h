// SPDX-License-Identifier: Apache-2.0
// A file that says which configurations are looked at, and what for:
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

// A value of every base that changes from point to point. In conditions it is called by its last
// key, with those before it where two end alike, or by all of them: layers_1_slices.
struct Variable {
  std::string pointer;  // "/layers/0/slices"; "" for the base itself, when there are several
  std::string name, long_name = {};
  std::vector<Json> values;
  // As tables call it: nothing else has this name.
  const std::string& title() const { return pointer.empty() ? name : pointer; }
};

// What `search` looks for.
struct Goal {
  const Figure* figure = nullptr;
  bool most = false;
  std::vector<Expression> subject_to;  // of variables and figures
};

struct Sweep {
  std::filesystem::path file;
  std::string name;
  std::vector<std::string> bases;  // beside the file
  std::vector<Variable> variables;
  std::vector<Expression> where;  // of variables
  std::vector<Step> steps = {Step::plan};
  std::vector<const Figure*> columns, pareto;
  std::optional<Goal> goal;

  // The bases parsed, in their order.
  std::vector<Json> parsed;
  // Of all combinations in their order, those that `where` leaves.
  std::vector<std::uint64_t> points;

  std::size_t place(std::uint64_t combination, std::size_t variable) const;  // among its values
  const Json& value(std::uint64_t combination, std::size_t variable) const {
    return variables[variable].values[place(combination, variable)];
  }
  Json values(std::uint64_t combination) const;        // of all variables, by their titles
  ValueOf values_of(std::uint64_t combination) const;  // by name; null for another one
};

// Whether it holds of these values; Refused names the file and the expression.
bool holds(const Sweep& sweep, const Expression& expression, const ValueOf& values);

// ConfigError with everything that is wrong, bases included; FileError.
Sweep read_sweep(const std::filesystem::path& file);

// Lists the points of a sweep that has all else. LimitError, Refused: none or too many;
// Interrupted.
void choose_points(Sweep& sweep);

// What a point's configuration is called, in messages and in the point's folder.
inline constexpr const char* configuration_file = "configuration.json";

// A point as a configuration; files that it names are found beside its base.
Given configuration_of(const Sweep& sweep, std::uint64_t combination);

}  // namespace kumiki::flow::sweep
