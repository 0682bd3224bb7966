// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/trained/outputs.h"

#include "gen/graph/interpret.h"
#include "gen/layers/pipeline/host.h"
#include "ir/interrupt.h"

namespace kumiki::flow {

void take_outputs(const Outputs& of, std::span<const std::int32_t> images, std::size_t count,
                  std::span<const std::int32_t> made, std::span<TensorNumbers> wanted) {
  const gen::graph::Graph& g = of.graph;
  const gen::graph::Interpreter definition(g);
  const std::size_t size = images.size() / count, numbers = made.size() / count;
  std::size_t before = 0;  // numbers of the previous outputs
  for (const gen::graph::TensorId output : g.outputs) {
    const auto defined = definition.run_all(images, output, of.threads);
    ir::stop_if_interrupted();
    const std::size_t own = defined.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
      const auto result = std::span(defined).subspan(i * own, own);
      gen::pipeline::require_defined(g.tensors[output], made.subspan(i * numbers + before, own),
                                     result, i, of.machine);
      for (TensorNumbers& r : wanted)
        if (r.id() == output) r.put(i, result);
    }
    before += own;
  }
  std::size_t first = 0;  // number of the input in an image
  for (const gen::graph::TensorId input : all_inputs(g)) {
    const std::size_t own = gen::graph::count(g.tensors[input].shape);
    for (TensorNumbers& r : wanted)
      for (std::size_t i = 0; i < count && r.id() == input; ++i)
        r.put(i, images.subspan(i * size + first, own));
    first += own;
  }
}

}  // namespace kumiki::flow
