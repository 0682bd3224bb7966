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
}

}  // namespace kumiki::printable_test
