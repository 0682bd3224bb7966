// SPDX-License-Identifier: Apache-2.0
// Softmax in integers (integers.h) as a chain of machines:
//
//   q --+--> largest of a group --> repeated --> distances
//       |                                            ^
//       +--------------------------------------------+
//
//   distances --+--> sums of a group --> division --> repeated --> results
//               |                                                    ^
//               +----------------------------------------------------+
#pragma once
#include <string>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/groups.h"

namespace kumiki::gen::pipeline {

// The largest number of each group.
struct LargestPlan {
  GroupedStream groups;
  std::vector<Stream> inputs() const { return {groups.stream}; }
  Stream output() const { return groups.by_group(groups.stream.format); }
  Walk schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "largest"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const LargestPlan&) const = default;
};

// How far each number is below the largest one of its group, and above that a bit which is 1 past
// the last channel.
struct DistancesPlan {
  GroupedStream groups;
  bool has_past() const { return groups.is_past(groups.stream.lanes - 1); }
  std::vector<Stream> inputs() const;
  Stream output() const;
  Moving schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "distances"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const DistancesPlan&) const = default;
};

// The sum of the exponentials of each group: a table for each lane, and a slice for two lanes.
struct ExponentialsPlan {
  GroupedStream groups;  // of distances
  graph::SoftmaxIntegers integers;
  static constexpr std::int64_t most_lanes = 96;  // a slice is a clock later than the one below
  std::vector<Stream> inputs() const { return {groups.stream}; }
  Stream output() const;
  Walk schedule() const;
  std::int64_t slices() const { return (groups.stream.lanes + 1) / 2; }
  int levels() const { return 3; }
  std::string kind() const { return "exponentials"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ExponentialsPlan&) const = default;
};

// The factor over each sum, a bit in a clock: twice the rest, less the sum, or plus the sum if the
// rest is negative. A unit is a slice; units take the sums in turn.
struct DivisionPlan {
  Stream stream;  // of sums
  graph::SoftmaxIntegers integers;
  std::int64_t pace = 1;  // clocks from a sum to the next one
  std::int64_t steps() const { return integers.reciprocal_bits(); }
  std::int64_t units() const { return (steps() + pace - 1) / pace; }
  std::int64_t first_rest() const;  // below the smallest sum; the bits that follow are 0
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return stream.with({integers.reciprocal_bits(), false}); }
  Walk schedule() const;
  std::int64_t slices() const { return units(); }
  int levels() const { return units() > 16 ? 4 : 3; }
  std::string kind() const { return "division"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const DivisionPlan&) const = default;
};

// Exponentials times the reciprocal of their sum, as numbers: two slices for each lane.
struct SharesPlan {
  GroupedStream groups;  // of distances
  graph::SoftmaxIntegers integers;
  arith::Format format;  // of a result
  std::vector<Stream> inputs() const;
  Stream output() const { return groups.stream.with(format); }
  Moving schedule() const;
  std::int64_t slices() const { return 2 * groups.stream.lanes; }
  int levels() const { return 3; }
  std::string kind() const { return "shares"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const SharesPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const LargestPlan& plan, const MachineIn<Hardware>& in);
MachineOut<Hardware> build(Scope& s, const DistancesPlan& plan, const MachineIn<Hardware>& in);
MachineOut<Hardware> build(Scope& s, const ExponentialsPlan& plan, const MachineIn<Hardware>& in);
MachineOut<Hardware> build(Scope& s, const DivisionPlan& plan, const MachineIn<Hardware>& in);
MachineOut<Hardware> build(Scope& s, const SharesPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const LargestPlan& plan, std::int64_t k, const Taken& in);
Lanes beat(const DistancesPlan& plan, std::int64_t k, const Taken& in);
Lanes beat(const ExponentialsPlan& plan, std::int64_t k, const Taken& in);
Lanes beat(const DivisionPlan& plan, std::int64_t k, const Taken& in);
Lanes beat(const SharesPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
