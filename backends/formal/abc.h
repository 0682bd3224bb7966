// SPDX-License-Identifier: Apache-2.0
// ABC, which comes with Yosys.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kumiki::backends::proof {

// Runs a script in a folder, for so long at most; what it printed, or nothing when its time was up:
// files that it has written by then are not to be looked at. ToolError when it ended in another
// way.
std::optional<std::string> run_abc(const std::filesystem::path& folder, const std::string& script,
                                   unsigned seconds);

// A counterexample as write_cex leaves it. It knows no names: a digit each, in order.
std::vector<bool> digits_in(const std::filesystem::path& file);

}  // namespace kumiki::backends::proof
