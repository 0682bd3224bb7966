// SPDX-License-Identifier: Apache-2.0
// What the planner says when it refuses: the scheme, the interval that breaks, and what would be
// legal.
#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_refusal_test {

std::string refusal(const Request& request, Scheme scheme) {
  try {
    const PackingPlan plan = packing::plan(request, scheme);
    return "planned: " + name_of(plan);
  } catch (const Refusal& refused) {
    return to_string(refused);
  }
}

TEST(Refusal, OneTermPastTheLimit) {
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 8}, Scheme::Wp487Int8),
            "wp487-int8: low lane after 8 terms is [-130048, 131072], outside [-131072, 131071]; "
            "use at most 7 "
            "terms a chain at G = 18, or wp487-int8-dsp or wp487-int8-lut, which add up segments");
  EXPECT_EQ(refusal({.packed = U(8), .shared = S(8), .terms = 9}, Scheme::Wp487Uint8),
            "wp487-uint8: low lane after 9 terms is [-293760, 291465], outside [-262144, 262143]; "
            "use at most 8 "
            "terms a chain at G = 19, or wp487-uint8-dsp, which adds up segments");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 9, .tuning = {.segment = 9}},
                    Scheme::OffsetBinary),
            "offset-binary: lane at 0 after 9 terms, R = 146304 is [0, 293760], outside [0, "
            "262143]; use at "
            "most 8 terms a chain at G = 18");
  EXPECT_EQ(refusal({.packed = S(4),
                     .shared = U(4),
                     .terms = 10,
                     .tuning = {.segment = 10, .packed_count = 2, .shared_count = 2}},
                    Scheme::FourLane),
            "four-lane: lane at 0 after 10 terms, R = 1200 is [0, 2250], outside [0, 2047]; use "
            "at most 9 terms "
            "a chain at G = 11");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 80, .tuning = {.segment = 8}},
                    Scheme::WrapCounter),
            "wrap-counter: lane at 0 in one cycle of 8 terms, B = 130048 is [0, 261120], outside "
            "[0, 229376]; "
            "use at most 7 terms a cycle at G = 18 with 3 bits watched");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 300, .tuning = {.segment = 300}},
                    Scheme::CarryLane),
            "carry-lane: terms a chain is 300, outside [1, 258]; use at most 258 terms a chain");
}

TEST(Refusal, GuardTooSmall) {
  EXPECT_EQ(
      refusal({.packed = S(8), .shared = S(8), .terms = 8, .tuning = {.guard = 17, .segment = 8}},
              Scheme::OffsetBinary),
      "offset-binary: lane at 0 after 8 terms, R = 130048 is [0, 261120], outside [0, 131071]; "
      "use at "
      "most 4 terms a chain at G = 17");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 4, .tuning = {.guard = 14}},
                    Scheme::OffsetBinary),
            "offset-binary: lane at 0 after 1 terms, R = 16256 is [0, 32640], outside [0, 16383]; "
            "use a wider guard or narrower operands");
  EXPECT_EQ(
      refusal(
          {.packed = S(4),
           .shared = U(4),
           .terms = 9,
           .tuning =
               {.guard = 6, .segment = 2, .packed_count = 2, .shared_count = 3, .canary_bits = 2}},
          Scheme::Canary),
      "canary: different carries of 2 terms into lane 1, told by 2 bits is 8, not at most 4; "
      "use a canary of 3 bits");
}

TEST(Refusal, LowestOperandAt19) {
  EXPECT_EQ(
      refusal({.packed = S(8), .shared = S(8), .terms = 4, .tuning = {.guard = 19}},
              Scheme::OffsetBinary),
      "offset-binary: packed word on the 27-bit side is [-67108992, 66584703], outside [-67108864, "
      "67108863]; use a spacing of 18 for S8 x S8");
}

TEST(Refusal, ImpossibleWidths) {
  EXPECT_EQ(refusal({.packed = S(14), .shared = S(8), .terms = 4}, Scheme::OffsetBinary),
            "offset-binary: packed word on the 27-bit side is [-134225920, 134209535], outside "
            "[-67108864, 67108863]; use narrower operands; 2 x 1 of S14 x S8 fit at no spacing");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(19), .terms = 1}, Scheme::Single),
            "single: shared word on the 18-bit side is [-262144, 262143], outside [-131072, "
            "131071]; use narrower operands; 1 x 1 of S8 x S19 fit at no spacing");
  EXPECT_EQ(
      refusal({.packed = U(27), .shared = S(8), .terms = 1, .tuning = {.centre_packed = false}},
              Scheme::Single),
      "single: packed word on the 27-bit side is [0, 134217727], outside [-67108864, 67108863]; "
      "use narrower operands; 1 x 1 of U27 x S8 fit at no spacing");
  EXPECT_EQ(refusal({.packed = S(28), .shared = S(8), .terms = 1}, Scheme::Single),
            "single: packed operand: 28 bits are not possible; use 1 to 27");
  EXPECT_EQ(
      refusal(
          {.packed = S(8), .shared = S(8), .terms = 4, .tuning = {.guard = 18, .packed_count = 4}},
          Scheme::OffsetBinary),
      "offset-binary: first bit of the top lane is 54, outside [0, 47]; use a spacing of at "
      "most 15 for 4 lanes");
}

