// SPDX-License-Identifier: Apache-2.0
// What makes a folder of the cache trustworthy: it is ours, nobody else may write it, and it holds
// what was sealed in it.
#pragma once
#include <filesystem>
#include <string>

namespace kumiki::backends {

// Why a folder or file is not to be trusted: another owner, others may write it, a link. Empty when
// it is.
std::string why_not_ours(const std::filesystem::path& path);
// Empty, or who else may exchange what is in a folder above.
std::string why_not_safe(const std::filesystem::path& folder);

// Takes the right to write from others, lists every file with its size and hash, and syncs all of
// it to the disk. FileError.
void seal_entry(const std::filesystem::path& folder);

// Why a folder that was sealed is not what it was. Empty when it is.
std::string why_damaged(const std::filesystem::path& folder);

}  // namespace kumiki::backends
