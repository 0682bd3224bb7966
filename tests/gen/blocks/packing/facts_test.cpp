// SPDX-License-Identifier: Apache-2.0
// The figures of the white papers and of docs/decisions/packing-theorems.md, one by one.
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "gen/blocks/packing/schemes/carry_lane.h"
#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_facts_test {

PackingPlan plan_of(Scheme scheme, OperandFormat packed, OperandFormat shared, std::int64_t terms,
                    Tuning tuning = {}) {
  return plan(
      {.packed = std::move(packed), .shared = std::move(shared), .terms = terms, .tuning = tuning},
      scheme);
}

std::int64_t longest(Scheme scheme, OperandFormat packed, OperandFormat shared,
                     Tuning tuning = {}) {
  return plan_of(scheme, std::move(packed), std::move(shared), 256, tuning).segment;
}

const SliceKind& kind_of(const PackingPlan& plan, const std::string& name) {
  for (const auto& kind : plan.kinds)
    if (kind.name == name) return kind;
  throw std::runtime_error("no slice of kind " + name);
}

TEST(Wp487, WorkedExampleSliceBySlice) {
  const Operands operands{.packed = {{-4, 8, 17, -19, -1, 4, -2}, {1, 2, 3, 4, 5, 6, 7}},
                          .shared = {{-2, -3, 2, 1, 2, 1, 1}}};
  const auto plan = plan_of(Scheme::Wp487Int8, S(8), S(8), 7);
  const auto evaluation = evaluate(plan, operands);
  // The paper prints the last one as 65553599.
  EXPECT_EQ(evaluation.words, (std::vector<std::int64_t>{-524280, -2097168, -524270, 524287,
                                                         3145725, 4718593, 6553599}));
  const std::int64_t high_words[] = {-2, -9, -2, 1, 11, 18, 24};
  const std::int64_t high_sums[] = {-2, -8, -2, 2, 12, 18, 25};
  const std::int64_t low_sums[] = {8, -16, 18, -1, -3, 1, -1};
  for (int i = 0; i < 7; ++i) {
    const std::int64_t p = evaluation.words[i];
    const std::int64_t low_word = ((p & 0x3FFFF) ^ 0x20000) - 0x20000;
    EXPECT_EQ(p >> 18, high_words[i]);
    EXPECT_EQ(low_word, low_sums[i]);
    EXPECT_EQ((p >> 18) + (p >> 17 & 1), high_sums[i]);
  }
  EXPECT_EQ(evaluation.results, (std::vector<std::int64_t>{-1, 25}));
}

TEST(Wp487, FieldsAndOpmodesAreThePapers) {
  const auto plan = plan_of(Scheme::Wp487Int8, S(8), S(8), 7);
  ASSERT_EQ(plan.results[1].signals.size(), 2u);
  EXPECT_EQ(plan.results[1].signals[0].lsb, 18);
  EXPECT_EQ(plan.results[1].signals[0].width, 18);  // P[35:18]
  EXPECT_EQ(plan.results[1].signals[1].lsb, 17);    // + P[17]
  EXPECT_EQ(to_string(kind_of(plan, "first").load), "00_000_01_01");
  EXPECT_EQ(to_string(kind_of(plan, "middle").load), "00_001_01_01");
  EXPECT_EQ(plan.latency, 4 + 6 + 2);  // an increment of 19 bits in two parts
}

TEST(Wp487, TermLimits) {
  EXPECT_EQ(longest(Scheme::Wp487Int8Lut, S(8), S(8)), 7);
  EXPECT_EQ(longest(Scheme::Wp487Int8Dsp, S(8), S(8)), 7);
  EXPECT_EQ(longest(Scheme::Wp487Uint8Dsp, U(8), S(8)), 8);
  for (int m = 3; m <= 9; ++m)
    for (int q = 2 * m; q <= std::min(27 - m - 1, 2 * m + 10); ++q) {
      // N = floor((2^(q-1) - 1) / 2^(2(m-1))), the paper's formula.
      const std::int64_t formula =
          ((std::int64_t{1} << (q - 1)) - 1) / (std::int64_t{1} << 2 * (m - 1));
      const auto draft_plan =
          draft({.packed = S(m), .shared = S(m), .terms = formula, .tuning = {.guard = q}},
                Scheme::Wp487Int8);
      EXPECT_TRUE(draft_plan.certificate.holds()) << m << " bits at " << q;
      const auto longer =
          draft({.packed = S(m), .shared = S(m), .terms = formula + 1, .tuning = {.guard = q}},
                Scheme::Wp487Int8);
      EXPECT_FALSE(longer.certificate.holds()) << m << " bits at " << q;
    }
}

