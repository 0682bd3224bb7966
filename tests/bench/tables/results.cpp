// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/tables/results.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "gen/cli/command.h"
#include "gen/config/writer.h"
#include "gen/flow/messages.h"

namespace kumiki::cli {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 does not deduce it

// Four digits suffice for estimates and quotients.
std::string shown(const Cell* cell) {
  if (cell == nullptr) return "-";
  return cell->is_fraction() ? fmt::format("{:.4g}", cell->number()) : cell->text();
}

}  // namespace

double Cell::number() const {
  const auto* whole = std::get_if<std::int64_t>(&value_);
  return whole ? static_cast<double>(*whole) : std::get<double>(value_);
}

std::string Cell::text() const {
  return std::visit(Overloaded{[](std::monostate) { return std::string("null"); },
                               [](const std::string& text) { return text; },
                               [](const auto& value) { return fmt::format("{}", value); }},
                    value_);
}

Cell& Result::operator[](std::string_view name) {
  for (auto& [known, cell] : cells_)
    if (known == name) return cell;
  return cells_.emplace_back(name, Cell{}).second;
}

const Cell& Result::operator[](std::string_view name) const {
  if (const Cell* there = find(name)) return *there;
  throw std::logic_error(fmt::format("a row without {}", name));
}

const Cell* Result::find(std::string_view name) const {
  const auto at = std::ranges::find(cells_, name,
                                    [](const auto& cell) { return std::string_view(cell.first); });
  return at == cells_.end() ? nullptr : &at->second;
}

void Result::append(const Result& more) {
  for (const auto& [name, cell] : more.cells_) (*this)[name] = cell;
}

double rounded(double value, double steps) { return std::round(value * steps) / steps; }

bool is_meant(const std::string& name, const std::string& asked,
              const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), asked) != names.end()) return name == asked;
  return name.find(asked) != std::string::npos;
}

void require_rows(const Results& rows, const std::string& heap, const std::string& objective) {
  if (!rows.empty()) return;
  throw UsageError(
      code::no_row,
      fmt::format("no row is {}{}; use what the first columns show without --heap and --objective",
                  heap.empty() ? "printed" : fmt::format("called \"{}\"", heap),
                  objective.empty() ? "" : fmt::format(" of the objective {}", objective)));
}

void Results::print(const std::vector<std::string>& columns, bool json) const {
  if (json) return print_json();
  std::vector<std::vector<std::string>> lines{columns};
  for (const Result& row : rows_) {
    lines.emplace_back();
    for (const auto& name : columns) lines.back().push_back(shown(row.find(name)));
  }
  fmt::print("{}", backends::table(lines));
}

void Results::print_json() const {
  gen::config::Writer w;
  w.begin_list();
  for (const Result& row : rows_)
    w.object([&] {
      for (const auto& [name, cell] : row.cells_) {
        w.key(name);
        std::visit(Overloaded{[&](std::monostate) { w.null(); },
                              [&](const auto& value) { w.value(value); }},
                   cell.value_);
      }
    });
  w.end_list();
  fmt::print("{}\n", w.printed());
}

}  // namespace kumiki::cli
