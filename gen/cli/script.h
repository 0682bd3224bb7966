// SPDX-License-Identifier: Apache-2.0
// Python programs of gen/python/kumiki that are compiled in, so that they always fit this program.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gen/cli/command.h"

namespace kumiki::cli {

// Runs one with `arguments` and `--report=FILE`; its printed lines say what it does. Returns its
// report. The mistakes that it reports, with their codes; ToolError: Python, or a module of it, is
// missing or failed.
Json run_script(std::string_view script, const std::string& doing,
                const std::vector<std::string>& arguments);

// The embedded files.
namespace scripts {

struct Entry {
  std::string_view path;
  std::string_view text;
};

extern const Entry entries[];
extern const unsigned entry_count;

}  // namespace scripts

}  // namespace kumiki::cli
