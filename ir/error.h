// SPDX-License-Identifier: Apache-2.0
// The mistakes a user of the library can make. Everything else that throws is a bug.
#pragma once
#include <stdexcept>
#include <string>

namespace kumiki {

// The design or the program that describes it is wrong: widths that differ, a register never
// driven.
struct DesignError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file could not be read, written or renamed.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A program that we start (Verilator, Yosys, Icarus) is missing or failed.
struct ToolError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace kumiki
