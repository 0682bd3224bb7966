// SPDX-License-Identifier: Apache-2.0
#include "ir/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "ir/text.h"
#include "tests/support/random_design.h"

namespace kumiki::tests {
namespace names_test {

using testing::ElementsAre;

std::vector<std::string> signals_of(const ir::Design& design) {
  ir::Names names(design);
  const auto& in = names.in(design.top_id());
  std::vector<std::string> all;
  for (const auto& s : in.signals()) all.push_back(to_string(in.name(s)));
  return all;
}

std::vector<std::string> cells_of(const ir::Design& design) {
  ir::Names names(design);
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < design.top().cells().size(); ++i)
    all.push_back(to_string(names.in(design.top_id()).cell({i})));
  return all;
}

std::unique_ptr<ir::Design> module(std::string_view body) {
  return ir::parse("design ultrascale+ top t\nmodule t\n" + std::string(body));
}

TEST(LegalName, KeepsLettersDigitsAndSingleUnderscores) {
  EXPECT_EQ(ir::legal_name("Acc_7", "x"), "Acc_7");
  EXPECT_EQ(ir::legal_name("a[3]", "x"), "a_3");
  EXPECT_EQ(ir::legal_name("__a..b__", "x"), "a_b");
  EXPECT_EQ(ir::legal_name("größe", "x"), "gr_e");
  EXPECT_EQ(ir::legal_name("3x", "x"), "x3x");
  EXPECT_EQ(ir::legal_name("", "signal"), "signal");
  EXPECT_EQ(ir::legal_name("\xff\x01 ;", "signal"), "signal");
  EXPECT_EQ(ir::legal_name(std::string(5000, 'a'), "x").size(), 120u);
  EXPECT_EQ(ir::legal_name(std::string(119, 'a') + "__b", "x"), std::string(119, 'a'));
}

TEST(NamePool, CountsUpPerNameAndIgnoresCase) {
  ir::NamePool pool;
  EXPECT_EQ(pool.take("acc"), "acc");
  EXPECT_EQ(pool.take("ACC"), "ACC_2");
  EXPECT_EQ(pool.take("acc_3"), "acc_3");
  EXPECT_EQ(pool.take("acc"), "acc_4");
  EXPECT_EQ(pool.take("begin"), "begin_1");
  EXPECT_EQ(pool.take("Signal"), "Signal_1");
  EXPECT_EQ(pool.take("begin"), "begin_2");
  EXPECT_TRUE(pool.contains("aCC_2"));
  EXPECT_FALSE(pool.contains("acc_5"));
}

TEST(Names, PortsAreFirstThenHintsInTheirOrder) {
  auto design = module(R"(
  input clk = %3
  input a = %4
  output q = %5
  name second = %7
  name first = %6
  name q = %6
  %5 = FDRE C=%3 D=%6
  %6 = FDRE C=%3 D=%7
  %7 = FDRE C=%3 D=%8
  %8 = FDRE C=%3 D=%4
)");
  EXPECT_THAT(signals_of(*design),
              ElementsAre("clk", "a", "q", "second", "first", "second_next_n8"));
  EXPECT_THAT(cells_of(*design),
              ElementsAre("q_reg", "first_reg", "second_reg", "second_next_n8_reg"));
}

TEST(Names, AHintClaimsOnlyWhatIsDrivenHereAndFree) {
  // Bits 1 and 2 are taken, bit 4 is an input, bit 5 a constant, bit 7 repeats bit 6.
  auto design = module(R"(
  input clk = %3
  input a = %4
  output q = %10..14
  name taken = %11..12
  name word = %10..13,%4,0,%14,%14
  %10..14 = FDRE*5 C=%3 D=%4*5
)");
  EXPECT_THAT(signals_of(*design), ElementsAre("clk", "a", "q"));
  design = module(R"(
  input clk = %3
  input a = %4
  output q = %10..14,1
  output r = %10..14
  name taken = %11..12
  %10..14 = FDRE*5 C=%3 D=%4*5
)");
  EXPECT_THAT(signals_of(*design), ElementsAre("clk", "a", "q", "r"));
  design = module(R"(
  input clk = %3
  input a = %4
  output q = %15
  name taken = %11..12
  name word = %10..13,%4,0,%14,%14
  %10..14 = FDRE*5 C=%3 D=%4*5
  %15 = LUT5 I0=%10 I1=%11 I2=%12 I3=%13 I4=%14 INIT=0x1
)");
  EXPECT_THAT(signals_of(*design),
              ElementsAre("clk", "a", "q", "taken", "word", "word_3", "word_6"));
  ir::Names names(*design);
  const auto& in = names.in(design->top_id());
  EXPECT_EQ(in.of({11}), (ir::SignalBit{3, 0}));
  EXPECT_EQ(in.of({13}), (ir::SignalBit{5, 0}));
  EXPECT_EQ(in.signals()[5].width, 1u);
}

TEST(Names, AHintThatNobodyReadsMakesNoSignal) {
  auto design = module(R"(
  input clk = %3
  input a = %4
  output q = %5
  name busy = %6,%9
  name idle = 0,%7..8,%5
  %5 = FDRE C=%3 D=%6
  %6 = FDRE C=%3 D=%4
  %7..9 = FDRE*3 C=%3 D=%4*3
)");
  // The other bits of the pin that drives busy[1] are a wire all the same.
  EXPECT_THAT(signals_of(*design), ElementsAre("clk", "a", "q", "busy", "n7"));
  EXPECT_THAT(cells_of(*design), ElementsAre("q_reg", "busy_0_reg", "busy_1_reg"));
}

TEST(Names, BitsKeepTheirPositionInTheHint) {
  auto design = module(R"(
  input clk = %3
  input a = %4
  output q = %9
  name low = %5..6
  name word = %5..8
  %5..8 = FDRE*4 C=%3 D=%4*4
  %9 = LUT4 I0=%5 I1=%6 I2=%7 I3=%8 INIT=0x1
)");
  ir::Names names(*design);
  const auto& in = names.in(design->top_id());
  auto word = in.signals()[4];
  EXPECT_EQ(to_string(in.name(word)), "word_2");
  EXPECT_EQ(word.lsb, 2u);
  EXPECT_EQ(word.width, 2u);
  EXPECT_EQ(in.of({8}), (ir::SignalBit{4, 3}));
  EXPECT_EQ(to_string(in.cell({0})), "low_reg");
}

TEST(Names, SuffixesDependOnTheOrderOfHintsAlone) {
  auto text = [](const char* cells) {
    return std::string(R"(
  input clk = %3
  input a = %4
  output q = %5..7
  name x = %5
  name x = %6
  name X = %8
)") + cells;
  };
  auto names = [](const std::string& body) {
    auto design = module(body);
    ir::Names all(*design);
    const auto& in = all.in(design->top_id());
    return to_string(in.name(in.of({8}).signal));
  };
  EXPECT_EQ(names(text("  %5..7 = FDRE*3 C=%3 D=%8*3\n  %8 = LUT1 I0=%4 INIT=0x1\n")), "X");
  EXPECT_EQ(names(text("  %8 = LUT1 I0=%4 INIT=0x1\n  %5..7 = FDRE*3 C=%3 D=%8*3\n")), "X");
}

TEST(Names, APortThatLooksNumberedMovesTheNumberedNames) {
  auto design = module(R"(
  input clk = %3
  input N12 = %4
  output q = %5
  name nn7 = %7
  name n8x = %8
  %5 = FDRE C=%3 D=%6
  %6 = LUT2 I0=%7 I1=%8 INIT=0x1
  %7 = FDRE C=%3 D=%4
  %8 = FDRE C=%3 D=%4
)");
  EXPECT_THAT(signals_of(*design), ElementsAre("clk", "N12", "q", "xnn7", "n8x", "q_next_nn6"));
}

TEST(Names, OutputsOfANamedInstanceAreCalledAfterIt) {
  auto design = ir::parse(R"(
design ultrascale+ top t
module child
  input clk = %3
  input d = %4
  output q = %5
  output "old q" = %4
  %5 = FDRE C=%3 D=%4
module t
  input clk = %3
  input d = %4
  output q = %9
  %5..6 = instance child "stage.0" clk=%3 d=%4
  %7..8 = instance child clk=%3 d=%5
  %9 = LUT3 I0=%6 I1=%7 I2=%8 INIT=0x1
)");
  EXPECT_THAT(signals_of(*design),
              ElementsAre("clk", "d", "q", "stage_0_q", "stage_0_old_q", "q_term_n7", "q_term_n8"));
  EXPECT_THAT(cells_of(*design), ElementsAre("stage_0", "q_term_n7_inst", "q_lut"));
}

TEST(Names, InstancesWithoutOutputsAreCalledAfterTheirModule) {
  auto design = ir::parse(R"(
design ultrascale+ top t
module sink
  input d = %3
module t
  input d = %3
  - = instance sink d=%3
  - = instance sink d=%3
)");
  EXPECT_THAT(cells_of(*design), ElementsAre("sink", "sink_2"));
}

TEST(Names, ModulesAvoidWordsPrimitivesAndEachOther) {
  auto design = ir::parse(R"(
design ultrascale+ top end
module lut6
  input d = %3
module "a-b"
  input d = %3
module A_B
  input d = %3
module end
  input d = %3
  - = instance lut6 d=%3
  - = instance "a-b" d=%3
  - = instance A_B d=%3
)");
  ir::Names names(*design);
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < 4; ++i) all.emplace_back(names.module({i}));
  EXPECT_THAT(all, ElementsAre("lut6_3", "a_b", "A_B_2", "end_1"));
  EXPECT_TRUE(names.has_module("LUT6"));
  EXPECT_FALSE(names.has_module("a_b_3"));
}

