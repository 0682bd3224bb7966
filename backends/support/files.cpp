// SPDX-License-Identifier: Apache-2.0
#include "backends/support/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <system_error>

#include "backends/support/durable.h"
#include "backends/support/lock.h"
#include "backends/support/messages.h"
#include "backends/support/new_folders.h"
#include "backends/support/notice.h"
#include "backends/support/signals.h"
#include "backends/support/staging.h"
#include "ir/error.h"
#include "ir/interrupt.h"
#include "ir/name_pool.h"

namespace kumiki::backends {
namespace {

namespace fs = std::filesystem;

// What the commit of a set does to a folder whose lock it holds.
class Commit {
 public:
  Commit(const fs::path& directory, std::span<const OutputSet::File> files,
         const OutputSet::Run* run, const Cache& cache, FilesOfUser theirs)
      : directory_(directory), files_(files), run_(run), cache_(cache), theirs_(theirs) {
    const auto text = text_of_manifest(directory);
    before_ = parse_manifest(text);
    if (before_) key_before_ = key_of(text);
  }

  void run() {
    speak_of_other_project();
    std::vector<std::string_view> texts;
    for (const auto& file : files_) texts.push_back(file.text.view());
    const auto own = std::ranges::find(files_, manifest_name, &OutputSet::File::name);
    if (run_ && before_) {
      decide_what_stays(*parse_manifest(own->text.view()));
      texts[static_cast<std::size_t>(own - files_.begin())] = manifest_;
    }
    Journal journal{.removed = stale_, .seen_removed = seen_stale_};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto& name = files_[i].name;
      const auto content = fingerprint(texts[i]);
      // Look before reading the text: a file saved later then counts as another one.
      const auto there = seen(directory_ / name);
      journal.placed.push_back({name, content, has_replaceable(name, content), there});
      add_missing_folders(name, journal.folders);
    }
    refuse_strangers();
    Staging staging(directory_, std::move(journal));
    for (std::size_t i = 0; i < files_.size(); ++i) staging.stage(files_[i].name, texts[i]);
    staging.commit();
    if (run_ && !has_foreign_) record(texts[static_cast<std::size_t>(own - files_.begin())]);
  }

  void require_replaceable() {
    for (const auto& file : files_) has_replaceable(file.name, {});
    refuse_strangers();
  }

 private:
  void speak_of_other_project() const {
    if (run_ && !run_->is_part && before_ && !before_->project.empty() &&
        before_->project != run_->project)
      notice(fmt::format("{}: the files of \"{}\" are replaced by those of \"{}\"",
                         directory_.string(), before_->project, run_->project));
  }

  // Whether the file is still as one of our runs wrote it.
  bool is_untouched(const Manifest::File& f) const {
    return !leads_through_link(directory_, f.name) &&
           fingerprint_of_file(directory_ / f.name) == f.content;
  }

  bool is_written_now(std::string_view name) const {
    return std::ranges::find(files_, name, &OutputSet::File::name) != files_.end();
  }

  // Decides about the files of the old manifest that this run does not write: they are removed or
  // listed again.
  void decide_what_stays(Manifest manifest) {
    if (run_->is_part) {
      manifest.project = before_->project;
      manifest.design = before_->design;
    }
    const bool is_same = run_->is_part || before_->design == run_->design;
    bool keeps = false;
    for (const auto& f : before_->files) {
      if (is_written_now(f.name)) continue;
      if (run_->is_part || (is_same && f.by != run_->command)) {
        manifest.files.push_back(f);
        keeps = true;
      } else if (const auto there = seen(directory_ / f.name); is_untouched(f)) {
        stale_.push_back(f.name);
        seen_stale_.push_back(there);
      }
    }
    manifest_ = to_text(manifest);
    if ((!keeps && stale_.empty()) || has_record(key_before_)) return;
    has_foreign_ = keeps;
    if (!stale_.empty()) {
      notice(
          fmt::format("{}: manifest.json names files that this run does not write. They stay, "
                      "because the cache has no record that kumiki wrote them; remove what "
                      "nobody needs:\n{}",
                      directory_.string(), first_of(stale_)));
      stale_.clear();
      seen_stale_.clear();
    }
  }

  // Anybody may write a manifest, so files are removed only if the cache shows that a run of this
  // user wrote the manifest that names them.
  static std::string key_of(std::string_view manifest) {
    return fingerprint(manifest).sha256.substr(0, Cache::key_digits);
  }

  bool has_record(std::string_view key) const {
    try {
      return cache_.find("written", key).has_value();
    } catch (const FileError&) {
      return false;
    }
  }

  void record(std::string_view text) const {
    constexpr std::size_t keep = 256;
    try {
      cache_.get("written", key_of(text), keep, [&](const fs::path& folder) {
        write_new_file(folder / Cache::about_file,
                       fmt::format("manifest of {} files\n", parse_manifest(text)->files.size()));
      });
    } catch (const FileError&) {
      // The files are written. Without a record they stay when a later run does not need them.
    }
  }

