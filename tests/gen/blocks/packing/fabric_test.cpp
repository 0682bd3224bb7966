// SPDX-License-Identifier: Apache-2.0
// What planners compare: the LUTs of a plan are those of its netlist, nearly.
#include "gen/blocks/packing/hardware/fabric.h"

#include "gen/blocks/packing/hardware/build.h"
#include "ir/resources.h"
#include "tests/gen/blocks/packing/support.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::packing {
namespace packing_fabric_test {

std::int64_t built(const PackingPlan& plan) {
  Builder builder;
  Scope s(builder, builder.design().add_module("dot"));
  const auto slots = static_cast<std::size_t>(plan.terms_per_cycle);
  OperandNets operands;
  const auto fill = [&](const OperandFormat& format, int count, const std::string& name,
                        auto& rows) {
    for (int k = 0; k < count; ++k) {
      rows.emplace_back();
      for (std::size_t j = 0; j < slots; ++j) {
        const auto width = static_cast<std::uint32_t>(format.bits);
        const auto in = name + std::to_string(k) + "_" + std::to_string(j);
        rows.back().push_back(
            format.known()
                ? Word(s.constant(arith::raw_of(format.values[k][j], format.bits), width))
                : Word(s.input<UInt>(in, width)));
      }
    }
  };
  fill(plan.packed, plan.packed_count, "x", operands.packed);
  fill(plan.shared, plan.shared_count, "y", operands.shared);
  const UInt controls = s.input<UInt>("controls", 3);
  const auto sequence = build_sequence(s, plan, controls[0], controls[1], controls[2]);
  const auto dot = build_dot(s, plan, operands, sequence, Skew::External, controls[1]);
  for (std::size_t k = 0; k < dot.results.size(); ++k)
    s.output("sum" + std::to_string(k), UInt(dot.results[k]));
  const ir::Cost cost = ir::own_cost(s.module());
  return cost.luts + cost.lut_rams;
}

// A tenth, and a dozen: shift registers and inverters that share a LUT, flags of several clocks.
TEST(Fabric, IsCountedOnThePlan) {
  for (const auto& [packed, shared] :
       {std::pair{S(8), S(8)}, std::pair{U(8), S(8)}, std::pair{S(4), U(4)}, std::pair{S(2), U(2)},
        std::pair{S(6), U(6)}})
    for (const std::int64_t terms : {5, 64, 128})
      for (const std::int64_t cycles : {1, 4})
        for (const auto& plan :
             enumerate({.packed = packed, .shared = shared, .terms = terms, .cycles = cycles})) {
          const auto luts = static_cast<double>(built(plan));
          const auto counted = static_cast<double>(sites_of_fabric(plan));
          EXPECT_NEAR(counted, luts, 12 + luts / 10)
              << name_of(plan) << ", " << plan.cycles() << " cycles";
        }
}

// The last stage of a harvest has bits that ride on no adder: of two segments alone, and beside the
// sum of an operand.
TEST(Fabric, HarvestsOfAnyLengthFitTheirLevels) {
  for (const auto& [packed, is_centred] : {std::pair{U(8), true}, {S(8), false}, {S(8), true}})
    for (const int segment : {2, 3, 4, 6}) {
      std::vector<std::int64_t> lengths{2};
      for (auto n = std::int64_t{3}; n < 70; n += test::long_form() ? 1 : 3) lengths.push_back(n);
      for (const std::int64_t segments : lengths) {
        const auto harvest = plan({.packed = packed,
                                   .shared = S(8),
                                   .terms = segment * segments,
                                   .tuning = {.segment = segment, .centre_packed = is_centred}},
                                  Scheme::Harvest);
        EXPECT_NO_THROW(built(harvest)) << segment << " terms, " << segments << " segments";
      }
    }
}

}  // namespace packing_fabric_test
}  // namespace kumiki::gen::packing
