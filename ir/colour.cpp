// SPDX-License-Identifier: Apache-2.0
#include "ir/colour.h"

#include <algorithm>
#include <string_view>

#include "ir/primitives/memory.h"

namespace kumiki::ir {
namespace {

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = text.size();
  for (char c : text) h = mix(h, static_cast<unsigned char>(c));
  return h;
}

std::size_t count_distinct(const Colours& c) {
  std::vector<std::uint64_t> all = c.cells;
  all.insert(all.end(), c.nets.begin(), c.nets.end());
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

// The colours before the first round. Constants and ports get a colour of their own.
std::vector<std::uint64_t> net_bases(const Module& m) {
  std::vector<std::uint64_t> base(m.net_count(), 1);
  for (std::uint32_t n = 0; n < first_free_net; ++n) base[n] = mix(2, n);
  std::uint64_t position = 0;
  for (const Port& p : m.ports()) {
    std::uint64_t direction = p.direction == Direction::input ? 3 : 4;
    for (Net n : m.port_nets(p)) base[n.index] += mix(direction, position++);
  }
  return base;
}

class Refinement {
 public:
  Refinement(const Module& m, ModuleHashes& modules, Colours given)
      : m_(m), fixed_(given), now_(std::move(given)), base_(net_bases(m)) {
    own_.resize(m.cells().size());
    for (std::uint32_t i = 0; i < own_.size(); ++i) {
      if (fixed_.cells[i] != 0) continue;
      free_.push_back(i);
      now_.cells[i] = own_[i] = own_hash(m, m.cells()[i], modules);
    }
    for (std::uint32_t n = 0; n < m.net_count(); ++n)
      if (fixed_.nets[n] == 0) now_.nets[n] = base_[n];
  }

  Colours run() {
    if (free_.empty()) return std::move(now_);
    for (std::size_t before = 0, now = count_distinct(now_); now > before;) {
      round();
      before = now;
      now = count_distinct(now_);
    }
    return std::move(now_);
  }

 private:
  void round() {
    for (std::uint32_t i : free_) {
      const Cell& c = m_.cells()[i];
      auto colour = mix(own_[i], now_.cells[i]);
      for (Net n : m_.inputs(c)) colour = mix(colour, now_.nets[n.index]);
      for (std::uint32_t o = 0; o < m_.output_count(c); ++o)
        colour = mix(colour, now_.nets[c.out.index + o]);
      now_.cells[i] = colour;
    }
    auto next = base_;
    for (std::uint32_t i : free_) {
      const Cell& c = m_.cells()[i];
      std::uint64_t pin = 0;
      // A sum, because the readers of a net have no order.
      for (Net n : m_.inputs(c)) next[n.index] += mix(now_.cells[i], ++pin);
      for (std::uint32_t o = 0; o < m_.output_count(c); ++o)
        next[c.out.index + o] += mix(~now_.cells[i], o);
    }
    for (std::uint32_t n = 0; n < next.size(); ++n)
      now_.nets[n] = n < first_free_net    ? base_[n]
                     : fixed_.nets[n] != 0 ? fixed_.nets[n]
                                           : mix(now_.nets[n], next[n]);
  }

  const Module& m_;
  Colours fixed_, now_;
  std::vector<std::uint64_t> base_, own_;
  std::vector<std::uint32_t> free_;
};

}  // namespace

std::uint64_t own_hash(const Module& m, const Cell& cell, ModuleHashes& modules) {
  auto h = mix(static_cast<std::uint64_t>(cell.kind), cell.width);
  if (cell.kind == Kind::instance) return mix(h, modules.of({cell.params}));
  const auto crossing = m.crossing({static_cast<std::uint32_t>(&cell - m.cells().data())});
  if (crossing != Crossing::none) h = mix(h, 0x2c10c000u + static_cast<unsigned>(crossing));
  auto view = m.view(cell);
  for (std::size_t i = 0; i < view.params.size(); ++i)
    if (cell.kind != Kind::memory || i != memory::contents) h = mix(h, view.params[i]);
  if (view.blob) {
    h = mix(h, view.blob->width);
    for (std::uint64_t limb : view.blob->limbs) h = mix(h, limb);
  }
  return h;
}

Colours refine(const Module& m, ModuleHashes& modules, Colours given) {
  given.cells.resize(m.cells().size());
  given.nets.resize(m.net_count());
  return Refinement(m, modules, std::move(given)).run();
}

std::uint64_t ModuleHashes::of(ModuleId id) {
  if (known_[id.value] != 0) return known_[id.value];
  known_[id.value] = 1;  // ends the recursion of a module that contains itself
  const Module& m = design_.module(id);
  std::uint64_t h = 0;
  for (const Port& p : m.ports()) {
    h = mix(h, hash_text(design_.text(p.name)));
    h = mix(h, std::uint64_t{p.width} * 4 + (p.direction == Direction::input ? 2 : 0) +
                   (p.is_signed ? 1 : 0));
  }
  auto colours = refine(m, *this, {});
  std::uint64_t cells = m.cells().size();
  for (std::uint64_t c : colours.cells) cells += c;
  // A wire from an input port to an output port is visible only in the nets.
  for (const Port& p : m.ports())
    for (Net n : m.port_nets(p)) h = mix(h, colours.nets[n.index]);
  return known_[id.value] = mix(h, cells) | 1;
}

}  // namespace kumiki::ir
