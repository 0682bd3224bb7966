// SPDX-License-Identifier: Apache-2.0
// Every packing scheme at every length that matters, in lockstep with the plain dot product; and a
// netlist that is wrong in one bit.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/sim/icarus/icarus.h"
#include "gen/blocks/packing/schemes/schemes.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/dot/plan.h"
#include "tests/support/cache.h"
#include "tests/support/long_form.h"
#include "tests/support/network_rig.h"

namespace kumiki::gen {
namespace dot_lockstep_test {

using packing::Scheme;
using packing::Skew;
using ::testing::HasSubstr;

// A scheme with operands that it is made for.
struct Case {
  std::string name;
  dot::Request request;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

dot::Operand S(int bits) { return {.bits = bits}; }
dot::Operand U(int bits) { return {.bits = bits, .is_signed = false}; }
dot::Operand Narrow(int bits) { return {.bits = bits, .narrow = true}; }

std::vector<Case> cases() {
  return {
      {"wp487_int8", {.scheme = Scheme::Wp487Int8}},
      {"wp487_int8_dsp", {.scheme = Scheme::Wp487Int8Dsp}},
      {"wp487_int8_lut", {.scheme = Scheme::Wp487Int8Lut}},
      {"wp487_int8_lut_folded", {.scheme = Scheme::Wp487Int8Lut, .cycles = 3}},
      {"wp487_uint8", {.scheme = Scheme::Wp487Uint8, .packed = U(8)}},
      {"wp487_uint8_dsp", {.scheme = Scheme::Wp487Uint8Dsp, .packed = U(8)}},
      {"wp486_macc", {.scheme = Scheme::Wp486Macc}},
      {"wp486_macc_3", {.scheme = Scheme::Wp486Macc, .tuning = {.macc_slices = 3}}},
      {"offset_binary", {.scheme = Scheme::OffsetBinary}},
      {"offset_binary_unsigned_pixels", {.scheme = Scheme::OffsetBinary, .packed = U(8)}},
      {"offset_binary_narrow", {.scheme = Scheme::OffsetBinary, .packed = Narrow(8)}},
      {"shared_drain", {.scheme = Scheme::SharedDrain}},
      {"shared_drain_narrow", {.scheme = Scheme::SharedDrain, .packed = Narrow(8)}},
      {"shared_drain_folded", {.scheme = Scheme::SharedDrain, .cycles = 4}},
      {"wrap_counter", {.scheme = Scheme::WrapCounter}},
      {"wrap_counter_narrow", {.scheme = Scheme::WrapCounter, .packed = Narrow(8)}},
      {"wrap_counter_unsigned", {.scheme = Scheme::WrapCounter, .packed = U(8), .shared = U(8)}},
      {"carry_lane", {.scheme = Scheme::CarryLane}},
      {"carry_lane_drain", {.scheme = Scheme::CarryLaneDrain}},
      {"canary_4x4", {.scheme = Scheme::Canary, .packed = S(4), .shared = U(4)}},
      {"canary_3x3", {.scheme = Scheme::Canary, .packed = S(3), .shared = U(3)}},
      {"canary_2x2", {.scheme = Scheme::Canary, .packed = S(2), .shared = U(2)}},
      {"canary_5x5", {.scheme = Scheme::Canary, .packed = S(5), .shared = U(5)}},
      {"canary_6x6", {.scheme = Scheme::Canary, .packed = S(6), .shared = U(6)}},
      {"canary_signed", {.scheme = Scheme::Canary, .packed = S(4), .shared = S(4)}},
      {"carry_looks", {.scheme = Scheme::CarryLooks}},
      {"carry_looks_narrow", {.scheme = Scheme::CarryLooks, .packed = Narrow(8)}},
      {"carry_looks_folded", {.scheme = Scheme::CarryLooks, .cycles = 4}},
      {"carry_looks_4x4", {.scheme = Scheme::CarryLooks, .packed = S(4), .shared = U(4)}},
      {"four_lane", {.scheme = Scheme::FourLane, .packed = S(4), .shared = S(4)}},
      {"four_lane_offset",
       {.scheme = Scheme::FourLane, .packed = S(4), .shared = U(4), .offset_results = true}},
      {"canary_offset",
       {.scheme = Scheme::Canary, .packed = S(4), .shared = S(4), .offset_results = true}},
      {"w4a8", {.packed = S(4), .shared = S(8)}},
      {"w8a4", {.packed = S(8), .shared = U(4)}},
      {"w6a6", {.packed = S(6), .shared = U(6)}},
      {"s9xs8", {.packed = S(9), .shared = S(8)}},
      {"single_27x18", {.scheme = Scheme::Single, .packed = S(27), .shared = S(18)}},
      {"no_lut", {.objective = packing::Objective::NoLut}},
      {"shortest", {.objective = packing::Objective::ShortestLatency}},
  };
}

// One scheme at several lengths, side by side in one netlist.
std::vector<NamedLayer> layers_of(const dot::Request& request,
                                  const std::vector<std::int64_t>& lengths,
                                  const std::vector<Skew>& skews, ir::Family family) {
  std::vector<NamedLayer> all;
  for (const std::int64_t n : lengths)
    for (const Skew skew : skews) {
      dot::Request r = request;
      r.terms = n;
      r.skew = skew;
      if (r.cycles) r.cycles = std::min(*r.cycles, n);
      if (r.tuning.macc_slices && *r.tuning.macc_slices > n) continue;
      try {
        auto layer = dot::make_layer(r, {.family = family});
        all.push_back({fmt::format("n{}{}", n, skew == Skew::External ? "e" : "i"),
                       "dot",
                       {},
                       std::move(layer)});
      } catch (const config::Refusal&) {
        // One chain of the white papers does not take every length; which ones is tested with the
        // planner.
      }
    }
  return all;
}

struct Dots : test::NetworkRig {
  Dots(const dot::Request& request, const std::vector<std::int64_t>& lengths,
       const std::vector<Skew>& skews, ir::Family family = ir::Family::ultrascale_plus)
      : NetworkRig(layers_of(request, lengths, skews, family), family) {
    options.stall = 0.15;
    options.resets = 6;
  }
  // Lowest packed operands -1, all others 0, shared ones 1: a lane above a negative one has a word
  // of ones, which an increment carries through. Random results do that once in 2^16.
  ir::Frame minus_one_and_zero(const dot::Request& request, std::uint32_t terms) const {
    ir::Frame frame(ports.input_limbs, 0);
    const auto set = [&](const ir::PortSlot& slot, std::uint32_t bit) {
      frame[slot.limb + bit / 64] |= std::uint64_t{1} << bit % 64;
    };
    const auto packed = static_cast<std::uint32_t>(request.packed.bits),
               shared = static_cast<std::uint32_t>(request.shared.bits);
    for (const ir::PortSlot& slot : ports.inputs) {
      if (slot.name == "en" || slot.name.ends_with("_en") || slot.name.ends_with("_in_valid"))
        set(slot, 0);
      if (slot.name.ends_with("_x"))
        for (std::uint32_t i = 0; i < std::min(terms * packed, slot.width); ++i) set(slot, i);
      if (slot.name.ends_with("_y"))
        for (std::uint32_t i = 0; i < slot.width; i += shared) set(slot, i);
    }
    return frame;
  }
  // There were results, besides its valid bit in every cycle.
  void expect_results(const backends::LockstepResult& result) const {
    EXPECT_GT(result.comparisons, result.cycles * layers.size());
  }
};

const std::vector<std::int64_t> all_lengths{1, 2, 7, 8, 9, 14, 16, 63, 64, 65, 256};
// One slice, two, a full chain, one more than that, several chains: what writing Verilog can get
// wrong is in these, and compiling the others takes minutes.
const std::vector<std::int64_t> some_lengths{1, 2, 7, 9, 16};

class EveryScheme : public ::testing::TestWithParam<Case> {};

TEST_P(EveryScheme, OnTheNativeSimulator) {
  Dots dots(GetParam().request, all_lengths, {Skew::Internal, Skew::External});
  ASSERT_FALSE(dots.layers.empty());
  EXPECT_EQ(ir::check(dots.builder.design(), {.warnings = false}).size(), 0u);
  dots.expect_results(dots.run_native(1200));
}

TEST_P(EveryScheme, OnVerilator) {
  Dots dots(GetParam().request, test::long_form() ? all_lengths : some_lengths, {Skew::External});
  dots.expect_results(dots.run_verilated(800, test::shared_cache));
}

TEST_P(EveryScheme, MistakesAreCaught) {
  // A chain of few terms hardly ever has a carry that looks would see.
  const bool looks = GetParam().request.scheme == Scheme::CarryLooks;
  const std::uint32_t terms = looks ? 40 : 5;
  Dots dots(GetParam().request, {terms}, {Skew::External});
  dots.options.given = {dots.minus_one_and_zero(GetParam().request, terms)};
  dots.options.weights.given = 1;
  const auto result = dots.mutate(60, looks ? 1200 : 300, looks ? 1500 : 900);
  EXPECT_GT(result.by_lockstep, 10u);
  for (const auto& m : result.missed)
    ADD_FAILURE() << "missed: " << backends::to_string(dots.builder.design(), m);
}

INSTANTIATE_TEST_SUITE_P(Dot, EveryScheme, ::testing::ValuesIn(cases()), name_of);

// Slices without W, whose port A takes 25 bits. A scheme that needs more is refused.
TEST(DotLockstep, EverySchemeOnThe7Series) {
  std::set<std::string> none;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Dots dots(c.request, {1, 2, 9, 64, 65}, {Skew::External}, ir::Family::series7);
    if (dots.layers.empty()) {
      none.insert(c.name);
      continue;
    }
    EXPECT_EQ(ir::check(dots.builder.design(), {.warnings = false}).size(), 0u);
    dots.expect_results(dots.run_native(600));
  }
  EXPECT_EQ(none, (std::set<std::string>{"carry_lane", "carry_lane_drain", "single_27x18",
                                         "wp486_macc_3", "wp487_uint8", "wp487_uint8_dsp"}));
}

TEST(DotLockstep, SchemesOfThe7SeriesOnVerilator) {
  for (const dot::Request& request :
       {dot::Request{.scheme = Scheme::CarryLooks, .packed = Narrow(8)},
        dot::Request{.scheme = Scheme::SharedDrain, .packed = Narrow(8), .cycles = 4}}) {
    Dots dots(request, some_lengths, {Skew::External}, ir::Family::series7);
    dots.expect_results(dots.run_verilated(800, test::shared_cache));
  }
}

TEST(DotLockstep, MistakesOnThe7SeriesAreCaught) {
  for (const Scheme scheme : {Scheme::CarryLooks, Scheme::SharedDrain}) {
    Dots dots({.scheme = scheme, .packed = Narrow(8)}, {9}, {Skew::External}, ir::Family::series7);
    const auto result = dots.mutate(60, 1500, 3000);
    EXPECT_GT(result.by_lockstep, 10u);
    for (const auto& m : result.missed)
      ADD_FAILURE() << "missed: " << backends::to_string(dots.builder.design(), m);
  }
}

TEST(DotLockstep, EmbeddedWeightsOfAKernel) {
  // Sobel, twice: what weight-aware chains are for; a zero weight takes no slice.
  dot::Request request{.scheme = Scheme::WeightAware};
  request.shared.values = {{1, 0, -1, 2, 0, -2, 1, 0, -1}};
  Dots dots(request, {9}, {Skew::Internal, Skew::External});
  ASSERT_EQ(dots.layers.size(), 2u);
  EXPECT_EQ(dot::plan({.scheme = Scheme::WeightAware, .terms = 9, .shared = request.shared})
                ->packing.slices.size(),
            6u);
  dots.expect_results(dots.run_native(3000));
}

// 65,536 terms of one sign: the accumulators meet their limits after a set that takes that long.
TEST(DotLockstep, TheLongestSetOfTheWorstSign) {
  for (const auto scheme : {Scheme::WrapCounter, Scheme::Wp486Macc, Scheme::Canary}) {
    dot::Request request{.scheme = scheme, .terms = 65536};
    if (scheme == Scheme::WrapCounter) request.cycles = 8192;
    if (scheme == Scheme::Canary)
      request.packed = S(4), request.shared = U(4), request.cycles = 8192;
    const auto plan = *dot::plan(request);
    Builder builder;
    std::vector<NamedLayer> layers;
    layers.push_back({"d", "dot", {}, dot::make_layer(request)});
    const auto network = build_network(builder, "long", layers);
    backends::NativeMachines native(builder.design());
    const auto ports = ir::layout(builder.design().top());
    native.power_up();
    // Lane by lane another worst case: both operands lowest, or one lowest and one highest.
    const auto value = [](const packing::OperandFormat& f, bool high) {
      const auto all = f.interval();
      return static_cast<std::int64_t>(high ? all.hi : all.lo);
    };
    constexpr unsigned lanes = 4;
    std::vector<ir::Frame> in(lanes, ir::Frame(ports.input_limbs)), out(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      dot::DotIn<Values> values{.rst = false, .en = true, .in_valid = true};
      const auto fill = [](auto& words, std::size_t count, std::int64_t v, int bits) {
        words.assign(count, static_cast<std::uint64_t>(v) & ((std::uint64_t{1} << bits) - 1));
      };
      const auto& k = plan.packing;
      fill(values.x, plan.input_shape().x.size(), value(k.packed, lane & 1), k.packed.bits);
      fill(values.y, plan.input_shape().y.size(), value(k.shared, lane & 2), k.shared.bits);
      pack(plan.input_shape(), values, in[lane]);
    }
    const auto last = static_cast<std::uint64_t>(plan.packing.cycles()) + plan.latency();
    for (std::uint64_t cycle = 0; cycle < last; ++cycle) native.step(in, out);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      dot::DotOut<Values> got{};
      unpack(plan.output_shape(), out[lane], got);
      ASSERT_TRUE(got.out_valid) << packing::to_string(scheme);
      const std::int64_t want =
          value(plan.packing.packed, lane & 1) * value(plan.packing.shared, lane & 2) * 65536;
      for (std::size_t r = 0; r < got.sum.size(); ++r)
        EXPECT_EQ(got.sum[r], static_cast<std::uint64_t>(want) &
                                  ((std::uint64_t{1} << plan.packing.results[r].bits) - 1))
            << packing::to_string(scheme) << ", lane " << lane;
    }
  }
}

// Operands that are never 0: a slot without a term would add a product.
TEST(DotLockstep, ChainsLongerThanTheSum) {
  for (const packing::SchemeEntry& e : packing::scheme_table()) {
    dot::Request request{.scheme = e.scheme,
                         .packed = {.bits = 8, .range = std::vector<std::int64_t>{43, 51}}};
    request.tuning.segment = 10;
    Dots dots(request, {1, 2, 3, 9, 10, 11}, {Skew::Internal, Skew::External});
    if (!dots.layers.empty()) dots.expect_results(dots.run_native(400));
  }
}

TEST(DotLockstep, SixtyFourRunsAtOnce) {
  Dots dots({.scheme = Scheme::CarryLane}, {7, 16}, {Skew::Internal, Skew::External});
  dots.run_lanes(300);
}

TEST(DotLockstep, IcarusAgrees) {
  Dots dots({.scheme = Scheme::Wp487Int8}, {1, 2, 7}, {Skew::Internal, Skew::External});
  dots.options.cycles = 400;
  auto inputs = backends::frames(dots.ports, dots.options, dots.options.cycles);
  auto run = backends::run_icarus(backends::verilog_netlist(dots.builder.design()), inputs, {});
  backends::RecordedMachine icarus(inputs, run);
  dots.expect_results(dots.run(icarus, 400));
}

// The slice above the first forgets what comes from below: Z = 0 instead of PCIN.
TEST(DotLockstep, OneWrongBitOfOpmodeIsSeenAndReported) {
  Dots dots({.scheme = Scheme::Wp487Int8}, {7}, {Skew::Internal});
  const ir::Module* m = dots.builder.design().find_module("dot_wp487_int8_s8xs8_n7");
  ASSERT_NE(m, nullptr);
  auto& module = dots.builder.design().module(m->id());
  for (std::uint32_t i = 0, slices = 0; i < module.cells().size(); ++i) {
    if (module.cells()[i].kind != ir::Kind::dsp48e2 || ++slices != 2) continue;
    std::uint32_t at = 0;
    for (const ir::Pin& p : ir::prototype(ir::Kind::dsp48e2).inputs) {
      if (p.name == "OPMODE") module.mutable_inputs({i})[at + 4] = ir::net_zero;
      at += p.width;
    }
  }
  auto model = network_model(dots.network);
  backends::NativeMachine native(dots.builder.design());
  backends::Stimulus stimulus(dots.ports, dots.options);
  auto result = backends::run_lockstep(*model, native, stimulus, {.cycles = 1000});
  ASSERT_FALSE(result.passed());
  auto text = backends::report(dots.builder.design(), result, "native");
  EXPECT_THAT(text, HasSubstr("n7i_sum"));
}

}  // namespace dot_lockstep_test
}  // namespace kumiki::gen
