// SPDX-License-Identifier: Apache-2.0
// The folder in which a run stages its files, and how what it did is undone.
#pragma once
#include <filesystem>

#include "backends/support/journal.h"

namespace kumiki::backends::staging {

// What is in it. A journal says that moves may have begun, `done` that all have been made: it is
// the same file under another name.
inline constexpr const char* unfinished_journal = "journal.part";
inline constexpr const char* journal_name = "journal";
inline constexpr const char* done = "done";
inline constexpr const char* left = "left";  // the journal of what could not be undone
inline constexpr const char* fresh = "new";
inline constexpr const char* old = "old";

enum class Undone { all, all_but_changed_files, failed };

// Undoes what a run with this journal has done to `directory`, however far it came; what the run
// has put aside comes back. A file that was changed since stays; its old text stays in `root`, with
// a notice. May be stopped and repeated.
Undone roll_back(const std::filesystem::path& directory, const std::filesystem::path& root,
                 const Journal& journal) noexcept;

// Removes the folder and everything of ours in it.
void discard(const std::filesystem::path& root) noexcept;

// Rolls back and discards, when the folder is ours beyond doubt. FileError when that fails.
void recover(const std::filesystem::path& directory, const std::filesystem::path& root);

}  // namespace kumiki::backends::staging
