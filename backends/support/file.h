// SPDX-License-Identifier: Apache-2.0
// One file, whole.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace kumiki::backends {

// Makes the folder too. FileError with path and reason, a disk that is full included.
void write_file(const std::filesystem::path& path, std::string_view text);

std::string read_file(const std::filesystem::path& path);  // FileError

}  // namespace kumiki::backends
