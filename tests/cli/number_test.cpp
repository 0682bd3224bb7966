// SPDX-License-Identifier: Apache-2.0
// Every option that takes a number states its range, and keeps to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace kumiki::test {
namespace {

using ::testing::HasSubstr;

struct Numeric {
  std::string program, command, option, low, high;
};

const std::string programs[] = {KUMIKI_PROGRAM, KUMIKI_BENCH_PROGRAM};

// As --help of every command has them.
std::vector<Numeric> all_numeric() {
  std::vector<Numeric> all;
  const std::regex line(R"(  (--[a-z][a-z0-9-]*) ([0-9.]+)\.\.([0-9.]+)[^\n]*)");
  for (const auto& program : programs)
    for (const std::string& command : commands(program)) {
      const auto help = called(program, command + " --help").out;
      for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at)
        all.push_back({program, command, at->str(1), at->str(2), at->str(3)});
    }
  return all;
}

TEST(Numbers, OfEveryOptionHaveARange) {
  std::set<std::string> options;
  for (const auto& n : all_numeric()) {
    options.insert(n.option);
    const bool whole = n.option != "--clock" && n.option != "--std" && n.option != "--mean" &&
                       n.option != "--mhz" && n.option != "--period" &&
                       n.option != "--bytes-a-clock" && n.low.find('.') == std::string::npos;
    const auto refused = [&](const std::string& value) {
      const auto r = called(n.program, n.command + " " + n.option + " " + value);
      EXPECT_EQ(r.status, 2) << n.command << " " << n.option << " " << value;
      EXPECT_EQ(r.out, "");
      EXPECT_THAT(r.err,
                  HasSubstr(n.option + ": must be a " + (whole ? "whole " : "") + "number from " +
                            n.low + " to " + n.high + "; got \"" + value + "\""));
    };
    // Below, above (another digit), and with something behind it.
    refused(n.low == "0" ? "-1" : "0");
    refused(n.high + (whole ? "0" : "9.5"));
    refused(n.low + "x");
  }
  EXPECT_THAT(
      options,
      ::testing::UnorderedElementsAre(
          "--max-cells", "--max-heap-bits", "--max-weights", "--max-layers", "--stalls", "--cycles",
          "--clocks", "--slices", "--luts", "--bram18", "--mutate", "--seed", "--jobs", "--vectors",
          "--time", "--clock", "--terms", "--effort", "--latency", "--solver-seed", "--stages",
          "--depth", "--batch", "--factor-bits", "--images", "--threads", "--std", "--grade",
          "--mhz", "--period", "--paths", "--lanes", "--memory", "--tasks", "--point", "--sums",
          "--bits", "--bytes-a-clock", "--uram", "--places", "--ring", "--weights-seed"));
}

// There is no other way to take one.
TEST(Numbers, HaveNoTypeWithoutARange) {
  for (const auto& program : programs)
    for (const std::string& command : commands(program)) {
      const auto help = called(program, command + " --help").out;
      for (const char* type : {" INT", " UINT", " FLOAT", " in ["})
        EXPECT_THAT(help, ::testing::Not(HasSubstr(type))) << command;
    }
}

}  // namespace
}  // namespace kumiki::test
