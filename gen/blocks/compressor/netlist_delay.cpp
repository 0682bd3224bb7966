// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/netlist_delay.h"

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/paths.h"

namespace kumiki::gen::compressor {
namespace {

// A heap whose bits and pairs are inputs.
Heap heap_of(Scope& s, const Shape& shape) {
  const UInt in = s.input<UInt>("in", std::max(shape.nets(), 1u));
  Heap heap(shape.width());
  std::uint32_t next = 0;
  for (unsigned c = 0; c < shape.width(); ++c) {
    for (unsigned i = 0; i < shape.bits[c]; ++i) heap.add(c, in[next++]);
    for (unsigned i = 0; i < shape.pairs[c]; ++i, next += 2)
      heap.add(c, Bit{Bit::Form::and_, in[next], in[next + 1]});
  }
  return heap;
}

}  // namespace

ir::timing::Picoseconds netlist_delay(const TreePlan& plan, ir::Family family) {
  Builder builder(family);
  Scope s(builder, builder.design().add_module("tree"));
  Heap heap = heap_of(s, plan.shape);
  if (plan.finish == Finish::carry) {
    const Net top = compress_carry(s, heap, plan);
    s.output("sum", UInt(&top, 1, {}));
  } else {
    s.output("sum", compress(s, heap, plan));
  }
  return Paths(s.module(), ir::timing::delays(family, {}), Paths::Since{}).longest();
}

}  // namespace kumiki::gen::compressor
