// SPDX-License-Identifier: Apache-2.0
// Collects values into JSON; keeps nlohmann's header out of every table.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gen/config/kind.h"

namespace kumiki::gen::config {

class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;

  void integer(std::int64_t value);
  void number(double value);
  void boolean(bool value);
  void text(std::string_view value);
  void begin_list();
  void end_list();
  void begin_object();
  void key(std::string_view name);  // of the value that comes next
  void end_object();

  Json take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The text of a JSON value: two blanks a level, lists of plain values in lines of up to 100
// characters, a line feed at the end.
std::string print(const Json& value);

}  // namespace kumiki::gen::config
