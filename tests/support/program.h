// SPDX-License-Identifier: Apache-2.0
// The program as a user calls it.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cache.h"
#include "tests/support/golden.h"

namespace kumiki::test {

struct Called {
  // Of a call that must succeed.
  nlohmann::json json() const {
    EXPECT_EQ(status, 0) << err;
    return nlohmann::json::parse(out);
  }
  int status;
  std::string out, err;
};

// A name of this test's own, because tests run side by side.
inline std::string name_of_test() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "_" + info->name();
  std::replace(name.begin(), name.end(), '/', '_');  // of parameters
  return name;
}

// A folder of this test's own, made anew.
inline std::filesystem::path empty_folder() {
  const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / name_of_test();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

// Every test has such a folder.
class InFolder : public ::testing::Test {
 protected:
  // Quoted, as an argument.
  std::string path(const std::string& name = {}) const {
    return "'" + (name.empty() ? folder_ : folder_ / name).string() + "'";
  }
  std::string text(const std::string& name) const { return read_bytes(folder_ / name); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // A configuration of this text: its quoted name.
  std::string config(const std::string& bytes) const {
    write("cfg.json", bytes);
    return path("cfg.json");
  }
  const std::filesystem::path folder_ = empty_folder();
};

// Arguments are quoted by the caller where they need it; runs in the folder of the examples.
inline Called called(const std::string& program, const std::string& arguments) {
  std::filesystem::create_directories(KUMIKI_TEST_TMP);
  const std::string err = std::string(KUMIKI_TEST_TMP) + "/" + name_of_test() + ".err";
  const std::string command = std::string("export KUMIKI_CACHE='") + shared_cache + "' && cd '" +
                              KUMIKI_TEST_DIR + "/../examples' && '" + program + "' " + arguments +
                              " 2>'" + err + "'";
  std::FILE* pipe = popen(command.c_str(), "r");
  Called r{-1, {}, {}};
  char buffer[4096];
  while (auto n = std::fread(buffer, 1, sizeof buffer, pipe)) r.out.append(buffer, n);
  const int ended = pclose(pipe);
  r.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  r.err = read_bytes(err);
  return r;
}

inline Called kumiki(const std::string& arguments) { return called(KUMIKI_PROGRAM, arguments); }

// As --help names them: "check", or "packing" of kumiki-bench.
inline std::vector<std::string> commands(const std::string& program = KUMIKI_PROGRAM) {
  std::vector<std::string> all;
  std::istringstream help(called(program, "--help").out);
  bool listed = false;
  for (std::string line; std::getline(help, line); listed |= line == "Subcommands:") {
    if (!listed || !line.starts_with("  ") || line[2] == ' ') continue;
    all.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return all;
}

}  // namespace kumiki::test
