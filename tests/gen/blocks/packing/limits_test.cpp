// SPDX-License-Identifier: Apache-2.0
// The limits are the largest that can be proved, and sharp: one step past them the draft's own
// arithmetic gives a wrong answer for operands that the test finds.
#include <fmt/format.h>

#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_limits_test {

void expect_sharp(Scheme scheme, const Request& at, const Request& past) {
  const PackingPlan good = draft(at, scheme);
  ASSERT_TRUE(good.certificate.holds()) << name_of(good) << "\n"
                                        << to_string(*good.certificate.first_broken());
  expect_exact(good, 40, 11);
  const PackingPlan bad = draft(past, scheme);
  ASSERT_FALSE(bad.certificate.holds()) << name_of(bad);
  EXPECT_THROW(plan(past, scheme), Refusal);
  EXPECT_TRUE(counterexample(bad, 4000, 12).has_value()) << name_of(bad);
}

// A chain of N terms and one of N + 1, N from the planner's own plan of a long sum.
// True when there was such a chain.
bool expect_sharp_chain(Scheme scheme, Request request) {
  request.terms = 4096;
  PackingPlan longest;
  try {
    longest = plan(request, scheme);
  } catch (const Refusal&) {
    return false;
  }
  if (longest.segment > 300 || longest.segments < 2) return false;  // too long to be interesting
  Request at = request;
  at.terms = longest.segment;
  at.tuning.segment = static_cast<int>(longest.segment);
  Request past = at;
  past.terms = longest.segment + 1;
  past.tuning.segment = static_cast<int>(longest.segment) + 1;
  expect_sharp(scheme, at, past);
  return true;
}

TEST(SharpLimits, ChainsOfSmallOperandsAtEveryGuard) {
  int chains = 0;
  for (int p = 2; p <= 4; ++p)
    for (int s = 2; s <= 4; ++s)
      for (int signs = 0; signs < 4; ++signs)
        for (int guard = p + s; guard <= p + s + 3; ++guard) {
          Request request{
              .packed = (signs & 1) != 0 ? U(p) : S(p),
              .shared = (signs & 2) != 0 ? U(s) : S(s),
              .tuning = {.guard = guard, .centre_packed = false, .centre_shared = false}};
          for (const Scheme scheme : {Scheme::OffsetBinary, Scheme::Wp487Int8Lut}) {
            chains += expect_sharp_chain(scheme, request) ? 1 : 0;
            if (HasFatalFailure()) return;
          }
        }
  EXPECT_GT(chains, 150);
}

TEST(SharpLimits, Int8Chains) {
  EXPECT_TRUE(expect_sharp_chain(Scheme::OffsetBinary, {.packed = S(8), .shared = S(8)}));
  EXPECT_TRUE(expect_sharp_chain(Scheme::OffsetBinary, {.packed = Narrow(8), .shared = S(8)}));
  EXPECT_TRUE(expect_sharp_chain(
      Scheme::OffsetBinary,
      {.packed = Narrow(8), .shared = U(8), .tuning = {.centre_shared = false}}));
  EXPECT_TRUE(expect_sharp_chain(Scheme::OffsetBinary, {.packed = S(9), .shared = S(8)}));
  EXPECT_TRUE(expect_sharp_chain(Scheme::Wp487Int8Lut, {.packed = S(8), .shared = S(8)}));
  EXPECT_TRUE(expect_sharp_chain(Scheme::SharedDrain, {.packed = S(8), .shared = S(8)}));
  EXPECT_TRUE(expect_sharp_chain(Scheme::SharedDrain, {.packed = Narrow(8), .shared = S(8)}));
  EXPECT_TRUE(expect_sharp_chain(
      Scheme::FourLane,
      {.packed = S(4), .shared = U(4), .tuning = {.packed_count = 2, .shared_count = 2}}));
  EXPECT_TRUE(expect_sharp_chain(
      Scheme::FourLane,
      {.packed = S(4), .shared = S(4), .tuning = {.packed_count = 2, .shared_count = 2}}));
}

