// SPDX-License-Identifier: Apache-2.0
// Memoised hierarchy and typed models, on a small multiply-free accumulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/hdl/hdl.h"
#include "tests/support/reference_machine.h"

namespace kumiki::gen {
namespace dsl_hierarchy_test {

template <class R>
struct SumIn {
  typename R::Bit clear;
  std::vector<typename R::SInt> terms;
  static constexpr auto ports() {
    return std::tuple(port("clear", &SumIn::clear), port("terms", &SumIn::terms));
  }
};
template <class R>
struct SumOut {
  typename R::SInt total;
  typename R::Bit negative;
  static constexpr auto ports() {
    return std::tuple(port("total", &SumOut::total), port("negative", &SumOut::negative));
  }
};
struct SumPlan {
  unsigned terms, bits, sum_bits;
  std::string module_name() const { return fmt::format("sum_{}x{}", terms, bits); }
  bool operator==(const SumPlan&) const = default;
  SumIn<Hardware> shape() const {
    return {.clear = {}, .terms = std::vector(terms, SInt::shape(bits))};
  }
};

struct TermPlan {
  unsigned bits, sum_bits;
  std::string module_name() const { return fmt::format("term_{}_{}", bits, sum_bits); }
  bool operator==(const TermPlan&) const = default;
};
template <class R>
struct TermIn {
  typename R::SInt a, b;
  static constexpr auto ports() { return std::tuple(port("a", &TermIn::a), port("b", &TermIn::b)); }
};
template <class R>
struct TermOut {
  typename R::SInt y;
  static constexpr auto ports() { return std::tuple(port("y", &TermOut::y)); }
};
TermOut<Hardware> make_term(Scope& s, const TermPlan& p, const TermIn<Hardware>& in) {
  return {.y = add(s, sext(s, in.a, p.sum_bits), in.b)};
}

SumOut<Hardware> make_sum(Scope& s, const SumPlan& p, const SumIn<Hardware>& in) {
  Reg<SInt> total(s, p.sum_bits, {.reset = in.clear});
  SInt next = total.q();
  for (const SInt& t : in.terms)
    next = instantiate(s, make_term, TermPlan{p.bits, p.sum_bits}, TermIn<Hardware>{t, next}).y;
  total.next(next);
  return {.total = total.q(), .negative = total.q().msb()};
}

struct SumModel {
  std::int64_t total = 0;
  void power_up() { total = 0; }
  SumOut<Values> step(const SumIn<Values>& in) {
    SumOut<Values> out{.total = total, .negative = total < 0};
    for (auto t : in.terms) total += t;
    if (in.clear) total = 0;
    total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) << 52) >> 52;  // 12 bits
    return out;
  }
};

TEST(Hierarchy, OneModuleAPlanManyPlaces) {
  Builder b;
  SumPlan plan{3, 5, 12};
  auto& top = build_top(b, make_sum, plan, plan.shape());
  EXPECT_EQ(top.name(), "sum_3x5");
  EXPECT_EQ(b.design().module_count(), 2u);
  EXPECT_EQ(std::count_if(top.cells().begin(), top.cells().end(),
                          [](auto& c) { return c.kind == ir::Kind::instance; }),
            3);
  EXPECT_EQ(b.design().text(top.ports()[0].name), "clk");
  EXPECT_EQ(b.design().find_module("term_5_12")->find_port("clk"), nullptr);
}

TEST(Hierarchy, OtherPlansAndWidthsAreOtherModules) {
  Builder b;
  Scope s(b, b.design().add_module("top"));
  auto x = s.input<SInt>("x", 5);
  auto y = s.input<SInt>("y", 12);
  instantiate(s, make_term, TermPlan{5, 12}, TermIn<Hardware>{x, y});
  instantiate(s, make_term, TermPlan{5, 12}, TermIn<Hardware>{x, y});
  EXPECT_EQ(b.design().module_count(), 2u);
  instantiate(s, make_term, TermPlan{5, 12}, TermIn<Hardware>{SInt(Word(x.slice(0, 4))), y});
  ASSERT_EQ(b.design().module_count(), 3u);
  EXPECT_NE(b.design().find_module("term_5_12_2"), nullptr);
}

TEST(Model, RunsInStepWithTheHardware) {
  Builder b;
  SumPlan plan{3, 5, 12};
  build_top(b, make_sum, plan, plan.shape());
  tests::ReferenceMachine hardware(b.design());
  SumOut<Hardware> out_shape{.total = SInt::shape(12), .negative = {}};
  Model<SumIn, SumOut, SumModel> model(plan.shape(), out_shape, SumModel{});
  hardware.power_up();
  model.power_up();
  std::uint64_t seed = 3;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    ir::Frame in{(seed >> 60) == 0, seed >> 33 & 0x7fff}, got, want;
    hardware.step(in, got);
    model.step(in, want);
    ASSERT_EQ(got, want) << cycle;
  }
}

TEST(Model, AValueThatDoesNotFitItsPortIsABugOfTheModel) {
  SumOut<Hardware> shape{.total = SInt::shape(4), .negative = {}};
  ir::Frame frame;
  EXPECT_THROW(pack(shape, SumOut<Values>{.total = 8, .negative = false}, frame),
               std::out_of_range);
  pack(shape, SumOut<Values>{.total = -8, .negative = true}, frame);
  EXPECT_EQ(frame, (ir::Frame{8, 1}));
  SumOut<Values> back{};
  unpack(shape, frame, back);
  EXPECT_EQ(back.total, -8);
  EXPECT_TRUE(back.negative);
}

TEST(Model, PortsWiderThanALimbCrossItsBorder) {
  SumIn<Hardware> shape{.clear = {}, .terms = std::vector(5, SInt::shape(30))};
  SumIn<Values> in{.clear = true, .terms = {1, -1, 536870911, -536870912, 12345}}, back;
  ir::Frame frame;
  pack(shape, in, frame);
  ASSERT_EQ(frame.size(), 4u);  // 1 bit, 150 bits
  unpack(shape, frame, back);
  EXPECT_EQ(back.terms, in.terms);
}

TEST(Places, NameTheLayerTheyWereMadeFor) {
  Builder b;
  ir::Module& m = b.design().add_module("m");
  Scope s(b, m, ir::origin("cfg.json: /layers/0"));
  s.word(~s.input<UInt>("a", 2));
  EXPECT_THAT(
      to_string(m.cells()[0].place),
      ::testing::MatchesRegex("tests/gen/hdl/hierarchy_test.cpp:[0-9]+ \\(cfg.json: /layers/0\\)"));
}

}  // namespace dsl_hierarchy_test
}  // namespace kumiki::gen
