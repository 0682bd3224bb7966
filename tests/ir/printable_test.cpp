// SPDX-License-Identifier: Apache-2.0
#include "ir/printable.h"

#include <gtest/gtest.h>

namespace kumiki::printable_test {

TEST(Printable, EscapesControlCharactersAndNothingElse) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    const bool is_control = byte < 0x20 || byte == 0x7F;
    EXPECT_EQ(printable(one) != one, is_control) << byte;
  }
  EXPECT_EQ(printable("a\x1b[31mb\tc"), "a\\x1B[31mb\\x09c");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9B31m");  // CSI in one character
  EXPECT_EQ(printable("größe/層"), "größe/層");
  EXPECT_EQ(printable("\xC2"), "\xC2");
  // What turns the direction of a line, or ends it.
  EXPECT_EQ(printable("a\u202Etxt.exe"), "a\\u202Etxt.exe");
  EXPECT_EQ(printable("a\u2028b\u2066\u2069"), "a\\u2028b\\u2066\\u2069");
  EXPECT_EQ(printable("\u2027\u202F\u2065\u206A"), "\u2027\u202F\u2065\u206A");
  EXPECT_EQ(printable("\xE2\x80"), "\xE2\x80");
  EXPECT_EQ(printable_lines("a\n\x1B\n"), "a\n\\x1B\n");
  EXPECT_EQ(printable_lines(""), "");
}

}  // namespace kumiki::printable_test
