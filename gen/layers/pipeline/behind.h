// SPDX-License-Identifier: Apache-2.0
// What a folding costs behind its layer: the slices of the machines that take its numbers in the
// same lanes, up to the machines that set their own lanes. A folding with fewer slices may produce
// more lanes, and each lane takes slices to be requantised and added to others.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gen/layers/pipeline/foldings.h"

namespace kumiki::gen::pipeline {

// The divisors of a stream's lanes that let a frame pass in so many clocks, the fewest first; its
// own lanes are always included.
std::vector<std::int64_t> dividing_lanes(Stream stream, std::int64_t clocks);

// The lanes of a machine that keeps those of its input, or more if a frame would take too many
// clocks.
template <class Plan>
std::int64_t lanes_in_time(Plan plan, std::int64_t clocks) {
  const std::int64_t own = plan.stream.lanes;
  while (plan.schedule().interval() > clocks && plan.stream.lanes < plan.stream.channels)
    plan.stream.lanes = std::min(plan.stream.lanes + own, plan.stream.channels);
  return plan.stream.lanes;
}

class Behind {
 public:
  // `clocks`: of a frame.
  Behind(const Foldings& foldings, std::int64_t clocks) : f_(foldings), clocks_(clocks) {}
  // For the sums of a Conv or GlobalAverage.
  std::int64_t slices(std::size_t node, const Stream& sums) const;
  // At least so many, found without a plan of requantisation.
  std::int64_t least_slices(std::size_t node, const Stream& sums) const;
  // The number of lanes for requantisation: the smallest one that minimises the slices here and
  // behind.
  std::int64_t lanes_of_numbers(std::size_t node, const Stream& sums) const;
  // The slices of a tensor's readers if its numbers come in these lanes.
  std::int64_t of_numbers(graph::TensorId id, std::int64_t lanes) const;

  const Foldings& foldings() const { return f_; }
  const graph::Graph& graph() const { return f_.graph(); }
  std::int64_t clocks() const { return clocks_; }

 private:
  struct Best {
    std::int64_t lanes, slices;
  };
  Best best(std::size_t node, const Stream& sums) const;
  template <class Requantised>
  Best best(std::size_t node, const Stream& sums, Requantised&& requantised) const;
  // Every requantised lane takes at least one slice.
  static std::int64_t least_of_lanes(const Stream& cut);

  const Foldings& f_;
  std::int64_t clocks_;
};

// The slices of a node that reads `read` in these lanes and of its followers, up to machines that
// set their own lanes. By default an operator takes no slice and keeps the lanes.
template <class Op>
std::int64_t slices_behind(const Behind& behind, std::size_t node, graph::TensorId,
                           std::int64_t lanes, const Op&) {
  return behind.of_numbers(behind.graph().nodes[node].output, lanes);
}

}  // namespace kumiki::gen::pipeline
