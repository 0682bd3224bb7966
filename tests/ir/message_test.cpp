// SPDX-License-Identifier: Apache-2.0
#include "ir/message.h"

#include <string>

#include <gtest/gtest.h>

namespace kumiki::message_test {
namespace {

TEST(Message, ACodeIsSaidOnce) {
  EXPECT_EQ(with_code("a loop", code::loop), "a loop [loop]");
  EXPECT_EQ(said(DesignError(code::loop, "net [loop] is there twice")),
            "net [loop] is there twice [loop]");
  const Diagnostic lines{
      .code = code::loop, .wrong = "one [loop]\ntwo [undriven]", .has_codes = true};
  EXPECT_EQ(said(DesignError(lines)), "one [loop]\ntwo [undriven]");
  EXPECT_EQ(within("a", DesignError(code::loop, "b")),
            (Diagnostic{.code = code::loop, .wrong = "a: b"}));
}

}  // namespace
}  // namespace kumiki::message_test
