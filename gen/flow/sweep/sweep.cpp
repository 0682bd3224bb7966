// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gen/config/document.h"
#include "gen/flow/sweep/messages.h"
#include "ir/activity.h"
#include "ir/error.h"
#include "ir/interrupt.h"
#include "ir/limits.h"

namespace kumiki::flow::sweep {
namespace {

// The number of combinations. LimitError if there are too many.
std::uint64_t combinations(const Sweep& sweep) {
  std::uint64_t all = 1;
  for (const Variable& v : sweep.variables)
    if (__builtin_mul_overflow(all, v.values.size(), &all) || all > most_combinations)
      throw ir::LimitError(code::too_many_points,
                           fmt::format("{}: /vary has more than {} combinations; use fewer values",
                                       sweep.file.string(), most_combinations));
  return all;
}

}  // namespace

bool holds(const Sweep& sweep, const Expression& expression, const ValueOf& values) try {
  return expression.holds(values);
} catch (const DesignError& error) {
  throw Refused(error.code(),
                fmt::format("{}: \"{}\" {}", sweep.file.string(), expression.text(), error.what()));
}

void choose_points(Sweep& sweep) {
  const ir::Activity doing("listing the points");
  const std::uint64_t all = combinations(sweep);
  for (std::uint64_t i = 0; i < all; ++i) {
    const ValueOf values = sweep.values_of(i);
    if (std::ranges::all_of(sweep.where,
                            [&](const Expression& e) { return holds(sweep, e, values); }))
      sweep.points.push_back(i);
    if (const int signal = ir::interrupted()) throw Interrupted(signal);
  }
  if (sweep.points.empty())
    throw Refused(code::no_points,
                  fmt::format("{}: /where leaves none of {} points; at least one must remain",
                              sweep.file.string(), all));
}

std::size_t Sweep::place(std::uint64_t combination, std::size_t variable) const {
  for (std::size_t i = variables.size() - 1; i > variable; --i)
    combination /= variables[i].values.size();
  return combination % variables[variable].values.size();
}

Json Sweep::values(std::uint64_t combination) const {
  Json all = Json::object();
  for (std::size_t i = 0; i < variables.size(); ++i)
    all[variables[i].title()] = value(combination, i);
  return all;
}

ValueOf Sweep::values_of(std::uint64_t combination) const {
  return [this, combination](const std::string& wanted) -> Json {
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i].name == wanted || variables[i].long_name == wanted)
        return value(combination, i);
    return nullptr;
  };
}

Given configuration_of(const Sweep& sweep, std::uint64_t combination) {
  const bool many = sweep.bases.size() > 1;
  const std::size_t base = many ? sweep.place(combination, 0) : 0;
  Json configuration = sweep.parsed[base];
  for (std::size_t i = many ? 1 : 0; i < sweep.variables.size(); ++i)
    configuration[Json::json_pointer(sweep.variables[i].pointer)] = sweep.value(combination, i);
  const auto folder = (sweep.file.parent_path() / sweep.bases[base]).parent_path();
  return {(folder / configuration_file).string(), gen::config::print(configuration)};
}

}  // namespace kumiki::flow::sweep
