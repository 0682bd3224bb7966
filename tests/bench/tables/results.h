// SPDX-License-Identifier: Apache-2.0
// The measurements of a bench: rows of named cells, for people and as JSON.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kumiki::cli {

class Cell {
 public:
  Cell() = default;  // unknown
  Cell(bool value) : value_(value) {}
  Cell(std::integral auto value) : value_(static_cast<std::int64_t>(value)) {}
  Cell(double value) : value_(value) {}
  Cell(std::string value) : value_(std::move(value)) {}
  Cell(const char* value) : value_(std::string(value)) {}

  bool is_known() const { return value_.index() != 0; }
  bool is_fraction() const { return std::holds_alternative<double>(value_); }
  bool flag() const { return std::get<bool>(value_); }
  std::int64_t integer() const { return std::get<std::int64_t>(value_); }
  double number() const;     // for an integer too
  std::string text() const;  // of any value, as in JSON, without quotes
  bool operator==(const Cell&) const = default;

 private:
  friend class Results;
  std::variant<std::monostate, bool, std::int64_t, double, std::string> value_;
};

class Result {
 public:
  Result(std::initializer_list<std::pair<std::string, Cell>> cells = {}) : cells_(cells) {}
  Cell& operator[](std::string_view name);  // appends a new cell if missing
  const Cell& operator[](std::string_view name) const;
  const Cell* find(std::string_view name) const;
  void append(const Result& more);

 private:
  friend class Results;
  std::vector<std::pair<std::string, Cell>> cells_;
};

class Results {
 public:
  void push_back(Result row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  // Prints these columns, or as JSON all cells of the rows.
  void print(const std::vector<std::string>& columns, bool json) const;
  void print_json() const;

 private:
  std::vector<Result> rows_;
};

double rounded(double value, double steps = 1000);  // to so many parts of 1

// Whether an option that names rows (--heap, --network) selects this one: the row with exactly that
// name, or if there is none, all rows whose name contains it.
bool is_meant(const std::string& name, const std::string& asked,
              const std::vector<std::string>& names);

// UsageError if --heap and --objective select no row.
void require_rows(const Results& rows, const std::string& heap, const std::string& objective);

}  // namespace kumiki::cli
