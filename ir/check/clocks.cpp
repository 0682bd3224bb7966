// SPDX-License-Identifier: Apache-2.0
// Checks the rules for two clocks. Data may cross only into a register that declares its crossing.
// Enables and resets may not cross. The enable of a register must agree with the half that it
// declares. The check covers every placement of a module, because a module with one clock may run
// on either.
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "ir/check/checker.h"
#include "ir/label.h"
#include "ir/machine.h"
#include "ir/primitives/memory.h"

namespace kumiki::ir::checking {
namespace {

enum class Domain : std::uint8_t { none, slow, fast };
std::string_view port_of(Domain d) { return d == Domain::fast ? fast_clock_port : clock_port; }

// What launches a value; behind logic, several of these at once.
using Launch = std::uint8_t;
constexpr Launch by_slow = 1;
constexpr Launch by_fast = 2;        // may change at every edge of the fast clock
constexpr Launch by_fast_first = 4;  // changes at the beginning of the first half only
constexpr Launch not_known = 0x80;

// The half in which a net from a phase register is 1.
enum class Half : std::uint8_t { none, first, second };

class ClockCheck {
 public:
  explicit ClockCheck(Checker& k) : k_(k) {}

  void run(const Module& root) {
    place(root.id(), none, 0, Domain::slow, Domain::fast);
    for (ContextId c = 0; c < contexts_.size(); ++c) {
      const Module& m = module(c);
      for (std::uint32_t i = 0; i < m.cells().size(); ++i)
        if (m.cells()[i].kind != Kind::instance) look(c, i);
    }
    outputs(root);
  }

 private:
  using ContextId = std::uint32_t;
  static constexpr ContextId none = ~ContextId{0};
  struct Context {
    ModuleId module;
    ContextId parent;
    std::uint32_t cell;  // of the parent
    Domain clock, fast_clock;
    std::vector<Launch> launched;  // by net; computed at the first request
  };

  const Module& module(ContextId c) const { return k_.design().module(contexts_[c].module); }
  Facts& facts(ContextId c) { return k_.facts(contexts_[c].module); }

  void place(ModuleId id, ContextId parent, std::uint32_t cell, Domain clock, Domain fast) {
    const auto here = static_cast<ContextId>(contexts_.size());
    const Module& m = k_.design().module(id);
    contexts_.push_back(
        {id, parent, cell, clock, fast, std::vector<Launch>(m.net_count(), not_known)});
    if (parent != none) children_[std::uint64_t{parent} << 32 | cell] = here;
    for (CellId i : m.instances()) {
      const ModuleId child{m.cell(i).params};
      const Facts& inner = k_.facts(child);
      Domain of[2] = {Domain::none, Domain::none};
      std::size_t bit = 0;
      for (Net n : inner.inputs) {
        const Domain d = domain(here, m.inputs(m.cell(i))[bit++]);
        if (n == inner.clock) of[0] = d;
        if (n == inner.fast_clock) of[1] = d;
      }
      place(child, here, i.value, of[0], of[1]);
    }
  }

  Domain domain(ContextId c, Net n) {
    const Facts& f = facts(c);
    return n == f.clock        ? contexts_[c].clock
           : n == f.fast_clock ? contexts_[c].fast_clock
                               : Domain::none;
  }

  // The clock of a cell; none if it uses no registers.
  Domain domain_of(ContextId c, const Cell& cell) {
    const Module& m = module(c);
    const auto view = plain_view(m, cell);
    const Net* net = m.inputs(cell).data();
    if (cell.kind == Kind::memory && view.params[memory::read] == memory::asynchronous &&
        net[memory::write_enable] == net_zero)
      return Domain::none;  // a table
    const auto clock = clock_input(cell.kind, view);
    return clock ? domain(c, net[*clock]) : Domain::none;
  }

  // The launches that reach a net without a register in between.
  Launch launched(ContextId c, Net n) {
    if (n < Net{first_free_net} || n.index >= contexts_[c].launched.size()) return 0;
    if (const Launch l = contexts_[c].launched[n.index]; l != not_known) return l;
    contexts_[c].launched[n.index] = 0;  // a loop ends here
    return contexts_[c].launched[n.index] = driven(c, n);
  }

  Launch driven(ContextId c, Net n) {
    const Driver d = facts(c).driver[n.index];
    if (d.is_input()) {
      const Context& here = contexts_[c];
      if (here.parent == none) return by_slow;
      const Module& up = module(here.parent);
      return launched(here.parent, up.inputs(up.cells()[here.cell])[d.input_bit()]);
    }
    if (!d.is_cell()) return 0;
    const Cell& cell = module(c).cells()[d.cell()];
    const auto offset = n.index - cell.out.index;
    if (cell.kind == Kind::instance) {
      const ContextId child = children_.at(std::uint64_t{c} << 32 | d.cell());
      return launched(child, facts(child).outputs[offset]);
    }
    return by_primitive(c, cell, offset);
  }

