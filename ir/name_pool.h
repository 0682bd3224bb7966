// SPDX-License-Identifier: Apache-2.0
// The names taken in one name space, which differ in more than case.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kumiki::ir {

// Letters, digits and single underscores that do not lead or trail, with a letter first;
// `otherwise` when nothing is left. A name too long for tools and file systems is cut.
std::string legal_name(std::string_view wish, std::string_view otherwise);
bool is_reserved_word(const std::string& lower_case);
std::string lower_case(std::string_view text);
// Of ASCII, in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class NamePool {
 public:
  // `wish`, which is legal, or wish_2, wish_3, … when it is taken, wish_1 when it is a word of a
  // language.
  std::string take(std::string wish);
  bool contains(std::string_view name) const { return taken_.contains(lower_case(name)); }

 private:
  std::unordered_map<std::string, std::uint32_t> taken_;  // lower case -> next suffix to try
};

}  // namespace kumiki::ir
