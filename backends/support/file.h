// SPDX-License-Identifier: Apache-2.0
// Reads and writes a whole file.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace kumiki::backends {

// Also makes the folder. FileError with path and reason, including a full disk.
void write_file(const std::filesystem::path& path, std::string_view text);

std::string read_file(const std::filesystem::path& path);  // FileError

}  // namespace kumiki::backends
