// SPDX-License-Identifier: Apache-2.0
// Constant words by an index, in LUTs: up to 64 words, a LUT a bit, or half of one up to 32 words.
// Bits that never change are constants, and equal ones are made once. The latency is one clock.
#pragma once
#include <cstdint>
#include <span>

#include "gen/hdl/scope.h"

namespace kumiki::gen {

// Words of up to 64 bits; an index past the last word gives the last word.
UInt lut_rom(Scope& s, std::span<const std::uint64_t> words, std::uint32_t width, const UInt& index,
             Net enable = ir::net_one, SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen
