// SPDX-License-Identifier: Apache-2.0
// What a folding costs behind its layer: slices of the machines that take its numbers in the lanes
// in which they come, up to those that set their own. A folding with fewer slices may leave more
// lanes, each of which is requantised and added to others in slices too.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/pipeline/foldings.h"

namespace kumiki::gen::pipeline {

// The lanes that divide those of a stream and let a frame by in so many clocks, the fewest first;
// its own are always there.
std::vector<std::int64_t> dividing_lanes(Stream stream, std::int64_t clocks);

class Behind {
 public:
  // For frames of so many clocks.
  Behind(const Foldings& foldings, std::int64_t clocks) : f_(foldings), clocks_(clocks) {}
  // Of the sums of a Conv or GlobalAverage.
  std::int64_t slices(std::size_t node, const Stream& sums) const;
  // The lanes in which they become numbers: the fewest with which slices here and behind are
  // fewest.
  std::int64_t lanes_of_numbers(std::size_t node, const Stream& sums) const;
  // Of the readers of a tensor whose numbers come in these lanes.
  std::int64_t of_numbers(graph::TensorId id, std::int64_t lanes) const;

  const Foldings& foldings() const { return f_; }
  const graph::Graph& graph() const { return f_.graph(); }
  std::int64_t clocks() const { return clocks_; }

 private:
  struct Best {
    std::int64_t lanes, slices;
  };
  Best best(std::size_t node, const Stream& sums) const;

  const Foldings& f_;
  std::int64_t clocks_;
};

// Slices of a node that reads `read` in these lanes and of what follows it, up to machines that set
// their own lanes. Operators without a function of their own take no slice and keep the lanes.
template <class Op>
std::int64_t slices_behind(const Behind& behind, std::size_t node, graph::TensorId,
                           std::int64_t lanes, const Op&) {
  return behind.of_numbers(behind.graph().nodes[node].output, lanes);
}

}  // namespace kumiki::gen::pipeline
