// SPDX-License-Identifier: Apache-2.0
// What a bench has measured: rows of named cells, for the eye and as JSON.
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
  double number() const;     // of an integer too
  std::string text() const;  // of anything, as JSON has it, without quotes
  bool operator==(const Cell&) const = default;

 private:
  friend class Results;
  std::variant<std::monostate, bool, std::int64_t, double, std::string> value_;
};

class Result {
 public:
  Result(std::initializer_list<std::pair<std::string, Cell>> cells = {}) : cells_(cells) {}
  Cell& operator[](std::string_view name);  // a new one at the end
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

  // These columns, or as JSON all that the rows have.
  void print(const std::vector<std::string>& columns, bool json) const;
  void print_json() const;

 private:
  std::vector<Result> rows_;
};

// Whether an option that names rows (--heap, --network) means this one: it names one row; when
// there is none of just this name, all rows whose name contains it.
bool is_meant(const std::string& name, const std::string& asked,
              const std::vector<std::string>& names);

// UsageError where --heap and --objective leave none.
void require_rows(const Results& rows, const std::string& heap, const std::string& objective);

}  // namespace kumiki::cli
