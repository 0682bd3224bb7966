// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kumiki::backends {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

// A short description of a file's content.
struct Fingerprint {
  std::uint64_t bytes = 0;
  std::string sha256;
  bool operator==(const Fingerprint&) const = default;
};
Fingerprint fingerprint(std::string_view bytes);
// The fingerprint of a regular file; empty for a link, a folder, a device or an unreadable file.
std::optional<Fingerprint> fingerprint_of_file(const std::filesystem::path& path);

}  // namespace kumiki::backends
