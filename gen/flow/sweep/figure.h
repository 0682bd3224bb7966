// SPDX-License-Identifier: Apache-2.0
// The steps done with a point of a sweep, and the resulting figures: one table lists the step of
// each figure.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/files.h"
#include "gen/flow/project.h"

namespace kumiki::flow::sweep {

using Json = nlohmann::ordered_json;

// In the order of execution; each step builds on the requested steps before it.
enum class Step { plan, check, timing, gen, sim };
std::string_view word(Step step);

enum class Better { neither, less, more };

struct Figure {
  std::string_view name;
  Step step;  // that yields it
  Better better = Better::neither;
  std::string_view help = {};
};
std::span<const Figure> figures();
const Figure* find_figure(std::string_view name);
bool comes_with(const Figure& figure, const std::vector<Step>& steps);

struct Measured {
  Json figures;                    // by name; null if a design has no such figure
  std::string mismatch = {};       // found by lockstep
  backends::OutputSet files = {};  // from `gen`
};

// Executes the steps with a configuration. ConfigError, DesignError, LimitError, FileError.
Measured measure(Given given, const std::vector<Step>& steps, const Reading& how);

}  // namespace kumiki::flow::sweep
