// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/axi_stream/place.h"

namespace kumiki::gen::axi_stream {

ir::PortLayout layout_of(const Layer& layer, ir::Family family, const ir::Limits& limits) {
  Builder scratch(family, limits);
  return ir::layout(layer.build(scratch, {}));
}

std::vector<UInt> place(Scope& s, const ir::Module& layer, const ir::PortLayout& ports,
                        const std::vector<UInt>& inputs, PlaceId at) {
  std::vector<Net> nets;
  std::size_t next = 0;
  for (const ir::Port& port : layer.ports()) {
    if (port.direction != ir::Direction::input) continue;
    const auto name = s.module().design().text(port.name);
    if (ir::is_clock_port(name)) {
      nets.push_back(name == ir::clock_port ? s.clk() : s.fast_clk());
      continue;
    }
    const auto word = inputs[next++].nets();
    nets.insert(nets.end(), word.begin(), word.end());
  }
  Net out = s.module().cell(s.module().add_instance(layer.id(), nets, at, "layer")).out;
  std::vector<UInt> outputs;
  for (const ir::PortSlot& slot : ports.outputs) {
    outputs.emplace_back(s.run(out, slot.width, at));
    out.index += slot.width;
  }
  return outputs;
}

}  // namespace kumiki::gen::axi_stream