  Launch by_primitive(ContextId c, const Cell& cell, std::uint32_t offset) {
    const Module& m = module(c);
    const auto& proto = prototype(cell.kind);
    const auto view = plain_view(m, cell);
    Launch all = 0;
    switch (domain_of(c, cell)) {
      case Domain::slow:
        all = by_slow;
        break;
      case Domain::fast:
        all = enabled_in(c, cell) == Half::second ? by_fast_first : by_fast;
        break;
      case Domain::none:
        break;
    }
    if (!proto.reach) return all;
    const auto mask = proto.reach(view, locate(proto.outputs, view, offset).pin);
    const Net* net = m.inputs(cell).data();
    for (unsigned p = 0; p < proto.inputs.size(); ++p) {
      const auto width = pin_width(proto.inputs[p], view);
      if (mask >> p & 1)
        for (std::uint32_t i = 0; i < width; ++i)
          if (!proto.vector || proto.inputs[p].shared || i == offset % cell.width)
            all |= launched(c, net[i]);
      net += width;
    }
    return all;
  }

  // The half in which a flip-flop is enabled, if its enable comes from a phase register.
  Half enabled_in(ContextId c, const Cell& cell) {
    if (!is_flop(cell.kind)) return Half::none;
    const auto in = module(c).inputs(cell);
    return in[2 + cell.width] == net_zero ? half(c, in[1]) : Half::none;
  }

  const Cell* driver(ContextId c, Net n) {
    const Facts& f = facts(c);
    if (n.index >= f.driver.size() || !f.driver[n.index].is_cell()) return nullptr;
    return &module(c).cells()[f.driver[n.index].cell()];
  }

  // A flip-flop of one bit without enable and reset.
  bool is_plain(ContextId c, const Cell* cell, Domain on) {
    if (!cell || !is_flop(cell->kind) || cell->width != 1 || domain_of(c, *cell) != on)
      return false;
    const auto in = module(c).inputs(*cell);
    const auto p = module(c).params(*cell);
    return in[1] == net_one && in[3] == net_zero && p[2] == 0 && p[3] == 0;
  }

  // A phase register compares a flip-flop on clk that changes at every edge with its copy on the
  // fast clock: they differ in the first half. So it finds the phase by itself.
  Half half(ContextId c, Net n) {
    const Module& m = module(c);
    const Cell* phase = driver(c, n);
    if (!is_plain(c, phase, Domain::fast)) return Half::none;
    const Cell* compare = driver(c, m.inputs(*phase)[2]);
    if (!compare || compare->kind != Kind::lut2 || compare->width != 1) return Half::none;
    const auto table = m.params(*compare)[0];
    if (table != 6 && table != 9) return Half::none;
    const Cell* toggle = driver(c, m.inputs(*compare)[0]);
    const Cell* seen = driver(c, m.inputs(*compare)[1]);
    if (!is_plain(c, toggle, Domain::slow) || !is_plain(c, seen, Domain::fast) ||
        m.inputs(*seen)[2] != toggle->out)
      return Half::none;
    const Cell* invert = driver(c, m.inputs(*toggle)[2]);
    if (!invert || invert->kind != Kind::lut1 || m.params(*invert)[0] != 1 ||
        m.inputs(*invert)[0] != toggle->out)
      return Half::none;
    const bool starts_right =
        m.params(*toggle)[0] != m.params(*seen)[0] && m.params(*phase)[0] == (table == 9 ? 1 : 0);
    return !starts_right ? Half::none : table == 6 ? Half::second : Half::first;
  }

  static bool is_control(const Pin& pin) {
    return pin.name.starts_with("CE") || pin.name.starts_with("RST") || pin.name == "R" ||
           pin.name == "S" || pin.name == "WE" || pin.name == "RE";
  }

