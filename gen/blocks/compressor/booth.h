// SPDX-License-Identifier: Apache-2.0
// Products by the recoding of Booth (radix 4), for trees that are to be fast: half as many rows as
// the narrower factor has bits, each bit of a row one LUT of three bits of that factor and two of
// the other. AND gates inside the first counters leave two thirds as many.
#pragma once
#include "gen/blocks/compressor/heap.h"

namespace kumiki::gen::compressor {

// Makes the LUTs of a product and adds its rows to the heap.
void add_booth_product(Scope& s, Heap& heap, const UInt& a, const UInt& b, unsigned column = 0,
                       SourceLocation here = SourceLocation::current());
void add_booth_product(Scope& s, Heap& heap, const SInt& a, const SInt& b, unsigned column = 0,
                       SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::compressor
