// SPDX-License-Identifier: Apache-2.0
// All products of a layer at once: its constant matrix in LUTs and carry chains, a vector every
// clock (gen/blocks/const_matrix). Of a dense layer or a convolution that looks at one pixel at a
// time. The bias and the zero point of the input are not in the sums: `requantise_sums.h`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/blocks/const_matrix/network.h"
#include "gen/graph/graph.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

struct LutMatrix {
  std::vector<const_matrix::Factors> rows;  // a channel of the output each
  arith::Format numbers;                    // of the input
  // Numbers are -1 and 1 alone, as binarised layers have them: w * x is w - 2 * w * s of the sign
  // s, so a row has -2 * w for a single bit, and its sums lack all w.
  bool signs = false;
  std::vector<std::int64_t> lacks;  // of a row each; none: 0
  const_matrix::Network network;
  std::int64_t inputs() const { return std::ssize(rows.front()); }
  std::int64_t outputs() const { return std::ssize(rows); }
  arith::Format sums() const;  // of the widest channel
  arith::Interval range(std::size_t row) const;
  std::int64_t lacking(std::size_t row) const { return lacks.empty() ? 0 : lacks[row]; }
  int latency() const { return network.latency; }
  int levels() const;
  std::int64_t chains() const;
  std::int64_t tables() const;
  std::string text() const;
  bool operator==(const LutMatrix&) const = default;
};

// Between registers, every carry block of UltraScale+ counted.
int levels_in_luts(const const_matrix::Network& network);

// Empty, or what makes a Conv impossible in LUTs and what would be legal.
std::string why_not_in_luts(const graph::Graph& graph, const graph::Node& node);

// Whether steps alone make a tensor and every channel leaves the 0 between -1 and 1 out.
bool are_signs(const graph::Graph& graph, graph::TensorId tensor);

// Of a Conv in a legal graph for which `why_not_in_luts` has nothing to say.
LutMatrix lut_matrix(const graph::Graph& graph, const graph::Node& node);

// A word a channel, `latency()` clocks later; registers take turns with the enables.
std::vector<UInt> build(Scope& s, const LutMatrix& matrix, const std::vector<UInt>& numbers,
                        const std::vector<Net>& enables);
// The matrix times the vector.
std::vector<std::uint64_t> results(const LutMatrix& matrix,
                                   const std::vector<std::uint64_t>& numbers);

}  // namespace kumiki::gen::pipeline
