// SPDX-License-Identifier: Apache-2.0
// Runs ABC, which comes with Yosys.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kumiki::backends::proof {

// Runs a script in a folder, with a time limit. Returns ABC's output, or nothing on a time-out;
// then the files that it has written must not be used. ToolError if it ended in another way.
std::optional<std::string> run_abc(const std::filesystem::path& folder, const std::string& script,
                                   unsigned seconds);

// Reads a counterexample of write_cex: one digit for each value, in order, without names.
std::vector<bool> digits_in(const std::filesystem::path& file);

}  // namespace kumiki::backends::proof
