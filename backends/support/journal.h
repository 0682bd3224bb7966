// SPDX-License-Identifier: Apache-2.0
// A record of what a run is about to do to a folder, written beforehand. If the run is killed, the
// next run can undo it.
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
    Fingerprint file;      // only a file still equal to this is taken back
    bool has_old = false;  // an earlier file was there and is put aside
    // The file found when replacing it was permitted; not written down.
    std::optional<Seen> seen = {};
  };
  std::vector<Placed> placed;
  std::vector<std::string> removed;                    // files of an earlier run
  std::vector<std::optional<Seen>> seen_removed = {};  // not written down
  std::vector<std::string> folders;                    // made for it, outer ones first
};

// `inode` is that of the staging folder, so a journal from a copy or an archive is invalid.
std::string to_text(const Journal& journal, std::uint64_t inode);
std::optional<Journal> parse_journal(std::string_view text, std::uint64_t inode);
// The beginning of the text of such a journal.
std::string head_of_journal(std::uint64_t inode);

}  // namespace kumiki::backends
