// SPDX-License-Identifier: Apache-2.0
#include "backends/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <system_error>

#include "backends/file.h"
#include "backends/lock.h"
#include "backends/sha256.h"
#include "backends/signals.h"
#include "ir/error.h"
#include "ir/interrupt.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, const fs::path& path, const std::error_code& why) {
  throw FileError(fmt::format("cannot {} {}: {}", what, path.string(), why.message()));
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("make the directory", path, error);
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail("write", to, error);
}

// Nothing of a file that is not there or that we may not read: it is nobody's then, and left alone.
std::string text_if_any(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_inside(const fs::path& name) {
  return !name.empty() && name.is_relative() &&
         std::none_of(name.begin(), name.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

// Files of the manifest in `directory` that are as that run has written them.
std::vector<fs::path> untouched_files(const fs::path& directory) {
  std::vector<fs::path> found;
  auto manifest =
      nlohmann::json::parse(text_if_any(directory / manifest_name), nullptr, /*throw*/ false);
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_array())
    return found;
  for (const auto& entry : manifest["files"]) {
    if (!entry.is_object()) continue;
    auto name = entry.value("name", nlohmann::json()),
         hash = entry.value("sha256", nlohmann::json());
    if (!name.is_string() || !is_inside(name.get<std::string>())) continue;
    fs::path path = directory / name.get<std::string>();
    std::error_code error;
    if (fs::is_regular_file(fs::symlink_status(path, error)) && hash == sha256(text_if_any(path)))
      found.push_back(name.get<std::string>());
  }
  return found;
}

constexpr std::string_view staging_prefix = ".tmp-", journal_name = "journal";

// A run that was killed while its files moved leaves its staging folder: its files go, those that
// it had put aside come back. When it had placed all of them only the folder is left to remove.
void roll_back(const fs::path& directory, const fs::path& staging) {
  std::error_code ignored;
  std::istringstream names(text_if_any(staging / journal_name));
  std::vector<fs::path> placed;
  bool all = true;
  for (std::string name; std::getline(names, name);) {
    const bool waits = fs::exists(fs::symlink_status(staging / "new" / name, ignored));
    all = all && !waits;
    if (!waits && is_inside(name)) placed.emplace_back(name);
  }
  if (!all) {
    for (const auto& name : placed) fs::remove(directory / name, ignored);
    for (const auto& entry : fs::recursive_directory_iterator(staging / "old", ignored))
      if (!entry.is_directory()) {
        const auto name = fs::relative(entry.path(), staging / "old");
        fs::rename(entry.path(), directory / name, ignored);
      }
  }
  fs::remove_all(staging, ignored);
}

void roll_back_killed_runs(const fs::path& directory) {
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.is_directory() && entry.path().filename().string().starts_with(staging_prefix))
      left.push_back(entry.path());
  for (const auto& staging : left) roll_back(directory, staging);
}

// Everything is written below a folder of its own; only then do files move to their places, and
// what stood there moves away, so that a failure in the middle can be undone.
class Commit {
 public:
  Commit(const fs::path& directory, std::span<const OutputSet::File> files)
      : directory_(directory),
        files_(files),
        staging_(directory / fmt::format("{}{}", staging_prefix, ::getpid())) {}

  void run() {
    try {
      remember_new_folders(directory_);
      make_folders(directory_);
    } catch (...) {
      undo();
      throw;
    }
    lock_.emplace(directory_);  // refused: the folder is the other run's, nothing to undo
    try {
      roll_back_killed_runs(directory_);
      made_.push_back(staging_);
      make_folders(staging_ / "new");
      std::string journal;
      for (const auto& file : files_) journal += file.name + "\n";
      for (const auto& file : files_) stage(file);
      write_file(staging_ / journal_name, journal);
      // A set without a manifest is not the whole of a run: it replaces no earlier one.
      const bool whole = std::any_of(files_.begin(), files_.end(),
                                     [](const auto& f) { return f.name == manifest_name; });
      const auto stale = whole ? untouched_files(directory_) : std::vector<fs::path>{};
      for (const auto& file : files_) place(file.name);
      for (const auto& name : stale)
        if (std::none_of(files_.begin(), files_.end(),
                         [&](const auto& file) { return file.name == name; }))
          put_aside(name);
    } catch (...) {
      undo();
      throw;
    }
    std::error_code ignored;
    fs::remove_all(staging_, ignored);
  }

 private:
  void stage(const OutputSet::File& file) {
    fs::path path = staging_ / "new" / file.name;
    make_folders(path.parent_path());
    write_file(path, file.text.view());
  }

  void place(const fs::path& name) {
    fs::path target = directory_ / name;
    remember_new_folders(target.parent_path());
    make_folders(target.parent_path());
    std::error_code error;
    auto status = fs::symlink_status(target, error);
    if (fs::is_directory(status))
      fail("write", target, std::make_error_code(std::errc::is_a_directory));
    if (fs::exists(status)) put_aside(name);
    move(staging_ / "new" / name, target);
    placed_.push_back(name);
  }

  void put_aside(const fs::path& name) {
    make_folders((staging_ / "old" / name).parent_path());
    move(directory_ / name, staging_ / "old" / name);
    aside_.push_back(name);
  }

  void remember_new_folders(const fs::path& path) {
    std::vector<fs::path> missing;
    for (fs::path p = path; !p.empty() && !fs::exists(p); p = p.parent_path()) missing.push_back(p);
    made_.insert(made_.end(), missing.rbegin(), missing.rend());
  }

  void undo() noexcept {
    std::error_code ignored;
    for (const auto& name : placed_) fs::remove(directory_ / name, ignored);
    for (const auto& name : aside_) fs::rename(staging_ / "old" / name, directory_ / name, ignored);
    fs::remove_all(staging_, ignored);
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) fs::remove(*it, ignored);
  }

  const fs::path& directory_;
  std::span<const OutputSet::File> files_;
  fs::path staging_;
  std::optional<FolderLock> lock_;
  std::vector<fs::path> placed_, aside_, made_;
};

}  // namespace

void OutputSet::add(std::string name, Text text) {
  if (!is_inside(name)) throw DesignError(fmt::format("{} is no name for an output file", name));
  if (!lower_names_.insert(ir::lower_case(name)).second)
    throw DesignError(fmt::format("two output files are called {}", name));
  files_.push_back({std::move(name), std::move(text)});
}

void OutputSet::add_manifest(std::string_view generator) {
  nlohmann::ordered_json manifest{{"format", "kumiki-manifest"},
                                  {"version", manifest_version},
                                  {"generator", generator},
                                  {"files", nlohmann::ordered_json::array()}};
  for (const File& file : files_)
    manifest["files"].push_back(
        {{"name", file.name}, {"bytes", file.text.size()}, {"sha256", sha256(file.text.view())}});
  add(std::string(manifest_name), manifest.dump(2) + "\n");
}

const OutputSet::File* OutputSet::find(std::string_view name) const {
  auto it =
      std::find_if(files_.begin(), files_.end(), [&](const File& f) { return f.name == name; });
  return it == files_.end() ? nullptr : &*it;
}

void OutputSet::commit(const std::filesystem::path& directory) const {
  // Nothing is written after somebody has said stop, and what is begun is finished.
  ir::stop_if_interrupted();
  const Uninterrupted whole;
  Commit(directory, files_).run();
}

}  // namespace kumiki::backends
