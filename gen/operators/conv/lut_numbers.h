// SPDX-License-Identifier: Apache-2.0
// Sums of a matrix in LUTs become the numbers of the next tensor in LUTs as well, a lane a channel:
// sum times a constant plus a constant on one or two carry chains, a shift that is wired, and a LUT
// for two bits where the result is clamped. Of all lines that are equal to onnxruntime's rule for
// every sum that the channel reaches the one with the fewest LUTs is taken (gen/arith/lines.h).
// Ties that go to the even neighbour are found by the bits below the shift; at the few sums at
// which no line is equal a comparison puts the result in.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gen/blocks/const_matrix/network.h"
#include "gen/graph/graph.h"
#include "gen/hdl/hdl.h"
#include "gen/operators/conv/lut_matrix.h"

namespace kumiki::gen::pipeline {

struct LutNumbers {
  struct Lane {
    arith::FloatRule rule;   // the definition
    std::int64_t lacks = 0;  // what is added to its sum before: bias and zero point
    std::int64_t factor = 1, offset = 0;
    int shift = 0;
    // A tie leaves zeros below the shift, and the last bit is cleared; with an odd zero point it
    // leaves ones, and the bit is set (arith::SlicedRule).
    bool even = false;
    arith::Interval quotients;                        // behind the shift, not clamped yet
    std::map<std::int64_t, std::int64_t> exceptions;  // sums that have another result
    bool operator==(const Lane&) const = default;
  };
  arith::Format sums, numbers;
  std::vector<Lane> lanes;
  // Sums, then a constant for each offset that is not 0; out come products with their offsets.
  const_matrix::Network network;
  std::vector<std::int64_t> constants;
  bool is_line(const Lane& lane) const;  // neither clamped nor with ties or exceptions
  bool are_lines() const;
  int latency() const { return network.latency + (are_lines() ? 0 : 1); }
  int levels() const;
  std::int64_t chains() const;
  std::string text() const;
  bool operator==(const LutNumbers&) const = default;
};

// Of the Conv of a matrix. Nothing: some channel is too far from any line.
std::optional<LutNumbers> lut_numbers(const graph::Graph& graph, const graph::Node& node,
                                      const LutMatrix& matrix);

// `latency()` clocks later; registers take turns with the enables.
std::vector<UInt> build(Scope& s, const LutNumbers& plan, const std::vector<UInt>& sums,
                        const std::vector<Net>& enables);
// By the rules.
std::vector<std::uint64_t> results(const LutNumbers& plan, const std::vector<std::uint64_t>& sums);

}  // namespace kumiki::gen::pipeline
