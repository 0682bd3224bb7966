// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/elements.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gen/blocks/compressor/messages.h"
#include "ir/error.h"

namespace kumiki::gen::compressor {

const std::vector<Element>& element_descriptions();  // element_table.cpp

namespace {

using Counts = std::vector<unsigned>;

void count(Counts& n, unsigned column) {
  if (n.size() <= column) n.resize(column + 1u);
  ++n[column];
}

Element::PerColumn counted(const Element& e) {
  Element::PerColumn n;
  for (std::size_t i = 0; i < e.column.size(); ++i) {
    count(n.inputs, e.column[i]);
    if (e.takes_pair[i]) count(n.pairs, e.column[i]);
    if (e.takes_open[i]) count(n.opens, e.column[i]);
    if (e.takes_wide[i]) count(n.wides, e.column[i]);
  }
  for (const Element::Leaf& l : e.leaves) count(l.is_wide() ? n.wide_leaves : n.leaves, l.column);
  n.outputs.assign(e.first, 0);
  n.outputs.resize(e.first + e.width(), 1);
  for (const Element::Output& o : e.outputs) count(n.outputs, o.column);
  return n;
}

// Whether there is room for `nets` nets at each of these inputs.
bool has_room(const Element& e, std::uint32_t mask, unsigned nets) {
  for (const Element::Lut& l : e.luts) {
    unsigned all = 0;
    for (auto i : l.in) all += mask >> i & 1 ? nets : 1;
    if (all > (l.table.both ? 5u : 6u)) return false;
    if (l.bypass >= 0 && (mask >> l.bypass & 1)) return false;
  }
  // Inputs of a leaf have one net each, because their nets pass on to the reader of the leaf.
  for (const Element::Leaf& l : e.leaves)
    for (auto i : l.in)
      if (mask >> i & 1) return false;
  return nets < 3 || e.last_di() < 0 || !(mask >> e.last_di() & 1);
}

// The largest set of inputs that can all have `nets` nets at once, preferably in lower columns.
std::vector<bool> room_for(const Element& e, unsigned nets) {
  std::uint32_t best = 0;
  auto weight = [&](std::uint32_t mask) {
    unsigned w = 0;
    for (std::size_t i = 0; i < e.column.size(); ++i)
      if (mask >> i & 1) w += 1000 - e.column[i];
    return w;
  };
  for (std::uint32_t mask = 0; mask < 1u << e.column.size(); ++mask)
    if (weight(mask) > weight(best) && has_room(e, mask, nets)) best = mask;
  std::vector<bool> takes(e.column.size());
  for (std::size_t i = 0; i < takes.size(); ++i) takes[i] = best >> i & 1;
  return takes;
}

}  // namespace

unsigned Element::span() const {
  return std::max(first + width(), static_cast<unsigned>(per_column.inputs.size()));
}

int Element::last_di() const {
  if (!is_atom) return -1;
  const Lut& last = luts.back();
  if (last.bypass >= 0) return last.bypass;
  for (std::size_t i = 0; i < last.in.size(); ++i) {
    bool wire = true;
    for (unsigned index = 0; index < 1u << last.in.size() && wire; ++index)
      wire = last.table.at(index) == ((index >> i & 1) != 0);
    if (wire) return last.in[i];
  }
  return -1;
}

const std::vector<Element>& elements() {
  static const std::vector<Element> all = [] {
    auto list = element_descriptions();
    for (Element& e : list) {
      e.takes_pair = room_for(e, 2);
      e.takes_open = room_for(e, 3);
      e.takes_wide = room_for(e, 5);
      e.per_column = counted(e);
    }
    return list;
  }();
  return all;
}

std::size_t element_index(std::string_view name) {
  const auto& all = elements();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name) return i;
  std::vector<std::string> names;
  for (const Element& e : all) names.push_back(e.name);
  throw DesignError(code::wrong_element,
                    fmt::format("\"{}\" is not an element; use {}", name, fmt::join(names, ", ")));
}

const Element& element(std::string_view name) { return elements()[element_index(name)]; }

std::vector<unsigned> Gpc::inputs() const {
  std::vector<unsigned> n(1, atoms.empty() ? 1 : 0);
  if (carry_in) ++n[0];
  unsigned column = 0;
  for (const std::string& a : atoms) {
    const Element& e = element(a);
    const Counts& in = e.per_column.inputs;
    if (n.size() < column + in.size()) n.resize(column + in.size());
    for (std::size_t i = 0; i < in.size(); ++i) n[column + i] += in[i];
    column += e.width();
  }
  return n;
}

unsigned Gpc::outputs() const {
  if (atoms.empty()) return 1;
  unsigned width = 0;
  for (const std::string& a : atoms) {
    const Element& e = element(a);
    if (!e.is_atom) return static_cast<unsigned>(e.per_column.outputs.size());
    width += e.width();
  }
  return width + 1;
}

unsigned Gpc::area() const {
  if (atoms.empty()) return 0;
  unsigned area = 0;
  for (const std::string& a : atoms) area += element(a).area();
  const Element& first = element(atoms.front());
  if (!first.is_atom) return area;
  return area + 1 + (carry_in && !first.takes_carry_in() ? 1 : 0);
}

const std::vector<Gpc>& paper_gpcs() {
  static const std::vector<Gpc> all{
      {"(1;1)", {}},
      {"(3;2)", {"fa"}},
      {"(7;3)", {"A06"}, true},
      {"(1,5;3)", {"A14"}, true},
      {"(2,3;3)", {"A2", "A2"}, true},
      {"(6,2,3;5)", {"A2", "A2", "A06"}, true},
      {"(6,0,6;5)", {"A06", "A06"}},
      {"(6,1,5;5)", {"A14", "A06"}, true},
      {"(1,4,1,5;5)", {"A14", "A14"}, true},
      {"(1,4,0,6;5)", {"A06", "A14"}},
      {"(1,3,2,5;5)", {"A1324"}, true},
      {"(1,3,4,3;5)", {"A2", "A134"}, true},
      {"(2,1,3,5;5)", {"A134", "A2"}, true},
      {"(1,3,5;4)", {"A134"}, true},
      {"(2,2,3;4)", {"A2", "A2", "A2"}, true},
      {"(2,0,7;4)", {"A06", "A2"}, true},
      {"(2,1,5;4)", {"A14", "A2"}, true},
  };
  return all;
}

}  // namespace kumiki::gen::compressor
