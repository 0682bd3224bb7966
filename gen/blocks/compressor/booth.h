// SPDX-License-Identifier: Apache-2.0
// Booth-recoded products (radix 4), for trees that must be fast. A product has half as many rows as
// the narrower factor has bits. Each bit of a row is one LUT of three bits of that factor and two
// of the other. AND gates inside the first counters leave two thirds as many instead.
#pragma once
#include "gen/blocks/compressor/heap.h"

namespace kumiki::gen::compressor {

// Makes the LUTs of a product and adds its rows to the heap.
void add_booth_product(Scope& s, Heap& heap, const UInt& a, const UInt& b, unsigned column = 0,
                       SourceLocation here = SourceLocation::current());
void add_booth_product(Scope& s, Heap& heap, const SInt& a, const SInt& b, unsigned column = 0,
                       SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::compressor
