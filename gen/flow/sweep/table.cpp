// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gen/flow/files/page.h"
#include "ir/activity.h"

namespace kumiki::flow::sweep {
namespace {

// Costs: less is better in all of them; empty if a figure has no value.
std::optional<std::vector<double>> costs(const Row& row,
                                         const std::vector<const Figure*>& figures) {
  if (!row.result || !row.result->ok()) return {};
  std::vector<double> all;
  for (const Figure* f : figures) {
    const Json value = row.figure(*f);
    if (!value.is_number()) return {};
    all.push_back(f->better == Better::more ? -value.get<double>() : value.get<double>());
  }
  return all;
}

bool is_as_good(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, std::ranges::less_equal());
}

std::string quoted(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return '"' + text + '"';
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Json Row::figure(const Figure& f) const {
  return result ? result->figures.value(std::string(f.name), Json()) : Json();
}

std::string_view status(const Row& row) {
  if (!row.result) return "missing";
  switch (row.result->exit) {
    case 0:
      return "ok";
    case 1:
      return "failed";
    case 3:
      return "refused";
    default:
      return "broken";
  }
}

std::size_t Table::count(std::string_view of_status) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](const Row& r) { return status(r) == of_status; }));
}

Table collect(const Sweep& sweep, const Folder& folder) {
  ir::Activity doing("collecting");
  Table table{sweep, {}};
  for (std::size_t n = 1; n <= sweep.points.size(); ++n) {
    if (n % 256 == 0) doing.at(fmt::format("{} of {} points", n, sweep.points.size()));
    table.rows.push_back({.number = n, .folder = folder.name_of(n), .result = folder.find(n)});
  }
  mark_front(table.rows, sweep.pareto);
  return table;
}

void mark_front(std::vector<Row>& rows, const std::vector<const Figure*>& figures) {
  if (figures.empty()) return;
  struct Candidate {
    std::vector<double> costs;
    Row* row;
  };
  std::vector<Candidate> all;
  for (Row& row : rows) {
    row.on_front = false;
    if (auto c = costs(row, figures)) all.push_back({std::move(*c), &row});
  }
  // A point that beats another sorts before it, so comparing with the front so far suffices.
  std::ranges::stable_sort(all, {}, &Candidate::costs);
  std::vector<const Candidate*> front;
  for (const Candidate& c : all) {
    if (std::ranges::any_of(front, [&](const Candidate* f) {
          return is_as_good(f->costs, c.costs) && f->costs != c.costs;
        }))
      continue;
    c.row->on_front = true;
    front.push_back(&c);
  }
}

std::string shown(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string csv(const Table& table) {
  const Sweep& sweep = table.sweep;
  std::string text = "point,status";
  for (const Variable& v : sweep.variables) text += ',' + quoted(v.title());
  for (const Figure* f : sweep.columns) text += ',' + std::string(f->name);
  if (!sweep.pareto.empty()) text += ",front";
  text += ",message\r\n";
  for (const Row& row : table.rows) {
    text += fmt::format("{},{}", row.number, status(row));
    for (std::size_t i = 0; i < sweep.variables.size(); ++i)
      text += ',' + quoted(shown(sweep.value(sweep.points[row.number - 1], i)));
    for (const Figure* f : sweep.columns) text += ',' + quoted(shown(row.figure(*f)));
    if (!sweep.pareto.empty()) text += row.on_front ? ",1" : ",0";
    text += ',' + (row.result ? quoted(first_line(row.result->message)) : std::string()) + "\r\n";
  }
  return text;
}

std::string json(const Table& table) {
  const Sweep& sweep = table.sweep;
  Json counts = Json::object();
  for (const char* word : {"ok", "failed", "refused", "broken", "missing"})
    counts[word] = table.count(word);
  Json rows = Json::array();
  for (const Row& row : table.rows) {
    Json figures = Json::object();
    for (const Figure* f : sweep.columns) figures[std::string(f->name)] = row.figure(*f);
    Json one{{"point", row.number},
             {"status", status(row)},
             {"folder", row.folder},
             {"values", sweep.values(sweep.points[row.number - 1])}};
    if (row.result) one["figures"] = std::move(figures);
    if (row.result && !row.result->ok()) one["message"] = row.result->message;
    if (!sweep.pareto.empty()) one["front"] = row.on_front;
    rows.push_back(std::move(one));
  }
  return gen::config::print(Json{{"sweep", sweep.name},
                                 {"points", table.rows.size()},
                                 {"counts", std::move(counts)},
                                 {"rows", std::move(rows)}});
}

std::string summary(const Table& table) {
  std::string text = fmt::format("{}: {} point{}: {} ok", table.sweep.name, table.rows.size(),
                                 table.rows.size() == 1 ? "" : "s", table.count("ok"));
  for (const char* word : {"failed", "refused", "broken", "missing"})
    if (const auto n = table.count(word)) text += fmt::format(", {} {}", n, word);
  if (!table.sweep.pareto.empty())
    text += fmt::format("; {} on the front", std::ranges::count(table.rows, true, &Row::on_front));
  return text;
}

std::string repeat(const Sweep& sweep, std::size_t number) {
  return command_line({.config = sweep.file.string()}, "sweep", fmt::format("--point {}", number));
}

}  // namespace kumiki::flow::sweep