TEST(Wp487, RatiosAreExact) {
  for (const std::int64_t segments : {1, 2, 9, 37, 73}) {
    const auto int8 = plan_of(Scheme::Wp487Int8Dsp, S(8), S(8), 7 * segments);
    EXPECT_EQ(static_cast<std::int64_t>(int8.slices.size()), 8 * segments);
    EXPECT_EQ(mac_per_slice(int8), (Ratio{7, 4}));
    EXPECT_TRUE(int8.lut_free());
  }
  for (const std::int64_t segments : {1, 2, 9, 32}) {
    const auto uint8 = plan_of(Scheme::Wp487Uint8Dsp, U(8), S(8), 8 * segments);
    EXPECT_EQ(static_cast<std::int64_t>(uint8.slices.size()), 9 * segments);
    EXPECT_EQ(mac_per_slice(uint8), (Ratio{16, 9}));
  }
  EXPECT_EQ(mac_per_slice(plan_of(Scheme::Wp487Int8Lut, S(8), S(8), 63)), (Ratio{2, 1}));
  EXPECT_EQ(mac_per_slice(plan_of(Scheme::Wp487Uint8, U(8), S(8), 8)), (Ratio{2, 1}));
  for (int slices = 1; slices <= 6; ++slices)
    EXPECT_EQ(mac_per_slice(plan_of(Scheme::Wp486Macc, S(8), S(8), 7 / slices * slices,
                                    {.macc_slices = slices})),
              (Ratio{2, 1}));
}

TEST(Wp487, UnsignedFormGivesTheBiasBackThroughW) {
  const auto plan = plan_of(Scheme::Wp487Uint8, U(8), S(8), 8);
  EXPECT_EQ(plan.guard, 19);
  EXPECT_EQ(to_string(plan.ports.a), "{x1[7:0], 11'b0, x0[7:0]}");  // a[7] is A[26]
  EXPECT_FALSE(plan.ports.preadder());
  const SliceKind& kind = kind_of(plan, "middle");
  EXPECT_TRUE(kind.gated);
  EXPECT_EQ(to_string(kind.gate), "x1[7]");
  EXPECT_EQ(to_string(kind.c), "{{13{y0[7]}}, y0[7:0], 27'b0}");
}

TEST(Wp490, ShiftOf16OnThe25BitPort) {
  const auto plan = packing::plan(
      {.packed = S(8), .shared = S(8), .terms = 1, .limits = Limits::of(ir::Family::series7)},
      Scheme::Wp487Int8);
  EXPECT_EQ(plan.guard, 16);
}

TEST(OffsetBinary, FullRangeInt8) {
  const auto plan = plan_of(Scheme::OffsetBinary, S(8), S(8), 8);
  const Lane& low = plan.lanes[0];
  EXPECT_EQ(plan.guard, 18);
  EXPECT_EQ(low.term, (Interval{-16256, 16384}));
  EXPECT_EQ(low.term.span(), 32640);
  EXPECT_EQ(longest(Scheme::OffsetBinary, S(8), S(8)), 8);
  // R in [130048, 131071].
  EXPECT_EQ(-(low.term * 8).lo, 130048);
  EXPECT_EQ(power_of_two(18) - 1 - (low.term * 8).hi, 131071);
  EXPECT_TRUE(low.bias >= 130048 && low.bias <= 131071);
  EXPECT_EQ(to_string(kind_of(plan, "first").load), "10_000_01_01");
  EXPECT_EQ(to_string(kind_of(plan, "middle").load), "00_001_01_01");
}

TEST(OffsetBinary, OtherRanges) {
  EXPECT_EQ(longest(Scheme::OffsetBinary, U(8), S(8), {.guard = 18, .centre_packed = false}), 4);
  // S8 x U8 at G = 19 needs the narrow pair: a = -128 leaves the port.
  EXPECT_EQ(longest(Scheme::OffsetBinary, Narrow(8), U(8), {.guard = 19, .centre_shared = false}),
            8);
  EXPECT_EQ(longest(Scheme::OffsetBinary, Narrow(8), S(8)), 16);
  const auto narrow = plan_of(Scheme::OffsetBinary, Narrow(8), S(8), 16);
  EXPECT_EQ(narrow.guard, 19);
  EXPECT_EQ(narrow.lanes[0].bias, power_of_two(18));
  // Unsigned pixels at a - 128: full INT8 rates, one inverted bit an operand.
  const auto pixels = plan_of(Scheme::OffsetBinary, U(8), S(8), 8, {.centre_packed = true});
  EXPECT_EQ(pixels.segment, 8);
  for (const Wiring* port : {&pixels.ports.a, &pixels.ports.d})
    EXPECT_EQ(std::ranges::count(port->pieces, true, &Piece::invert), 1);
  EXPECT_EQ(pixels.results[0].signals.back().kind, Signal::Kind::OperandSum);
  EXPECT_EQ(pixels.results[0].signals.back().coefficient, 128);
}

