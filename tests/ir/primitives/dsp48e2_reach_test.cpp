// SPDX-License-Identifier: Apache-2.0
// The lists of combinational inputs against the model: an input that changes an output in the same
// cycle must be listed, and every listed input is seen to change its output.
#include "ir/primitives/dsp48e2_reach.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/dsp48e2_random.h"

namespace kumiki::ir {
namespace primitives_dsp48e2_reach_test {

using tests::Dsp48e2Stimulus;
using tests::Random;

std::string names(std::uint64_t set) {
  std::string text;
  auto pins = dsp48e2_input_pins;
  for (std::size_t i = 0; i < pins.size(); ++i)
    if ((set >> i & 1) != 0) text += (text.empty() ? "" : " ") + std::string(pins[i].name);
  return text;
}

unsigned output(std::string_view name) {
  unsigned index = 0;
  for (const auto& pin : dsp48e2_output_pins) {
    if (pin.name == name) return index;
    ++index;
  }
  throw std::out_of_range(std::string(name));
}

// Which outputs change when one input pin does, over `rounds` states: sets like those listed.
std::vector<std::uint64_t> observed(const Dsp48e2Attributes& a, Random& random, int rounds) {
  auto in_pins = dsp_input_pins(a.kind);
  auto out_pins = dsp48e2_output_pins;
  std::vector<std::uint64_t> seen(out_pins.size());
  Dsp48e2Stimulus stimulus(a, random.word());
  Dsp48e2State state;
  for (int round = 0; round < rounds; ++round) {
    Dsp48e2Inputs in = stimulus.next();
    Dsp48e2Outputs before = outputs(a, state, in);
    for (std::size_t i = 0; i < in_pins.size(); ++i) {
      if (in_pins[i].member == nullptr) continue;
      auto& value = in.*in_pins[i].member;
      auto kept = value;
      value ^= random.one_in(2) ? std::uint64_t{1} << random.below(in_pins[i].width)
                                : random.operand(in_pins[i].width);
      Dsp48e2Outputs after = outputs(a, state, in);
      value = kept;
      for (std::size_t o = 0; o < out_pins.size(); ++o)
        if (before.*out_pins[o].member != after.*out_pins[o].member)
          seen[o] |= std::uint64_t{1} << i;
    }
    clock(a, state, in);
  }
  return seen;
}

void expect_all_listed(Kind kind) {
  Random random(1);
  for (int n = 0; n < 1500; ++n) {
    auto a = tests::random_dsp48e2(random, kind);
    if (n % 4 != 0) a.preg = 0, a.autoreset_patdet = dsp48e2::AutoReset::no_reset;
    auto seen = observed(a, random, 60);
    for (unsigned o = 0; o < seen.size(); ++o)
      EXPECT_EQ(names(seen[o] & ~combinational_inputs(a, o)), "")
          << "reach " << dsp48e2_output_pins[o].name << " in\n"
          << verilog_parameters(a);
  }
}

TEST(Dsp48e2Reach, NoInputChangesAnOutputUnlisted) { expect_all_listed(Kind::dsp48e2); }
TEST(Dsp48e1Reach, NoInputChangesAnOutputUnlisted) { expect_all_listed(Kind::dsp48e1); }

// A carry or a pattern shows a low operand bit only when everything above it happens to propagate.
bool is_rare(unsigned o) {
  for (auto name : {"CARRYCASCOUT", "CARRYOUT", "MULTSIGNOUT", "PATTERNBDETECT", "PATTERNDETECT"})
    if (o == output(name)) return true;
  return false;
}

// Not only sound but tight: of rare outputs over all configurations of a SIMD mode together, of the
// others in every configuration.
void expect_all_seen(Kind kind) {
  Random random(2);
  std::map<std::pair<unsigned, dsp48e2::UseSimd>, std::uint64_t> rare_seen, rare_listed;
  for (int n = 0; n < 150; ++n) {
    auto a = tests::random_dsp48e2(random, kind);
    a.preg = 0, a.autoreset_patdet = dsp48e2::AutoReset::no_reset;
    a.mask = dsp48e2::word_mask ^ (1ull << 1 | 1ull << 40);  // met and missed by any operand
    a.sel_mask = dsp48e2::SelMask::mask;
    auto seen = observed(a, random, 3000);
    for (unsigned o = 0; o < seen.size(); ++o) {
      auto listed = combinational_inputs(a, o);
      if (is_rare(o)) {
        rare_seen[{o, a.use_simd}] |= seen[o];
        rare_listed[{o, a.use_simd}] |= listed;
      } else {
        EXPECT_EQ(names(listed & ~seen[o]), "")
            << "listed for " << dsp48e2_output_pins[o].name << " but never seen in\n"
            << verilog_parameters(a);
      }
    }
  }
  for (const auto& [key, listed] : rare_listed)
    EXPECT_EQ(names(listed & ~rare_seen[key]), "")
        << "listed for " << dsp48e2_output_pins[key.first].name << " but never seen";
}

TEST(Dsp48e2Reach, EveryListedInputIsSeenToChangeItsOutput) { expect_all_seen(Kind::dsp48e2); }
TEST(Dsp48e1Reach, EveryListedInputIsSeenToChangeItsOutput) { expect_all_seen(Kind::dsp48e1); }

TEST(Dsp48e2Reach, OfUsualConfigurations) {
  EXPECT_EQ(names(combinational_inputs({}, output("P"))), "");
  EXPECT_EQ(names(combinational_inputs({}, output("ACOUT"))), "");
  Dsp48e2Attributes direct{.areg = 0, .acascreg = 0};
  EXPECT_EQ(names(combinational_inputs(direct, output("ACOUT"))), "A");
  EXPECT_EQ(names(combinational_inputs(direct, output("P"))), "");
  direct.a_input = dsp48e2::Path::cascade;
  EXPECT_EQ(names(combinational_inputs(direct, output("ACOUT"))), "ACIN");
  EXPECT_EQ(names(combinational_inputs({.preg = 0}, output("P"))), "CARRYCASCIN MULTSIGNIN PCIN");
  EXPECT_EQ(names(combinational_inputs({.creg = 0, .preg = 0, .opmodereg = 0}, output("P"))),
            "C CARRYCASCIN MULTSIGNIN OPMODE PCIN");
  EXPECT_EQ(names(combinational_inputs({.mreg = 0, .preg = 0, .inmodereg = 0}, output("P"))),
            "CARRYCASCIN INMODE MULTSIGNIN PCIN");
}

}  // namespace primitives_dsp48e2_reach_test
}  // namespace kumiki::ir
