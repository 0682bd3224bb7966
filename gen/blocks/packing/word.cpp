// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/word.h"

#include <fmt/format.h>

namespace kumiki::gen::packing {

Piece Piece::constant(std::uint64_t value, int width, int at) {
  return {.from = From::Constant, .width = width, .at = at, .value = value};
}
Piece Piece::bits(int source, int lsb, int width, int at) {
  return {.from = From::Slice, .source = source, .lsb = lsb, .width = width, .at = at};
}
Piece Piece::spread(int source, int bit, int width, int at) {
  return {
      .from = From::Slice, .source = source, .lsb = bit, .width = width, .at = at, .repeat = true};
}

void add_sign_extended(Wiring& wiring, int source, int lsb, int bits, int at, int width) {
  const int taken = std::min(bits, width);
  wiring.pieces.push_back(Piece::bits(source, lsb, taken, at));
  if (width > taken)
    wiring.pieces.push_back(Piece::spread(source, lsb + bits - 1, width - taken, at + taken));
}

void add_constant(Wiring& wiring, Exact value, int width, int at) {
  const auto mask = static_cast<std::uint64_t>(power_of_two(width) - 1);
  const auto bits = static_cast<std::uint64_t>(value) & mask;
  if (bits != 0) wiring.pieces.push_back(Piece::constant(bits, width, at));
}

std::string to_string(const Piece& p) {
  if (p.from == Piece::From::Constant) return fmt::format("{}'h{:x}", p.width, p.value);
  std::string name;
  if (p.from == Piece::From::Slice)
    name = p.source == 0 ? "P" : fmt::format("P{}", p.source);
  else
    name = fmt::format("{}{}", p.operand.side == Side::Packed ? "x" : "y", p.operand.index);
  const std::string invert = p.invert ? "~" : "";
  if (p.repeat) return fmt::format("{{{}{{{}{}[{}]}}}}", p.width, invert, name, p.lsb);
  if (p.width == 1) return fmt::format("{}{}[{}]", invert, name, p.lsb);
  return fmt::format("{}{}[{}:{}]", invert, name, p.lsb + p.width - 1, p.lsb);
}

std::string to_string(const Wiring& wiring) {
  auto pieces = wiring.pieces;
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.at > b.at; });
  std::string text;
  int top = wiring.width;
  const auto zeros = [&](int down_to) {
    if (top > down_to) text += fmt::format("{}{}'b0", text.empty() ? "" : ", ", top - down_to);
  };
  for (const auto& piece : pieces) {
    zeros(piece.at + piece.width);
    text += (text.empty() ? "" : ", ") + to_string(piece);
    top = piece.at;
  }
  zeros(0);
  return "{" + text + "}";
}

}  // namespace kumiki::gen::packing
