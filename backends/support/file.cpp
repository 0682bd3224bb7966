// SPDX-License-Identifier: Apache-2.0
#include "backends/support/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "backends/support/messages.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

void check_written(bool good, const std::filesystem::path& path) {
  if (!good)
    throw FileError(code::file_not_written,
                    fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

void check_read(bool good, const std::filesystem::path& path) {
  if (!good)
    throw FileError(errno == ENOENT ? code::file_not_found : code::file_not_read,
                    fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  auto close = [](std::FILE* f) { return std::fclose(f); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "wb"), close);
  check_written(file != nullptr, path);
  // Empty text may have no address, and fwrite requires one.
  check_written(text.empty() || std::fwrite(text.data(), 1, text.size(), file.get()) == text.size(),
                path);
  check_written(std::fclose(file.release()) == 0, path);  // a full disk may be noticed only here
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  check_read(file.is_open(), path);
  try {
    std::string text{std::istreambuf_iterator<char>(file), {}};
    check_read(!file.bad(), path);
    return text;
  } catch (const std::ios_base::failure&) {  // a folder can be opened but not read
    check_read(false, path);
    throw;
  }
}

}  // namespace kumiki::backends
