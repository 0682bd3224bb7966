// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/prove.h"

#include <fmt/format.h>

#include "gen/flow/messages.h"
#include "ir/error.h"
#include "ir/limits.h"

namespace kumiki::flow {

backends::proof::Question question_of(const gen::proof::Reference& r) {
  return {r.verilog, r.depth, r.flushes, r.while_one, r.parts, {r.sum_ports, r.sum_words}};
}

backends::proof::Verdict prove(const gen::NamedLayer& layer, ir::Family family,
                               const backends::proof::Effort& effort, const ir::Limits& limits) {
  const auto [definition, why_not] = layer.layer->definition();
  if (!definition)
    throw DesignError(code::no_definition,
                      fmt::format("{} cannot be proved: {}", layer.name, why_not));
  gen::Builder builder(family, limits);
  builder.design().set_top(layer.layer->build(builder, layer.origin).id());
  ir::require_few_cells(builder.design());
  return backends::proof::prove(builder.design(), question_of(*definition), effort);
}

}  // namespace kumiki::flow