  void look(ContextId c, std::uint32_t index) {
    const Module& m = module(c);
    const Cell& cell = m.cells()[index];
    const Domain on = domain_of(c, cell);
    const Crossing crossing = m.crossing({index});
    if (on == Domain::none) return;
    const Launch foreign = on == Domain::slow ? by_fast | by_fast_first : by_slow;
    const auto view = plain_view(m, cell);
    const Net* net = m.inputs(cell).data();
    Launch crosses = 0;
    for (const Pin& pin : prototype(cell.kind).inputs) {
      const auto width = pin_width(pin, view);
      for (std::uint32_t i = 0; !pin.clock && i < width; ++i) {
        const Launch l = launched(c, net[i]) & foreign;
        if (l == 0) continue;
        if (is_control(pin))
          complain(code::clock_control, m, index,
                   fmt::format("pin {} on {} is launched by {}; an enable or reset must come from "
                               "a register on the same clock",
                               pin.name, port_of(on), port_of(other(on))));
        else if (crossing == Crossing::none)
          complain(code::clock_crossing, m, index,
                   fmt::format("pin {} takes on {} what {} launches: CROSSING=each{} must say in "
                               "which half",
                               pin.name, port_of(on), port_of(other(on)),
                               on == Domain::fast ? ", first or second" : " or first"));
        crosses |= l;
      }
      net += width;
    }
    if (crossing == Crossing::first || crossing == Crossing::second)
      on == Domain::fast ? taken(c, index, crossing) : launched_first(m, index, crossing, crosses);
  }

  void taken(ContextId c, std::uint32_t index, Crossing crossing) {
    const Module& m = module(c);
    const Half want = crossing == Crossing::first ? Half::first : Half::second;
    if (enabled_in(c, m.cells()[index]) == want) return;
    complain(
        code::clock_phase, m, index,
        fmt::format("CROSSING={0} needs its enable from a phase register that is 1 in the {0} half",
                    crossing_name(crossing)));
  }

  void launched_first(const Module& m, std::uint32_t index, Crossing crossing, Launch crosses) {
    if (crossing == Crossing::second)
      complain(code::clock_phase, m, index,
               "CROSSING=second is for registers on clk2x: one on clk says each or first");
    else if (crosses & by_fast)
      complain(
          code::clock_phase, m, index,
          "CROSSING=first needs data that change at the beginning of the first half only: from "
          "registers on clk2x whose enable is a phase register that is 1 in the second half");
  }

  static Domain other(Domain d) { return d == Domain::fast ? Domain::slow : Domain::fast; }

  void outputs(const Module& root) {
    for (const Port& p : root.ports()) {
      if (p.direction == Direction::input) continue;
      for (Net n : root.port_nets(p)) {
        if ((launched(0, n) & (by_fast | by_fast_first)) == 0) continue;
        if (k_.report().wants(code::clock_crossing))
          k_.report().add(code::clock_crossing, root, p.place,
                          fmt::format("output {}{} is launched by {}, but outside it is taken by "
                                      "{}; put a register on {}",
                                      bare_or_quoted(root.design().text(p.name)), at(p.place),
                                      fast_clock_port, clock_port, clock_port));
        break;
      }
    }
  }

  // A mistake in a module is reported once, for all its placements.
  void complain(Code code, const Module& m, std::uint32_t index, const std::string& text) {
    if (!told_.emplace(m.id().value, index, code).second || !k_.report().wants(code)) return;
    const Cell& cell = m.cells()[index];
    k_.report().add(code, m, cell.place,
                    fmt::format("{}{}: {}", cell_label(m, cell), at(cell.place), text));
  }

  Checker& k_;
  std::vector<Context> contexts_;
  std::unordered_map<std::uint64_t, ContextId> children_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, Code>> told_;
};

}  // namespace

void check_clock_ports(Checker& k, const Module& m) {
  const Facts& f = k.facts(m);
  if (f.has_fast_clock() && f.clock == net_open && k.report().wants(code::clock_pair))
    k.report().add(code::clock_pair, m, {},
                   fmt::format("has an input {1} and no input {0}: {1} stands beside {0}",
                               clock_port, fast_clock_port));
  for (CellId i : m.instances()) {
    const Facts& inner = k.facts(ModuleId{m.cell(i).params});
    if (!inner.has_fast_clock()) continue;
    const auto given = m.inputs(m.cell(i));
    bool as_it_stands = f.has_fast_clock();
    for (std::size_t b = 0; b < given.size(); ++b) {
      if (inner.inputs[b] == inner.clock) as_it_stands &= given[b] == f.clock;
      if (inner.inputs[b] == inner.fast_clock) as_it_stands &= given[b] == f.fast_clock;
    }
    if (as_it_stands || !k.report().wants(code::clock_pair)) continue;
    const Cell& c = m.cell(i);
    k.report().add(
        code::clock_pair, m, c.place,
        fmt::format("{}{}: its inputs {} and {} must be the module's {} and {}", cell_label(m, c),
                    at(c.place), clock_port, fast_clock_port, clock_port, fast_clock_port));
  }
}

void check_clocks(Checker& k) {
  if (k.report().has_errors()) return;  // a net without a driver has no clock either
  for (std::uint32_t i = 0; i < k.design().module_count(); ++i) {
    const Module& m = k.design().module({i});
    if (k.is_root(m) && k.facts(m).has_fast_clock()) ClockCheck(k).run(m);
  }
}

}  // namespace kumiki::ir::checking
