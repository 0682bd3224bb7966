// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/verilog/expression.h"

#include <algorithm>
#include <vector>

namespace kumiki::backends::verilog {

using ir::Net;
using ir::SignalBit;

void write_constant(Text& out, std::uint32_t width, std::span<const std::uint64_t> limbs) {
  auto digit = [&](std::uint32_t low, std::uint32_t bits) {
    std::uint64_t d = 0;
    for (std::uint32_t i = low; i < std::min(low + bits, width); ++i)
      d |= (limbs[i / 64] >> (i % 64) & 1) << (i - low);
    return d;
  };
  out.decimal(width);
  if (width <= 4) {
    out.put("'b");
    for (std::uint32_t i = width; i-- > 0;) out.put(digit(i, 1) ? '1' : '0');
    return;
  }
  out.put("'h");
  std::uint32_t at = (width - 1) / 4;
  while (at > 0 && digit(4 * at, 4) == 0) --at;
  for (++at; at-- > 0;) out.hex(digit(4 * at, 4), 1);
}

void write_range(Text& out, std::uint32_t width, std::uint32_t lsb) {
  if (width > 1) out.put(" [", lsb + width - 1, ':', lsb, ']');
}

bool Expressions::can_write(std::span<const Net> nets) const {
  return std::all_of(nets.begin(), nets.end(),
                     [&](Net n) { return n.is_constant() || names_.of(n).exists(); });
}

void Expressions::write(Text& out, Net net) const {
  if (net.is_constant()) return out.put(net == ir::net_one ? "1'b1" : "1'b0");
  SignalBit at = names_.of(net);
  const ir::Signal& signal = names_.signals()[at.signal];
  out.put(names_.name(signal));
  if (signal.width > 1) out.put('[', at.bit, ']');
}

// Taking the longest piece each time gives the fewest pieces, because every part of a piece is also
// a piece.
Expressions::Piece Expressions::highest_piece(std::span<const Net> nets) const {
  using enum Piece::Form;
  auto from_top = [&](auto belongs) {
    std::uint32_t n = 1;
    while (n < nets.size() && belongs(nets[nets.size() - n], nets[nets.size() - n - 1])) ++n;
    return n;
  };
  if (nets.back().is_constant())
    return {constant, from_top([](Net, Net below) { return below.is_constant(); })};
  auto same = from_top([](Net above, Net below) { return above == below; });
  if (same > 1) return {repetition, same};
  return {slice, from_top([&](Net above, Net below) {
            if (below.is_constant()) return false;
            SignalBit a = names_.of(above), b = names_.of(below);
            return a.signal == b.signal && a.bit == b.bit + 1;
          })};
}

void Expressions::write(Text& out, std::span<const Net> nets, Piece::Form form) const {
  using enum Piece::Form;
  auto count = static_cast<std::uint32_t>(nets.size());
  if (form == constant) {
    std::vector<std::uint64_t> limbs((count + 63) / 64);
    for (std::uint32_t i = 0; i < count; ++i)
      limbs[i / 64] |= std::uint64_t{nets[i] == ir::net_one} << (i % 64);
    return write_constant(out, count, limbs);
  }
  if (form == repetition) {
    out.put('{', count, '{');
    write(out, nets[0]);
    return out.put("}}");
  }
  if (count == 1) return write(out, nets[0]);
  SignalBit low = names_.of(nets[0]);
  const ir::Signal& signal = names_.signals()[low.signal];
  out.put(names_.name(signal));
  if (signal.width > count) out.put('[', low.bit + count - 1, ':', low.bit, ']');
}

void Expressions::write(Text& out, std::span<const Net> nets) const {
  if (nets.size() == 1) return write(out, nets[0]);
  Piece piece = highest_piece(nets);
  if (piece.count == nets.size()) return write(out, nets, piece.form);
  out.put('{');
  while (!nets.empty()) {
    piece = highest_piece(nets);
    write(out, nets.last(piece.count), piece.form);
    nets = nets.first(nets.size() - piece.count);
    if (!nets.empty()) out.put(", ");
  }
  out.put('}');
}

}  // namespace kumiki::backends::verilog
