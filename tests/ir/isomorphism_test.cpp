// SPDX-License-Identifier: Apache-2.0
#include "ir/isomorphism.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ir/primitives/memory.h"
#include "tests/support/design_matchers.h"
#include "tests/support/random.h"
#include "tests/support/random_design.h"

namespace kumiki::ir {
namespace isomorphism_test {

using testing::Not;
using tests::is_isomorphic_to;

std::string difference(std::string_view a, std::string_view b) {
  return first_difference(*parse(a, "a"), *parse(b, "b")).value_or("none");
}

// Lines 5 and on of a module with a clock and six inputs.
std::string top(std::string_view lines, std::string_view family = "ultrascale+") {
  return "design " + std::string(family) + " top m\nmodule m\ninput clk = %3\ninput a = %4..9\n" +
         std::string(lines) + "\n";
}

TEST(Isomorphism, IgnoresNumbersOrderAndNames) {
  auto a = parse(R"(design ultrascale+ top m
module m
  about "one"
  input clk = %3
  input a = %4..5
  output y = %7
  name sum = %6
  %6 = LUT2 "u_sum" I0=%4 I1=%5 INIT=6
  %7 = FDRE C=%3 D=%6
)");
  EXPECT_THAT(*a, is_isomorphic_to(R"(design ultrascale+ top n
module n
  input clk = %9
  input a = %11..10
  output y = %4
  %4 = FDRE "q" C=%9 D=%20
  %20 = LUT2 I0=%11 I1=%10 INIT=6
)"));
  EXPECT_THAT(*a, Not(is_isomorphic_to(R"(design ultrascale+ top n
module n
  input clk = %9
  input a = %11..10
  output y = %4
  %4 = FDRE "q" C=%9 D=%20
  %20 = LUT2 I0=%10 I1=%11 INIT=6
)")));
}

TEST(Isomorphism, NamesTheWayToTheDifference) {
  auto text = [](const char* lut) {
    return top(
        "output y = 0*3,%10\n%10 = FDRE C=%3 D=%11\n"
        "%11 = LUT6 I0=0 I1=0 I2=%12 I3=0 I4=0 I5=0\n%12 = " +
        std::string(lut));
  };
  EXPECT_EQ(difference(text("LUT6 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8 I5=%9"),
                       text("LUT5 I0=%4 I1=%5 I2=%6 I3=%7 I4=%8")),
            "output y[3] <- FDRE.D <- LUT6.I2: LUT6 at a:8 against LUT5 at b:8");
  EXPECT_EQ(difference(text("LUT1 I0=%4"), text("LUT1 I0=%5")),
            "output y[3] <- FDRE.D <- LUT6.I2 <- LUT1.I0: input a[0] against input a[1]");
  EXPECT_EQ(difference(text("LUT1 I0=%4"), text("LUT1 I0=0")),
            "output y[3] <- FDRE.D <- LUT6.I2 <- LUT1.I0: input a[0] against 0");
  EXPECT_EQ(difference(text("LUT1 I0=open"), text("LUT1 I0=1")),
            "output y[3] <- FDRE.D <- LUT6.I2 <- LUT1.I0: open against 1");
  EXPECT_EQ(difference(text("LUT1 I0=%99"), text("LUT1 I0=%98")), "none");
  EXPECT_EQ(difference(text("LUT1 I0=%99"), text("LUT1 I0=%4")),
            "output y[3] <- FDRE.D <- LUT6.I2 <- LUT1.I0: a net without a driver against input "
            "a[0]");
}

TEST(Isomorphism, ComparesParameters) {
  auto lut = [](const char* init) {
    return top("output y = %10\n%10 = LUT1 I0=%4 INIT=" + std::string(init));
  };
  EXPECT_EQ(difference(lut("1"), lut("2")),
            "output y: LUT1 with INIT=0x1 against 0x2 (a:6 against b:6)");
  auto memory = [](const char* rest) {
    return top("output y = %10\n%10 = MEMORY CLK=%3 RADDR=%4 " + std::string(rest));
  };
  EXPECT_EQ(difference(memory("READ=ASYNC"), memory("READ=REGISTERED")),
            "output y: MEMORY with READ=ASYNC against REGISTERED (a:6 against b:6)");
  EXPECT_EQ(difference(memory("CONTENTS=1:1,0"), memory("CONTENTS=1:0,1")),
            "output y: MEMORY with different contents (a:6 against b:6)");
  EXPECT_EQ(difference(memory("CONTENTS=1:1,0"), memory("")),
            "output y: MEMORY with different contents (a:6 against b:6)");
  // Numbers of contents in their design mean nothing.
  EXPECT_EQ(difference(memory("CONTENTS=1:1,0\n%11 = MEMORY CLK=%3 RADDR=%4 CONTENTS=1:1"),
                       memory("CONTENTS=1:1,0\n%11 = MEMORY CLK=%3 RADDR=%4 CONTENTS=1:1")),
            "none");
  EXPECT_EQ(difference(top("output y = %10\n%11 = MEMORY CLK=%3 RADDR=%4 CONTENTS=1:1\n"
                           "%10 = MEMORY CLK=%3 RADDR=%4 CONTENTS=1:0,1"),
                       top("output y = %10\n%10 = MEMORY CLK=%3 RADDR=%4 CONTENTS=1:0,1\n"
                           "%11 = MEMORY CLK=%3 RADDR=%4 CONTENTS=1:1")),
            "none");
}

TEST(Isomorphism, ComparesWidthsAndPins) {
  EXPECT_EQ(difference(top("output y = %10..11\n%10..11 = FDRE*2 C=%3 D=%4..5"),
                       top("output y = %10..11\n%10 = FDRE C=%3 D=%4\n%11 = FDRE C=%3 D=%5")),
            "output y[0]: FDRE*2 at a:6 against FDRE at b:6");
  EXPECT_EQ(difference(top("output y = %10..11\n%10..11 = FDRE*2 C=%3 D=%4..5"),
                       top("output y = %11..10\n%10..11 = FDRE*2 C=%3 D=%4..5")),
            "output y[0]: FDRE*2.Q[0] at a:6 against FDRE*2.Q[1] at b:6");
  EXPECT_EQ(difference(top("output y = %10\n%10..11 = LUT6_2 I0=0 I1=0 I2=0 I3=0 I4=0 I5=0"),
                       top("output y = %11\n%10..11 = LUT6_2 I0=0 I1=0 I2=0 I3=0 I4=0 I5=0")),
            "output y: LUT6_2.O6 at a:6 against LUT6_2.O5 at b:6");
}

TEST(Isomorphism, OneCellIsNotTwoAlike) {
  auto shared = top("output y = %10,%10\n%10 = LUT1 I0=%4\n%11 = LUT1 I0=%4");
  auto apart = top("output y = %10..11\n%10 = LUT1 I0=%4\n%11 = LUT1 I0=%4");
  EXPECT_EQ(difference(shared, apart),
            "output y[1]: LUT1 at a:6 was met before, LUT1 at b:7 is new");
  EXPECT_EQ(difference(apart, shared),
            "output y[1]: LUT1 at b:6 was met before, LUT1 at a:7 is new");
  // A vector: the bits belong to one cell here and to two there.
  auto one = top("output y = %10..11\n%10..11 = LUT1*2 I0=%4*2\n%12..13 = LUT1*2 I0=%4*2");
  auto two = top("output y = %10,%13\n%10..11 = LUT1*2 I0=%4*2\n%12..13 = LUT1*2 I0=%4*2");
  EXPECT_EQ(difference(one, two),
            "output y[1]: LUT1*2 at a:6 against LUT1*2 at b:7 was met before, but not as the same "
            "cell");
}

TEST(Isomorphism, FollowsFeedback) {
  auto counter = [](const char* init) {
    return top(
        "output y = %10..11\n%10..11 = FDRE*2 C=%3 D=%12..13\n%12 = LUT1 I0=%10 INIT=1\n"
        "%13 = LUT2 I0=%10 I1=%11 INIT=" +
        std::string(init));
  };
  EXPECT_EQ(difference(counter("6"), counter("6")), "none");
  EXPECT_EQ(difference(counter("6"), counter("9")),
            "output y[0] <- FDRE*2.D[1]: LUT2 with INIT=0x6 against 0x9 (a:8 against b:8)");
}

TEST(Isomorphism, ComparesTheInterface) {
  auto with = [](const char* line) {
    return "design ultrascale+ top m\nmodule m\n" + std::string(line) + "\n";
  };
  EXPECT_EQ(difference(with("input a = %3"), with("input b = %3")),
            "port 1 of module m: input a of 1 bits against input b of 1 bits");
  EXPECT_EQ(difference(with("input a = %3"), with("input a signed = %3")),
            "port 1 of module m: input a of 1 bits against signed input a of 1 bits");
  EXPECT_EQ(difference(with("input a = %3"), with("")),
            "port 1 of module m: input a of 1 bits against no port");
  EXPECT_EQ(difference(with("output a = 0"), with("input a = %3")),
            "port 1 of module m: output a of 1 bits against input a of 1 bits");
  EXPECT_EQ(difference(top("", "7series"), top("")), "family 7series against ultrascale+");
}

TEST(Isomorphism, ComparesCellsThatReachNoOutput) {
  EXPECT_EQ(difference(top("%10 = LUT1 I0=%4\n%11 = LUT1 I0=%10"),
                       top("%11 = LUT1 I0=%4\n%10 = LUT1 I0=%11")),
            "none");
  EXPECT_EQ(difference(top("%10 = LUT1 I0=%4\n%11 = LUT1 I0=%10"), top("%10 = LUT1 I0=%4")),
            "LUT1 %10 at a:5 of the first design, which reaches no output, has no counterpart");
  EXPECT_EQ(difference(top("output y = %11\n%11 = LUT1 I0=%4"),
                       top("output y = %11\n%11 = LUT1 I0=%4\n%10 = FDRE C=%3 D=%11")),
            "FDRE %10 at b:7 of the second design, which reaches no output, has no counterpart");
  // Readers distributed differently over two equal cells.
  auto readers = [](const char* net) {
    return top(
        "%10 = LUT1 I0=%4\n%11 = LUT1 I0=%4\n%12 = FDRE C=%3 D=%10\n"
        "%13 = FDRE C=%3 D=%10\n%14 = FDRE C=%3 D=%11\n%15 = FDRE C=%3 D=" +
        std::string(net));
  };
  EXPECT_EQ(difference(readers("%11"), readers("%11")), "none");
  EXPECT_NE(difference(readers("%11"), readers("%10")), "none");
}

TEST(Isomorphism, RingsThatReachNoOutput) {
  auto ring = [](unsigned length) {
    std::string lines;
    for (unsigned i = 0; i < length; ++i)
      lines += "%" + std::to_string(10 + i) + " = FDRE C=%3 D=%" +
               std::to_string(10 + (i + 1) % length) + (i == 0 ? " INIT=1\n" : "\n");
    return lines;
  };
  EXPECT_EQ(difference(top(ring(8)), top(ring(8))), "none");
  EXPECT_NE(difference(top(ring(8)), top(ring(7))), "none");
}

TEST(Isomorphism, ComparesModulesOfInstances) {
  auto design = [](const char* init, const char* name) {
    return "design ultrascale+ top m\nmodule m\ninput a = %3\noutput y = %4,%5\n"
           "%4 = instance " +
           std::string(name) + " a=%3\n%5 = instance " + name + " \"u\" a=%4\nmodule " + name +
           "\ninput a = %3\noutput y = %4\n%4 = LUT1 I0=%3 INIT=" + init + "\n";
  };
  EXPECT_EQ(difference(design("1", "n"), design("1", "other")), "none");
  EXPECT_EQ(difference(design("1", "n"), design("2", "n")),
            "in module n: output y: LUT1 with INIT=0x1 against 0x2 (a:10 against b:10)");
  EXPECT_EQ(difference(design("1", "n"),
                       "design ultrascale+ top m\nmodule m\ninput a = %3\noutput y = %4,%5\n"
                       "%4 = instance n a=%3\n%5 = instance o a=%4\n"
                       "module n\ninput a = %3\noutput y = %4\n%4 = LUT1 I0=%3 INIT=1\n"
                       "module o\ninput a = %3\noutput y = %4\n%4 = LUT1 I0=%3 INIT=1\n"),
            "output y[1]: module n against o, but n was met as n before");
}

TEST(Isomorphism, ComparesModulesOfInstancesThatReachNoOutput) {
  auto design = [](const char* init) {
    return "design ultrascale+ top m\nmodule m\ninput a = %3\n%4 = instance n a=%3\n"
           "module n\ninput a = %3\noutput y = %4\n%4 = LUT1 I0=%3 INIT=" +
           std::string(init) + "\n";
  };
  EXPECT_EQ(difference(design("1"), design("1")), "none");
  EXPECT_NE(difference(design("1"), design("2")), "none");
}

TEST(Isomorphism, SeveralDriversInAnyOrder) {
  auto text = [](const char* first, const char* second) {
    return top("output y = %10\n%10 = " + std::string(first) + "\n%10 = " + second);
  };
  EXPECT_EQ(difference(text("LUT1 I0=%4", "FDRE C=%3 D=%4"), text("FDRE C=%3 D=%4", "LUT1 I0=%4")),
            "none");
  EXPECT_NE(difference(text("LUT1 I0=%4", "FDRE C=%3 D=%4"), text("FDRE C=%3 D=%5", "LUT1 I0=%4")),
            "none");
  EXPECT_EQ(difference(text("LUT1 I0=%4", "LUT1 I0=%5"), top("output y = %10\n%10 = LUT1 I0=%4")),
            "output y: LUT1 at a:6 and LUT1 at a:7 against LUT1 at b:6");
}

tests::RandomShape random_shape() {
  tests::RandomShape shape;
  shape.modules = *rc::gen::inRange(1u, 6u);
  shape.cells = *rc::gen::inRange(1u, 80u);
  shape.false_loops = true;
  return shape;
}

RC_GTEST_PROP(Isomorphism, HoldsUnderScrambling, (std::uint64_t seed, std::uint64_t other)) {
  auto design = tests::random_design(seed, random_shape());
  RC_ASSERT(first_difference(*design, *tests::scrambled(*design, other)).value_or("") == "");
}

// Any other value of any parameter leaves two designs with different cells.
RC_GTEST_PROP(Isomorphism, FailsAfterAnyChangeOfAParameter,
              (std::uint64_t seed, std::uint64_t other)) {
  auto design = tests::random_design(seed, random_shape());
  auto changed = tests::scrambled(*design, other);
  tests::Random r(other);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (ModuleId id : changed->bottom_up())
    for (std::uint32_t c = 0; c < changed->module(id).cells().size(); ++c)
      if (!changed->module(id).params(changed->module(id).cells()[c]).empty())
        places.emplace_back(id.value, c);
  RC_PRE(!places.empty());
  auto [module, cell] = r.pick(places);
  auto params = changed->module({module}).mutable_params({cell});
  bool is_memory = changed->module({module}).cells()[cell].kind == Kind::memory;
  params[is_memory ? memory::style : r.below(params.size())] ^= 1u << 7;
  RC_ASSERT(first_difference(*design, *changed).has_value());
}

}  // namespace isomorphism_test
}  // namespace kumiki::ir
