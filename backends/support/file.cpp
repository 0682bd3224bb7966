// SPDX-License-Identifier: Apache-2.0
#include "backends/support/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "ir/error.h"

namespace kumiki::backends {
namespace {

void check(bool good, const char* what, const std::filesystem::path& path) {
  if (!good)
    throw FileError(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  auto close = [](std::FILE* f) { return std::fclose(f); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "wb"), close);
  check(file != nullptr, "write", path);
  // Text that is empty may have no address, and fwrite wants one.
  check(text.empty() || std::fwrite(text.data(), 1, text.size(), file.get()) == text.size(),
        "write", path);
  check(std::fclose(file.release()) == 0, "write", path);  // a full disk may be noticed only here
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  check(file.is_open(), "read", path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  check(!file.bad(), "read", path);
  return text;
}

}  // namespace kumiki::backends
