// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/lowering/suggest.h"

#include <algorithm>
#include <optional>

#include "gen/layers/array/lowering/lowering.h"
#include "gen/layers/array/setup.h"

namespace kumiki::gen::array {
namespace {

struct Candidate {
  Request request;
  std::int64_t clocks = 0, slices = 0;
  std::int64_t price() const { return clocks * slices; }
};

Candidate measured(const Request& request) {
  const Request typed = with_layers(request);
  const ArrayPlan p = plan(hardware_of(typed));
  Candidate c{.request = request, .slices = p.slices() + p.output_slices()};
  for (const NetworkLayer& l : typed.network)
    c.clocks += foretell(p, shape_of(l), l.pool ? Pool{l.pool->kind, l.pool->size} : Pool{}).clocks;
  return c;
}

}  // namespace

Request suggested(std::shared_ptr<const graph::Graph> graph, const std::string& file) {
  Request request;
  request.requantise = Requantise::float32;
  request.graph = GraphFile{.file = file, .graph = std::move(graph)};
  std::vector<Candidate> all;
  for (const std::int64_t side : {4, 6, 8, 10, 12, 14, 16})
    for (const std::int64_t accumulators : {4, 8}) {
      request.rows = request.columns = side;
      request.accumulators = accumulators;
      all.push_back(measured(request));
    }
  const std::int64_t fewest = std::ranges::min(all, {}, &Candidate::clocks).clocks;
  std::erase_if(all, [&](const Candidate& c) { return c.clocks > 2 * fewest; });
  return std::ranges::min(all, {}, &Candidate::price).request;
}

}  // namespace kumiki::gen::array
