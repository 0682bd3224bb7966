// SPDX-License-Identifier: Apache-2.0
// SIMD slices as emitted Verilog: every operation beside the others.
#include <algorithm>

#include "gen/blocks/simd/simd.h"
#include "tests/support/cache.h"
#include "tests/support/pipeline.h"

namespace kumiki::gen::simd {
namespace simd_lockstep_test {

using Values = tests::Pipeline::Values;

tests::Pipeline everything(Lanes lanes) {
  const std::uint32_t width = lane_bits(lanes) - 1;
  return tests::Pipeline(
      {width, width, width, width}, latency,
      [=](Scope& s, const Words& in, Net enable) {
        const Options o{lanes, enable};
        const Words a = {in[0], in[1]}, b = {in[2], in[3]};
        const Difference d = subtract(s, o, a, b);
        Words out;
        for (const Words& w : {add(s, o, a, b), d.values, absolute_difference(s, o, a, b),
                               logic(s, o, Logic::xor_, a, b)})
          out.insert(out.end(), w.begin(), w.end());
        for (const Net n : d.at_least) out.push_back(bits(s, {n}));
        return out;
      },
      [=] {
        return [=](const Values& in) {
          const std::uint64_t all = (std::uint64_t{1} << width) - 1;
          Values out(10);
          for (std::size_t i = 0; i < 2; ++i) {
            const std::uint64_t a = in[i], b = in[i + 2];
            out[i] = a + b;
            out[2 + i] = (a - b) & (all << 1 | 1);
            out[4 + i] = std::max(a, b) - std::min(a, b);
            out[6 + i] = a ^ b;
            out[8 + i] = a >= b;
          }
          return out;
        };
      });
}

TEST(SimdLockstep, EveryOperationUnderVerilator) {
  for (const Lanes lanes : {Lanes::four12, Lanes::two24})
    everything(lanes).check_verilated(4000, test::shared_cache);
}

TEST(SimdLockstep, AChangedNetlistIsSeen) { everything(Lanes::four12).check_mutants(150, 0.95); }

}  // namespace simd_lockstep_test
}  // namespace kumiki::gen::simd