TEST(SharpLimits, OneChainSchemes) {
  const auto one = [](Scheme scheme, OperandFormat packed, OperandFormat shared,
                      std::int64_t terms) {
    const Request at{.packed = packed, .shared = shared, .terms = terms};
    Request past = at;
    ++past.terms;
    expect_sharp(scheme, at, past);
  };
  one(Scheme::Wp487Int8, S(8), S(8), 7);
  one(Scheme::Wp487Uint8, U(8), S(8), 8);
}

TEST(SharpLimits, GuardOneBitTooSmall) {
  for (const auto& [scheme, packed, terms, guard] :
       {std::tuple{Scheme::Wp487Int8, S(8), 7, 18}, std::tuple{Scheme::OffsetBinary, S(8), 8, 18},
        std::tuple{Scheme::OffsetBinary, Narrow(8), 16, 19}}) {
    Request at{.packed = packed,
               .shared = S(8),
               .terms = terms,
               .tuning = {.guard = guard, .segment = terms}};
    Request past = at;
    past.tuning.guard = guard - 1;
    expect_sharp(scheme, at, past);
  }
}

// a = -128 at G = 19 with d < 0 leaves the 27-bit port.
TEST(SharpLimits, LowestOperandAt19) {
  const Request at{.packed = Narrow(8), .shared = S(8), .terms = 4, .tuning = {.guard = 19}};
  Request past = at;
  past.packed = S(8);
  expect_sharp(Scheme::OffsetBinary, at, past);
}

TEST(SharpLimits, WrapCounterStep) {
  for (const int watch : {1, 2, 3})
    for (const auto& packed : {S(8), Narrow(8), S(4)}) {
      Request at{.packed = packed,
                 .shared = packed.bits == 4 ? S(4) : S(8),
                 .terms = 600,
                 .tuning = {.watch_bits = watch}};
      if (packed.bits == 4) at.tuning.guard = 12;
      Request busy = at;
      busy.cycles = 2;  // with 300 terms a cycle the chains are as long as they may be
      const auto longest = plan(busy, Scheme::WrapCounter).segment;
      at.tuning.segment = static_cast<int>(longest);
      Request past = at;
      past.tuning.segment = static_cast<int>(longest) + 1;
      expect_sharp(Scheme::WrapCounter, at, past);
    }
}

TEST(SharpLimits, CarryLanePeriod) {
  for (const auto& packed : {S(8), Narrow(8)}) {
    Request at{.packed = packed, .shared = S(8), .terms = 120};
    at.tuning.look_period = packed.narrow ? 8 : 4;
    Request past = at;
    ++*past.tuning.look_period;
    expect_sharp(Scheme::CarryLane, at, past);
  }
}

TEST(SharpLimits, CanaryOneBitTooFew) {
  for (int bits = 2; bits <= 6; ++bits) {
    Request at{.packed = S(bits), .shared = U(bits), .terms = 200};
    const PackingPlan best = plan(at, Scheme::Canary);
    int canary = 0;
    for (const auto& lane : best.lanes) canary = std::max(canary, lane.canary);
    at.tuning = {.guard = best.guard,
                 .segment = static_cast<int>(best.segment),
                 .packed_count = best.packed_count,
                 .shared_count = best.shared_count,
                 .canary_bits = canary};
    Request past = at;
    past.tuning.canary_bits = canary - 1;
    expect_sharp(Scheme::Canary, at, past);
  }
}

TEST(SharpLimits, KnownWeights) {
  std::vector<std::int64_t> weights(9, 114);
  weights.back() = 116;  // 1028 in all
  const Request at{
      .packed = S(8), .shared = Known(8, {weights}), .terms = 9, .tuning = {.segment = 9}};
  ++weights.back();
  Request past = at;
  past.shared = Known(8, {weights});
  expect_sharp(Scheme::WeightAware, at, past);
}

}  // namespace packing_limits_test
}  // namespace kumiki::gen::packing
