// SPDX-License-Identifier: Apache-2.0
// Netlists of two clocks against definitions of one.
#include <gtest/gtest.h>

#include "backends/formal/prove.h"
#include "backends/formal/two_clocks.h"
#include "backends/sim/native/machine.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/dot/plan.h"
#include "gen/layers/matrix/layer.h"
#include "ir/check.h"
#include "tests/support/two_clocks.h"

namespace kumiki::backends::proof {
namespace two_clocks_test {

using namespace gen;

// The sum of a and b by one accumulator on clk2x that takes a in one half and b in the other:
// what it has gathered goes back to clk.
void build(Scope& s) {
  const auto a = s.input<UInt>("a", 2), b = s.input<UInt>("b", 2);
  const auto stream = to_fast(s, a, b);
  Wire<UInt> total(s, 4);
  {
    const auto fast = s.fast();
    Reg<UInt> sum(s, 4);
    sum.next(add(s, sum.q(), zext(s, stream, 4)));
    total.drive(sum.q());
  }
  // a is in the sum from the first half of the next clock on, b from its second half.
  const auto pair = to_slow(s, total.get());
  s.output("after_a", pair.first);
  s.output("after_b", pair.second);
}

struct Subject {
  Subject() {
    Scope s(builder, builder.design().add_module("sums"));
    build(s);
    s.finish();
    builder.design().set_top(s.module().id());
    ir::require_legal(builder.design());
  }
  Builder builder;
};

std::string gold(const char* first) {
  return std::string(
             "module gold(input clk, input [1:0] a, input [1:0] b, output reg [3:0] after_a,"
             " output reg [3:0] after_b);\n"
             "  reg [3:0] all = 0; reg [1:0] olda = 0, oldb = 0;\n"
             "  initial begin after_a = 0; after_b = 0; end\n"
             "  always @(posedge clk) begin\n"
             "    olda <= a; oldb <= b; all <= all + olda + oldb;\n"
             "    after_a <= all + ") +
         first + ";\n    after_b <= all + olda + oldb;\n  end\nendmodule\n";
}

TEST(TwoClocksProof, AnAccumulatorOnTheFastClock) {
  const Subject subject;
  const auto right =
      prove(subject.builder.design(), {.reference = gold("olda"), .depth = 3, .flushes = false},
            {.clocks = 8});
  EXPECT_TRUE(right.status == Status::proved || right.status == Status::bounded)
      << name(right.status) << " " << to_text(right.counterexample);
  // The other half's word would be wrong.
  const auto wrong =
      prove(subject.builder.design(), {.reference = gold("oldb"), .depth = 3, .flushes = false},
            {.clocks = 8});
  EXPECT_EQ(wrong.status, Status::refuted);
}

// Of three registers and a comparison that know the half, nothing is left in the circuit.
TEST(TwoClocksProof, NoPhaseRegisterRemains) {
  const Subject subject;
  const Circuit circuit = circuit_of(subject.builder.design(), 60);
  // The sum, both outputs, and of the stream b, which the first half of the next clock reads. What
  // holds a sum from the middle of a clock to its end holds nothing from clock to clock.
  EXPECT_EQ(circuit.latches(), 4u + 8u + 2u);
  for (const auto& bit : circuit.inputs) EXPECT_NE(bit.port, half_port);
}

// The flat design with its halves written out is the same machine.
TEST(TwoClocksProof, OnOneClockItRunsInHalves) {
  Builder builder;
  test::build_two_clocks(builder);
  ir::require_legal(builder.design());
  const auto flat = on_one_clock(builder.design());
  EXPECT_TRUE(ir::check(*flat, {.warnings = false}).empty());
  NativeMachine two(builder.design()), one(*flat);
  two.power_up();
  one.power_up();
  ir::Frame want, got;
  std::uint64_t seed = 1;
  for (int t = 0; t < 1000; ++t) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t a = seed >> 40 & 15, b = seed >> 50 & 15;
    two.step({a, b}, want);
    one.step({a, b, 0}, got);
    one.step({a, b, 1}, got);
    ASSERT_EQ(got, want) << t;
  }
}

// Products take longer than a test may: as many clocks as a result takes are proved.
void expect_definition(const Layer& layer) {
  const auto clocks = static_cast<unsigned>(layer.facts().latency.value());
  Builder builder;
  builder.design().set_top(layer.build(builder, {}).id());
  const auto definition = layer.definition();
  ASSERT_TRUE(definition.reference);
  const auto& r = *definition.reference;
  const Question question{.reference = r.verilog,
                          .depth = r.depth,
                          .flushes = r.flushes,
                          .while_one = r.while_one,
                          .parts = r.parts};
  const auto verdict = prove(builder.design(), question, {.clocks = clocks, .seconds = 24});
  EXPECT_NE(verdict.status, Status::refuted) << to_text(verdict.counterexample);
  if (verdict.status != Status::proved) {
    EXPECT_GE(verdict.clocks, clocks);
  }
}

TEST(TwoClocksProof, ADotProductIsItsDefinition) {
  const auto operand = [](int bits) { return dot::Operand{.bits = bits}; };
  const dot::Request request{.scheme = packing::Scheme::Single,
                             .terms = 1,
                             .packed = operand(2),
                             .shared = operand(2),
                             .clocking = dot::Clocking::twice};
  expect_definition(*dot::make_layer(request));
}

TEST(TwoClocksProof, AMatrixIsItsDefinition) {
  matrix::MatrixRequest r{.shape = {.in_channels = 2, .out_channels = 1},
                          .activations = {.bits = 2},
                          .weights = {.bits = 2},
                          .is_double = true,
                          .values = {1, -2}};
  expect_definition(*matrix::make_layer(r));
}

}  // namespace two_clocks_test
}  // namespace kumiki::backends::proof
