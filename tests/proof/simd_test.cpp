// SPDX-License-Identifier: Apache-2.0
// Every operation of the SIMD slices is what Verilog says of its operands, in lanes of 12 and 24,
// for runs of any length; with another operation in its place, or changed anywhere, it is refuted.
#include "gen/blocks/simd/simd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "backends/formal/prove.h"
#include "gen/hdl/hdl.h"
#include "gen/layer/reference.h"
#include "ir/check.h"
#include "tests/proof/subject.h"

namespace kumiki::gen::simd {
namespace simd_test {

using backends::proof::Status;

struct Shape {
  Lanes lanes;
  std::uint32_t width;
  bool is_signed;
};

Options options(const Shape& shape, Net enable) { return {shape.lanes, enable, shape.is_signed}; }

struct Case {
  std::string name;
  std::uint32_t room;  // bits of a lane that operands leave free
  Words (*build)(Scope&, const Options&, const Words& a, const Words& b);
  // Of operands {0} and {1}, numbers with their sign or without: results of every word in order.
  std::vector<std::string> results;
};
void PrintTo(const Case& c, std::ostream* to) { *to << c.name; }

Words flags(Scope& s, const std::vector<Net>& nets) {
  Words out;
  for (const Net n : nets) out.push_back(bits(s, {n}));
  return out;
}

Words joined(Words first, const Words& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

Words added(Scope& s, const Options& o, const Words& a, const Words& b) { return add(s, o, a, b); }
Words subtracted(Scope& s, const Options& o, const Words& a, const Words& b) {
  const Difference d = subtract(s, o, a, b);
  return joined(d.values, flags(s, d.at_least));
}
Words compared(Scope& s, const Options& o, const Words& a, const Words& b) {
  return flags(s, at_least(s, o, a, b));
}
Words apart(Scope& s, const Options& o, const Words& a, const Words& b) {
  return absolute_difference(s, o, a, b);
}
template <Logic function>
Words gated(Scope& s, const Options& o, const Words& a, const Words& b) {
  return logic(s, o, function, a, b);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"add", 1, added, {"{0} + {1}"}},
      {"subtract", 1, subtracted, {"{0} - {1}", "{0} >= {1}"}},
      {"at_least", 0, compared, {"{0} >= {1}"}},
      {"absolute_difference", 0, apart, {"{0} >= {1} ? {0} - {1} : {1} - {0}"}},
      {"and", 0, gated<Logic::and_>, {"{0} & {1}"}},
      {"or", 0, gated<Logic::or_>, {"{0} | {1}"}},
      {"xor", 0, gated<Logic::xor_>, {"{0} ^ {1}"}},
  };
  return all;
}

constexpr std::size_t operations = 2;

// Operands a0, b0, a1, ... and results o0, o1, ..., which count while out_valid is 1.
std::unique_ptr<Builder> netlist(const Case& c, const Shape& shape,
                                 std::vector<std::uint32_t>& widths) {
  auto builder = std::make_unique<Builder>(ir::Family::ultrascale_plus);
  auto& module = builder->design().add_module("simd");
  Scope s(*builder, module);
  Words a, b;
  for (std::size_t i = 0; i < operations; ++i) {
    a.push_back(s.input<UInt>(fmt::format("a{}", i), shape.width));
    b.push_back(s.input<UInt>(fmt::format("b{}", i), shape.width));
  }
  const Net enable = s.input<UInt>("en", 1)[0];
  const UInt valid = s.input<UInt>("in_valid", 1);
  const Words out = c.build(s, options(shape, enable), a, b);
  for (std::size_t i = 0; i < out.size(); ++i) {
    s.output(fmt::format("o{}", i), out[i]);
    widths.push_back(out[i].width());
  }
  s.output("out_valid", delay(s, valid, latency, enable));
  s.finish();
  builder->design().set_top(module.id());
  return builder;
}

backends::proof::Question question(const Case& c, const Shape& shape,
                                   const std::vector<std::uint32_t>& widths) {
  std::string ports = "input clk, input en, input in_valid, output out_valid";
  std::string body = fmt::format(
      "  reg [{0}:0] valid = 0;\n  always @(posedge clk) if (en) valid <= {{valid, in_valid}};\n"
      "  assign out_valid = valid[{0}];\n",
      latency - 1);
  backends::proof::Question q{.depth = latency, .while_one = {}};
  const auto now = [&](const proof::Word& port) {
    return proof::number(proof::aged(port, latency, 0, port.bits), shape.is_signed);
  };
  for (std::size_t i = 0; i < operations; ++i) {
    const proof::Word a{fmt::format("a{}", i), shape.width}, b{fmt::format("b{}", i), shape.width};
    for (const proof::Word& port : {a, b}) {
      ports += fmt::format(", input [{}:0] {}", port.bits - 1, port.name);
      body += proof::history(port, latency);
    }
    for (std::size_t k = 0; k < c.results.size(); ++k) {
      const auto port = fmt::format("o{}", k * operations + i);
      ports += fmt::format(", output [{}:0] {}", widths[k * operations + i] - 1, port);
      body += fmt::format("  assign {} = {};\n", port,
                          fmt::format(fmt::runtime(c.results[k]), now(a), now(b)));
      q.while_one.push_back({port, "out_valid"});
    }
  }
  q.reference = fmt::format("module gold({});\n{}endmodule\n", ports, body);
  return q;
}

class SimdProof : public ::testing::TestWithParam<Case> {};

TEST_P(SimdProof, IsItsDefinition) {
  // Whole lanes of 12; in wider ones words that leave some of the lane.
  for (const Shape& shape :
       {Shape{Lanes::four12, 12 - GetParam().room, false}, Shape{Lanes::two24, 14, true}}) {
    std::vector<std::uint32_t> widths;
    const auto design = netlist(GetParam(), shape, widths);
    const auto verdict =
        backends::proof::prove(design->design(), question(GetParam(), shape, widths), {0, 120});
    EXPECT_EQ(verdict.status, Status::proved) << lane_bits(shape.lanes);
  }
}

// The netlist of the next case with as many results, against this one's definition.
TEST_P(SimdProof, AnotherOperationIsRefuted) {
  const Shape shape{Lanes::four12, 8, false};
  std::vector<std::uint32_t> widths, other_widths;
  netlist(GetParam(), shape, widths);
  for (const Case& other : cases()) {
    if (other.name == GetParam().name) continue;
    other_widths.clear();
    const auto design = netlist(other, shape, other_widths);
    if (other_widths != widths) continue;
    const auto verdict =
        backends::proof::prove(design->design(), question(GetParam(), shape, widths), {0, 60});
    EXPECT_EQ(verdict.status, Status::refuted) << other.name;
    EXPECT_NE(verdict.counterexample.got, verdict.counterexample.expected);
    return;
  }
  // Alone with its results: one bit of an operand is another one.
  Shape narrow = shape;
  narrow.is_signed = true;
  const auto design = netlist(GetParam(), shape, other_widths = {});
  const auto verdict =
      backends::proof::prove(design->design(), question(GetParam(), narrow, widths), {0, 60});
  EXPECT_EQ(verdict.status, Status::refuted) << "read with signs";
}

// Random operands through both: do they ever differ where a result counts?
bool differ(const ir::Design& design, const ir::Design& changed) {
  const auto ports = ir::layout(design.top());
  backends::NativeMachine one(design), other(changed);
  one.power_up();
  other.power_up();
  std::mt19937_64 random(1);
  for (unsigned clock = 0; clock < 200; ++clock) {
    ir::Frame in(ports.input_limbs, 0), wanted, got;
    for (const auto& slot : ports.inputs)
      in[slot.limb] = random() & ((std::uint64_t{1} << slot.width) - 1);
    one.step(in, wanted);
    other.step(in, got);
    bool valid = false;
    for (const auto& slot : ports.outputs)
      if (slot.name == "out_valid") {
        valid = wanted[slot.limb] & 1;
        if (wanted[slot.limb] != got[slot.limb]) return true;
      }
    if (valid && wanted != got) return true;
  }
  return false;
}

// A changed slice is refuted: the counterexample is so in the changed netlist, and what had to come
// is what the other one gives.
TEST_P(SimdProof, AChangedOneIsRefutedAndTheCounterexampleIsTrue) {
  const Shape shape{Lanes::four12, 8, false};
  std::vector<std::uint32_t> widths, again;
  const auto design = netlist(GetParam(), shape, widths);
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const auto changed = netlist(GetParam(), shape, again);
    const auto m = backends::random_mutations(changed->design(), 1, seed).at(0);
    backends::apply(changed->design(), m);
    if (!differ(design->design(), changed->design())) continue;
    const auto verdict =
        backends::proof::prove(changed->design(), question(GetParam(), shape, widths), {0, 120});
    ASSERT_EQ(verdict.status, Status::refuted) << seed;
    const auto& c = verdict.counterexample;
    const auto ports = ir::layout(design->design().top());
    backends::NativeMachine one(design->design()), other(changed->design());
    test::expect_value(test::replay(other, ports, c), ports, c.output, c.got);
    test::expect_value(test::replay(one, ports, c), ports, c.output, c.expected);
    EXPECT_NE(c.got, c.expected);
    return;
  }
  FAIL() << "nothing that is changed shows";
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Operations, SimdProof, ::testing::ValuesIn(cases()), name_of);

}  // namespace simd_test
}  // namespace kumiki::gen::simd
