// SPDX-License-Identifier: Apache-2.0
// Turns the sums of a matrix in LUTs into the numbers of the next tensor, also in LUTs, one lane
// for each channel. A lane computes sum * constant + constant on one or two carry chains, then a
// wired shift. If the result is clamped, a LUT serves two bits. Several lines may equal
// onnxruntime's rule for every sum that the channel reaches; the planner takes the one with the
// fewest LUTs (gen/arith/lines.h). The bits below the shift detect ties that go to the even
// neighbour. For the few sums at which no line is equal, a comparison inserts the result.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gen/blocks/const_matrix/network.h"
#include "gen/blocks/requant/requantiser.h"
#include "gen/graph/graph.h"
#include "gen/hdl/hdl.h"
#include "gen/operators/conv/lut_matrix.h"

namespace kumiki::gen::pipeline {

struct LutNumbers {
  struct Lane {
    requant::Channel channel;  // the definition, for the words of the matrix
    std::int64_t factor = 1, offset = 0;
    int shift = 0;
    // A tie leaves zeros below the shift, and the last bit is cleared. With an odd zero point a tie
    // leaves ones, and the bit is set (arith::SlicedRule).
    bool even = false;
    arith::Interval quotients;                        // after the shift, before the clamp
    std::map<std::int64_t, std::int64_t> exceptions;  // sums that have another result
    bool operator==(const Lane&) const = default;
  };
  arith::Format sums, numbers;
  std::vector<Lane> lanes;
  // Inputs: the sums, then a constant for each offset other than 0. Outputs: the products with
  // their offsets.
  const_matrix::Network network;
  std::vector<std::int64_t> constants;
  bool is_line(const Lane& lane) const;  // no clamp, no ties, no exceptions
  bool are_lines() const;
  int latency() const { return network.latency + (are_lines() ? 0 : 1); }
  int levels() const;
  std::int64_t chains() const;
  std::string text() const;
  bool operator==(const LutNumbers&) const = default;
};

// For the Conv of a matrix. Empty if some channel is too far from any line.
std::optional<LutNumbers> lut_numbers(const graph::Graph& graph, const graph::Node& node,
                                      const LutMatrix& matrix);

// Results come `latency()` clocks later; the registers use the enables in turn.
std::vector<UInt> build(Scope& s, const LutNumbers& plan, const std::vector<UInt>& sums,
                        const std::vector<Net>& enables);
// Computes the results from the rules, not from the lines.
std::vector<std::uint64_t> results(const LutNumbers& plan, const std::vector<std::uint64_t>& sums);

}  // namespace kumiki::gen::pipeline
