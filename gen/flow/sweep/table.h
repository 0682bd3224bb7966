// SPDX-License-Identifier: Apache-2.0
// All points of a sweep in one table, finished or not.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/flow/sweep/point.h"

namespace kumiki::flow::sweep {

struct Row {
  std::size_t number = 0;  // from 1 on
  std::string folder;
  std::optional<Result> result;  // empty: the point is not finished
  bool on_front = false;
  Json figure(const Figure& f) const;  // null if it has none
};

// "ok"; "failed": the design failed; "refused": by the configuration or a limit; "broken": the
// program or its machine failed; "missing".
std::string_view status(const Row& row);

struct Table {
  const Sweep& sweep;
  std::vector<Row> rows;

  std::size_t count(std::string_view of_status) const;
  bool is_whole() const { return count("missing") == 0; }
  bool all_ok() const { return count("ok") == rows.size(); }
};

// Reads the results from the folder. FileError.
Table collect(const Sweep& sweep, const Folder& folder);

// Marks the Pareto-optimal points for these figures.
void mark_front(std::vector<Row>& rows, const std::vector<const Figure*>& figures);

std::string csv(const Table& table);  // RFC 4180
std::string json(const Table& table);
// "64 points: 62 ok, 2 refused; 7 on the front", and the number missing.
std::string summary(const Table& table);
// The command that repeats one point and reports what is wrong with it.
std::string repeat(const Sweep& sweep, std::size_t number);

// The text of a table cell: strings without quotes, nothing for null.
std::string shown(const Json& value);

}  // namespace kumiki::flow::sweep