TEST(Names, APortWithoutBitsIsRefused) {
  ir::Design design;
  auto& top = design.add_module("t");
  design.set_top(top.id());
  top.add_input("none", 0);
  EXPECT_THAT([&] { ir::Names names(design); },
              ::testing::ThrowsMessage<DesignError>(
                  ::testing::EndsWith(": port none of module t has no bits; give it at least 1")));
}

// Whatever the design: every name legal, none twice, every read net with a bit of its own.
TEST(Names, AreLegalAndInjectiveInRandomDesigns) {
  const std::regex legal("[A-Za-z](_?[A-Za-z0-9])*");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    auto design = random_design(seed, {.cells = 60, .odd_names = seed % 4 != 0});
    ir::Names names(*design);
    std::set<std::string> modules;
    for (ir::ModuleId id : names.bottom_up()) {
      const ir::Module& m = design->module(id);
      const auto& in = names.in(id);
      auto is_new = [&](std::set<std::string>& taken, std::string name) {
        EXPECT_TRUE(std::regex_match(name, legal)) << name;
        name = ir::lower_case(name);
        EXPECT_FALSE(ir::is_reserved_word(name)) << name;
        EXPECT_TRUE(taken.insert(name).second) << name << ", seed " << seed;
      };
      is_new(modules, std::string(names.module(id)));
      std::set<std::string> taken;
      for (const auto& s : in.signals()) is_new(taken, to_string(in.name(s)));
      for (std::uint32_t i = 0; i < m.cells().size(); ++i) is_new(taken, to_string(in.cell({i})));
      std::set<std::pair<std::uint32_t, std::uint32_t>> bits;
      for (std::uint32_t n = ir::first_free_net; n < m.net_count(); ++n)
        if (auto b = in.of({n}); b.exists()) {
          EXPECT_TRUE(bits.emplace(b.signal, b.bit).second) << "net " << n << ", seed " << seed;
          const auto& s = in.signals()[b.signal];
          EXPECT_TRUE(b.bit >= s.lsb && b.bit < s.lsb + s.width);
        }
      for (ir::Net n : m.all_inputs())
        EXPECT_TRUE(n.index < ir::first_free_net || in.of(n).exists());
    }
  }
}

}  // namespace names_test
}  // namespace kumiki::tests
