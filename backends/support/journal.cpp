// SPDX-License-Identifier: Apache-2.0
#include "backends/support/journal.h"

#include <fmt/format.h>

#include "backends/support/durable.h"
#include "backends/support/record.h"

namespace kumiki::backends {

std::string head_of_journal(std::uint64_t inode) {
  return fmt::format("kumiki-journal 1 {}", inode);
}

std::string to_text(const Journal& journal, std::uint64_t inode) {
  std::vector<std::string> lines;
  for (const auto& name : journal.folders) lines.push_back("folder " + to_word(name));
  for (const auto& p : journal.placed)
    lines.push_back(fmt::format("place {} {} {} {}", to_word(p.name), p.file.bytes, p.file.sha256,
                                p.has_old ? "old" : "new"));
  for (const auto& name : journal.removed) lines.push_back("remove " + to_word(name));
  return to_record(head_of_journal(inode), lines);
}

std::optional<Journal> parse_journal(std::string_view text, std::uint64_t inode) {
  const auto lines = from_record(text, head_of_journal(inode));
  if (!lines) return std::nullopt;
  Journal journal;
  for (const auto& line : *lines) {
    const auto words = words_of(line);
    const auto name = words.size() > 1 ? from_word(words[1]) : std::nullopt;
    if (!name || !is_inside(*name)) return std::nullopt;
    const auto bytes = words.size() == 5 ? number_of(words[2]) : std::nullopt;
    if (words[0] == "folder" && words.size() == 2)
      journal.folders.push_back(*name);
    else if (words[0] == "remove" && words.size() == 2)
      journal.removed.push_back(*name);
    else if (words[0] == "place" && bytes && (words[4] == "old" || words[4] == "new"))
      journal.placed.push_back({*name, {*bytes, std::string(words[3])}, words[4] == "old"});
    else
      return std::nullopt;
  }
  return journal;
}

}  // namespace kumiki::backends
