// SPDX-License-Identifier: Apache-2.0
// File operations that survive a loss of power: written or synced data is on the disk when the call
// returns. FileError with path and reason.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace kumiki::backends {

// Writes a file that must not exist yet, not even as a link; its folder must exist.
void write_new_file(const std::filesystem::path& path, std::string_view text);

void sync_file(const std::filesystem::path& path);
void sync_folder(const std::filesystem::path& path);  // the names in it

// Like rename(2): atomically replaces whatever is at `to`.
void move(const std::filesystem::path& from, const std::filesystem::path& to);
// The same if nothing is there; returns false if something is.
bool move_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

// The identity of a file and the time of its last write. Another file, or the same file edited, is
// not equal. Empty if there is no file.
struct Seen {
  std::uint64_t device = 0, number = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const Seen&) const = default;
};
std::optional<Seen> seen(const std::filesystem::path& path);
// Exchanges both names atomically. False if the file system cannot do that.
bool exchange(const std::filesystem::path& a, const std::filesystem::path& b);

// Whether anything has this name, including a dangling link.
bool is_there(const std::filesystem::path& path);

// A relative path without "." and "..".
bool is_inside(const std::filesystem::path& name);
// Whether a folder on the path from `folder` to `folder/name` is a symbolic link.
bool leads_through_link(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace kumiki::backends
