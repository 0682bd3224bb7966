// SPDX-License-Identifier: Apache-2.0
// The mistakes a user of the library can make. Everything else that throws is a bug.
#pragma once
#include <stdexcept>
#include <string>

#include "ir/message.h"

namespace kumiki {

// what() is the sentence alone, which often becomes part of another one; with_code() adds the code.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

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
