// SPDX-License-Identifier: Apache-2.0
// Finds tokens. It does not check them: nlohmann's parser decides whether the text is JSON.
#pragma once
#include <cstddef>
#include <string_view>

namespace kumiki::gen::config {

struct Token {
  enum class Kind { punctuation, text, word, end };  // word: a number, true, or rubbish
  Kind kind = Kind::end;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The first token at or after `at`.
Token next_token(std::string_view text, std::size_t at);

}  // namespace kumiki::gen::config
