// SPDX-License-Identifier: Apache-2.0
// The content of a command's --help, for the manual page and the completions.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kumiki::cli {

using Words = std::vector<std::string>;

// A group without a name is hidden from --help and therefore here.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<const CLI::Option*> options_of(const CLI::App& app, bool positional);

bool takes_value(const CLI::Option& o);
Words choices_of(const CLI::Option& o);  // the words that it accepts, if they are few
Words spellings(const CLI::Option& o);   // "-o", "--out"
Words all_spellings(const CLI::App& c);

}  // namespace kumiki::cli
