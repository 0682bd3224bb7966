// SPDX-License-Identifier: Apache-2.0
// Requests as nobody would write them: every scheme, formats, lengths, columns, families, fixed
// guards, known weights and offset results in any combination.
#include <map>

#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_sweep_test {

class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : rng(seed) {}
  int below(int end) { return static_cast<int>(rng() % static_cast<unsigned>(end)); }
  bool one_in(int n) { return below(n) == 0; }
  std::mt19937_64 rng;
};

OperandFormat any_format(Chooser& choose, int most) {
  OperandFormat f{.bits = 1 + choose.below(most), .is_signed = choose.one_in(2)};
  f.narrow = f.is_signed && f.bits > 1 && choose.one_in(4);
  return f;
}

void know(Chooser& choose, OperandFormat& format, std::int64_t terms) {
  const Interval range = format.interval();
  const int rows = 1 + choose.below(3);
  for (int k = 0; k < rows; ++k) {
    format.values.emplace_back();
    for (std::int64_t t = 0; t < terms; ++t)
      format.values.back().push_back(choose.one_in(3) && range.contains(0)
                                         ? 0
                                         : low(range) +
                                               choose.below(static_cast<int>(range.span()) + 1));
  }
}

Request any_request(Chooser& choose) {
  Request r{.packed = any_format(choose, 12),
            .shared = any_format(choose, 10),
            .terms = 1 + choose.below(choose.one_in(4) ? 300 : 40)};
  if (choose.one_in(2)) r.cycles = 1 + choose.below(static_cast<int>(r.terms));
  if (choose.one_in(6)) r.limits = Limits::of(ir::Family::series7);
  if (choose.one_in(4)) r.limits.column_height = 2 + choose.below(20);
  if (choose.one_in(3)) r.tuning.guard = 1 + choose.below(24);
  r.offset_results = choose.one_in(5);
  if (choose.one_in(4)) know(choose, choose.one_in(2) ? r.packed : r.shared, r.terms);
  return r;
}

class RandomPlans : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPlans, AreExact) {
  Chooser choose(GetParam());
  std::map<Scheme, int> plans;
  for (int k = 0; k < 120; ++k) {
    const Request request = any_request(choose);
    for (const auto& plan : enumerate(request)) {
      ++plans[plan.scheme];
      expect_exact(plan, 5, choose.rng());
      if (HasFatalFailure()) {
        ADD_FAILURE() << "request " << k << "\n" << to_text(plan);
        return;
      }
    }
  }
  // Schemes that are for one format come up less often.
  EXPECT_GE(plans.size(), 12u);
  EXPECT_GT(plans[Scheme::SharedDrain], 60);
  EXPECT_GT(plans[Scheme::WeightAware], 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range<std::uint64_t>(1, 4));

// A weight of 0 is multiplied as minus its centre, and one that is multiplied as 0 counts in the
// sum of the other operand: neither is left out.
TEST(WeightAware, CentredZerosAreMultiplied) {
  Request request{.packed = U(4), .shared = U(3), .terms = 4, .tuning = {.centre_shared = true}};
  request.shared.values = {{0, 4, 0, 7}};
  const PackingPlan plan = draft(request, Scheme::WeightAware);
  ASSERT_TRUE(plan.certificate.holds());
  expect_exact(plan, 50, 3);
  EXPECT_EQ(plan.slices.size(), 4u);
  request.tuning.centre_shared = false;
  EXPECT_EQ(draft(request, Scheme::WeightAware).slices.size(), 2u);
}

TEST(Refusal, SeveralAccumulatingSlicesNeedTheWMultiplexer) {
  Request request{
      .packed = S(6), .shared = S(6), .terms = 40, .limits = Limits::of(ir::Family::series7)};
  EXPECT_EQ(plan(request, Scheme::Wp486Macc).slices.size(), 1u);
  request.tuning.macc_slices = 2;
  try {
    (void)plan(request, Scheme::Wp486Macc);
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(to_string(refusal), "wp486-macc: P + PCIN + product on 7series; use one slice");
  }
}

}  // namespace packing_sweep_test
}  // namespace kumiki::gen::packing
