// SPDX-License-Identifier: Apache-2.0
// The levels of cells between a net and the registers, or inputs of the module, before it. An
// output of an instance has level 0, because its inside is not followed. `Changed` gives the Cone
// that drives a net now, or null.
#pragma once
#include <algorithm>
#include <vector>

#include "gen/hdl/cone.h"
#include "ir/design.h"

namespace kumiki::gen::detail {

template <class Changed>
class Levels {
 public:
  Levels(const ir::Module& m, Changed changed)
      : m_(m), changed_(changed), driver_(m.net_count(), none), level_(m.net_count(), unknown) {
    const auto cells = m.cells();
    for (std::uint32_t i = 0; i < cells.size(); ++i)
      std::fill_n(driver_.begin() + cells[i].out.index, m.output_count(cells[i]), i);
  }
  // The level of the deepest net that a cone reads.
  int behind(const Cone& cone) {
    int most = 0;
    for (const ir::Net n : cone.inputs()) most = std::max(most, of(n));
    return most;
  }
  void forget(ir::Net n) { level_[n.index] = unknown; }
  int of(ir::Net n) {
    if (n.index >= level_.size() || driver_[n.index] == none) return 0;
    int& known = level_[n.index];
    if (known != unknown) return known;
    known = 0;  // in a loop
    const Cone* cone = changed_(n);
    const int level = cone ? behind(*cone) + 1 : behind(m_.cells()[driver_[n.index]], n);
    return level_[n.index] = level;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr int unknown = -1;

  int behind(const ir::Cell& cell, ir::Net out) {
    const ir::Prototype& proto = ir::prototype(cell.kind);
    if (cell.kind == ir::Kind::instance || !proto.reach) return 0;
    const auto view = m_.view(cell);
    std::uint32_t bit = out.index - cell.out.index, pin = 0;
    while (bit >= ir::pin_width(proto.outputs[pin], view))
      bit -= ir::pin_width(proto.outputs[pin++], view);
    const auto reaching = proto.reach(view, pin);
    const auto nets = m_.inputs(cell);
    int level = 0;
    bool any = false;
    std::size_t first = 0;
    for (std::size_t i = 0; i < proto.inputs.size(); ++i) {
      const std::size_t width = ir::pin_width(proto.inputs[i], view);
      // An element of a vector has its own pins.
      const bool own = proto.vector && !proto.inputs[i].shared;
      for (std::size_t k = own ? bit : 0; k < (own ? bit + 1 : width); ++k)
        if ((reaching >> i & 1) && !nets[first + k].is_constant()) {
          level = std::max(level, of(nets[first + k]));
          any = true;
        }
      first += width;
    }
    return any ? level + 1 : 0;
  }

  const ir::Module& m_;
  Changed changed_;
  std::vector<std::uint32_t> driver_;
  std::vector<int> level_;
};

}  // namespace kumiki::gen::detail
