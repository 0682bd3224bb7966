// SPDX-License-Identifier: Apache-2.0
// The checks that make a folder of the cache trustworthy: this user owns it, nobody else may write
// it, and its content is as sealed.
#pragma once
#include <filesystem>
#include <string>

namespace kumiki::backends {

// The reason not to trust a folder or file: another owner, others may write it, a link. Empty if it
// is trustworthy.
std::string why_not_ours(const std::filesystem::path& path);
// Who else may replace the contents of a parent folder. Empty: nobody.
std::string why_not_safe(const std::filesystem::path& folder);

// Removes others' write permission, lists every file with its size and hash, and syncs everything
// to the disk. FileError.
void seal_entry(const std::filesystem::path& folder);

// How a sealed folder differs from its seal. Empty if it does not.
std::string why_damaged(const std::filesystem::path& folder);

}  // namespace kumiki::backends
