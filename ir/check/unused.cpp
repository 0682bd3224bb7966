// SPDX-License-Identifier: Apache-2.0
// Finds cells and inputs that reach no output. The vendor's tools would remove them, so our counts
// would be too high.
#include <fmt/format.h>

#include "ir/check/checker.h"
#include "ir/label.h"

namespace kumiki::ir::checking {
namespace {

// "3, 5..7" from flags.
std::string list_clear(std::span<const std::uint8_t> flags) {
  std::string out;
  for (std::size_t i = 0, end = 0; i < flags.size(); i = end) {
    for (end = i + 1; end < flags.size() && (flags[end] != 0) == (flags[i] != 0);) ++end;
    if (flags[i]) continue;
    if (!out.empty()) out += ", ";
    out += end == i + 1 ? fmt::format("{}", i) : fmt::format("{}..{}", i, end - 1);
  }
  return out;
}

class UnusedCheck {
 public:
  UnusedCheck(Checker& k, const Module& m) : k_(k), m_(m), f_(k.facts(m)) {}

  void run() {
    find_live();
    ports();
    for (std::uint32_t i = 0; i < cell_live_.size(); ++i)
      if (!cell_live_[i]) complain(m_.cells()[i], "reaches no output");
    for (auto i = vectors_.rbegin(); i != vectors_.rend(); ++i)
      if (cell_live_[*i]) elements(m_.cells()[*i]);
    for (CellId i : m_.instances())
      if (cell_live_[i.value]) note_outputs(m_.cell(i));
  }

 private:
  // Walks backwards. A cell usually comes after the cells it reads; the others go on a list.
  void find_live() {
    net_live_.assign(m_.net_count(), 0);
    cell_live_.assign(m_.cells().size(), 0);
    for (Net n : f_.outputs)
      if (n.index < net_live_.size()) net_live_[n.index] = 1;
    for (auto i = static_cast<std::uint32_t>(m_.cells().size()); i-- > 0;) {
      const Cell& c = m_.cells()[i];
      if (any_output_live(c)) mark(i, i);
      if (c.width > 1) vectors_.push_back(i);
    }
    while (!late_.empty()) {
      auto i = late_.back();
      late_.pop_back();
      mark(i, 0);
    }
  }

  bool any_output_live(const Cell& c) const {
    for (std::uint32_t o = 0, count = m_.output_count(c); o < count; ++o)
      if (net_live_[c.out.index + o]) return true;
    return false;
  }

  void mark(std::uint32_t cell, std::uint32_t passed) {
    if (cell_live_[cell]) return;
    cell_live_[cell] = 1;
    const Cell& c = m_.cells()[cell];
    // Children are checked first, so the used inputs of a module are known.
    const auto* dead =
        c.kind == Kind::instance ? &k_.facts(ModuleId{c.params}).input_dead : nullptr;
    std::size_t bit = 0;
    for (Net n : m_.inputs(c)) {
      if (dead && !dead->empty() && (*dead)[bit++] != 0) continue;
      if (n.index >= net_live_.size() || net_live_[n.index]) continue;
      net_live_[n.index] = 1;
      Driver d = f_.driver[n.index];
      if (d.is_cell() && d.cell() >= passed) late_.push_back(d.cell());
    }
  }

  void complain(const Cell& c, std::string_view text) {
    if (k_.report().wants(code::unused_cell))
      k_.report().add(code::unused_cell, m_, c.place,
                      fmt::format("{}{} {}", cell_label(m_, c), at(c.place), text));
  }

  void elements(const Cell& c) {
    std::vector<std::uint8_t>& live = scratch_;
    live.assign(c.width, 0);
    bool all = true;
    auto pins = prototype(c.kind).outputs.size();
    for (std::uint32_t e = 0; e < c.width; ++e) {
      for (std::uint32_t p = 0; p < pins; ++p) live[e] |= net_live_[c.out.index + p * c.width + e];
      all &= live[e] != 0;
    }
    if (!all) complain(c, fmt::format("has elements that reach no output: {}", list_clear(live)));
  }

  void note_outputs(const Cell& c) {
    auto& used = k_.facts(ModuleId{c.params}).output_used;
    for (std::size_t i = 0; i < used.size(); ++i) used[i] |= net_live_[c.out.index + i];
  }

  // Reports unused inputs of a root only. Inside, an unused input costs nothing: the parent's check
  // finds that its driver is dead.
  void ports() {
    const bool is_root = k_.is_root(m_);
    for (const Port& p : m_.ports()) {
      if (p.direction == Direction::output) continue;
      scratch_.clear();
      for (Net n : m_.port_nets(p))
        scratch_.push_back(n == f_.clock || n == f_.fast_clock || net_live_[n.index]);
      for (auto live : scratch_) f_.input_dead.push_back(live == 0);
      auto dead = list_clear(scratch_);
      if (!is_root || dead.empty() || !k_.report().wants(code::unused_input)) continue;
      auto name = bare_or_quoted(m_.design().text(p.name));
      k_.report().add(code::unused_input, m_, p.place,
                      p.width == 1 ? fmt::format("input {}{} reaches no output", name, at(p.place))
                                   : fmt::format("input {}{} has bits that reach no output: {}",
                                                 name, at(p.place), dead));
    }
  }

  Checker& k_;
  const Module& m_;
  Facts& f_;
  std::vector<std::uint8_t> net_live_, cell_live_, scratch_;
  std::vector<std::uint32_t> late_, vectors_;
};

}  // namespace

void check_unused(Checker& k, const Module& m) { UnusedCheck(k, m).run(); }

void check_unused_outputs(Checker& k, const Module& m) {
  const Facts& f = k.facts(m);
  if (!f.is_placed || k.is_root(m)) return;
  std::span<const std::uint8_t> used = f.output_used;
  for (const Port& p : m.ports()) {
    if (p.direction == Direction::input) continue;
    auto dead = list_clear(used.first(p.width));
    used = used.subspan(p.width);
    if (dead.empty() || !k.report().wants(code::unused_output)) continue;
    auto name = bare_or_quoted(m.design().text(p.name));
    k.report().add(code::unused_output, m, p.place,
                   p.width == 1
                       ? fmt::format("output {}{} is used by no instance", name, at(p.place))
                       : fmt::format("output {}{} has bits that no instance uses: {}", name,
                                     at(p.place), dead));
  }
}

}  // namespace kumiki::ir::checking
