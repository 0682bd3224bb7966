// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/fabric.h"

#include <nlohmann/json.hpp>

#include "ir/resources.h"

namespace kumiki::flow {
namespace {

struct Fabric {
  std::uint64_t luts = 0, carries = 0, dsps = 0;
};

void add(const ir::Design& design, ir::ModuleId id, Fabric& sum) {
  const ir::Module& module = design.module(id);
  const ir::Cost own = ir::own_cost(module);
  sum.luts += own.luts;
  sum.carries += own.carry_bits;
  sum.dsps += own.dsps;
  for (const ir::Cell& c : module.cells())
    if (c.kind == ir::Kind::instance) add(design, ir::ModuleId{c.params}, sum);
}

}  // namespace

std::optional<Json> fabric_of(const Project& project, std::size_t layer) {
  Fabric sum;
  add(project.design(), project.network.layers[layer].module, sum);
  if (sum.dsps > 0) return std::nullopt;
  return Json{{"luts", sum.luts}, {"carries", sum.carries}};
}

}  // namespace kumiki::flow