  // Whether something at this place may be replaced. Remembers it if nobody has permitted that.
  bool has_replaceable(const std::string& name, const Fingerprint& content) {
    const auto path = directory_ / name;
    if (leads_through_link(directory_, name))
      throw FileError(code::symbolic_link,
                      fmt::format("cannot write {}: a folder on the way is a symbolic link, and "
                                  "kumiki does not write through links",
                                  path.string()));
    std::error_code error;
    const auto status = fs::symlink_status(path, error);
    if (!fs::exists(status)) {
      if (status.type() == fs::file_type::not_found) return false;
      throw FileError(code::file_not_written,
                      fmt::format("cannot write {}: {}", path.string(), error.message()));
    }
    if (!fs::is_regular_file(status) && !fs::is_symlink(status))
      throw FileError(code::no_regular_file,
                      fmt::format("cannot write {}: it is {}", path.string(),
                                  fs::is_directory(status) ? "a directory" : "no regular file"));
    if (theirs_ == FilesOfUser::replace) return true;
    if (name == manifest_name && run_ && before_) return true;
    const auto there = fingerprint_of_file(path);
    const auto* listed = before_ ? before_->find(name) : nullptr;
    if (there && (there == content || (listed && there == listed->content))) return true;
    strangers_.push_back(listed ? name + ", which has been changed since it was written" : name);
    return true;
  }

  void refuse_strangers() const {
    if (strangers_.empty()) return;
    throw FileError(
        code::files_of_user,
        fmt::format("{} has files that no run of kumiki wrote and that this one would "
                    "replace:\n{}\nname another folder with -o, or replace them with --force",
                    directory_.string(), first_of(strangers_)));
  }

  // A line each.
  static std::string first_of(const std::vector<std::string>& names) {
    constexpr std::size_t most = 4;
    std::string lines;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
      lines += (i ? "\n  " : "  ") + names[i];
    if (names.size() > most) lines += fmt::format("\n  and {} more", names.size() - most);
    return lines;
  }

  void add_missing_folders(const std::string& name, std::vector<std::string>& folders) const {
    fs::path at;
    for (const auto& part : fs::path(name).parent_path()) {
      at /= part;
      if (!is_there(directory_ / at) && std::ranges::find(folders, at.string()) == folders.end())
        folders.push_back(at.string());
    }
  }

  const fs::path& directory_;
  std::span<const OutputSet::File> files_;
  const OutputSet::Run* run_;
  const Cache& cache_;
  FilesOfUser theirs_;
  std::optional<Manifest> before_;
  std::string key_before_;
  bool has_foreign_ = false;  // the new manifest names files of one without a record
  std::string manifest_;
  std::vector<std::string> stale_, strangers_;
  std::vector<std::optional<Seen>> seen_stale_;
};

}  // namespace

void OutputSet::add(std::string name, Text text) {
  if (!is_inside(name))
    throw DesignError(code::output_file_name,
                      fmt::format("{} is not a name for an output file", name));
  if (!lower_names_.insert(ir::lower_case(name)).second)
    throw DesignError(code::output_file_twice, fmt::format("two output files are called {}", name));
  files_.push_back({std::move(name), std::move(text)});
}

void OutputSet::add_manifest(const Run& run) {
  Manifest manifest{.generator = run.generator, .project = run.project, .design = run.design};
  for (const File& file : files_)
    manifest.files.push_back({file.name, fingerprint(file.text.view()), run.command});
  add(std::string(manifest_name), to_text(manifest));
  run_ = run;
}

const OutputSet::File* OutputSet::find(std::string_view name) const {
  auto it =
      std::find_if(files_.begin(), files_.end(), [&](const File& f) { return f.name == name; });
  return it == files_.end() ? nullptr : &*it;
}

void OutputSet::commit(const fs::path& directory, FilesOfUser theirs) const {
  // Nothing is written after a request to stop; a commit already begun is finished.
  ir::stop_if_interrupted();
  const Uninterrupted whole;
  NewFolders made(directory);
  {
    // If another process holds the lock, it works in the folder. Then the folder stays, even if we
    // have just made it.
    std::optional<FolderLock> lock;
    try {
      lock.emplace(directory);
    } catch (...) {
      made.keep();
      throw;
    }
    Staging::recover(directory);
    Commit(directory, files_, run_ ? &*run_ : nullptr, cache_, theirs).run();
  }
  made.keep();
}

void OutputSet::require_replaceable(const fs::path& directory, FilesOfUser theirs) const {
  Commit(directory, files_, nullptr, cache_, theirs).require_replaceable();
}

void write_named_file(const fs::path& path, std::string_view text, FilesOfUser theirs) {
  std::error_code error;
  fs::path target = path;
  if (theirs == FilesOfUser::keep && is_there(path)) throw FileError(is_there_already(path));
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    target = fs::canonical(path, error);
    if (error)
      throw FileError(code::symbolic_link,
                      fmt::format("cannot write {}: it is a symbolic link to {}: {}", path.string(),
                                  fs::read_symlink(path, error).string(), std::strerror(ENOENT)));
  }
  OutputSet files;
  files.add(target.filename().string(), text);
  files.commit(target.has_parent_path() ? target.parent_path() : ".", theirs);
}

Diagnostic is_there_already(const fs::path& path) {
  return {.code = code::file_is_there,
          .wrong = path.string() + " is there already",
          .required = "name another file, or give --force"};
}

}  // namespace kumiki::backends
