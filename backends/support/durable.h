// SPDX-License-Identifier: Apache-2.0
// Steps that others rely on after a loss of power: what is written or synced is on the disk when
// the call returns. FileError with path and reason.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace kumiki::backends {

// Writes a file that must not exist yet, not even as a link; its folder exists.
void write_new_file(const std::filesystem::path& path, std::string_view text);

void sync_file(const std::filesystem::path& path);
void sync_folder(const std::filesystem::path& path);  // the names in it

// Like rename(2): what stands at `to` is replaced at once.
void move(const std::filesystem::path& from, const std::filesystem::path& to);
// The same when nothing stands there; false when something does.
bool move_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

// Which file stands somewhere, and when it was written last: another one, or the same one edited,
// is not equal. Nothing where nothing stands.
struct Seen {
  std::uint64_t device = 0, number = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;
  bool operator==(const Seen&) const = default;
};
std::optional<Seen> seen(const std::filesystem::path& path);
// Both names change places at once. False where the file system cannot do that.
bool exchange(const std::filesystem::path& a, const std::filesystem::path& b);

// Whether anything has this name, a link that leads nowhere included.
bool is_there(const std::filesystem::path& path);

// A relative path without "." and "..".
bool is_inside(const std::filesystem::path& name);
// Whether a folder on the way from `folder` to `folder/name` is a symbolic link.
bool leads_through_link(const std::filesystem::path& folder, const std::filesystem::path& name);

}  // namespace kumiki::backends
