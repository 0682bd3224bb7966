// SPDX-License-Identifier: Apache-2.0
// The mistakes that a user of the library can make. Any other exception is a bug.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

#include "ir/message.h"

namespace kumiki {

// A mistake as a value. Code that passes it on, with another key or with a file in front, uses its
// parts and never parses its text.
struct Diagnostic {
  Code code;
  std::string key = {};  // what is to blame: a key, or a part of a request; "": the text names it
  std::string wrong;     // "kernel 5x5 is larger than the padded map 4x4"
  std::string required = {};  // "use a smaller kernel"; "": `wrong` says it
  bool has_codes = false;     // every line of `wrong` ends with a code of its own
  bool operator==(const Diagnostic&) const = default;
};
std::string to_string(const Diagnostic& d);  // "has 3 entries; must have 1 or 4"

// what() is the sentence alone, which often becomes part of another one; said() adds the code.
class Error : public std::runtime_error {
 public:
  explicit Error(Diagnostic d) : std::runtime_error(to_string(d)), diagnostic_(std::move(d)) {}
  Error(Code code, const std::string& text) : Error(Diagnostic{.code = code, .wrong = text}) {}
  Code code() const { return diagnostic_.code; }
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

std::string said(const Error& e);
// The same mistake with a place in front: "conv1: has no weights".
Diagnostic within(const std::string& place, const Error& e);

// The design or the program that describes it is wrong: widths that differ, a register never
// driven.
struct DesignError : Error {
  using Error::Error;
};

// A file could not be read, written or renamed.
struct FileError : Error {
  using Error::Error;
};

// A program that we start (Verilator, Yosys, Icarus) is missing or failed.
struct ToolError : Error {
  using Error::Error;
};

}  // namespace kumiki
