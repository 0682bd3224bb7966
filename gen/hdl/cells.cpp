// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/cells.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/hdl/messages.h"
#include "ir/primitives/memory_parts.h"

namespace kumiki::gen {

using ir::Kind;

Net Lut::add_to(Scope& s, SourceLocation here) const {
  if (in.size() != init.inputs || init.both)
    refuse(here, code::wrong_net_count,
           fmt::format("a LUT with a table of {} inputs{} is given {} nets", init.inputs,
                       init.both ? " and two outputs" : "", in.size()));
  auto kind = static_cast<Kind>(static_cast<unsigned>(Kind::lut1) + init.inputs - 1);
  return s.cell(kind, 1, in, std::span(&init.bits, 1), s.at(here));
}

Lut6_2::Out Lut6_2::add_to(Scope& s, SourceLocation here) const {
  if (in.size() != init.inputs || (!init.both && init.inputs != 6))
    refuse(here, code::wrong_net_count,
           fmt::format("a LUT6_2 needs a table of pairs of at most 5 inputs or one of 6; it has a "
                       "table of {} inputs and is given {} nets",
                       init.inputs, in.size()));
  std::array<Net, 6> pins{};
  pins.fill(ir::net_zero);
  std::copy(in.begin(), in.end(), pins.begin());
  std::uint64_t bits = init.bits;
  if (init.both) pins[5] = ir::net_one;
  Net out = s.cell(Kind::lut6_2, 1, pins, std::span(&bits, 1), s.at(here));
  return {out, Net{out.index + 1}};
}

namespace {

template <std::size_t n>
void split(Net out, std::array<Net, n>& co, std::array<Net, n>& o) {
  for (std::uint32_t i = 0; i < n; ++i) {
    co[i] = Net{out.index + i};
    o[i] = Net{out.index + static_cast<std::uint32_t>(n) + i};
  }
}

}  // namespace

Carry4::Out Carry4::add_to(Scope& scope, SourceLocation here) const {
  std::array<Net, 2 + 4 + 4> in{ci, cyinit};
  std::copy(di.begin(), di.end(), in.begin() + 2);
  std::copy(s.begin(), s.end(), in.begin() + 6);
  Out out;
  split(scope.cell(Kind::carry4, 1, in, {}, scope.at(here)), out.co, out.o);
  return out;
}

Carry8::Out Carry8::add_to(Scope& scope, SourceLocation here) const {
  std::array<Net, 2 + 8 + 8> in{ci, ir::net_zero};
  std::copy(di.begin(), di.end(), in.begin() + 2);
  std::copy(s.begin(), s.end(), in.begin() + 10);
  Out out;
  split(scope.cell(Kind::carry8, 1, in, {}, scope.at(here)), out.co, out.o);
  return out;
}

std::uint32_t address_width(std::uint64_t depth) {
  return depth <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(depth - 1));
}

namespace {

// Bits of a memory cell, at most: whole block memories of 72 bits.
constexpr std::uint32_t widest_memory = 56 * 72;

std::vector<std::uint32_t> widths_of_parts(const Memory& m) {
  if (m.width <= widest_memory)
    return m.style == ir::memory::block ? ir::memory::widths_of_parts(m.depth, m.width)
                                        : std::vector{m.width};
  std::vector<std::uint32_t> all;
  for (std::uint32_t low = 0; low < m.width; low += widest_memory)
    all.push_back(std::min(widest_memory, m.width - low));
  return all;
}

UInt in_parts(Scope& s, const Memory& memory, const UInt& data,
              std::span<const std::uint32_t> widths, SourceLocation here) {
  std::vector<Word> high_to_low;
  std::uint32_t low = 0;
  for (const std::uint32_t width : widths) {
    Memory part = memory;
    part.width = width;
    part.write_data = data.slice(low, width);
    for (std::uint64_t& word : part.contents)
      word = word >> low & ~std::uint64_t{0} >> (64 - width);
    high_to_low.insert(high_to_low.begin(), part.add_to(s, here));
    low += width;
  }
  return cat(s, high_to_low);
}

}  // namespace

UInt Memory::add_to(Scope& s, SourceLocation here) const {
  const auto bits = address_width(depth);
  const auto tied = [&](const UInt& w, std::uint32_t want, const char* what) {
    if (w.width() == 0) return s.constant(0, want, here);
    if (w.width() != want)
      refuse(here, code::widths_differ,
             fmt::format("the {} of a memory of {} words of {} bits has {} bits, not {}", what,
                         depth, width, w.width(), want));
    return w;
  };
  if (!contents.empty() && (contents.size() > depth || width > 64))
    refuse(here, code::parameter,
           fmt::format("{} words of contents for a memory of {} words of {} bits", contents.size(),
                       depth, width));
  const UInt data = tied(write_data, width, "write data");
  if (const auto widths = widths_of_parts(*this); widths.size() > 1)
    return in_parts(s, *this, data, widths, here);
  std::vector<Net> in{s.clk(), write_enable};
  auto append = [&](const UInt& w) { in.insert(in.end(), w.nets().begin(), w.nets().end()); };
  append(tied(write_address, bits, "write address"));
  append(data);
  in.push_back(read_enable);
  append(tied(read_address, bits, "read address"));
  ir::BlobId blob;
  if (!contents.empty()) blob = s.module().design().add_blob({width, contents});
  std::array<std::uint64_t, ir::memory::parameter_count> params{depth, width, bits,
                                                                read,  style, blob.value};
  return UInt(s.run(s.cell(Kind::memory, 1, in, params, s.at(here), blob), width, s.at(here)));
}

}  // namespace kumiki::gen
