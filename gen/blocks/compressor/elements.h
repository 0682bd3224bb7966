// SPDX-License-Identifier: Apache-2.0
// The elements of compressor trees, each described once: the column of every input, its LUTs, and
// the column of every output. Area, column counts, netlist and tests follow from this table.
//
// A carry may also stay *open*. The top position's S leaves on O6; its O and the net at its DI are
// available anyway. S ? !O : DI is the carry. An open carry is three nets instead of one, but takes
// no position. Elements with room in their LUTs read it.
//
// A *leaf* is a function of some inputs without a LUT of its own: its nets go to the element that
// reads it. A leaf of three nets is like an open carry and may wait. A leaf of five nets is read in
// the same stage, by an otherwise free LUT. That LUT is in a B2, or at a position where a carry
// enters: there S is 0, which leaves the LUT's O5 for DI.
//
// A *counter* consists of LUTs only. A *carry atom* is a run of carry positions: position i gives
// one sum bit of column i. A carry enters at its first position and leaves behind its last. Atoms
// that follow each other in a chain pass the carry on at no cost. A carry that leaves the chain
// needs a position of its own, because O and CO of a position share one way out of the slice.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gen/hdl/table.h"

namespace kumiki::gen::compressor {

struct Element {
  // One LUT. In an atom it is a position: S is O6, and DI is either O5 or the input `bypass`, which
  // goes around the LUT. With a bypass the table may have six inputs.
  struct Lut {
    Table table;
    std::vector<std::uint8_t> in;
    int bypass = -1;
  };
  struct Output {
    std::uint8_t lut;
    bool o5;
    std::uint8_t column;
  };
  struct Leaf {
    Table table;
    std::vector<std::uint8_t> in;
    std::uint8_t column;
    bool is_wide() const { return in.size() > 3; }
  };

  std::string name;
  bool is_atom = false;
  std::vector<std::uint8_t> column;  // of every input, from the element's own column 0
  std::vector<Lut> luts;
  std::vector<Output> outputs = {};  // of a counter
  std::vector<Leaf> leaves = {};
  unsigned first = 0;  // column of an atom's first position
  // Inputs that may take two raw signals and their XNOR or AND: every LUT that reads them has room.
  // This is the largest set of inputs that may do so at once.
  std::vector<bool> takes_pair = {};
  // Inputs that may take the three nets of an open carry instead; the largest set at once.
  std::vector<bool> takes_open = {};
  // The same for a leaf of five nets.
  std::vector<bool> takes_wide = {};

  unsigned area() const { return static_cast<unsigned>(luts.size()); }  // without a carry exit
  unsigned width() const { return is_atom ? area() : 0; }               // columns of sum bits
  bool has_leaves() const { return !leaves.empty(); }
  // A carry into the first position from fabric occupies the bypass of that position.
  bool takes_carry_in() const { return is_atom && luts.front().bypass < 0; }
  // The input that goes directly to DI of the last position, so that its carry may stay open. -1:
  // none.
  int last_di() const;
  // Counts for each column. elements() computes them once, because thousands of trees are audited.
  struct PerColumn {
    std::vector<unsigned> inputs, pairs, opens, wides, leaves, wide_leaves;
    std::vector<unsigned> outputs;  // sum bits of an atom; without its carry
  };
  PerColumn per_column = {};
  unsigned span() const;  // columns that it touches
};

const std::vector<Element>& elements();
const Element& element(std::string_view name);  // DesignError: no such element
std::size_t element_index(std::string_view name);

// The counters of the paper (section "generalised parallel counters"), each one slice there: atoms
// joined in one chain, or one counter of LUTs. Notation: column counts from high to low, outputs.
struct Gpc {
  std::string name;
  std::vector<std::string> atoms;  // or the one counter; empty: a wire
  bool carry_in = false;           // one bit of column 0 enters through the carry
  std::vector<unsigned> inputs() const;
  unsigned outputs() const;
  // LUT sites: the positions and one for the carry out. A bypassed first position takes one more,
  // because its carry-in then needs a position below it.
  unsigned area() const;
};
const std::vector<Gpc>& paper_gpcs();

}  // namespace kumiki::gen::compressor
