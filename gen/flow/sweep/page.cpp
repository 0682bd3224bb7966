// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/sweep/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/emit/report/html.h"
#include "backends/support/tool.h"
#include "gen/flow/files/output.h"
#include "ir/picture/plot.h"
#include "templates/templates.h"

namespace kumiki::flow::sweep {
namespace {

namespace html = backends::html;
using html::element;
using html::text_element;

constexpr std::size_t most_failures = 50;

bool has_failed(const Row& row) { return row.result && !row.result->ok(); }

std::string verdict(const Table& table) {
  const auto bad = static_cast<std::size_t>(std::ranges::count_if(table.rows, has_failed));
  const auto missing = table.count("missing");
  const char* style = bad ? "bad" : missing ? "" : "good";
  std::string text = text_element("p", summary(table) + ".");
  if (missing > 0)
    text += text_element("p", "Not all points are done: this is what there is so far.");
  std::size_t shown = 0;
  for (const Row& row : table.rows) {
    if (!has_failed(row)) continue;
    if (++shown > most_failures) break;
    text += element("p", element("strong", fmt::format("Point {} {}", row.number, status(row))) +
                             ", here again by:");
    text += text_element("pre class=\"command\"", repeat(table.sweep, row.number));
    text += text_element("pre", row.result->message);
  }
  if (bad > most_failures)
    text += text_element("p", fmt::format("And {} more: table.csv has all.", bad - most_failures));
  return element(fmt::format("div class=\"verdict {}\"{}", style, bad ? " role=\"alert\"" : ""),
                 text) +
         "\n";
}

// Plots the first figure of the front over each of the others.
std::string pictures(const Table& table) {
  const auto& axes = table.sweep.pareto;
  std::vector<picture::Panel> panels;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    picture::Panel panel{.title = fmt::format("{} over {}", axes[0]->name, axes[i]->name),
                         .x_label = std::string(axes[i]->name)};
    for (const Row& row : table.rows) {
      const Json x = row.figure(*axes[i]), y = row.figure(*axes[0]);
      if (!x.is_number() || !y.is_number()) continue;
      auto& points = row.on_front ? panel.points : panel.others;
      points.emplace_back(x.get<double>(), y.get<double>());
    }
    if (panel.points.empty()) continue;
    std::ranges::sort(panel.points);
    // With more than two figures the front is not a line.
    panel.is_line = axes.size() == 2;
    panels.push_back(std::move(panel));
  }
  if (panels.empty()) return {};
  return "<section id=\"front\">\n<h2>Front</h2>\n<p>No other point is as good in all of its "
         "figures and better in one; the others are pale.</p>\n" +
         html::picture(picture::plot_svg(panels), "The front of the points") + "</section>\n";
}

html::Cell cell(const Json& value) {
  return value.is_number() ? html::number(shown(value)) : html::text(shown(value));
}

std::string points(const Table& table) {
  const Sweep& sweep = table.sweep;
  std::vector<std::string> columns{">point", "status"};
  for (const Variable& v : sweep.variables) columns.push_back(v.title());
  for (const Figure* f : sweep.columns) columns.push_back(fmt::format(">{}", f->name));
  html::Table all("Points; those of the front are bold", columns);
  for (const Row& row : table.rows) {
    if (row.number > most_rows) break;
    const std::string number = std::to_string(row.number);
    std::vector<html::Cell> cells{
        {row.result ? text_element(fmt::format("a href=\"{}/result.json\"", row.folder), number)
                    : number},
        html::text(status(row))};
    for (std::size_t i = 0; i < sweep.variables.size(); ++i)
      cells.push_back(cell(sweep.value(sweep.points[row.number - 1], i)));
    for (const Figure* f : sweep.columns) cells.push_back(cell(row.figure(*f)));
    all.row(cells, row.on_front ? "class=\"total\"" : "");
  }
  std::string more;
  if (table.rows.size() > most_rows)
    more = text_element("p", fmt::format("The first {} of {} points: table.csv has all.", most_rows,
                                         table.rows.size()));
  return "<section id=\"points\">\n<h2>Points</h2>\n" + more + all.markup() + "</section>\n";
}

std::string conditions(const Sweep& sweep) {
  std::string text = fmt::format("{}, by {}", sweep.file.filename().string(), generator());
  for (const Expression& e : sweep.where) text += fmt::format("; where {}", e.text());
  return text;
}

}  // namespace

std::string page(const Table& table) {
  const bool failed = std::ranges::any_of(table.rows, has_failed);
  const std::string body = "<header>\n" + text_element("h1", table.sweep.name) + "\n" +
                           text_element("p class=\"faint\"", conditions(table.sweep)) + "\n" +
                           verdict(table) + "</header>\n<main>\n" + pictures(table) +
                           points(table) +
                           "</main>\n<footer><p>The same for programs: table.csv and table.json "
                           "beside this page.</p></footer>\n";
  return backends::fill(templates::text("report/page.html"),
                        {{"STYLE", std::string(templates::text("report/page.css"))},
                         {"GENERATOR", html::escaped(generator())},
                         {"TITLE", (failed ? "FAILED: " : "") + html::escaped(table.sweep.name)},
                         {"BODY", body}});
}

}  // namespace kumiki::flow::sweep
