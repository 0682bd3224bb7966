// SPDX-License-Identifier: Apache-2.0
// Records: lines between a head, which gives their kind and number, and an end with their hash. A
// text that is torn, cut short or written by somebody else is not a record.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiki::backends {

std::string to_record(std::string_view head, const std::vector<std::string>& lines);

// The lines of a record with this head; empty if `text` is not one.
std::optional<std::vector<std::string>> from_record(std::string_view text, std::string_view head);

// A file name as one printable word, and back.
std::string to_word(std::string_view name);
std::optional<std::string> from_word(std::string_view word);

// The words of a line, separated by single spaces.
std::vector<std::string_view> words_of(std::string_view line);

// A whole word, decimal.
std::optional<std::uint64_t> number_of(std::string_view word);

}  // namespace kumiki::backends
