// SPDX-License-Identifier: Apache-2.0
#include "ir/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ir/label.h"
#include "ir/primitives/memory.h"
#include "tests/support/random_design.h"
#include "tests/support/refusal.h"

namespace kumiki::ir {
namespace text_test {

// The message without its place, and the place.
std::string refusal(std::string_view text, std::string_view file = {}) {
  return test::refusal<DesignError>([&] { parse(text, file); });
}

std::string in_module(std::string_view lines) {
  return "design ultrascale+ top m\nmodule m\n" + std::string(lines);
}

TEST(Text, PrintsWhatItParsed) {
  std::string text = R"(design ultrascale+ top count

module count
  about "a counter \"of\" two bits"
  input clk = %3
  output q signed = %4..5
  name next = %6..7
  %4..5 = FDRE*2 "state" C=%3 D=%6..7 INIT=0x1
  %6 = LUT1 I0=%4 INIT=0x1
  %7 = LUT2 I0=%4 I1=%5 INIT=0x6
  %8..9 = instance "add 2" "u0" a=%4..5
  %10..13 = MEMORY CLK=%3 RADDR=%4..5 DEPTH=4 WIDTH=4 ADDRESS_BITS=2 CONTENTS=4:f,0*2,3
  - = instance nothing

module "add 2"
  input a = %3..4
  output y = %4..3

module nothing
)";
  EXPECT_EQ(print(*parse(text)), text);
}

TEST(Text, ReadsTheExampleOfItsHeader) {
  auto d = parse(R"(design 7series top count
# comments and blank lines are nothing

module count
  output q signed = %4..5   # to the end of the line
  input clk = %3
)");
  EXPECT_EQ(d->family(), Family::series7);
  const Module& m = d->top();
  EXPECT_EQ(m.name(), "count");
  ASSERT_EQ(m.ports().size(), 2u);
  EXPECT_TRUE(m.ports()[0].is_signed);
  EXPECT_EQ(m.ports()[0].direction, Direction::output);
  EXPECT_EQ(m.port_nets(m.ports()[1])[0], Net{3});
  EXPECT_EQ(m.net_count(), 6u);
}

TEST(Text, EveryCellHasItsLineAsPlace) {
  auto d = parse(in_module("  input a = %3\n  %4 = LUT1 I0=%3 INIT=1\n"), "t.net");
  EXPECT_EQ(to_string(d->top().ports()[0].place), "t.net:3");
  EXPECT_EQ(to_string(d->top().cells()[0].place), "t.net:4");
  EXPECT_EQ(print(d->top(), {.places = true}),
            "module m\n  input a = %3  # t.net:3\n  %4 = LUT1 I0=%3 INIT=0x1  # t.net:4\n");
  EXPECT_EQ(to_string(parse(in_module("  output a = 0\n"))->top().ports()[0].place), "text:3");
}

TEST(Text, ShortensNets) {
  using V = std::vector<Net>;
  EXPECT_EQ(net_list(V{}), "-");
  EXPECT_EQ(net_list(V{{4}, {5}, {6}}), "%4..6");
  EXPECT_EQ(net_list(V{{6}, {5}, {4}}), "%6..4");
  EXPECT_EQ(net_list(V{{4}, {4}, {4}}), "%4*3");
  EXPECT_EQ(net_list(V{net_zero, net_zero, net_one, net_open, net_open}), "0*2,1,open*2");
  EXPECT_EQ(net_list(V{net_zero, net_one, net_open, {3}}), "0,1,open,%3");
  EXPECT_EQ(net_list(V{{3}, net_open, net_one, net_zero}), "%3,open,1,0");
  EXPECT_EQ(net_list(V{{3}, {4}, {9}, {8}, {7}, {7}}), "%3..4,%9..7,%7");
}

TEST(Text, LeavesOutWhatHasItsDefault) {
  auto text = in_module(
      "  input clk = %3\n"
      "  %4 = FDRE C=%3 CE=1 D=0 R=0 INIT=0 IS_D_INVERTED=0b0\n"
      "  %5 = FDSE C=%3 CE=0 D=1 S=1 INIT=1\n"
      "  %6..13 = CARRY4 CI=0 CYINIT=1 DI=0*4 S=0,1*3\n");
  EXPECT_EQ(print(parse(text)->top()),
            "module m\n"
            "  input clk = %3\n"
            "  %4 = FDRE C=%3 D=0\n"
            "  %5 = FDSE C=%3 CE=0 D=1 S=1\n"
            "  %6..13 = CARRY4 CYINIT=1 DI=0*4 S=0,1*3\n");
}

TEST(Text, KeepsWhatIsWrongWithADesign) {
  std::string wrong =
      "module m\n"
      "  output y = open,%99\n"
      "  %4 = LUT1 I0=open INIT=0xff\n"
      "  %4 = LUT1 I0=%4\n"
      "  %5..12 = MEMORY CLK=0 RADDR=0 WIDTH=8 READ=7 CONTENTS=4:ff,123456789abcdef*3\n";
  auto d = parse("design ultrascale\n" + wrong);
  EXPECT_EQ(print(d->module({0})), wrong);
  EXPECT_FALSE(d->has_top());
  EXPECT_EQ(d->module({0}).net_count(), 100u);
}

TEST(Text, ContentsOfAnyWidth) {
  auto m =
      parse(in_module("%3..102 = MEMORY CLK=0 RADDR=0 WIDTH=100 "
                      "CONTENTS=100:8000000000000000000000001,0,10000000000000000\n"));
  const Blob& b = *m->top().view(m->top().cells()[0]).blob;
  EXPECT_EQ(b.limbs, (std::vector<std::uint64_t>{1, 0x800000000, 0, 0, 0, 1}));
  EXPECT_EQ(m->top().params(m->top().cells()[0])[memory::contents], 1u);
  EXPECT_NE(print(*m).find("CONTENTS=100:8000000000000000000000001,0,10000000000000000\n"),
            std::string::npos);
}

TEST(Text, NamesMayBeAnything) {
  auto text = std::string("design ultrascale+ top \"\"\n\nmodule \"\"\n") +
              R"(  input "a[3] \"q\" \\ \x07\n#" signed = %3
  output signed = %3
  name "%4" = %3
)";
  EXPECT_EQ(print(*parse(text)), text);
  auto d = parse(text);
  EXPECT_EQ(d->text(d->top().ports()[0].name), "a[3] \"q\" \\ \x07\n#");
}

