// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/netlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/flow/reduce/reduce.h"
#include "ir/text.h"

namespace kumiki::reduction::netlist_test {
namespace {

using ::testing::HasSubstr;

const std::string text = R"(design ultrascale+ top count

module add2
  about "adds"
  input a = %3..4
  output y = %5..6
  %5 = LUT1 I0=%3 INIT=0x1
  %6 = LUT2 "fault" I0=%3 I1=%4 INIT=0x7

module count
  about "a counter of two bits"
  input clk = %3
  input spare = %12
  output q signed = %4..5
  output r = %8
  name next = %6..7
  %4..5 = FDRE*2 "state" C=%3 D=%6..7
  %6..7 = instance add2 "u0" a=%4..5
  %8..9 = MEMORY CLK=%3 RADDR=%4..5 DEPTH=4 WIDTH=2 ADDRESS_BITS=2 CONTENTS=2:1,0*2,3
)";

std::string shrunk(const Interesting& good) {
  Search search(good, {});
  const auto r = reduce("count.txt", text, form_of(text), search);
  EXPECT_TRUE(r.finished);
  EXPECT_TRUE(good(r.text)) << r.text;
  EXPECT_EQ(ir::print(*ir::parse(r.text)), r.text);
  return r.text;
}

TEST(ReduceNetlist, LayingOutChangesNothing) {
  const auto plain = laid_out("count.txt", text, form_of(text));
  EXPECT_EQ(plain, ir::print(*ir::parse(text)));
  EXPECT_THAT(plain, HasSubstr("CONTENTS=2:1,0*2,3"));
  EXPECT_EQ(count(netlist_text(text)), 5u);
}

TEST(ReduceNetlist, ThePartThatMattersStays) {
  EXPECT_EQ(shrunk([](const std::string& t) { return t.find("INIT=0x7") != std::string::npos; }),
            "design ultrascale+ top count\n\nmodule add2\n  input a = %3..4\n  output y = 0*2\n"
            "  %6 = LUT2 I0=0 I1=0 INIT=0x7\n\nmodule count\n");
}

// What was driven by a cell that is gone is constant: nothing has lost its driver.
TEST(ReduceNetlist, RegistersOfTheTop) {
  const auto left = shrunk([](const std::string& t) {
    return t.find("FDRE*2") != std::string::npos &&
           t.find("output q signed = %") != std::string::npos;
  });
  EXPECT_THAT(left, HasSubstr("D=0"));
  EXPECT_EQ(left.find("add2"), std::string::npos);
  EXPECT_EQ(left.find("MEMORY"), std::string::npos);
  EXPECT_EQ(left.find("spare"), std::string::npos);
}

}  // namespace
}  // namespace kumiki::reduction::netlist_test
