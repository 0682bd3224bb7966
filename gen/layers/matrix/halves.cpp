// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/halves.h"

#include "gen/hdl/crossing.h"

namespace kumiki::gen::matrix {
namespace {

Net crossed(Scope& s, Net n) { return to_fast(s, bits(s, {n}))[0]; }

// 0 in the second half of a clock, 1 in the first half of the next; a register for each address.
UInt half(Scope& s) {
  const auto fast = s.fast();
  return bits(s, {reg(s, s.phase())});
}

// The half precedes the bits that select a word of a beat.
UInt address_of(Scope& s, const UInt& word, std::uint32_t chosen_bits = 0) {
  if (word[0].is_constant()) return half(s);
  const UInt there = to_fast(s, word);
  if (chosen_bits == 0) return cat(s, {there, half(s)});
  return cat(s, {there.slice(chosen_bits, there.width() - chosen_bits), half(s),
                 there.slice(0, chosen_bits)});
}

RingWrite crossed(Scope& s, const RingWrite& in) {
  RingWrite out{.enable = crossed(s, in.enable), .address = address_of(s, in.address), .data = {}};
  const Net phase = s.phase_copy();
  const std::size_t rows = in.data.size() / 2;
  for (std::size_t row = 0; row < rows; ++row)
    out.data.push_back(to_fast(s, in.data[row], in.data[rows + row], phase));
  return out;
}

}  // namespace

CoreIn into_halves(Scope& s, const MatrixPlan& p, const CoreIn& in) {
  CoreIn out;
  out.rst = crossed(s, in.rst);
  for (const RingWrite& write : in.ring) out.ring.push_back(crossed(s, write));
  if (!p.embedded()) {
    for (const Net enable : in.weights.enable) out.weights.enable.push_back(crossed(s, enable));
    out.weights.word = to_fast(s, in.weights.word);
    for (const UInt& data : in.weights.data) out.weights.data.push_back(to_fast(s, data));
  }
  for (const UInt& address : in.pixel_addresses)
    out.pixel_addresses.push_back(
        address_of(s, address, static_cast<std::uint32_t>(p.beat_bits())));
  out.weight_address = address_of(s, in.weight_address);
  out.start = crossed(s, in.start);
  // A reset must also clear a start that is still on its way.
  if (p.operand_clocks() % 2 != 0) {
    const auto fast = s.fast();
    out.start = reg(s, out.start, {.reset = out.rst});
  }
  return out;
}

void take_from_halves(Scope& s, const MatrixPlan& p, std::vector<std::vector<UInt>>& words) {
  const bool in_first_half = (p.operand_clocks() + p.column_latency()) % 2 == 0;
  for (auto& column : words)
    for (UInt& word : column) {
      if (in_first_half) {
        const auto fast = s.fast();
        word = reg(s, word);
      }
      word = reg(s, word, {.crossing = ir::Crossing::each});
    }
}

}  // namespace kumiki::gen::matrix