TEST(Text, CarriageReturnsAndTabsAreBlanks) {
  EXPECT_EQ(print(*parse("design ultrascale+\r\nmodule\tm\r\n\r\n")),
            "design ultrascale+\n\nmodule m\n");
}

struct Case {
  const char* text;
  const char* message;
};

class TextRefuses : public testing::TestWithParam<Case> {};

TEST_P(TextRefuses, WithTheLegal) { EXPECT_EQ(refusal(GetParam().text), GetParam().message); }

#define M "design ultrascale+\nmodule m\n"
INSTANTIATE_TEST_SUITE_P(
    Lines, TextRefuses,
    testing::Values(
        Case{"", "1:1: the first line must be \"design <family> [top <module>]\""},
        Case{"\n\nmodule m\n", "3:1: the first line must be \"design <family> [top <module>]\""},
        Case{"design spartan\n", "1:8: unknown family; use 7series, ultrascale or ultrascale+"},
        Case{"design 7series\ndesign 7series\n",
             "2:1: a text is one design: this line stands there already"},
        Case{"design 7series top m n\n",
             "1:22: the line must end here; design <family> [top <module>]"},
        Case{"design 7series top m\n", "1:20: there is no module m in this text"},
        Case{"design 7series top\n",
             "1:19: the name of the top module is missing; give a word, or any text in quotes"},
        Case{"design 7series\ninput a = %3\n",
             "2:1: this line belongs into a module: \"module <name>\" must come first"},
        Case{M "module m\n", "3:8: module m exists already; give another name"},
        Case{M "modul n\n",
             "3:1: unknown word modul; a line must begin with design, module, about, input, "
             "output, name or the nets that a cell drives"},
        Case{M "about text\n", "3:7: what the module is about is missing: a text in quotes"},
        Case{M "about \"text\n", "3:7: this quote is never closed on its line"},
        Case{M "about \"\\t\"\n",
             R"(3:8: unknown escape; use \" \\ \n and \x with two hexadecimal digits)"},
        Case{M "input a = %3\noutput a = 0\n", "4:8: port a exists already; give another name"},
        Case{M "input a %3\n", "3:9: \"=\" must follow the name of a port"},
        Case{M "input a = 0\n", "3:11: an input must drive nets from %3 on, not constants"},
        Case{M "output a = %2\n",
             "3:13: a net must be %<number> from %3 on, 0, 1 or open; %4..7 and %7..4 are runs, "
             "0*8 repeats, \",\" joins, - is none"},
        Case{M "output a = 2\n",
             "3:12: a net must be %<number> from %3 on, 0, 1 or open; %4..7 and %7..4 are runs, "
             "0*8 repeats, \",\" joins, - is none"},
        Case{M "output a = %\n",
             "3:13: the number of a net is missing: a number such as 12, 0x1f or 0b01"},
        Case{M "output a = %300000000\n",
             "3:13: the number of a net is too large; it must be at most 268435456"},
        Case{M "output a = %99999999999999999999\n",
             "3:13: the number of a net is too large; it must be at most 268435456"},
        Case{M "output a = %3..9000000\n",
             "3:12: a run of 8999997 nets is too long; it must have at most 1048576"},
        Case{M "output a = 0*2000000\n",
             "3:14: the number of repetitions is too large; it must be at most 1048576"},
        Case{M "output a = 0 0\n", "3:14: the line must end here; a port is a list of nets"}));

