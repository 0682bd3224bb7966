// SPDX-License-Identifier: Apache-2.0
// A constant matrix times a vector as a network of sums: a plain value. Every node is a sum of
// shifted nodes before it, so its value is known, and how many LUT sites it takes.
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
  // Registers in front of it on every way, and the levels of LUTs and chains behind the last ones.
  int stage = 0, depth = 0;
  bool operator==(const Node&) const = default;

  int bits() const;  // of its word
  bool is_signed() const { return range.lo < 0; }
};

constexpr int table_inputs = 6;

struct Network {
  std::vector<Node> nodes;  // inputs first; operands stand before what reads them
  std::vector<std::optional<Operand>> outputs;  // none: 0
  int latency = 0;                              // registers on every way; 0: combinational
  bool operator==(const Network&) const = default;

  std::uint32_t input_count() const;
  std::int64_t count(Kind kind) const;
  // Bits of a word for every output.
  int output_bits() const;
  bool output_is_signed() const;
};

// Bits for these values: two's complement where one is negative, at least one.
int bits_of(const Interval& range);

// How one to three operands lie on a carry chain. Below `start` the first operand passes by. From
// `three` on a position takes three bits and the majority of those below it. The chain adds 1 at
// `start` (`carry`) and at `three` (`majority`): what two's complement of the negative ones wants.
struct Chain {
  std::vector<Operand> of;  // lowest shift first
  int start = 0, three = 0, end = 0;
  bool carry = false, majority = false;
  int sites() const { return end - start; }
  bool has_majority() const { return three < end; }
  int levels() const { return has_majority() ? 3 : 2; }  // LUTs, and the chain as one
};
// `bits` of the result. Nothing where three operands are all negative.
std::optional<Chain> chain_of(std::vector<Operand> of, int bits);

// LUT sites. The netlist may have a few less, where bits are not read, or one more, where S of a
// position is a wire and the majority is not.
int sites(const Network& network, const Node& node);
int sites(const Network& network);

// The rows that the nodes and the outputs are: factors of the inputs.
using Factors = std::vector<std::int64_t>;
std::vector<Factors> output_factors(const Network& network);
// What comes out for a vector.
std::vector<std::int64_t> evaluate(const Network& network, const std::vector<std::int64_t>& x);

}  // namespace kumiki::gen::const_matrix
