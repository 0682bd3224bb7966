// SPDX-License-Identifier: Apache-2.0
#include "backends/support/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "backends/support/sha256.h"

namespace kumiki::backends {
namespace {

// Removes the part before the separator from `text` and returns it.
std::string_view take(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

}  // namespace

std::string to_record(std::string_view head, const std::vector<std::string>& lines) {
  std::string text = fmt::format("{} {}\n", head, lines.size());
  for (const auto& line : lines) text += line + "\n";
  return text + fmt::format("end {}\n", sha256(text));
}

std::optional<std::vector<std::string>> from_record(std::string_view text, std::string_view head) {
  const auto at = text.rfind("\nend ");
  if (at == text.npos) return std::nullopt;
  auto body = text.substr(0, at + 1);
  if (text.substr(at + 1) != fmt::format("end {}\n", sha256(body))) return std::nullopt;
  const auto first = take(body, '\n');
  std::vector<std::string> lines;
  while (!body.empty()) lines.emplace_back(take(body, '\n'));
  if (first != fmt::format("{} {}", head, lines.size())) return std::nullopt;
  return lines;
}

std::string to_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '%')
      word += c;
    else
      word += fmt::format("%{:02x}", byte);
  }
  return word;
}

std::optional<std::string> from_word(std::string_view word) {
  std::string name;
  while (!word.empty()) {
    if (word[0] != '%') {
      name += word[0];
      word.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    if (word.size() < 3) return std::nullopt;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + 3, byte, 16);
    if (error != std::errc() || end != word.data() + 3) return std::nullopt;
    name += static_cast<char>(byte);
    word.remove_prefix(3);
  }
  return name;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) words.push_back(take(line, ' '));
  return words;
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return n;
}

}  // namespace kumiki::backends
