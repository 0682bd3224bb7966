// SPDX-License-Identifier: Apache-2.0
// Comparisons in slices and their exchanges as emitted Verilog.
#include <algorithm>

#include "gen/blocks/sort/networks.h"
#include "gen/blocks/sort/sort.h"
#include "tests/support/cache.h"
#include "tests/support/circuit.h"
#include "tests/support/pipeline.h"

namespace kumiki::gen::sort {
namespace sort_lockstep_test {

using tests::Pipeline;
using Values = Pipeline::Values;

Pipeline medians(Form form, bool is_signed, int lanes) {
  Network nine = sorting(9);
  nine.outputs = {nine.outputs[4]};
  const SortPlan plan{pruned(nine), 8, is_signed, lanes, form};
  return Pipeline(
      std::vector<std::uint32_t>(9 * static_cast<std::size_t>(lanes), 8),
      static_cast<std::uint32_t>(plan.latency()),
      [=](Scope& s, const Pipeline::Words& in, Net enable) {
        std::vector<std::vector<UInt>> words;
        for (std::size_t i = 0; i < in.size(); i += 9)
          words.emplace_back(in.begin() + static_cast<std::ptrdiff_t>(i),
                             in.begin() + static_cast<std::ptrdiff_t>(i + 9));
        Pipeline::Words out;
        for (const auto& lane : sort(s, plan, words, enable)) out.push_back(lane[0]);
        return out;
      },
      [=] {
        return [=](const Values& in) {
          Values out;
          for (std::size_t i = 0; i < in.size(); i += 9) {
            std::vector<std::int64_t> nine;
            for (std::size_t k = i; k < i + 9; ++k)
              nine.push_back(is_signed ? tests::to_signed(in[k], 8)
                                       : static_cast<std::int64_t>(in[k]));
            std::nth_element(nine.begin(), nine.begin() + 4, nine.end());
            out.push_back(static_cast<std::uint64_t>(nine[4]) & 255);
          }
          return out;
        };
      });
}

TEST(SortLockstep, MediansOfNineUnderVerilator) {
  medians(Form::slices, false, 4).check_verilated(4000, test::shared_cache);
  medians(Form::luts, true, 1).check_verilated(4000, test::shared_cache);
}

TEST(SortLockstep, AChangedNetlistIsSeen) {
  medians(Form::slices, true, 1).check_mutants(100, 0.95);
  medians(Form::luts, false, 1).check_mutants(100, 0.95);
}

}  // namespace sort_lockstep_test
}  // namespace kumiki::gen::sort
