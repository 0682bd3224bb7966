// SPDX-License-Identifier: Apache-2.0
// A constant matrix times a vector as a network of sums: a plain value. Every node is a sum of
// shifted earlier nodes, so its range and its LUT sites are known.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "gen/arith/interval.h"

namespace kumiki::gen::const_matrix {

using arith::Interval;

// value(node) * 2^shift, or the negative of it.
struct Operand {
  std::uint32_t node = 0;
  int shift = 0;
  bool negative = false;
  bool operator==(const Operand&) const = default;
};

enum class Kind : std::uint8_t {
  input,  // a word of the vector
  chain,  // one to three operands on one carry chain
  table,  // operands of `table_inputs` bits at most: a LUT a bit, or for two
};

struct Node {
  Kind kind = Kind::input;
  std::vector<Operand> of = {};
  Interval range;  // of its values, exactly
  // The registers on every path to the node, and the levels of LUTs and chains behind the last
  // ones.
  int stage = 0, depth = 0;
  bool operator==(const Node&) const = default;

  int bits() const;  // of its word
  bool is_signed() const { return range.lo < 0; }
};

constexpr int table_inputs = 6;

struct Network {
  std::vector<Node> nodes;                      // inputs first; operands come before their readers
  std::vector<std::optional<Operand>> outputs;  // none: 0
  int latency = 0;                              // registers on every path; 0: combinational
  bool operator==(const Network&) const = default;

  std::uint32_t input_count() const;
  std::int64_t count(Kind kind) const;
  // Bits of a word for every output.
  int output_bits() const;
  bool output_is_signed() const;
};

// Bits for these values, at least one. Two's complement if one of them is negative.
int bits_of(const Interval& range);

// How one to three operands lie on a carry chain. Below `start` the first operand passes by. From
// `three` on, a position takes three bits and the majority of the bits below it. The chain adds 1
// at `start` (`carry`) and at `three` (`majority`), as two's complement of negative operands
// requires.
struct Chain {
  std::vector<Operand> of;  // lowest shift first
  int start = 0, three = 0, end = 0;
  bool carry = false, majority = false;
  int sites() const { return end - start; }
  bool has_majority() const { return three < end; }
  int levels() const { return has_majority() ? 3 : 2; }  // of LUTs, counting the chain as one
};
// `bits` of the result. Empty if all of three operands are negative.
std::optional<Chain> chain_of(std::vector<Operand> of, int bits);

// LUT sites. The netlist may have a few less, if some bits have no reader. It may have one more, if
// S of a position is a wire and the majority is not.
int sites(const Network& network, const Node& node);
int sites(const Network& network);

// The rows that the nodes and the outputs compute, as factors of the inputs.
using Factors = std::vector<std::int64_t>;
std::vector<Factors> output_factors(const Network& network);
// The outputs for a vector.
std::vector<std::int64_t> evaluate(const Network& network, const std::vector<std::int64_t>& x);

}  // namespace kumiki::gen::const_matrix
