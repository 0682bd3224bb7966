// SPDX-License-Identifier: Apache-2.0
// The folder in which a run stages its files, and how its changes are undone.
#pragma once
#include <filesystem>

#include "backends/support/journal.h"

namespace kumiki::backends::staging {

// Its contents. A journal means that moves may have begun; `done` means that all have been made.
// They are the same file under different names.
inline constexpr const char* unfinished_journal = "journal.part";
inline constexpr const char* journal_name = "journal";
inline constexpr const char* done = "done";
inline constexpr const char* left = "left";  // the journal of changes that could not be undone
inline constexpr const char* fresh = "new";
inline constexpr const char* old = "old";

enum class Undone { all, all_but_changed_files, failed };

// Undoes what a run with this journal has done to `directory`, however far it got, and restores the
// files that it put aside. A file changed since then stays; its old text stays in `root`, with a
// notice. May be stopped and repeated.
Undone roll_back(const std::filesystem::path& directory, const std::filesystem::path& root,
                 const Journal& journal) noexcept;

// Removes the folder and everything of ours in it.
void discard(const std::filesystem::path& root) noexcept;

// Rolls back and discards, if the folder is certainly ours. FileError if that fails.
void recover(const std::filesystem::path& directory, const std::filesystem::path& root);

}  // namespace kumiki::backends::staging
