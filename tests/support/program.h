// SPDX-License-Identifier: Apache-2.0
// The program as a user calls it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/support/golden.h"

namespace kumiki::test {

struct Called {
  int status;
  std::string out, err;
};

// Arguments are quoted by the caller where they need it; runs in the folder of the examples.
inline Called kumiki(const std::string& arguments) {
  std::filesystem::create_directories(KUMIKI_TEST_TMP);
  // Tests run side by side: the file is this test's own.
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = info->name();
  std::replace(name.begin(), name.end(), '/', '_');  // of parameters
  const std::string err = std::string(KUMIKI_TEST_TMP) + "/cli_" + name + ".err";
  const std::string command = std::string("cd '") + KUMIKI_TEST_DIR + "/../examples' && '" +
                              KUMIKI_PROGRAM + "' " + arguments + " 2>'" + err + "'";
  std::FILE* pipe = popen(command.c_str(), "r");
  Called r{-1, {}, {}};
  char buffer[4096];
  while (auto n = std::fread(buffer, 1, sizeof buffer, pipe)) r.out.append(buffer, n);
  r.status = WEXITSTATUS(pclose(pipe));
  r.err = read_bytes(err);
  return r;
}

}  // namespace kumiki::test
