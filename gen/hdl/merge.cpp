// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/merge.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "gen/hdl/cone.h"
#include "gen/hdl/levels.h"

namespace kumiki::gen::detail {
namespace {

using ir::CellId;

constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

struct Written {
  CellId cell;
  Net out;
  Cone cone;
  bool is_root = false;  // it has a reader that is not an expression
  bool is_gone = false, has_changed = false;
};

class Merger {
  std::size_t at(Net n) const {
    const auto found = at_.find(n.index);
    return found == at_.end() ? nobody : found->second;
  }
  auto levels() const {
    const auto now = [this](Net n) {
      const auto i = at(n);
      return i == nobody ? nullptr : &luts_[i].cone;
    };
    return Levels(m_, now);
  }

 public:
  Merger(ir::Module& m, const std::unordered_map<std::uint32_t, unsigned>& written) : m_(m) {
    const auto cells = m.cells();
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const ir::Cell& c = cells[i];
      if (c.kind < ir::Kind::lut1 || c.kind > ir::Kind::lut6 || !written.contains(c.out.index))
        continue;
      const auto in = m.inputs(c);
      at_.emplace(c.out.index, luts_.size());
      luts_.push_back({{i}, c.out, {}});
      Cone& cone = luts_.back().cone;
      cone.table = {.bits = m.params(c)[0], .inputs = static_cast<unsigned>(in.size())};
      std::ranges::copy(in, cone.in.begin());
    }
  }

  // Returns false if there is nothing to merge, or if there is a loop, which is reported as it was
  // written.
  bool begin() {
    if (luts_.empty()) return false;
    find_roots();
    if (!sort()) return false;
    fold();
    return true;
  }

  // Removes constants, wires and equal LUTs.
  void fold();
  // Merges LUTs that only expressions read into their readers, if all of these have room.
  void take_in();
  // Merges the deepest inputs into a reader if that saves a level.
  void flatten();

  // Levels of the deepest root, then LUTs.
  std::pair<int, std::size_t> cost() const {
    auto levels = this->levels();
    std::pair<int, std::size_t> c{0, 0};
    for (const Written& w : luts_) {
      if (w.is_gone) continue;
      ++c.second;
      if (w.is_root) c.first = std::max(c.first, levels.of(w.out));
    }
    return c;
  }

  bool write();

 private:
  void find_roots() {
    const auto read = [&](Net n) {
      if (const auto i = at(n); i != nobody) luts_[i].is_root = true;
    };
    std::vector<bool> is_written(m_.cells().size());
    for (const Written& w : luts_) is_written[w.cell.value] = true;
    for (std::size_t i = 0; i < is_written.size(); ++i)
      if (!is_written[i])
        for (const Net n : m_.inputs(m_.cells()[i])) read(n);
    for (const ir::Port& p : m_.ports())
      if (p.direction == ir::Direction::output)
        for (const Net n : m_.port_nets(p)) read(n);
  }

  // Sorts inputs before their readers; returns false if there is no such order.
  bool sort() {
    enum Mark : char { unseen, open, done };
    std::vector<Mark> mark(luts_.size(), unseen);
    const auto visit = [&](auto& self, std::size_t i) -> bool {
      if (mark[i] != unseen) return mark[i] == done;
      mark[i] = open;
      for (const Net n : luts_[i].cone.inputs())
        if (const auto k = at(n); k != nobody && !self(self, k)) return false;
      mark[i] = done;
      order_.push_back(i);
      return true;
    };
    for (std::size_t i = 0; i < luts_.size(); ++i)
      if (!visit(visit, i)) return false;
    return true;
  }

  void change(Written& w, const Cone& to) {
    w.cone = to;
    w.has_changed = true;
  }

  void replace(Written& w, Net by) {
    replaced_[w.out.index] = by;
    w.is_gone = true;
    if (!w.is_root) return;
    if (const auto i = at(by); i != nobody) luts_[i].is_root = true;
    joins_.emplace_back(w.out, by);
  }

  // Equal functions have equal keys, whatever the order of their inputs.
  static std::pair<std::vector<Net>, std::uint64_t> key(const Cone& c) {
    std::vector<Net> nets(c.inputs().begin(), c.inputs().end());
    std::ranges::sort(nets);
    std::uint64_t bits = 0;
    for (unsigned index = 0; index < 1u << nets.size(); ++index) {
      unsigned own = 0;
      for (unsigned i = 0; i < nets.size(); ++i) {
        const auto place = std::ranges::find(nets, c.in[i]) - nets.begin();
        own |= (index >> place & 1) << i;
      }
      bits |= std::uint64_t{c.table.at(own)} << index;
    }
    return {std::move(nets), bits};
  }

