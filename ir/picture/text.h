// SPDX-License-Identifier: Apache-2.0
// Escapes and measures text for pages and pictures.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kumiki::picture {

// For text and for attributes in double quotes of XML and HTML. What XML cannot hold (control
// characters, bytes that are not UTF-8) becomes U+FFFD. '@' is escaped too, because a template's
// marks are between two of them.
std::string escaped(std::string_view text);

// 1234567 is 1,234,567.
std::string grouped(std::uint64_t number);

int letters(std::string_view text);  // of UTF-8
// At most so many letters, at least 4: both ends of a longer text, and two dots between them.
std::string both_ends(std::string_view text, int most);

}  // namespace kumiki::picture
