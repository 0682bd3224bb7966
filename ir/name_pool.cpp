// SPDX-License-Identifier: Apache-2.0
#include "ir/name_pool.h"

namespace kumiki::ir {
namespace {

constexpr std::size_t longest_name = 120;

bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string legal_name(std::string_view wish, std::string_view otherwise) {
  std::string name;
  for (char c : wish) {
    if (name.size() >= longest_name) break;
    if (is_word_character(c))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) return std::string(otherwise);
  if (is_digit(name.front())) name = 'x' + name;
  return name;
}

std::string lower_case(std::string_view text) {
  std::string s(text);
  for (char& c : s)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return s;
}

std::string NamePool::take(std::string wish) {
  auto key = lower_case(wish);
  bool word = is_reserved_word(key);
  auto [entry, is_new] = taken_.try_emplace(key, word ? 1 : 2);
  if (is_new && !word) return wish;
  for (auto& next = entry->second;;) {
    auto tail = '_' + std::to_string(next++);
    if (taken_.try_emplace(key + tail, 2).second) return wish + tail;
  }
}

}  // namespace kumiki::ir
