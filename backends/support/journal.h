// SPDX-License-Identifier: Apache-2.0
// What a run is about to do to a folder, written down before it does it, so that the next run can
// undo it when it was killed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/support/durable.h"
#include "backends/support/sha256.h"

namespace kumiki::backends {

struct Journal {
  struct Placed {
    std::string name;
    Fingerprint file;      // only a file that is still this one is taken back
    bool has_old = false;  // something was there and is put aside
    // What stood there when it was decided that it may be replaced; not written down.
    std::optional<Seen> seen = {};
  };
  std::vector<Placed> placed;
  std::vector<std::string> removed;                    // of an earlier run
  std::vector<std::optional<Seen>> seen_removed = {};  // not written down
  std::vector<std::string> folders;                    // made for it, outer ones first
};

// `inode` is that of the staging folder: a journal that came with a copy or an archive does not
// count.
std::string to_text(const Journal& journal, std::uint64_t inode);
std::optional<Journal> parse_journal(std::string_view text, std::uint64_t inode);
// What the text of such a journal begins with.
std::string head_of_journal(std::uint64_t inode);

}  // namespace kumiki::backends
