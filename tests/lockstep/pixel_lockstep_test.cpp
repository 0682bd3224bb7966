// SPDX-License-Identifier: Apache-2.0
// Pixel operations as emitted Verilog: all kinds beside each other, in LUTs and in slices.
#include <algorithm>

#include "gen/layers/vision/pixel/make.h"
#include "tests/support/cache.h"
#include "tests/support/circuit.h"
#include "tests/support/pipeline.h"

namespace kumiki::gen::vision {
namespace pixel_lockstep_test {

using packing::OperandFormat;
using tests::Pipeline;
using Values = Pipeline::Values;

using Operations = std::vector<std::shared_ptr<const PixelOperation>>;

Operations operations(Style style) {
  const OperandFormat byte{.bits = 8, .is_signed = false}, word{.bits = 11, .is_signed = true};
  const std::vector<OperandFormat> images = {byte, word};
  const Fit saturate{.overflow = Overflow::saturate, .bits = 8};
  Operations all;
  for (const PixelRequest& r : std::vector<PixelRequest>{
           Add{.fit = saturate, .style = style}, Subtract{.style = style}, AbsDiff{.style = style},
           Extreme{.style = style}, Bitwise{.gate = Gate::xor_, .style = style},
           Accumulate{.style = style}, AccumulateWeighted{.alpha = 11, .style = style},
           Threshold{.low = -9, .high = 90, .style = style}, Abs{.style = style},
           Magnitude{.fit = saturate, .style = style}, Magnitude{.norm = Norm::max, .style = style},
           Scale{.multiplier = -77,
           .shift = 5,
           .offset = 40,
           .rounding = Rounding::half_even,
           .bits = 8,
           .style = style}})
    all.push_back(make_operation(r, images));
  return all;
}

// Everything waits for the slowest.
Pipeline everything(Style style) {
  const Operations all = operations(style);
  int latency = 0;
  for (const auto& o : all) latency = std::max(latency, o->latency());
  return Pipeline(
      {8, 11}, static_cast<std::uint32_t>(latency),
      [=](Scope& s, const Pipeline::Words& in, Net enable) {
        Pipeline::Words out;
        for (const auto& o : all) {
          const auto made = o->build(s, {{in[0], in[1]}}, enable);
          for (const UInt& w : made[0])
            out.push_back(delay(s, w, static_cast<std::uint32_t>(latency - o->latency()), enable));
        }
        return out;
      },
      [=] {
        return [=](const Values& in) {
          const std::vector<std::int64_t> pixel = {static_cast<std::int64_t>(in[0]),
                                                   tests::to_signed(in[1], 11)};
          Values out;
          for (const auto& o : all) {
            const auto values = o->apply(pixel);
            for (std::size_t c = 0; c < values.size(); ++c)
              out.push_back(static_cast<std::uint64_t>(values[c]) &
                            ((std::uint64_t{1} << o->outputs()[c].bits) - 1));
          }
          return out;
        };
      });
}

TEST(PixelLockstep, EveryOperationUnderVerilator) {
  for (const Style style : {Style::luts, Style::slices})
    everything(style).check_verilated(5000, test::shared_cache);
}

TEST(PixelLockstep, AChangedNetlistIsSeen) {
  for (const Style style : {Style::luts, Style::slices}) everything(style).check_mutants(150, 0.93);
}

}  // namespace pixel_lockstep_test
}  // namespace kumiki::gen::vision
