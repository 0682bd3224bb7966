// SPDX-License-Identifier: Apache-2.0
// The 64-lane kernel of the primitive table against 64 scalar models.
#include <gtest/gtest.h>

#include "ir/primitive.h"
#include "tests/support/dsp48e2_model.h"
#include "tests/support/dsp48e2_random.h"
#include "tests/support/dsp48e2_traces.h"

namespace kumiki::tests {
namespace primitives_dsp48e2_lanes_test {

constexpr unsigned lane_count = 64;
using Inputs = std::vector<ir::Dsp48e2Inputs>;  // a lane each

// The kernel as a simulator sees it.
class Cell {
 public:
  explicit Cell(const ir::Dsp48e2Attributes& attributes)
      : params_(dsp_param_words(attributes)),
        view_{.params = params_},
        kind_(attributes.kind),
        kernel_(ir::prototype(kind_).kernel),
        in_(total_width(ir::prototype(kind_).inputs, view_)),
        out_(total_width(ir::prototype(kind_).outputs, view_)),
        state_(kernel_.state_words(view_)) {
    kernel_.power_up(view_, state_.data());
  }

  void apply(const Inputs& inputs) {
    std::ranges::fill(in_, 0);
    std::size_t at = 0;
    for (const auto& pin : ir::dsp_input_pins(kind_)) {
      for (unsigned bit = 0; bit < pin.width; ++bit, ++at)
        for (unsigned lane = 0; pin.member != nullptr && lane < lane_count; ++lane)
          in_[at] |= (inputs[lane].*pin.member >> bit & 1) << lane;
    }
  }

  void evaluate() { kernel_.evaluate(view_, in_.data(), state_.data(), out_.data()); }
  void clock() { kernel_.clock(view_, in_.data(), state_.data()); }

  ir::Dsp48e2Outputs lane(unsigned lane) const {
    ir::Dsp48e2Outputs out;
    std::size_t at = 0;
    for (const auto& pin : ir::dsp_output_pins(kind_))
      for (unsigned bit = 0; bit < pin.width; ++bit, ++at)
        out.*pin.member |= (out_[at] >> lane & 1) << bit;
    return out;
  }

 private:
  std::vector<std::uint64_t> params_;
  ir::CellView view_;
  ir::Kind kind_;
  const ir::Kernel& kernel_;
  std::vector<ir::Lanes> in_, out_, state_;
};

std::string difference(const ir::Dsp48e2Outputs& expected, const ir::Dsp48e2Outputs& got) {
  std::string text;
  for (const auto& pin : ir::dsp48e2_output_pins)
    if (expected.*pin.member != got.*pin.member)
      text += std::string(pin.name) + " expected " + std::to_string(expected.*pin.member) +
              " got " + std::to_string(got.*pin.member) + "; ";
  return text;
}

// Controls and enables as in lane 0: the kernel has short cuts for that.
void make_uniform(Inputs& inputs) {
  for (auto& in : inputs)
    for (const auto& pin : ir::dsp48e2_input_pins)
      if (pin.member != nullptr && pin.width < 18) in.*pin.member = inputs[0].*pin.member;
}

// Short operands on some of the buses: the multiplier leaves out repeated sign bits.
void shorten(Inputs& inputs, Random& random) {
  unsigned bits = static_cast<unsigned>(1 + random.below(18));
  for (auto& in : inputs) {
    std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    in.b = (((in.b & (2 * sign - 1)) ^ sign) - sign) & 0x3ffff;
    in.bcin = in.b;
  }
}

std::string run(const ir::Dsp48e2Attributes& a, Random& random, unsigned cycles) {
  std::vector<Dsp48e2Stimulus> stimuli;
  for (unsigned lane = 0; lane < lane_count; ++lane) stimuli.emplace_back(a, random.word());
  Cell cell(a);
  std::vector<ir::Dsp48e2State> states(lane_count);
  bool uniform = random.one_in(2), is_short = random.one_in(2);
  for (unsigned t = 0; t < cycles; ++t) {
    Inputs inputs;
    for (auto& stimulus : stimuli) inputs.push_back(stimulus.next());
    if (uniform) make_uniform(inputs);
    if (is_short) shorten(inputs, random);
    cell.apply(inputs);
    cell.evaluate();
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      auto text = difference(outputs(a, states[lane], inputs[lane]), cell.lane(lane));
      if (!text.empty())
        return "cycle " + std::to_string(t) + " lane " + std::to_string(lane) + ": " + text;
      clock(a, states[lane], inputs[lane]);
    }
    cell.clock();
  }
  return "";
}

void compare_random(ir::Kind kind, std::uint64_t seed) {
  Random random(seed);
  for (int n = 0; n < 400; ++n) {
    auto a = random_dsp48e2(random, kind);
    EXPECT_EQ(run(a, random, 60), "") << verilog_parameters(a);
  }
}

TEST(Dsp48e2Lanes, EqualTheModelInEveryLane) { compare_random(ir::Kind::dsp48e2, 3); }
TEST(Dsp48e1Lanes, EqualTheModelInEveryLane) { compare_random(ir::Kind::dsp48e1, 4); }

std::size_t replay(ir::Kind kind) {
  std::size_t known = 0;
  for (const auto& trace : read_dsp_traces(kind)) {
    Cell cell(trace.attributes);
    for (const auto& cycle : trace.cycles) {
      Inputs inputs(lane_count);
      inputs[17] = cycle.in;
      cell.apply(inputs);
      cell.clock();
      cell.evaluate();
      EXPECT_EQ(mismatch(cycle, cell.lane(17), known), "") << trace.name;
    }
  }
  return known;
}

TEST(Dsp48e2Lanes, ReproduceEveryKnownDigit) { EXPECT_EQ(replay(ir::Kind::dsp48e2), 384044u); }
TEST(Dsp48e1Lanes, ReproduceEveryKnownDigit) { EXPECT_EQ(replay(ir::Kind::dsp48e1), 332146u); }

}  // namespace primitives_dsp48e2_lanes_test
}  // namespace kumiki::tests
