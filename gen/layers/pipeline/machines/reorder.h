// SPDX-License-Identifier: Apache-2.0
// Beats in another order, some of them several times, others never. A frame consists of pieces that
// are reordered alike: pixels, lines, or all of it. A memory holds two pieces, one of which comes
// while the other is read; or a single one, which comes whole before it is read.
#pragma once
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

// Counters one inside the other, the fastest first. Each adds its step to the address.
struct Nest {
  struct Counter {
    std::int64_t count = 1, step = 0;
    bool operator==(const Counter&) const = default;
  };
  std::vector<Counter> counters;
  // The counters that walk over these addresses; empty: there are more than five.
  static std::optional<Nest> of(std::vector<std::int32_t> addresses);
  // From the last address of the faster counters to the next one of this counter.
  std::int64_t jump(std::size_t counter) const;
};

struct ReorderPlan {
  Stream stream, made;
  std::int64_t pieces = 1;
  // For each beat of a piece of the result, the beat of the piece that came.
  std::vector<std::int32_t> reads;
  int held = 2;                // pieces in the memory; one alone must have several beats
  std::int64_t depth() const;  // of the memory
  bool in_luts() const;        // the memory; else in block memories

  std::optional<std::string> why_not() const;                     // empty: it can be built
  std::int64_t beats() const { return stream.beats() / pieces; }  // of a piece that comes
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return made; }
  Lines schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "reorder"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ReorderPlan&) const = default;
};

// For each number of a result, the number of the map that it is, both in the order of the graph;
// -1: the constant of the operator.
using Sources = std::vector<std::int32_t>;
template <class Op>
Sources sources_of(Op op, const graph::Tensor& in, const graph::Tensor& out) {
  if constexpr (requires { op.fill; }) op.fill = -1;
  Sources numbers(graph::count(in.shape)), all(graph::count(out.shape));
  std::iota(numbers.begin(), numbers.end(), 0);
  kernels::Workers alone;
  computer(op, {.inputs = {&in}, .output = &out})({numbers}, all, alone);
  return all;
}
// The result as a map of this size. Empty: numbers that come together do not leave together in so
// many lanes.
std::optional<ReorderPlan> reordered(const Stream& stream, Stream made, const Sources& sources);
// From one lane on; each takes fewer clocks for a frame than all before it.
std::vector<ReorderPlan> reordered(const graph::Tensor& in, const graph::Tensor& out,
                                   const Sources& sources);

// The map several times, one below the other.
ReorderPlan repeated(const Stream& stream, std::int64_t times);
// From the maps of parts of the channels, one below the other, to a map of all channels.
ReorderPlan by_pixel(const Stream& parts, const Stream& made, std::int64_t times);
// From pairs of pixels, whose channels come tile after tile and in each tile pixel after pixel.
ReorderPlan from_pairs(const Stream& pairs, const Stream& made, std::int64_t tile_channels);

MachineOut<Hardware> build(Scope& s, const ReorderPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ReorderPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
