// SPDX-License-Identifier: Apache-2.0
// Tables: sums of so few bits that one LUT computes every bit of the result.
#pragma once
#include "gen/blocks/const_matrix/network.h"
#include "gen/hdl/table.h"

namespace kumiki::gen::const_matrix {

struct TableBits {
  // Inputs of the LUTs: bit `bit` of the word of `node`.
  struct Source {
    std::uint32_t node;
    int bit;
  };
  std::vector<Source> sources;
  std::vector<Table> bits;  // of the result, over all sources

  // Bits that are a constant or a plain source take no LUT; other bits take one, or two share one.
  bool needs_lut(std::size_t bit) const;
  bool can_pair() const { return sources.size() < table_inputs; }
  int sites() const;
};

// Sources that a sum of these operands reads.
int source_bits(const Network& network, const std::vector<Operand>& of);
// The node must have at most `table_inputs` sources.
TableBits table_bits(const Network& network, const Node& node);

}  // namespace kumiki::gen::const_matrix