  // A reader that has taken in the LUTs of some of its inputs.
  std::optional<Cone> with(const Written& reader, const std::vector<std::size_t>& inputs) const {
    std::array<Cone, 6> of;
    for (unsigned k = 0; k < reader.cone.table.inputs; ++k) {
      const auto i = at(reader.cone.in[k]);
      of[k] = i != nobody && std::ranges::find(inputs, i) != inputs.end()
                  ? luts_[i].cone
                  : cone_of(reader.cone.in[k]);
    }
    return composed(reader.cone.table, std::span(of).first(reader.cone.table.inputs));
  }

  ir::Module& m_;
  std::vector<Written> luts_;
  std::unordered_map<std::uint32_t, std::size_t> at_;  // by what they drive
  std::vector<std::size_t> order_;
  std::unordered_map<std::uint32_t, Net> replaced_;
  std::vector<std::pair<Net, Net>> joins_;
};

void Merger::fold() {
  std::map<std::pair<std::vector<Net>, std::uint64_t>, std::size_t> known;
  for (const std::size_t i : order_) {
    Written& w = luts_[i];
    if (w.is_gone) continue;
    Cone now = w.cone;
    for (unsigned k = 0; k < now.table.inputs; ++k)
      if (const auto same = replaced_.find(now.in[k].index); same != replaced_.end())
        now.in[k] = same->second;
    now = folded(now.table, now.inputs());
    if (!std::ranges::equal(now.inputs(), w.cone.inputs())) change(w, now);
    if (now.is_constant() || now.is_wire()) {
      replace(w, now.net());
      continue;
    }
    const auto [same, is_new] = known.emplace(key(now), i);
    if (!is_new) replace(w, luts_[same->second].out);
  }
}

void Merger::take_in() {
  std::vector<std::vector<std::size_t>> readers(luts_.size());
  for (const std::size_t i : order_)
    if (!luts_[i].is_gone)
      for (const Net n : luts_[i].cone.inputs())
        if (const auto k = at(n); k != nobody) readers[k].push_back(i);
  // Repeats after a LUT was removed, because its readers are now other functions.
  for (bool any = true; any;) {
    any = false;
    for (const std::size_t i : order_) {
      Written& w = luts_[i];
      if (w.is_root || w.is_gone) continue;
      std::vector<Cone> wider;
      for (const std::size_t r : readers[i])
        if (const auto c = with(luts_[r], {i})) wider.push_back(*c);
      if (wider.size() < readers[i].size()) continue;
      w.is_gone = any = true;
      for (std::size_t k = 0; k < wider.size(); ++k) change(luts_[readers[i][k]], wider[k]);
      // Its inputs have other readers now.
      for (const Net n : w.cone.inputs())
        if (const auto in = at(n); in != nobody) {
          auto& of = readers[in];
          std::erase(of, i);
          for (const std::size_t r : readers[i])
            if (std::ranges::find(of, r) == of.end()) of.push_back(r);
        }
    }
  }
}

void Merger::flatten() {
  auto levels = this->levels();
  for (const std::size_t i : order_) {
    Written& w = luts_[i];
    if (w.is_gone) continue;
    const int latest = levels.behind(w.cone);
    std::vector<std::size_t> late;
    for (const Net n : w.cone.inputs())
      if (levels.of(n) == latest) late.push_back(at(n));
    if (std::ranges::find(late, nobody) != late.end()) continue;
    if (const auto c = with(w, late)) {
      change(w, *c);
      levels.forget(w.out);
    }
  }
}

bool Merger::write() {
  bool any = !joins_.empty();
  for (const auto& [from, to] : joins_)
    m_.join(from, std::span(&to, 1), m_.cell(luts_[at(from)].cell).place);
  for (const Written& w : luts_) {
    any = any || w.is_gone;
    if (w.is_gone || !w.has_changed) continue;
    m_.replace_cell(w.cell, lut_kind(w.cone.table.inputs), w.cone.inputs(),
                    std::span(&w.cone.table.bits, 1));
    any = true;
  }
  return any;
}

}  // namespace

bool merge_luts(ir::Module& module, const std::unordered_map<std::uint32_t, unsigned>& written) {
  if (written.empty()) return false;
  // Tries to save LUTs first and to save levels first, because one may leave no room for the other.
  Merger few(module, written);
  if (!few.begin()) return false;
  Merger flat(few);
  flat.flatten();
  for (Merger* m : {&few, &flat}) {
    m->take_in();
    m->flatten();
    m->fold();
    m->take_in();
    m->fold();
  }
  return (flat.cost() < few.cost() ? flat : few).write();
}

}  // namespace kumiki::gen::detail
