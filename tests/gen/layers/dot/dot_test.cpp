// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "gen/layers/dot/build.h"
#include "gen/layers/dot/model.h"
#include "tests/support/reference_machine.h"

namespace kumiki::gen::dot {
namespace dot_dot_test {

using packing::Scheme;
using packing::Skew;
using ::testing::HasSubstr;

TEST(DotPlan, EveryLegalLengthOfTheWhitePaperAndOnePast) {
  for (std::int64_t n = 1; n <= 7; ++n) {
    const auto p = *plan({.scheme = Scheme::Wp487Int8, .terms = n});
    EXPECT_EQ(p.packing.slices.size(), static_cast<std::size_t>(n));
    // A clock more where a result has more than 16 bits.
    EXPECT_EQ(p.latency(), n + (n == 1 ? 4 : 5));
    EXPECT_TRUE(p.packing.certificate.holds());
  }
  EXPECT_THAT(plan({.scheme = Scheme::Wp487Int8, .terms = 8}).reason().message,
              HasSubstr("low lane after 8 terms is [-130048, 131072], outside [-131072, 131071]"));
}

TEST(DotPlan, WithoutASchemeTheBestOfAll) {
  const auto few = *plan({.terms = 64});
  const auto no_lut = *plan({.terms = 64, .objective = packing::Objective::NoLut});
  EXPECT_EQ(packing::mac_per_slice(few.packing), (packing::Ratio{2, 1}));
  EXPECT_TRUE(no_lut.packing.lut_free());
  EXPECT_LT(packing::mac_per_slice(no_lut.packing).value(), 2.0);
  EXPECT_GT(packing::mac_per_slice(no_lut.packing).value(), 1.93);
}

// 27 bits without a sign leave no guard in the schemes without a pre-adder.
TEST(DotPlan, TheWidestPackedOperandIsRefusedNotABug) {
  for (const bool is_signed : {false, true})
    for (const std::int64_t bits : {26, 27}) {
      Request request{.terms = 2};
      request.packed.bits = static_cast<int>(bits);
      request.packed.is_signed = is_signed;
      if (is_signed || bits < 27) {
        EXPECT_EQ(plan(request)->packing.packed_count, 1) << bits;
        continue;
      }
      EXPECT_THAT(plan(request).reason().message,
                  HasSubstr("[0, 134217727], outside [-67108864, 67108863]"));
      for (const Scheme scheme : {Scheme::Wp487Uint8, Scheme::Wp487Uint8Dsp}) {
        request.scheme = scheme;
        EXPECT_FALSE(plan(request)) << packing::to_string(scheme);
      }
    }
}

TEST(DotPlan, KnownValuesHaveNoPort) {
  Request request{.scheme = Scheme::WeightAware, .terms = 3};
  request.shared.values = {{1, -2, 1}};
  const auto p = *plan(request);
  EXPECT_TRUE(p.input_shape().y.empty());
  EXPECT_EQ(p.input_shape().x.size(), 6u);
  EXPECT_THAT(to_text(p), HasSubstr("y: known, no port"));
}

struct Rig {
  explicit Rig(const Request& request)
      : p(*plan(request)), model(p.input_shape(), p.output_shape(), DotModel(p)) {
    build_top(builder, build, p, p.input_shape());
    hardware = std::make_unique<tests::ReferenceMachine>(builder.design());
  }
  DotPlan p;
  Builder builder;
  Model<DotIn, DotOut, DotModel> model;
  std::unique_ptr<ir::Machine> hardware;

  // One cycle of both; they must agree on every output that means something.
  DotOut<Values> step(const DotIn<Values>& in) {
    ir::Frame frame, got, want;
    pack(p.input_shape(), in, frame);
    hardware->step(frame, got);
    model.step(frame, want);
    for (std::size_t l = 0; l < want.size(); ++l)
      EXPECT_EQ(got[l] & (*model.valid_mask())[l], want[l] & (*model.valid_mask())[l]);
    DotOut<Values> out{};
    unpack(p.output_shape(), got, out);
    return out;
  }
};

std::uint64_t raw(std::int64_t value, int bits) {
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}

// WP487's worked example, row by row: the sums after each term.
TEST(Dot, WorkedExampleOfTheWhitePaper) {
  const std::vector<std::int64_t> a{1, 2, 3, 4, 5, 6, 7}, d{-4, 8, 17, -19, -1, 4, -2},
      b{-2, -3, 2, 1, 2, 1, 1};
  const std::vector<std::int64_t> ab{-2, -8, -2, 2, 12, 18, 25}, db{8, -16, 18, -1, -3, 1, -1};
  for (std::size_t n = 1; n <= 7; ++n) {
    Rig rig({.scheme = Scheme::Wp487Int8, .terms = static_cast<std::int64_t>(n)});
    DotIn<Values> in{.rst = false, .en = true, .in_valid = true};
    for (std::size_t i = 0; i < n; ++i) in.x.push_back(raw(d[i], 8));
    for (std::size_t i = 0; i < n; ++i) in.x.push_back(raw(a[i], 8));
    for (std::size_t i = 0; i < n; ++i) in.y.push_back(raw(b[i], 8));
    DotOut<Values> out{};
    for (std::uint32_t cycle = 0; cycle <= rig.p.latency(); ++cycle) {
      out = rig.step(in);
      EXPECT_EQ(out.out_valid, cycle == rig.p.latency()) << "latency";
    }
    EXPECT_EQ(out.sum[0], raw(db[n - 1], rig.p.packing.results[0].bits));
    EXPECT_EQ(out.sum[1], raw(ab[n - 1], rig.p.packing.results[1].bits));
  }
}

// The interpreter of tests/support knows nothing of the simulators: a third opinion, on folded sets
// with bubbles, stalls and resets.
TEST(Dot, FoldedSetsWithStallsAndResets) {
  for (const auto scheme : {Scheme::WrapCounter, Scheme::Wp486Macc, Scheme::SharedDrain,
                            Scheme::Wp487Int8Lut, Scheme::OffsetBinary}) {
    Request request{.scheme = scheme, .terms = 13};
    if (scheme != Scheme::Wp486Macc && scheme != Scheme::OffsetBinary) request.cycles = 4;
    Rig rig(request);
    std::uint64_t state = 1;
    auto random = [&] {
      return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33;
    };
    int results = 0;
    for (int cycle = 0; cycle < 700; ++cycle) {
      DotIn<Values> in{
          .rst = random() % 90 == 0, .en = random() % 5 != 0, .in_valid = random() % 3 != 0};
      const bool corner = random() % 3 == 0;
      in.x.resize(rig.p.input_shape().x.size());
      in.y.resize(rig.p.input_shape().y.size());
      for (auto* words : {&in.x, &in.y})
        for (auto& w : *words) w = corner ? raw(random() % 2 ? 127 : -128, 8) : random() % 256;
      results += rig.step(in).out_valid && in.en ? 1 : 0;
      if (HasFailure()) FAIL() << packing::to_string(scheme) << ", cycle " << cycle;
    }
    EXPECT_GT(results, 20) << packing::to_string(scheme);
  }
}

}  // namespace dot_dot_test
}  // namespace kumiki::gen::dot
