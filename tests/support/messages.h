// SPDX-License-Identifier: Apache-2.0
// Messages of the library, provoked one by one: a golden file holds them as the program would print
// them. Every code of ir/message.h stands in some golden file (tests/ir/message_test.cpp).
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/config/finding.h"
#include "ir/error.h"
#include "tests/support/golden.h"

namespace kumiki::test {

struct Provoked {
  Code code;
  std::function<void()> run;
};

// `golden`: "messages/language.txt".
inline void expect_messages(std::string_view golden, const std::vector<Provoked>& all) {
  std::string text;
  for (const Provoked& p : all) {
    SCOPED_TRACE(p.code.word());
    try {
      p.run();
      ADD_FAILURE() << "nothing is refused";
    } catch (const gen::config::ConfigError& e) {
      EXPECT_EQ(e.findings().front().code, p.code) << e.what();
      text += std::string(e.what()) + "\n";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), p.code) << e.what();
      text += said(e) + "\n";
    }
  }
  expect_golden(golden, text);
}

}  // namespace kumiki::test
