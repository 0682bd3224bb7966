// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/solver/bound.h"

#include "gen/blocks/compressor/solver/model.h"
#include "gen/blocks/compressor/solver/solve.h"

namespace kumiki::gen::compressor {

double luts_bound(const TreePlan& request) {
  const TreeModel model(request, SolveOptions{}.most_stages, useful_elements(request));
  const MipResult r = model.mip.relaxed().solve({});
  return r.has_solution ? model.luts(r.objective) : 0;
}

}  // namespace kumiki::gen::compressor