TEST(Refusal, WrongFormats) {
  EXPECT_EQ(refusal({.packed = U(8), .shared = S(8), .terms = 4}, Scheme::Wp487Int8),
            "wp487-int8: a pair U8 sharing S8; use a pair of signed operands sharing a signed one");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 4}, Scheme::WeightAware),
            "weight-aware: weights that are not known; use known values on one side, or "
            "offset-binary");
  EXPECT_EQ(refusal({.packed = S(8), .shared = {.bits = 8, .values = {{1, 2, 300}}}, .terms = 3},
                    Scheme::WeightAware),
            "weight-aware: shared operand: values in [1, 300] do not fit signed 8 bits, which hold "
            "[-128, 127]");
  EXPECT_EQ(refusal({.packed = S(8), .shared = {.bits = 8, .values = {{1, 2}}}, .terms = 3},
                    Scheme::WeightAware),
            "weight-aware: shared operand: 2 values known for 3 terms");
  EXPECT_EQ(refusal({.packed = S(8), .shared = {.bits = 8, .values = {{1}, {2}}}, .terms = 1},
                    Scheme::OffsetBinary),
            "offset-binary: known shared operands is 2, not 1; use one row of values for "
            "every operand");
  EXPECT_EQ(refusal({.packed = {.bits = 8, .range = {{5, 2}}}, .shared = S(8), .terms = 1},
                    Scheme::Single),
            "single: packed operand: range [5, 2] is empty");
  EXPECT_EQ(
      refusal({.packed = U(8), .shared = {.bits = 1, .narrow = true}, .terms = 1}, Scheme::Single),
      "single: shared operand: narrow drops the lowest value of a signed operand of at least 2 "
      "bits");
}

TEST(Refusal, TermsAndCycles) {
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 0}, Scheme::Single),
            "single: terms is 0, outside [1, 65536]; use 1 to 65536 terms");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 65537}, Scheme::Single),
            "single: terms is 65537, outside [1, 65536]; use 1 to 65536 terms");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 4, .cycles = 5}, Scheme::SharedDrain),
            "shared-drain: cycles is 5, outside [1, 4]; use at most one cycle for every term");
  EXPECT_EQ(
      refusal({.packed = S(8), .shared = S(8), .terms = 4, .cycles = 2}, Scheme::Wp487Int8),
      "wp487-int8: cycles of a result is 2, not 1; use 1, or wp487-int8-lut, offset-binary or "
      "shared-drain, which fold terms in time");
}

TEST(Refusal, FamilyWithoutTheWMultiplexer) {
  const Limits limits = Limits::of(ir::Family::series7);
  EXPECT_EQ(
      refusal({.packed = S(8), .shared = S(8), .terms = 2, .limits = limits}, Scheme::CarryLane),
      "carry-lane: W = C on 7series; use carry-looks");
  EXPECT_EQ(refusal({.packed = S(8), .shared = S(8), .terms = 64, .cycles = 4, .limits = limits},
                    Scheme::WrapCounter),
            "wrap-counter: a bias in every cycle on 7series; use at most 2 terms in every lane, or "
            "wp486-macc");
  EXPECT_EQ(
      refusal({.packed = U(8), .shared = S(8), .terms = 2, .limits = limits}, Scheme::Wp487Uint8),
      "wp487-uint8: giving the bias back by W = C on 7series; use wp487-int8");
}

TEST(Refusal, CarriesItsStatement) {
  try {
    (void)packing::plan({.packed = S(8), .shared = S(8), .terms = 8}, Scheme::Wp487Int8);
    FAIL() << "eight terms are one too many";
  } catch (const Refusal& refused) {
    EXPECT_EQ(refused.scheme, Scheme::Wp487Int8);
    EXPECT_EQ(refused.broken.value, (Interval{-130048, 131072}));
    EXPECT_EQ(refused.broken.bound, signed_range(18));
    EXPECT_FALSE(refused.broken.holds);
  }
}

TEST(Refusal, EnumerationCollectsThem) {
  std::vector<Refusal> refused;
  const auto plans = enumerate({.packed = S(8), .shared = S(8), .terms = 64}, &refused);
  EXPECT_FALSE(plans.empty());
  const auto names = [&](Scheme scheme) {
    return std::count_if(refused.begin(), refused.end(),
                         [&](const Refusal& r) { return r.scheme == scheme; });
  };
  EXPECT_EQ(names(Scheme::Wp487Int8), 1);
  EXPECT_EQ(names(Scheme::WeightAware), 1);
  EXPECT_EQ(names(Scheme::CarryLane), 0);
}

TEST(Evaluation, RefusesOperandsOutsideTheirFormat) {
  const PackingPlan plan =
      packing::plan({.packed = Narrow(8), .shared = S(8), .terms = 1}, Scheme::OffsetBinary);
  try {
    (void)evaluate(plan, {.packed = {{-128}, {0}}, .shared = {{1}}});
    FAIL();
  } catch (const DesignError& error) {
    EXPECT_STREQ(error.what(), "evaluate: packed operand 0 of term 0 is -128, outside [-127, 127]");
  }
  EXPECT_THROW((void)evaluate(plan, {.packed = {{0}}, .shared = {{1}}}), DesignError);
  EXPECT_THROW((void)evaluate(plan, {.packed = {{0}, {0, 1}}, .shared = {{1}}}), DesignError);
}

}  // namespace packing_refusal_test
}  // namespace kumiki::gen::packing
