// SPDX-License-Identifier: Apache-2.0
// All products of a layer at once: its constant matrix in LUTs and carry chains, one vector every
// clock (gen/blocks/const_matrix). For a dense layer, or a convolution that looks at one pixel at a
// time. The sums contain neither the bias nor the zero point of the input: `requantise_sums.h`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/blocks/const_matrix/network.h"
#include "gen/graph/graph.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::pipeline {

struct LutMatrix {
  std::vector<const_matrix::Factors> rows;  // one for each output channel
  arith::Format numbers;                    // of the input
  // All numbers are -1 or 1, as in binarised layers. With the sign bit s, w * x is w - 2 * w * s.
  // So a row has -2 * w for the single bit, and its sums lack the sum of all w.
  bool signs = false;
  std::vector<std::int64_t> lacks;  // one for each row; none: 0
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

// Levels between registers; counts every carry block of UltraScale+.
int levels_in_luts(const const_matrix::Network& network);

// Empty, or why the Conv cannot be built in LUTs and what is required.
std::string why_not_in_luts(const graph::Graph& graph, const graph::Node& node);

// Whether only steps make the tensor and every channel skips the 0 between -1 and 1.
bool are_signs(const graph::Graph& graph, graph::TensorId tensor);

// Requires a Conv in a legal graph for which `why_not_in_luts` is empty.
LutMatrix lut_matrix(const graph::Graph& graph, const graph::Node& node);

// One word for each channel, `latency()` clocks later; the registers use the enables in turn.
std::vector<UInt> build(Scope& s, const LutMatrix& matrix, const std::vector<UInt>& numbers,
                        const std::vector<Net>& enables);
// The matrix times the vector.
std::vector<std::uint64_t> results(const LutMatrix& matrix,
                                   const std::vector<std::uint64_t>& numbers);

}  // namespace kumiki::gen::pipeline
