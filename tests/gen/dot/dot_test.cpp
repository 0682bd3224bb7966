// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/dot/build.h"
#include "gen/dot/model.h"
#include "tests/support/reference_machine.h"

namespace kumiki::gen::dot {
namespace {

using ::testing::HasSubstr;

TEST(DotPlan, TermLimitsOfTheWhitePaper) {
  EXPECT_EQ(term_limit(8, 18), 7u);
  EXPECT_EQ(term_limit(8, 17), 3u);
  EXPECT_EQ(term_limit(8, 19), 15u);
  EXPECT_EQ(term_limit(4, 11), 15u);
}

TEST(DotPlan, EveryLegalLengthIsProvedAndOnePastIsRefused) {
  for (std::uint32_t n = 1; n <= 7; ++n) {
    auto p = plan({.terms = n});
    EXPECT_EQ(p.slices, n);
    EXPECT_EQ(p.latency, n + 4);
    for (const Proof& proof : p.proofs) EXPECT_TRUE(proof.holds());
  }
  for (std::uint32_t n : {0u, 8u, 65536u}) EXPECT_THROW(plan({.terms = n}), DesignError);
  try {
    plan({.terms = 8});
  } catch (const DesignError& e) {
    EXPECT_STREQ(e.what(),
                 "8 terms of wp487-int8 do not fit: low lane sum d*b on G bits can be -130048 to "
                 "131072, legal is "
                 "-131072 to 131071; at most 7 terms are legal");
  }
}

TEST(DotPlan, TheTextShowsTheProof) {
  EXPECT_THAT(to_text(plan({.terms = 7})),
              HasSubstr("low lane sum d*b on G bits: [-113792, 114688] within [-131072, 131071]"));
  EXPECT_EQ(to_json(plan({.terms = 3}))["latency"], 7);
}

struct Rig {
  explicit Rig(Request request)
      : p(plan(request)),
        model(p.input_shape(), p.output_shape(),
              DotModel(request.terms, p.latency, request.skew == Skew::external)) {
    build_top(builder, build, p, p.input_shape());
    hardware = std::make_unique<tests::ReferenceMachine>(builder.design());
  }
  DotPlan p;
  Builder builder;
  Model<DotIn, DotOut, DotModel> model;
  std::unique_ptr<ir::Machine> hardware;

  // One cycle of both; they must agree on every output.
  DotOut<Values> step(const DotIn<Values>& in) {
    ir::Frame frame, got, want;
    pack(p.input_shape(), in, frame);
    hardware->step(frame, got);
    model.step(frame, want);
    EXPECT_EQ(got, want);
    DotOut<Values> out{};
    unpack(p.output_shape(), got, out);
    return out;
  }
};

// WP487's worked example, row by row: the sums after each term, and what the lanes of P hold.
TEST(Dot, WorkedExampleOfTheWhitePaper) {
  const std::vector<std::int64_t> a{1, 2, 3, 4, 5, 6, 7}, d{-4, 8, 17, -19, -1, 4, -2},
      b{-2, -3, 2, 1, 2, 1, 1};
  const std::vector<std::int64_t> ab{-2, -8, -2, 2, 12, 18, 25}, db{8, -16, 18, -1, -3, 1, -1};
  for (std::uint32_t n = 1; n <= 7; ++n) {
    Rig rig({.terms = n});
    DotIn<Values> in{.rst = false, .en = true, .in_valid = true};
    in.a.assign(a.begin(), a.begin() + n);
    in.d.assign(d.begin(), d.begin() + n);
    in.b.assign(b.begin(), b.begin() + n);
    DotOut<Values> out{};
    for (std::uint32_t cycle = 0; cycle <= rig.p.latency; ++cycle) {
      out = rig.step(in);
      EXPECT_EQ(out.out_valid, cycle == rig.p.latency) << "latency";
    }
    EXPECT_EQ(out.ab, ab[n - 1]);
    EXPECT_EQ(out.db, db[n - 1]);
  }
}

class DotLockstep : public ::testing::TestWithParam<std::tuple<std::uint32_t, Skew>> {};

TEST_P(DotLockstep, CornersRandomStallsAndResets) {
  auto [terms, skew] = GetParam();
  Rig rig({.skew = skew, .terms = terms});
  std::uint64_t state = terms;
  auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  const std::int64_t corners[] = {-128, 127, -1, 0, 1, -127};
  for (int cycle = 0; cycle < 600; ++cycle) {
    DotIn<Values> in{
        .rst = random() % 50 == 0, .en = random() % 5 != 0, .in_valid = random() % 2 == 0};
    // Whole frames of one corner come often: the longest legal run of the worst sign.
    auto mode = random() % 4;
    auto left = corners[random() % 6], right = corners[random() % 6];
    for (std::uint32_t i = 0; i < terms; ++i) {
      auto value = [&](std::int64_t same) {
        return mode == 0   ? same
               : mode == 1 ? corners[random() % 6]
                           : std::int64_t(random() % 256) - 128;
      };
      in.a.push_back(value(left));
      in.d.push_back(value(mode == 0 && cycle % 2 ? right : left));
      in.b.push_back(value(right));
    }
    rig.step(in);
    if (HasFailure()) FAIL() << "cycle " << cycle;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryLength, DotLockstep,
                         ::testing::Combine(::testing::Range(1u, 8u),
                                            ::testing::Values(Skew::internal, Skew::external)));

}  // namespace
}  // namespace kumiki::gen::dot
