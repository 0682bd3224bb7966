// SPDX-License-Identifier: Apache-2.0
// Checks the wires that exist only between neighbours of a slice column: the carry input of a
// CARRY4, the data inputs of MUXF7 and MUXF8. A rule follows its net through the ports of modules,
// up and down. CARRY8 takes its carry from below or from fabric: nothing to check.
#include <algorithm>

#include <fmt/format.h>

#include "ir/check/checker.h"
#include "ir/label.h"

namespace kumiki::ir::checking {
namespace {

constexpr std::uint32_t carry4_top = 3;  // CO[3] is the fourth output

std::string_view rule_text(Rule rule) {
  switch (rule) {
    case Rule::mux7_data:
      return "its source must be a LUT output (O of LUT1 to LUT6, O6 of LUT6_2)";
    case Rule::mux8_data:
      return "its source must be the output of a MUXF7";
    case Rule::carry4_in:
      return "its source must be CO[3] of a CARRY4 or the constant 0, fabric and 1 enter through "
             "CYINIT";
  }
  return {};
}

bool obeys(Rule rule, const Source& s) {
  if (!s.cell) return rule == Rule::carry4_in && s.net == net_zero;
  switch (rule) {
    case Rule::mux7_data:
      // The outputs of a vector LUT6_2 are all O6 first.
      return s.cell->kind >= Kind::lut1 && s.cell->kind <= Kind::lut6_2 && s.offset < s.cell->width;
    case Rule::mux8_data:
      return s.cell->kind == Kind::muxf7;
    case Rule::carry4_in:
      return s.cell->kind == Kind::carry4 && s.offset == carry4_top;
  }
  return false;
}

class WiringCheck {
 public:
  WiringCheck(Checker& k, const Module& m) : k_(k), m_(m), f_(k.facts(m)) {}

  void run() {
    for (std::uint32_t index : f_.wired) {
      const Cell& c = m_.cells()[index];
      if (c.kind == Kind::carry4)
        take(index, 0, Rule::carry4_in);
      else
        for (std::uint32_t i = 0; i < 2 * c.width; ++i)
          take(index, i, c.kind == Kind::muxf7 ? Rule::mux7_data : Rule::mux8_data);
    }
    for (CellId i : m_.instances()) {
      const Cell& c = m_.cell(i);
      const Facts& child = k_.facts(ModuleId{c.params});
      f_.holds_slices |= child.holds_slices;
      for (const Need& need : child.needs) obey(m_.inputs(c)[need.input_bit], need);
    }
    carry_twice();
  }

 private:
  struct CarryUse {
    Net net;
    Need need;
  };

  void take(std::uint32_t cell, std::uint32_t offset, Rule rule) {
    obey(m_.inputs(m_.cells()[cell])[offset], {0, rule, m_.id(), cell, offset});
  }

  void obey(Net net, Need need) {
    if (need.rule == Rule::carry4_in && net >= Net{first_free_net}) carries_.push_back({net, need});
    // Usually the driver is a cell of the same module, and no port has to be followed.
    if (net.index < f_.driver.size() && f_.driver[net.index].is_cell()) {
      const Cell& c = m_.cells()[f_.driver[net.index].cell()];
      if (c.kind != Kind::instance && obeys(need.rule, {&m_, &c, net.index - c.out.index, {}, {}}))
        return;
    }
    Source s = k_.source(m_, net);
    if (!s.cell && s.driver.is_none()) return;  // another check reports this
    if (!s.cell && s.driver.is_input() && s.module == &m_ && !k_.is_root(m_)) {
      need.input_bit = s.driver.input_bit();
      f_.needs.push_back(need);
    } else if (!obeys(need.rule, s) && k_.report().wants(code(need.rule))) {
      k_.report().add(code(need.rule), m_, sink_cell(need).place,
                      fmt::format("{} is driven by {}; {}", sink_text(need), source_text(s),
                                  rule_text(need.rule)));
    }
  }

  static Code code(Rule rule) {
    return rule == Rule::carry4_in ? code::carry_wiring : code::mux_wiring;
  }
  const Cell& sink_cell(const Need& n) const {
    return m_.design().module(n.module).cells()[n.cell];
  }
  std::string inside(const Module& of) const {
    return &of == &m_ ? "" : fmt::format(" in module {}", bare_or_quoted(of.name()));
  }

  std::string sink_text(const Need& n) const {
    const Module& of = m_.design().module(n.module);
    const Cell& c = sink_cell(n);
    return fmt::format("{}{}{}: pin {}", cell_label(of, c), inside(of), at(c.place),
                       input_label(of, c, n.offset));
  }

  std::string source_text(const Source& s) const {
    if (s.cell)
      return fmt::format("{}.{}{}{}", cell_label(*s.module, *s.cell),
                         output_label(*s.module, *s.cell, s.offset), inside(*s.module),
                         at(s.cell->place));
    if (s.driver.is_input())
      return "input " + port_label(*s.module, Direction::input, s.driver.input_bit());
    return net_label(*s.module, s.net);
  }

  // Whether the wire behind this net already feeds a CI inside the instance that drives it.
  bool taken_below(const Module& m, Net net) {
    auto& driver = k_.facts(m).driver;
    Driver d = net.index < driver.size() ? driver[net.index] : Driver();
    if (!d.is_cell()) return false;
    const Cell& c = m.cells()[d.cell()];
    if (c.kind != Kind::instance) return false;
    const Module& child = m.design().module({c.params});
    const Facts& f = k_.facts(child);
    Net inner = f.outputs[net.index - c.out.index];
    return std::binary_search(f.carry_taken.begin(), f.carry_taken.end(), inner) ||
           taken_below(child, inner);
  }

  // The dedicated carry wire reaches one block only, the one above.
  void carry_twice() {
    std::stable_sort(carries_.begin(), carries_.end(),
                     [](const CarryUse& a, const CarryUse& b) { return a.net < b.net; });
    for (std::size_t i = 0; i < carries_.size(); ++i) {
      Net net = carries_[i].net;
      if (i > 0 && carries_[i - 1].net == net)
        complain_twice(carries_[i].need, sink_text(carries_[i - 1].need));
      else if (taken_below(m_, net))
        complain_twice(carries_[i].need, "a CARRY4 inside the instance that drives it");
      f_.carry_taken.push_back(net);
    }
  }

  void complain_twice(const Need& need, std::string_view other) {
    if (k_.report().wants(code::carry_wiring))
      k_.report().add(code::carry_wiring, m_, sink_cell(need).place,
                      fmt::format("{} shares its net with {}: CO[3] reaches one CI only, "
                                  "that of the block above",
                                  sink_text(need), other));
  }

  Checker& k_;
  const Module& m_;
  Facts& f_;
  std::vector<CarryUse> carries_;
};

}  // namespace

void check_wiring(Checker& k, const Module& m) { WiringCheck(k, m).run(); }

}  // namespace kumiki::ir::checking