INSTANTIATE_TEST_SUITE_P(
    Cells, TextRefuses,
    testing::Values(
        Case{M "%3 LUT1 I0=0\n", "3:4: \"=\" must follow the nets that a cell drives"},
        Case{M "%3 = LUT1*0 I0=0\n", "3:6: LUT1 cannot stand 0 times in one cell"},
        Case{M "%3..34 = CARRY4*4 DI=0 S=0\n", "3:10: CARRY4 cannot stand 4 times in one cell"},
        Case{M "%3 = LUT2 I0=0 I2=0\n",
             "3:16: LUT2 has no pin or parameter I2; pins are I0 I1; parameters are INIT"},
        Case{M "%3 = LUT2 =0\n",
             "3:11: LUT2 has no pin or parameter here; pins are I0 I1; parameters are INIT"},
        Case{M "%3 = LUT2 I0=0\n", "3:15: pin I1 of LUT2 is not connected"},
        Case{M "%3 = LUT1 I0=0 I0=0\n", "3:16: I0 is given twice"},
        Case{M "%3 = LUT1 I0=0 INIT=0 INIT=1\n", "3:23: INIT is given twice"},
        Case{M "%3 = LUT1 I0=0*2\n", "3:14: pin I0 of LUT1 has 1 net, 2 are given"},
        Case{M "%3..4 = LUT1*2 I0=0\n", "3:19: pin I0 of LUT1 has 2 nets, 1 is given"},
        Case{M "%3..4 = LUT1 I0=0\n", "3:1: LUT1 drives 1 nets, but 2 are given"},
        Case{M "%4,%3 = LUT1*2 I0=0*2\n",
             "3:1: a cell must drive nets that follow each other, such as %3..6, not %4..3"},
        Case{M "0 = LUT1 I0=0\n",
             "3:1: a cell must drive nets that follow each other, such as %3..6, not 0"},
        Case{M "%3 = LUT1 I0=0 INIT=x\n",
             "3:21: INIT is missing: a number such as 12, 0x1f or 0b01"},
        Case{M "%3 = LUT1 I0=0 INIT=0x10000000000000000\n",
             "3:21: INIT is too large; it must be at most 18446744073709551615"},
        Case{M "%3 = MEMORY CLK=0 RADDR=0 READ=SOMETIMES\n",
             "3:32: READ cannot be SOMETIMES; use one of ASYNC REGISTERED TWICE_REGISTERED"},
        Case{M "%3 = MEMORY CLK=0 RADDR=0 CONTENTS=1:g\n",
             "3:38: a word of the contents is missing: hexadecimal digits"},
        Case{M "%3 = MEMORY CLK=0 RADDR=0 CONTENTS=1:12345678901234567\n",
             "3:38: 17 digits do not fit a word of 1 bits"},
        Case{M "%3 = MEMORY CLK=0 RADDR=0 ADDRESS_BITS=4000000\n",
             "3:47: pin WADDR of MEMORY would have 4000000 nets; it must have at most 1048576"},
        Case{M "%3 = instance n\n", "3:15: there is no module n in this text"},
        Case{M "%3 = instance m\n", "3:1: m drives 0 nets, but 1 are given"},
        Case{M "input a = %3\n- = instance m b=0\n", "4:16: m has no input b; its inputs are a"},
        Case{M "input a = %3\n- = instance m a=0 a=0\n", "4:20: a is given twice; remove one"},
        Case{M "input a = %3\n- = instance m a=0*2\n", "4:18: input a of m has 1 net, 2 are given"},
        Case{M "input a = %3\n- = instance m\n",
             "4:15: input a of m is not connected: \"open\" says that it may be"}));
