// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/cell.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/messages.h"

namespace kumiki::gen::compressor {

Composed compose(const Table& table, std::span<const Bit> in, SourceLocation here) {
  Composed c;
  auto position = [&](Net n) {
    auto at = std::find(c.nets.begin(), c.nets.end(), n);
    if (at == c.nets.end()) at = c.nets.insert(at, n);
    return static_cast<unsigned>(at - c.nets.begin());
  };
  for (const Bit& b : in) {
    const auto nets = b.all_nets();
    for (unsigned i = 0; i < b.nets(); ++i)
      if (!nets[i].is_constant()) position(nets[i]);
  }
  if (c.nets.size() > (table.both ? 5u : 6u))
    refuse(here, code::lut_inputs,
           fmt::format("{} nets for a LUT with {} output{}", c.nets.size(),
                       table.both ? "two" : "one", table.both ? "s" : ""));
  c.o6.inputs = c.o5.inputs = static_cast<unsigned>(c.nets.size());
  for (unsigned index = 0; index < 1u << c.nets.size(); ++index) {
    auto read = [&](Net n) {
      return n.is_constant() ? n == ir::net_one : (index >> position(n) & 1) != 0;
    };
    unsigned at = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto nets = in[i].all_nets();
      unsigned of_bit = 0;
      for (unsigned n = 0; n < in[i].nets(); ++n) of_bit |= unsigned{read(nets[n])} << n;
      at |= unsigned{in[i].at(of_bit)} << i;
    }
    c.o6.bits |= std::uint64_t{table.at(table.both ? at + 32 : at)} << index;
    if (table.both) c.o5.bits |= std::uint64_t{table.at(at)} << index;
  }
  return c;
}

namespace {

// Whether the function needs no LUT, because it is a constant or a wire.
bool is_trivial(const Table& t) {
  for (unsigned i = 0; i < t.inputs; ++i) {
    bool wire = true;
    for (unsigned index = 0; index < 1u << t.inputs && wire; ++index)
      wire = t.at(index) == ((index >> i & 1) != 0);
    if (wire) return true;
  }
  const std::uint64_t all = t.inputs == 6 ? ~0ull : (1ull << (1u << t.inputs)) - 1;
  return t.bits == 0 || t.bits == all;
}

Lut6_2::Out both(Scope& s, const Composed& c, SourceLocation here) {
  Table t{.inputs = static_cast<unsigned>(c.nets.size()), .both = true};
  for (unsigned i = 0; i < 1u << c.nets.size(); ++i)
    t.bits |= std::uint64_t{c.o6.at(i)} << (32 + i) | std::uint64_t{c.o5.at(i)} << i;
  return Lut6_2{.init = t, .in = c.nets}.add_to(s, here);
}

Net single(Scope& s, const Table& t, const std::vector<Net>& nets, SourceLocation here) {
  return gen::detail::lut_net(s, t, nets, s.at(here));
}

// S of a carry position must be the output of a LUT, so a wire gets one.
Net propagate(Scope& s, const Composed& c, SourceLocation here) {
  Net n = single(s, c.o6, c.nets, here);
  if (n.is_constant() || std::find(c.nets.begin(), c.nets.end(), n) == c.nets.end()) return n;
  return Lut{.init = table([](bool x) { return x; }), .in = {n}}.add_to(s, here);
}

}  // namespace

Lut6_2::Out counter_lut(Scope& s, const Table& table, std::span<const Bit> in,
                        SourceLocation here) {
  Composed c = compose(table, in, here);
  if (table.both && !is_trivial(c.o6) && !is_trivial(c.o5)) return both(s, c, here);
  Lut6_2::Out out{single(s, c.o6, c.nets, here), ir::net_zero};
  if (table.both) out.o5 = single(s, c.o5, c.nets, here);
  return out;
}

Position carry_position(Scope& s, const Table& table, std::span<const Bit> in,
                        SourceLocation here) {
  Composed c = compose(table, in, here);
  Net constant_di = ir::constant(c.o5.at(0));
  const std::uint64_t all = (1ull << (1u << c.nets.size())) - 1;
  if (c.o5.bits == 0 || c.o5.bits == all) return {propagate(s, c, here), constant_di};
  auto out = both(s, c, here);
  return {out.o6, out.o5};
}

Position bypassed_position(Scope& s, const Table& table, std::span<const Bit> in, Net di,
                           SourceLocation here) {
  return {propagate(s, compose(table, in, here), here), di};
}

std::optional<Position> position_without_bypass(Scope& s, const Table& table,
                                                std::span<const Bit> in, Net di,
                                                SourceLocation here) {
  const Composed c = compose(table, in, here);
  const auto place = static_cast<unsigned>(std::ranges::find(c.nets, di) - c.nets.begin());
  if (place == c.nets.size()) return {};
  std::vector<Net> nets = c.nets;
  nets.erase(nets.begin() + place);
  const unsigned low = (1u << place) - 1;
  Table others{.inputs = static_cast<unsigned>(nets.size())};
  for (unsigned index = 0; index < 1u << nets.size(); ++index) {
    const unsigned at = (index & ~low) << 1 | (index & low);
    const bool without = c.o6.at(at), with = c.o6.at(at | 1u << place);
    if (without == with) return {};
    others.bits |= std::uint64_t{without} << index;
  }
  const CarryPosition p = net_and_function(s, di, others, nets, here);
  return Position{p.propagate, p.di};
}

Position injected_position(Scope& s, const Bit& bit, SourceLocation here) {
  if (bit.is_plain()) return {ir::net_zero, bit.a};
  const Table wire{.bits = 0b10, .inputs = 1};
  Composed c = compose(wire, std::span(&bit, 1), here);
  if (is_trivial(c.o6)) return {ir::net_zero, single(s, c.o6, c.nets, here)};
  Table t{.bits = c.o6.bits, .inputs = static_cast<unsigned>(c.nets.size()), .both = true};
  auto out = Lut6_2{.init = t, .in = c.nets}.add_to(s, here);
  return {out.o6, out.o5};
}

Bit leaf_of(const Element::Leaf& leaf, std::span<const Bit> in) {
  Bit bit{Bit::Form::leaf, ir::net_zero};
  bit.inputs = static_cast<std::uint8_t>(leaf.in.size());
  unsigned inverted = 0;
  const auto places = bit.places();
  for (std::size_t i = 0; i < leaf.in.size(); ++i) {
    const Bit& from = in[leaf.in[i]];
    *places[i] = from.a;
    inverted |= unsigned{from.form == Bit::Form::inverted} << i;
  }
  for (unsigned index = 0; index < 1u << leaf.in.size(); ++index)
    bit.function |= std::uint32_t{leaf.table.at(index ^ inverted)} << index;
  return bit;
}

Net as_net(Scope& s, const Bit& bit, SourceLocation here) {
  if (bit.is_plain()) return bit.a;
  Table wire{.bits = 0b10, .inputs = 1};
  Composed c = compose(wire, std::span(&bit, 1), here);
  return single(s, c.o6, c.nets, here);
}

std::size_t ChainRun::push(Position p) {
  in_.propagate.push_back(p.s);
  in_.di.push_back(p.di);
  return in_.propagate.size() - 1;
}

ChainRun::Out ChainRun::add_to(Scope& s, SourceLocation here) const {
  auto out = carry_chains(s, std::span(&in_, 1), here)[0];
  return {{out.sum.nets().begin(), out.sum.nets().end()}, out.carry};
}

}  // namespace kumiki::gen::compressor
