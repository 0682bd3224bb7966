// SPDX-License-Identifier: Apache-2.0
#include "backends/fabric/slices.h"

#include <algorithm>
#include <map>

#include "backends/fabric/elements.h"
#include "backends/fabric/quads.h"

namespace kumiki::backends::fabric {
namespace {

using ir::Kind;

class Packer {
 public:
  Packer(const timing::Netlist& netlist, PackOptions options)
      : netlist_(netlist),
        elements_(netlist),
        quads_(netlist.flat.design->family(), elements_.controls) {
    if (options.pairs) pair_up(elements_, fixed_luts());
  }

  // First places cells that must be together, then cells with a place beside a register, then the
  // rest.
  Packed run() {
    for (const std::uint32_t c : elements_.carries) carry(c);
    muxes();
    for (const Memory& m : elements_.memories) memory(m);
    registered_luts();
    loose_luts();
    loose_flops();
    packed_.slices = slices();
    return packed_;
  }

 private:
  bool is_old() const { return netlist_.flat.design->family() == ir::Family::series7; }
  native::CarryShape shape(std::uint32_t c) const {
    return {netlist_.cell(c).kind, netlist_.view(c)};
  }

  // The end of the used positions in a quad of a carry block: in a chain, up to the last one with a
  // reader.
  std::uint32_t end(std::uint32_t c, std::uint32_t first) const {
    const native::CarryShape s = shape(c);
    const std::uint32_t begin = first / s.chain * s.chain;  // of the chain
    const std::uint32_t top = begin + s.height(begin, [&](std::uint32_t o) {
      return netlist_.fan_out[netlist_.output(c, o)] > 0;
    });
    return std::clamp(top, first, first + positions);
  }
  std::uint32_t quads_of(std::uint32_t c) const { return shape(c).positions / positions; }

  // LUTs whose O6 must drive a carry chain or a MUXF7.
  std::vector<bool> fixed_luts() const {
    std::vector<bool> fixed(elements_.luts.size());
    const auto fix = [&](std::uint32_t net) {
      if (elements_.lut_of[net] != none) fixed[elements_.lut_of[net]] = true;
    };
    for (const std::uint32_t c : elements_.carries)
      for (std::uint32_t q = 0; q < quads_of(c); ++q)
        for (std::uint32_t i = q * positions; i < end(c, q * positions); ++i)
          fix(netlist_.input(c, shape(c).s() + i));
    for (const std::uint32_t c : elements_.muxf7)
      for (std::uint32_t i = 0; i < 2 * netlist_.cell(c).width; ++i) fix(netlist_.input(c, i));
    return fixed;
  }

  // The first unplaced flip-flop that reads a net, with this control if one is given.
  std::uint32_t waiting(std::uint32_t net, std::uint32_t control = none) const {
    if (net != none)
      for (const std::uint32_t f : elements_.flops_of[net])
        if (!elements_.flops[f].placed &&
            (control == none || elements_.flops[f].control == control))
          return f;
    return none;
  }

  void put_behind(std::uint32_t q, std::uint32_t row, std::uint32_t position, std::uint32_t net) {
    const std::uint32_t claimed = quads_[q].control[row];
    const std::uint32_t f = waiting(net, claimed);
    if (f != none && quads_.put_behind(q, row, position, elements_.flops[f].control))
      elements_.flops[f].placed = true;
  }

  // The net that a site drives besides O6.
  std::uint32_t second_output(const Lut& lut) const {
    return lut.partner == none ? lut.o5 : elements_.luts[lut.partner].o6;
  }

  void put_lut(std::uint32_t q, std::uint32_t position, std::uint32_t l) {
    Lut& lut = elements_.luts[l];
    lut.placed = true;
    if (lut.partner != none) elements_.luts[lut.partner].placed = true;
    quads_.take_lut(q, position);
    ++packed_.sites;
    put_behind(q, 0, position, lut.o6);
    put_behind(q, 1, position, second_output(lut));
  }

  // Places the LUT that drives a net, or a feed. Returns the LUT's number, none for a feed.
  std::uint32_t put_driver(std::uint32_t q, std::uint32_t position, std::uint32_t net) {
    const std::uint32_t l = elements_.lut_of[net];
    if (l != none && !elements_.luts[l].placed) {
      put_lut(q, position, l);
      return l;
    }
    quads_.take_lut(q, position);
    ++packed_.sites;
    ++packed_.feeds;
    return none;
  }

  // DI comes from O5 of its own position; it may pass through the LUT if an input is free.
  bool needs_bypass(std::uint32_t l, std::uint32_t di) const {
    if (l == none) return false;
    const Lut& lut = elements_.luts[l];
    if (second_output(lut) != none) return second_output(lut) != di;
    const bool is_input = std::binary_search(lut.inputs.begin(), lut.inputs.end(), di);
    return lut.inputs.size() + (is_input || di < ir::first_free_net ? 0 : 1) > 5;
  }

