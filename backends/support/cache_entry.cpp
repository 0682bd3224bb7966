// SPDX-License-Identifier: Apache-2.0
#include "backends/support/cache_entry.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "backends/support/durable.h"
#include "backends/support/file.h"
#include "backends/support/messages.h"
#include "backends/support/record.h"
#include "backends/support/sha256.h"
#include "ir/error.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

constexpr const char* seal_name = "contents";
constexpr std::string_view head = "kumiki-entry 1";

// Files and folders below a folder, by name. FileError for anything else.
struct Below {
  std::vector<fs::path> files, folders;

  explicit Below(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto type = entry.symlink_status().type();
      if (type != fs::file_type::directory && type != fs::file_type::regular)
        throw FileError(code::no_regular_file, entry.path().string() + " is no file");
      (type == fs::file_type::directory ? folders : files)
          .push_back(entry.path().lexically_relative(folder));
    }
    std::ranges::sort(files);
  }
};

void take_rights_of_others(const fs::path& path) {
  fs::permissions(path, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove);
}

}  // namespace

std::string why_not_ours(const fs::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return std::strerror(errno);
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
    return "it is neither a folder nor a file";
  if (status.st_uid != ::geteuid())
    return fmt::format("it belongs to user {} and not to {}", status.st_uid, ::geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return fmt::format("others may write it (mode {:o}; chmod go-w)", status.st_mode & 07777u);
  return {};
}

std::string why_not_safe(const fs::path& folder) {
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0)
    return fmt::format("cannot look at {}: {}", folder.string(), std::strerror(errno));
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return fmt::format("{} belongs to user {}, who may put another folder in its place",
                       folder.string(), status.st_uid);
  // The group of a user's own name is the user.
  const mode_t others = status.st_gid == ::getegid() ? S_IWOTH : S_IWOTH | S_IWGRP;
  if ((status.st_mode & others) && !(status.st_mode & S_ISVTX))
    return fmt::format(
        "{} may put another folder in place of those in {} (mode {:o})",
        status.st_mode & S_IWOTH ? "everybody" : fmt::format("group {}", status.st_gid),
        folder.string(), status.st_mode & 07777u);
  return {};
}

void seal_entry(const fs::path& folder) {
  const Below below(folder);
  take_rights_of_others(folder);
  for (const auto& name : below.folders) take_rights_of_others(folder / name);
  std::vector<std::string> lines;
  for (const auto& name : below.files) {
    take_rights_of_others(folder / name);
    const auto content = fingerprint_of_file(folder / name);
    if (!content) throw FileError(code::file_not_read, "cannot read " + (folder / name).string());
    lines.push_back(
        fmt::format("{} {} {}", content->bytes, content->sha256, to_word(name.string())));
    sync_file(folder / name);
  }
  write_new_file(folder / seal_name, to_record(head, lines));
  for (const auto& name : below.folders) sync_folder(folder / name);
  sync_folder(folder);
}

std::string why_damaged(const fs::path& folder) try {
  if (auto why = why_not_ours(folder); !why.empty()) return why;
  const auto lines = fs::is_regular_file(fs::symlink_status(folder / seal_name))
                         ? from_record(read_file(folder / seal_name), head)
                         : std::nullopt;
  if (!lines) return "the list of its files is damaged or missing";
  std::vector<fs::path> listed{seal_name};
  for (const auto& line : *lines) {
    const auto words = words_of(line);
    const auto name = words.size() == 3 ? from_word(words[2]) : std::nullopt;
    const auto bytes = words.empty() ? std::nullopt : number_of(words[0]);
    if (!name || !bytes || !is_inside(*name)) return "the list of its files is wrong";
    if (leads_through_link(folder, *name)) return fmt::format("{} is behind a link", *name);
    if (fingerprint_of_file(folder / *name) != Fingerprint{*bytes, std::string(words[1])})
      return fmt::format("{} is not as it was written", *name);
    listed.emplace_back(*name);
  }
  std::ranges::sort(listed);
  const Below below(folder);
  if (below.files != listed) return "there are files that were not written with it";
  for (const auto& all : {below.files, below.folders})
    for (const auto& name : all)
      if (auto why = why_not_ours(folder / name); !why.empty())
        return fmt::format("{}: {}", name.string(), why);
  return {};
} catch (const std::exception& e) {
  return e.what();
}

}  // namespace kumiki::backends
