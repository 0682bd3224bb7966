// SPDX-License-Identifier: Apache-2.0
// What planners compare: the LUTs of a plan are those of its netlist, nearly.
#include "gen/blocks/packing/hardware/fabric.h"

#include "tests/gen/blocks/packing/built.h"
#include "tests/gen/blocks/packing/support.h"
#include "tests/support/seed.h"

namespace kumiki::gen::packing {
namespace packing_fabric_test {

// A tenth, and a dozen: shift registers and inverters that share a LUT, flags of several clocks.
TEST(Fabric, IsCountedOnThePlan) {
  for (const auto& [packed, shared] :
       {std::pair{S(8), S(8)}, std::pair{U(8), S(8)}, std::pair{S(4), U(4)}, std::pair{S(2), U(2)},
        std::pair{S(6), U(6)}})
    for (const std::int64_t terms : {5, 64, 128})
      for (const std::int64_t cycles : {1, 4})
        for (const auto& plan :
             enumerate({.packed = packed, .shared = shared, .terms = terms, .cycles = cycles})) {
          const ir::Cost cost = built(plan);
          const auto luts = static_cast<double>(cost.luts + cost.lut_rams);
          const auto counted = static_cast<double>(sites_of_fabric(plan));
          EXPECT_NEAR(counted, luts, 12 + luts / 10)
              << name_of(plan) << ", " << plan.cycles() << " cycles";
        }
}

}  // namespace packing_fabric_test
}  // namespace kumiki::gen::packing
