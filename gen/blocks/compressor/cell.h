// SPDX-License-Identifier: Apache-2.0
// The cells of elements on given bits: tables of the elements composed with the forms of the bits,
// so that inversion, XNOR and AND of an input are free.
#pragma once
#include <optional>
#include <span>

#include "gen/blocks/compressor/elements.h"
#include "gen/blocks/compressor/heap.h"
#include "gen/hdl/carry_chains.h"
#include "gen/hdl/cells.h"

namespace kumiki::gen::compressor {

// The functions of an element's table, composed with the bits: tables over nets.
struct Composed {
  Table o6, o5;  // over the same nets; o5 if the table has both
  std::vector<Net> nets;
};
Composed compose(const Table& table, std::span<const Bit> in, SourceLocation here);

// Both functions of a counter's LUT, folded if inputs are constant.
Lut6_2::Out counter_lut(Scope& s, const Table& table, std::span<const Bit> in,
                        SourceLocation here = SourceLocation::current());

// S and DI of one carry position. S comes from a LUT or is constant.
struct Position {
  Net s, di;
};
Position carry_position(Scope& s, const Table& table, std::span<const Bit> in,
                        SourceLocation here = SourceLocation::current());
Position bypassed_position(Scope& s, const Table& table, std::span<const Bit> in, Net di,
                           SourceLocation here = SourceLocation::current());

// The same with DI from the LUT, if S is the sum of `di` and a function of the others.
std::optional<Position> position_without_bypass(Scope& s, const Table& table,
                                                std::span<const Bit> in, Net di,
                                                SourceLocation here = SourceLocation::current());

// A position that puts the carry below it on O and starts a new carry with the bit. S is 0, so O5
// of its LUT is free for a function of up to five nets.
Position injected_position(Scope& s, const Bit& bit, SourceLocation here);

// The function that an element leaves to its readers, over plain or inverted nets.
Bit leaf_of(const Element::Leaf& leaf, std::span<const Bit> in);

// The bit as a net; makes a LUT unless the bit is a plain net.
Net as_net(Scope& s, const Bit& bit, SourceLocation here = SourceLocation::current());

// The carry-in and the carry positions of several chains, one behind the other.
class ChainRun {
 public:
  void begin(Net carry_in) { in_.carry = carry_in; }
  std::size_t push(Position p);  // index of its sum bit
  struct Out {
    std::vector<Net> sum;
    Net carry;
  };
  Out add_to(Scope& s, SourceLocation here = SourceLocation::current()) const;
  const CarryIn& pins() const { return in_; }

 private:
  CarryIn in_;
};

}  // namespace kumiki::gen::compressor