  // The most frequent control among the flip-flops behind a carry block.
  std::uint32_t control_behind(std::uint32_t c, std::uint32_t first, std::uint32_t end) const {
    std::map<std::uint32_t, unsigned> votes;
    for (std::uint32_t i = first; i < end; ++i)
      if (const auto f = waiting(netlist_.output(c, shape(c).positions + i)); f != none)
        ++votes[elements_.flops[f].control];
    std::uint32_t best = none;
    for (const auto& [control, n] : votes)
      if (best == none || n > votes[best]) best = control;
    return best;
  }

  void carry(std::uint32_t c) {
    const native::CarryShape s = shape(c);
    bool is_used = false;
    for (std::uint32_t q = 0; q < quads_of(c); ++q)
      is_used |= end(c, q * positions) > q * positions;
    if (!is_used) return;
    ++carries_;
    for (std::uint32_t first = 0; first < s.positions; first += positions) {
      const std::uint32_t q = quads_.add(), top = end(c, first);
      if (const auto control = control_behind(c, first, top); control != none)
        quads_.claim(q, 0, control);
      for (std::uint32_t i = first; i < top; ++i) {
        const std::uint32_t p = i - first;
        put_behind(q, 0, p, netlist_.output(c, s.positions + i));
        put_behind(q, 0, p, netlist_.output(c, i));
        // The second flip-flop of the 7 series cannot read the carry.
        if (!is_old()) put_behind(q, 1, p, netlist_.output(c, i));
        const std::uint32_t l = put_driver(q, p, netlist_.input(c, s.s() + i));
        if (needs_bypass(l, netlist_.input(c, native::CarryShape::di + i)))
          quads_.take_bypass(q, p);
      }
      if (has_fabric_carry(c, first)) quads_.take_bypass(q, 0);
    }
  }

  // CI and CYINIT at the bottom, CI_TOP at the upper half of a dual block.
  bool has_fabric_carry(std::uint32_t c, std::uint32_t first) const {
    const auto is_fabric = [&](std::uint32_t pin) {
      const std::uint32_t net = netlist_.input(c, pin), by = netlist_.driver[net];
      return net >= ir::first_free_net &&
             (pin == 1 || by == none || !native::is_carry(netlist_.cell(by).kind) ||
              !shape(by).is_cascade(net - netlist_.output(by, 0)));
    };
    return first == 0 ? is_fabric(0) || (is_old() && is_fabric(1)) : is_fabric(1);
  }

  // An element of a MUXF cell.
  struct Mux {
    std::uint32_t cell, element;
  };
  std::uint32_t input(Mux m, std::uint32_t i) const {
    return netlist_.input(m.cell, i * netlist_.cell(m.cell).width + m.element);
  }
  std::uint32_t output(Mux m) const { return netlist_.output(m.cell, m.element); }

  void put_mux(std::uint32_t q, std::uint32_t first, Mux m) {
    put_behind(q, 0, first, output(m));
    quads_.take_bypass(q, first);  // its select
    for (std::uint32_t i = 0; i < 2; ++i) put_driver(q, first + i, input(m, i));
  }

  // A MUXF8 with its two MUXF7 fills a quad; other MUXF7 are two a quad.
  void muxes() {
    std::map<std::uint32_t, Mux> open;  // unplaced MUXF7, by the net they drive
    for (const std::uint32_t c : elements_.muxf7)
      for (std::uint32_t e = 0; e < netlist_.cell(c).width; ++e)
        open.emplace(netlist_.output(c, e), Mux{c, e});
    for (const std::uint32_t c : elements_.muxf8)
      for (std::uint32_t e = 0; e < netlist_.cell(c).width; ++e) {
        const std::uint32_t q = quads_.add();
        put_behind(q, 0, 1, netlist_.output(c, e));
        quads_.take_bypass(q, 1);
        for (std::uint32_t i = 0; i < 2; ++i) {
          const auto m = open.find(input({c, e}, i));
          if (m == open.end()) continue;
          put_mux(q, 2 * i, m->second);
          open.erase(m);
        }
      }
    std::uint32_t q = none;
    for (const auto& [net, m] : open) {
      const bool is_second = q != none;
      if (!is_second) q = quads_.add();
      put_mux(q, is_second ? 2 : 0, m);
      if (is_second) q = none;
    }
  }

  void memory(const Memory& m) {
    std::uint32_t q = none, position = positions, quads = 0;
    const auto next = [&] {
      if (position == positions) {
        q = quads_.add(), position = 0, ++quads;
        quads_.set_clock(q, m.clock);
      }
      return position++;
    };
    for (const std::uint32_t l : m.shifts) {
      const std::uint32_t p = next();
      put_lut(q, p, l);
    }
    auto flop = m.flops.begin();
    for (std::uint32_t i = 0; i < m.sites; ++i) {
      quads_.take_lut(q, next());
      ++packed_.sites;
      if (position != positions) continue;
      for (std::uint32_t b = 0; b < m.words_bits && flop != m.flops.end(); ++b, ++flop) {
        Flop& f = elements_.flops[*flop];
        f.placed = quads_.put_behind(q, b / 3, b % 3, f.control);
      }
    }
    memories_ += (quads + 1) / 2;
  }

