// SPDX-License-Identifier: Apache-2.0
// The keys of a sweep's file, each in its table; `vary` is read separately, because its keys are
// the user's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/config/table.h"
#include "gen/flow/sweep/figure.h"

namespace kumiki::flow::sweep {

struct Collect {
  std::vector<std::string> columns, pareto;
};
enum class Wish { least, most };
struct Find {
  Wish wish = Wish::least;
  std::string of;
  std::vector<std::string> subject_to;
};
struct Keys {
  int kumiki = 1;
  std::string name;
  std::optional<std::string> description;
  std::variant<std::string, std::vector<std::string>> base;
  std::vector<std::string> where;
  std::vector<Step> steps = {Step::plan};
  std::optional<Collect> collect;
  std::optional<Find> find;
};
const gen::config::TableOf<Keys>& keys_table();

// {"from": 1, "to": 32, "step": 1}
struct Span {
  std::int64_t from = 0, to = 0, step = 1;
};
const gen::config::TableOf<Span>& span_table();

}  // namespace kumiki::flow::sweep