#undef M

TEST(Text, AnUnknownPrimitiveListsTheKnown) {
  auto message = refusal(in_module("%3 = LUT7 I0=0\n"));
  EXPECT_EQ(message.find("3:6: unknown primitive LUT7; use one of instance LUT1 LUT2"), 0u)
      << message;
  EXPECT_NE(message.find("FDRE"), std::string::npos);
}

TEST(Text, ErrorsNameTheFile) {
  EXPECT_EQ(refusal("design x\n", "a.net"),
            "a.net:1:8: unknown family; use 7series, ultrascale or ultrascale+");
}

// Everything that a cell is, without the printer; numbers of contents mean nothing.
std::vector<std::vector<std::uint64_t>> says(const Design& design) {
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint32_t id = 0; id < design.module_count(); ++id) {
    const Module& m = design.module({id});
    for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
      const Cell& c = m.cells()[i];
      const CellView view = m.view(c);
      auto& words = all.emplace_back(
          std::vector<std::uint64_t>{id, static_cast<std::uint64_t>(c.kind), c.width, c.out.index,
                                     static_cast<std::uint64_t>(m.crossing({i}))});
      for (const Net n : m.inputs(c)) words.push_back(n.index);
      if (c.kind == Kind::instance) continue;
      for (std::size_t p = 0; p < view.params.size(); ++p)
        if (c.kind != Kind::memory || p != memory::contents) words.push_back(view.params[p]);
      if (view.blob) words.insert(words.end(), view.blob->limbs.begin(), view.blob->limbs.end());
    }
  }
  return all;
}

RC_GTEST_PROP(Text, RoundTripsRandomDesigns, (std::uint64_t seed)) {
  tests::RandomShape shape;
  shape.family = *rc::gen::element(Family::series7, Family::ultrascale, Family::ultrascale_plus);
  shape.modules = *rc::gen::inRange(1u, 6u);
  shape.cells = *rc::gen::inRange(1u, 80u);
  shape.odd_names = *rc::gen::arbitrary<bool>();
  shape.false_loops = true;
  auto design = tests::random_design(seed, shape);
  auto text = print(*design);
  const auto again = parse(text);
  RC_ASSERT(print(*again) == text);
  RC_ASSERT(says(*again) == says(*design));
}

}  // namespace text_test
}  // namespace kumiki::ir