TEST(OffsetBinary, LeftToTheConsumerTheSplitIsWires) {
  for (const std::int64_t terms : {1, 7, 8}) {
    const auto plan =
        packing::plan({.packed = S(8), .shared = S(8), .terms = terms, .offset_results = true},
                      Scheme::OffsetBinary);
    EXPECT_TRUE(plan.lut_free());
    EXPECT_EQ(plan.results[0].offset, -plan.lanes[0].bias);
  }
}

TEST(SharedDrain, Ratios) {
  EXPECT_EQ(mac_per_slice(
                plan_of(Scheme::SharedDrain, S(8), S(8), 7, {.segment = 7, .chains_per_drain = 1})),
            (Ratio{7, 4}));
  EXPECT_EQ(mac_per_slice(plan_of(Scheme::SharedDrain, S(8), S(8), 8, {.chains_per_drain = 1})),
            (Ratio{16, 9}));
  EXPECT_EQ(mac_per_slice(plan_of(Scheme::SharedDrain, S(8), S(8), 256)),
            (Ratio{32, 17}));  // 1.882
  EXPECT_EQ(mac_per_slice(plan_of(Scheme::SharedDrain, Narrow(8), S(8), 256)),
            (Ratio{64, 33}));  // 1.939
}

TEST(SharedDrain, OpmodesAndConstantOfTheNotes) {
  Request request{.packed = S(8), .shared = S(8), .terms = 64, .cycles = 4};
  const auto plan = packing::plan(request, Scheme::SharedDrain);
  EXPECT_EQ(plan.words, 4);
  EXPECT_EQ(plan.slices.size(), 17u);
  const SliceKind& drain = kind_of(plan, "accumulating drain");
  EXPECT_EQ(to_string(drain.load), "10_011_00_11");
  EXPECT_EQ(to_string(drain.run), "01_011_00_11");
  EXPECT_EQ(to_string(drain.c), "{P[41:18], 6'b0, P[17:0]}");
  EXPECT_EQ(to_string(drain.ab), "{P1[41:18], 6'b0, P1[17:0]}");
  const Exact modulus = power_of_two(24);
  EXPECT_EQ(drain.rnd, (modulus - 4 * 2 * plan.lanes[0].bias % modulus) % modulus);
}

TEST(SharedDrain, TwentyFourBitsHoldUpTo511TermsOfTheWorst) {
  EXPECT_EQ(plan_of(Scheme::SharedDrain, S(8), S(8), 511).drain, Drain::Two24);
  EXPECT_EQ(plan_of(Scheme::SharedDrain, S(8), S(8), 512).drain, Drain::One48);
  // Known weights bound the sum better than their number does.
  const std::vector<std::int64_t> small(512, 3);
  EXPECT_EQ(plan_of(Scheme::SharedDrain, S(8), Known(8, {small}), 512).drain, Drain::Two24);
}

TEST(SharedDrain, FourInt4LanesWithoutALut) {
  // FOUR12 while the sums fit 12 bits, then two TWO24 slices for two chains.
  const auto few = plan_of(Scheme::SharedDrain, S(4), U(4), 17);
  EXPECT_EQ(few.drain, Drain::Four12);
  EXPECT_EQ(few.slices.size(), 18u);
  const auto many = plan_of(Scheme::SharedDrain, S(4), U(4), 252);
  EXPECT_EQ(many.drain, Drain::Two24);
  EXPECT_EQ(mac_per_slice(many), (Ratio{18, 5}));  // 3.6
  EXPECT_TRUE(many.results[0].wires());
}

