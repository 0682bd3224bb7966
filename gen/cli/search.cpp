// SPDX-License-Identifier: Apache-2.0
// `search`: finds the best of all valid configurations under conditions.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "backends/support/files.h"
#include "gen/cli/commands.h"
#include "gen/cli/output.h"
#include "gen/flow/files/messages.h"
#include "gen/flow/sweep/search.h"
#include "ir/processors.h"

namespace kumiki::cli {
namespace search_command_of {
namespace {

namespace sweep = flow::sweep;
using sweep::Found;
using sweep::Row;
using sweep::Sweep;

struct Options {
  std::string file, best;
  std::optional<unsigned> jobs;
  bool force = false, json = false;
};

// The best row and the front.
std::vector<const Row*> shown_rows(const Found& found) {
  std::vector<const Row*> rows;
  for (const Row& row : found.rows)
    if (rows.empty() || row.on_front) rows.push_back(&row);
  return rows;
}

std::string goal_text(const Sweep& s) {
  return fmt::format("{} {}", s.goal->most ? "most" : "least", s.goal->figure->name);
}

void print_table(const Sweep& s, const Found& found) {
  std::vector<std::string> titles{"point"};
  for (const sweep::Variable& v : s.variables) titles.push_back(v.name);
  for (const sweep::Figure* f : s.columns) titles.emplace_back(f->name);
  std::vector<std::vector<std::string>> rows{titles};
  for (const Row* row : shown_rows(found)) {
    std::vector<std::string> cells{std::to_string(row->number)};
    for (std::size_t i = 0; i < s.variables.size(); ++i)
      cells.push_back(sweep::shown(s.value(s.points[row->number - 1], i)));
    for (const sweep::Figure* f : s.columns) cells.push_back(sweep::shown(row->figure(*f)));
    rows.push_back(std::move(cells));
  }
  fmt::print("{}", backends::table(rows));
}

Json to_json(const Sweep& s, const Found& found) {
  const auto one = [&](const Row& row) {
    Json figures = Json::object();
    for (const sweep::Figure* f : s.columns) figures[std::string(f->name)] = row.figure(*f);
    return Json{{"point", row.number},
                {"values", s.values(s.points[row.number - 1])},
                {"figures", figures}};
  };
  Json all{{"search", s.name},
           {"goal", goal_text(s)},
           {"points", s.points.size()},
           {"legal", found.planned},
           {"refused", found.refused},
           {"built", found.built},
           {"not_built", found.not_built}};
  all["best"] = found.rows.empty() ? Json() : one(found.rows.front());
  Json& front = all["front"] = Json::array();
  for (const Row& row : found.rows)
    if (row.on_front) front.push_back(one(row));
  return all;
}

void print_counts(const Sweep& s, const Found& found) {
  fmt::print(stderr, "{}: {} points, {} legal, {} refused", s.name, s.points.size(), found.planned,
             found.refused);
  if (found.built > 0) fmt::print(stderr, "; {} netlists built", found.built);
  if (found.not_built > 0) fmt::print(stderr, ", {} could not be better", found.not_built);
  fmt::print(stderr, "\n");
}

void print_none(const Sweep& s, const Found& found) {
  fmt::print(stderr, "no configuration meets all conditions\n");
  for (std::size_t i = 0; i < found.alone.size(); ++i)
    if (found.alone[i])
      fmt::print(stderr, "  {} of {} meet {}\n", *found.alone[i], found.planned,
                 s.goal->subject_to[i].text());
}

int run(const Options& o, flow::Context& context) {
  if (!o.best.empty()) flow::require_free(o.best, o.force, "-o");
  const Sweep s = sweep::read_sweep(o.file);
  if (!s.goal)
    throw UsageError(code::option_needs,
                     fmt::format("{}: \"find\" is missing; give one such as {{\"wish\": \"least\", "
                                 "\"of\": \"slices\"}}, or run kumiki sweep",
                                 o.file));
  std::vector<std::unique_ptr<flow::Context>> more;
  std::vector<flow::Context*> contexts{&context};
  for (unsigned i = 1; i < o.jobs.value_or(ir::processors()); ++i) {
    more.push_back(std::make_unique<flow::Context>(context.cache()));
    more.back()->limits = context.limits;
    contexts.push_back(more.back().get());
  }
  const Found found = sweep::search(s, contexts);
  print_counts(s, found);
  if (o.json) fmt::print("{}", gen::config::print(to_json(s, found)));
  if (found.rows.empty()) {
    print_none(s, found);
    return design_failed;
  }
  if (!o.json) print_table(s, found);
  if (!o.best.empty())
    backends::write_named_file(
        o.best, sweep::configuration_of(s, s.points[found.rows.front().number - 1]).text,
        theirs(o.force));
  return ok;
}

Run declare(CLI::App& app, Settings& settings) {
  const auto o = std::make_shared<Options>();
  app.add_option("FILE", o->file,
                 "a search (JSON): a configuration, what changes in it, and what is looked for")
      ->required();
  auto* out = app.add_option("-o,--out", o->best, "file for the configuration of the best point");
  number(app, "-j,--jobs", o->jobs, most_jobs,
         "points at a time (default: one a processor that this process may use)");
  add_replace(app, o->force)->needs(out);
  add_json(app, o->json);
  add_limits(app, settings);
  add_cache(app, settings);
  add_trace(app, settings);
  return runs(run, o);
}

}  // namespace
}  // namespace search_command_of

Command search_command() {
  return {"search", "the best of many configurations, by enumeration", search_command_of::declare};
}

}  // namespace kumiki::cli
