// SPDX-License-Identifier: Apache-2.0
// Every plan that the planner proves is run: its packed arithmetic against the plain dot product.
#include <fmt/format.h>

#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_exact_test {

struct Case {
  OperandFormat packed;
  OperandFormat shared;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << to_string(c.packed) << " x " << to_string(c.shared);
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = to_string(info.param.packed) + "_" + to_string(info.param.shared);
  std::erase_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; });
  return name;
}

class EveryPlan : public ::testing::TestWithParam<Case> {};

TEST_P(EveryPlan, IsExact) {
  int plans = 0;
  for (const std::int64_t terms : {1, 2, 7, 8, 9, 14, 16, 63, 64, 65, 256}) {
    for (const std::int64_t cycles : {0, 1, 4}) {
      if (cycles > terms) continue;
      Request request{.packed = GetParam().packed, .shared = GetParam().shared, .terms = terms};
      if (cycles > 0) request.cycles = cycles;
      for (const bool offset : {false, true}) {
        if (offset && cycles == 1) continue;
        request.offset_results = offset;
        for (const auto& plan : enumerate(request)) {
          ++plans;
          EXPECT_TRUE(plan.certificate.holds());
          EXPECT_LE(plan.cycles(), cycles > 0 ? cycles : terms + 8) << name_of(plan);
          ASSERT_NO_FATAL_FAILURE(expect_exact(plan, terms > 100 ? 6 : 27, 1));
        }
      }
    }
  }
  EXPECT_GT(plans, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, EveryPlan,
    ::testing::Values(Case{S(8), S(8)}, Case{Narrow(8), S(8)}, Case{U(8), S(8)}, Case{S(8), U(8)},
                      Case{U(8), U(8)}, Case{Narrow(8), U(8)}, Case{S(4), S(4)}, Case{S(4), U(4)},
                      Case{U(4), S(4)}, Case{S(2), U(2)}, Case{S(3), U(3)}, Case{S(5), U(5)},
                      Case{S(6), U(6)}, Case{S(6), S(6)}, Case{S(4), S(8)}, Case{S(8), S(4)},
                      Case{S(4), U(8)}, Case{S(8), U(4)}, Case{S(9), S(8)}, Case{Narrow(9), S(8)},
                      Case{S(7), U(7)}, Case{S(1), U(1)}, Case{U(1), U(1)}, Case{S(27), S(18)},
                      Case{S(16), S(16)}, Case{S(10), S(7)}),
    case_name);

}  // namespace packing_exact_test
}  // namespace kumiki::gen::packing