  void registered_luts() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_control;
    for (std::uint32_t l = 0; l < elements_.luts.size(); ++l) {
      const Lut& lut = elements_.luts[l];
      if (lut.placed || (lut.partner != none && lut.partner < l)) continue;
      std::uint32_t f = waiting(lut.o6);
      if (f == none) f = waiting(second_output(lut));
      if (f != none) by_control[elements_.flops[f].control].push_back(l);
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> claimed;
    std::vector<std::uint32_t> unclaimed;
    for (std::uint32_t q = 0; q < quads_.size(); ++q)
      if (quads_.free_lut(q) != none)
        (quads_[q].is_unclaimed() ? unclaimed : claimed[quads_[q].control[0]]).push_back(q);
    for (auto& [control, luts] : by_control) {
      std::vector<std::uint32_t>& own = claimed[control];
      for (const std::uint32_t l : luts) {
        std::uint32_t q = open_quad(own, control);
        if (q == none) q = open_quad(unclaimed, control);
        if (q == none) q = quads_.add();
        own.push_back(q);
        put_lut(q, quads_.free_lut(q), l);
      }
    }
  }

  // Takes the last quad of a list with a free position; removes full quads after it.
  std::uint32_t open_quad(std::vector<std::uint32_t>& from, std::uint32_t control) const {
    while (!from.empty()) {
      const std::uint32_t q = from.back();
      from.pop_back();
      if (quads_.free_lut(q) != none && quads_.takes(q, 0, control)) return q;
    }
    return none;
  }

  void loose_luts() {
    std::uint32_t q = 0;
    const auto position = [&] {
      for (; q < quads_.size(); ++q)
        for (std::uint32_t p = 0; p < positions; ++p)
          if (!quads_[q].has_lut(p)) return p;
      return quads_.add(), 0u;
    };
    for (std::uint32_t l = 0; l < elements_.luts.size(); ++l)
      if (!elements_.luts[l].placed) {
        const std::uint32_t p = position();
        put_lut(q, p, l);
      }
  }

  // First uses rows with the same control, then rows without one.
  void loose_flops() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_control;
    for (std::uint32_t f = 0; f < elements_.flops.size(); ++f)
      if (!elements_.flops[f].placed) by_control[elements_.flops[f].control].push_back(f);
    std::map<std::uint32_t, std::vector<std::uint32_t>> claimed;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> half;
    std::vector<std::uint32_t> unclaimed;
    for (std::uint32_t q = 0; q < quads_.size(); ++q) {
      const Quad& quad = quads_[q];
      if (quad.is_unclaimed()) {
        unclaimed.push_back(q);
        continue;
      }
      for (const std::uint32_t control : quad.control)
        if (control == none)
          half[{quad.clock, quad.reset}].push_back(q);
        else if (claimed[control].empty() || claimed[control].back() != q)
          claimed[control].push_back(q);
    }
    for (auto& [control, flops] : by_control) {
      const auto& [clock, reset, enable] = elements_.controls[control];
      auto& beside = half[{clock, reset}];
      fill(claimed[control], flops, control);
      fill(beside, flops, control);
      fill(unclaimed, flops, control);
      while (!flops.empty()) {
        unclaimed.push_back(quads_.add());
        fill(unclaimed, flops, control);
      }
      // The last quad begun may have a row left for another enable.
      if (unclaimed.empty() || quads_[unclaimed.back()].is_unclaimed()) continue;
      beside.push_back(unclaimed.back());
      unclaimed.pop_back();
    }
  }

  // A full quad leaves the list.
  void fill(std::vector<std::uint32_t>& quads, std::vector<std::uint32_t>& flops,
            std::uint32_t control) {
    while (!quads.empty() && !flops.empty()) {
      for (std::uint32_t row = 0; row < 2; ++row)
        while (!flops.empty()) {
          const auto way = quads_.put(quads.back(), row, control);
          if (way == Quads::Way::none) break;
          packed_.passed += way == Quads::Way::lut;
          elements_.flops[flops.back()].placed = true;
          flops.pop_back();
        }
      if (!flops.empty()) quads.pop_back();
    }
  }

  std::uint64_t slices() const {
    const std::uint64_t all = quads_.size();
    if (is_old()) return all;
    // Two quads a slice. Quads of a carry block stay together; separately written memories do not
    // share.
    return carries_ + std::max((all - 2 * carries_ + 1) / 2, memories_);
  }

  const timing::Netlist& netlist_;
  Elements elements_;
  Quads quads_;
  Packed packed_;
  std::uint64_t carries_ = 0, memories_ = 0;  // UltraScale slices that they need
};

}  // namespace

Packed pack(const timing::Netlist& netlist, PackOptions options) {
  return Packer(netlist, options).run();
}

}  // namespace kumiki::backends::fabric