TEST(WeightAware, FilterKernelsNeverSplit) {
  const std::vector<std::vector<std::int64_t>> kernels{
      {-1, 0, 1, -2, 0, 2, -1, 0, 1},    // Sobel
      {-3, 0, 3, -10, 0, 10, -3, 0, 3},  // Scharr
      {0, 1, 0, 1, -4, 1, 0, 1, 0},      // Laplacian
      {1, 2, 1, 2, 4, 2, 1, 2, 1},       // Gaussian
      {1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
       24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1},  // Gaussian 5 x 5
  };
  for (const auto& kernel : kernels) {
    const auto terms = static_cast<std::int64_t>(kernel.size());
    const auto taps = terms - std::count(kernel.begin(), kernel.end(), 0);
    const auto plan = plan_of(Scheme::WeightAware, U(8), Known(8, {kernel}), terms);
    EXPECT_EQ(plan.segments, 1);
    EXPECT_EQ(static_cast<std::int64_t>(plan.slices.size()), taps);
    EXPECT_EQ(plan.macs(), 2 * taps);
    expect_exact(plan, 20, 3);
  }
}

TEST(WeightAware, ChainsRunUpToTheSumOfTheWeights) {
  // sum |b| <= (2^G - 1) / 255: 1028 at G = 18.
  std::vector<std::int64_t> weights(9, 114);
  weights.back() = 116;
  EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), std::int64_t{0}), 1028);
  EXPECT_EQ(plan_of(Scheme::WeightAware, S(8), Known(8, {weights}), 9).segments, 1);
  ++weights.back();
  EXPECT_EQ(plan_of(Scheme::WeightAware, S(8), Known(8, {weights}), 9).segments, 2);
  // 2056 at G = 19, where the pair is unsigned pixels on the port as they are.
  const Tuning tuning{.guard = 18};
  EXPECT_EQ(plan_of(Scheme::WeightAware, U(8), Known(8, {weights}), 9, tuning).segments, 2);
}

TEST(WrapCounter, ChainLengths) {
  // One bit watched gives the quadrant rule's 4 and 8, three bits are the same LUT and give 7
  // and 14.
  EXPECT_EQ(longest(Scheme::WrapCounter, S(8), S(8), {.watch_bits = 1}), 4);
  EXPECT_EQ(longest(Scheme::WrapCounter, Narrow(8), S(8), {.watch_bits = 1}), 8);
  EXPECT_EQ(longest(Scheme::WrapCounter, S(8), S(8)), 7);
  EXPECT_EQ(longest(Scheme::WrapCounter, Narrow(8), S(8)), 14);
  const auto plan = plan_of(Scheme::WrapCounter, S(8), S(8), 256);
  EXPECT_EQ(to_string(kind_of(plan, "accumulate").load), "00_001_01_01");
  EXPECT_EQ(to_string(kind_of(plan, "accumulate").run), "01_001_01_01");
  EXPECT_EQ(plan.counters.size(), 1u);
}

// The largest step that a certificate accepts is told from no step and from every wrap. In each of
// three cycles all terms of the lower lane have one product, so that a cycle is one step; every
// choice of three products brings the lane of eight bits to many old values and takes each step
// from there.
TEST(WrapCounter, TopBitsTellEveryWrap) {
  for (const int watch : {1, 2, 3}) {
    const Request request{
        .packed = S(3), .shared = S(3), .terms = 64, .tuning = {.guard = 8, .watch_bits = watch}};
    const std::int64_t most = packing::plan(request, Scheme::WrapCounter).segment;
    Request in_three_cycles = request;
    in_three_cycles.terms = 3 * most;
    in_three_cycles.cycles = 3;
    const auto plan = packing::plan(in_three_cycles, Scheme::WrapCounter);
    ASSERT_EQ(plan.words, 3);
    ASSERT_EQ(plan.counters.size(), 1u);
    ASSERT_EQ(plan.counters[0].width, watch);
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> factors;  // of every product
    for (std::int64_t x = -4; x < 4; ++x)
      for (std::int64_t y = -4; y < 4; ++y) factors[x * y] = {x, y};
    Evaluator evaluator(plan);
    std::set<std::int64_t> sums;
    for (const auto& [first, a] : factors)
      for (const auto& [second, b] : factors)
        for (const auto& [third, c] : factors) {
          const std::pair<std::int64_t, std::int64_t> all[] = {a, b, c};
          const auto operands = operands_of(plan, [&](const Interval&, OperandRef ref, auto term) {
            const auto& [x, y] = all[term / most];
            return ref.side == Side::Shared ? y : ref.index == 0 ? x : -1 - x;
          });
          const auto expected = dots(plan, operands);
          ASSERT_EQ(evaluator.run(operands).results, expected) << watch << " bits watched";
          sums.insert(expected[0]);
        }
    EXPECT_GT(*sums.rbegin() - *sums.begin(), 256) << "the lane never wraps";
    // One term more and the step is too large for so few bits.
    in_three_cycles.tuning.segment = static_cast<int>(most + 1);
    in_three_cycles.terms = 3 * (most + 1);
    EXPECT_FALSE(draft(in_three_cycles, Scheme::WrapCounter).certificate.holds()) << watch;
  }
}

