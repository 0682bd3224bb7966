// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/fabric.h"

#include <nlohmann/json.hpp>

#include "gen/blocks/compressor/build.h"
#include "ir/primitive.h"

namespace kumiki::flow {
namespace {

struct Fabric {
  std::uint64_t luts = 0, carries = 0, dsps = 0;
};

void add(const ir::Design& design, ir::ModuleId id, Fabric& sum) {
  const ir::Module& module = design.module(id);
  sum.luts += gen::compressor::lut_sites(module);
  for (const ir::Cell& c : module.cells()) {
    if (c.kind == ir::Kind::instance) {
      add(design, ir::ModuleId{c.params}, sum);
      continue;
    }
    const ir::Cost cost = ir::prototype(c.kind).cost(module.view(c));
    sum.carries += cost.carry_bits;
    sum.dsps += cost.dsps;
  }
}

}  // namespace

std::optional<Json> fabric_of(const Project& project, std::size_t layer) {
  Fabric sum;
  add(project.design(), project.network.layers[layer].module, sum);
  if (sum.dsps > 0) return std::nullopt;
  return Json{{"luts", sum.luts}, {"carries", sum.carries}};
}

}  // namespace kumiki::flow
