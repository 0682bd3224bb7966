// SPDX-License-Identifier: Apache-2.0
// The used names of one name space; they differ in more than case.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kumiki::ir {

// Only letters, digits and single inner underscores, with a letter first; `otherwise` if nothing is
// left. Names too long for tools and file systems are cut.
std::string legal_name(std::string_view wish, std::string_view otherwise);
bool is_reserved_word(const std::string& lower_case);
std::string lower_case(std::string_view text);
// Case of ASCII letters, in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class NamePool {
 public:
  // `wish`, which is a valid name, or wish_2, wish_3, … if it is taken, wish_1 if it is a word of a
  // language.
  std::string take(std::string wish);
  bool contains(std::string_view name) const { return taken_.contains(lower_case(name)); }

 private:
  std::unordered_map<std::string, std::uint32_t> taken_;  // lower case -> next suffix to try
};

}  // namespace kumiki::ir