TEST(CarryLane, ATermsWorthOfFigures) {
  EXPECT_EQ(carry_lane::period(plan_of(Scheme::CarryLane, S(8), S(8), 256).lanes[0]), 4);
  EXPECT_EQ(carry_lane::period(plan_of(Scheme::CarryLane, Narrow(8), S(8), 256).lanes[0]), 8);
  const auto plan = plan_of(Scheme::CarryLane, S(8), S(8), 256);
  EXPECT_EQ(mac_per_slice(plan), (Ratio{2, 1}));
  EXPECT_EQ(plan.segments, 1);
  EXPECT_EQ(to_string(kind_of(plan, "relieve").load), "11_001_01_01");
  EXPECT_EQ(to_string(kind_of(plan, "relieve").c), "{6'b0, {25{P[17]}}, 17'b0}");
  const auto drained = plan_of(Scheme::CarryLaneDrain, S(8), S(8), 256);
  EXPECT_TRUE(drained.lut_free());
  EXPECT_EQ(mac_per_slice(drained), (Ratio{512, 257}));  // 1.992, full range, no LUT
}

// The lanes of the notes, whose canaries are those of one term; and what chains of several terms
// and three bits reach, where more lanes fit.
TEST(Canary, RanksOfTheNotes) {
  const struct {
    int bits, packed, shared, spacing, canary, most;
  } expected[] = {{2, 3, 4, 3, 1, 18},
                  {3, 2, 4, 5, 1, 12},
                  {4, 2, 3, 7, 1, 6},
                  {5, 2, 2, 9, 1, 4},
                  {6, 2, 2, 10, 2, 4}};
  for (const auto& e : expected) {
    EXPECT_EQ(mac_per_slice(plan_of(Scheme::Canary, S(e.bits), U(e.bits), 64)), (Ratio{e.most, 1}));
    const auto plan = plan_of(
        Scheme::Canary, S(e.bits), U(e.bits), 64,
        {.guard = e.spacing, .segment = 1, .packed_count = e.packed, .shared_count = e.shared});
    EXPECT_EQ(mac_per_slice(plan), (Ratio{e.packed * e.shared, 1})) << e.bits;
    int canary = 0;
    for (const auto& lane : plan.lanes) canary = std::max(canary, lane.canary);
    EXPECT_EQ(canary, e.canary) << e.bits;
  }
  const auto four =
      plan_of(Scheme::Canary, S(4), U(4), 16, {.guard = 7, .packed_count = 2, .shared_count = 3});
  EXPECT_EQ(to_string(four.ports.a), "{{24{x0[3]}}, x0[2:0]}");
  EXPECT_EQ(to_string(four.ports.d), "{{3{x1[3]}}, x1[2:0], 21'b0}");
  EXPECT_EQ(to_string(four.ports.b), "{~y2[3], y2[2:0], 3'b0, y1[3:0], 3'b0, y0[3:0]}");
}

TEST(FourLane, Int4) {
  const auto plan =
      plan_of(Scheme::FourLane, S(4), U(4), 9, {.packed_count = 2, .shared_count = 2});
  EXPECT_EQ(plan.guard, 11);
  EXPECT_EQ(plan.segments, 1);
  EXPECT_EQ(kind_of(plan, "first").rnd, 1080 * (1 + power_of_two(11) + power_of_two(22)));
  EXPECT_EQ(mac_per_slice(plan), (Ratio{4, 1}));
  const int offsets[] = {0, 11, 22, 33};
  for (int lane = 0; lane < 4; ++lane) EXPECT_EQ(plan.lanes[lane].offset, offsets[lane]);
  Request offset{.packed = S(4),
                 .shared = U(4),
                 .terms = 9,
                 .offset_results = true,
                 .tuning = {.packed_count = 2, .shared_count = 2}};
  EXPECT_TRUE(packing::plan(offset, Scheme::FourLane).lut_free());
}

TEST(Single, UpToTheWholeMultiplier) {
  const auto plan = plan_of(Scheme::Single, S(27), S(18), 256);
  EXPECT_EQ(plan.segment, 15);  // 15 * 2^43 < 2^47
  EXPECT_EQ(plan.slices.size(), 256u);
  EXPECT_EQ(plan_of(Scheme::Single, S(16), S(16), 256).segments, 1);
}

}  // namespace packing_facts_test
}  // namespace kumiki::gen::packing
