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
  const std::uint32_t width = lane_bits(lanes) - 4;
  return tests::Pipeline(
      {width, width, width, width, 1}, latency,
      [=](Scope& s, const Words& in, Net enable) {
        const Options o{lanes, enable};
        const Words a = {in[0], in[1]}, b = {in[2], in[3]};
        const Exchanged order = exchange(s, o, a, b);
        const Difference d = subtract(s, o, a, b);
        Words out;
        for (const Words& w : {add(s, o, a, b), d.values, order.low, order.high,
                               absolute_difference(s, o, a, b), accumulate(s, o, a, in[4][0], 16),
                               logic(s, o, Logic::nor, a, b), select(s, o, in[4][0], a, b)})
          out.insert(out.end(), w.begin(), w.end());
        for (const Net n : d.at_least) out.push_back(bits(s, {n}));
        return out;
      },
      [=] {
        return [=, sums = Values(2)](const Values& in) mutable {
          const std::uint64_t one = 1, all = (one << width) - 1;
          Values out(18);
          for (std::size_t i = 0; i < 2; ++i) {
            const std::uint64_t a = in[i], b = in[i + 2];
            sums[i] = (in[4] ? 0 : sums[i]) + a;
            out[i] = a + b;
            out[2 + i] = (a - b) & (all << 1 | 1);
            out[4 + i] = std::min(a, b), out[6 + i] = std::max(a, b);
            out[8 + i] = std::max(a, b) - std::min(a, b);
            // Beyond 16 words the lane wraps, in hardware as here.
            out[10 + i] = sums[i] & ((one << (width + 4)) - 1);
            out[12 + i] = ~(a | b) & all;
            out[14 + i] = in[4] ? a : b;
            out[16 + i] = a >= b;
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
