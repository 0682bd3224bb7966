// SPDX-License-Identifier: Apache-2.0
// What all checks share: the facts of every module, and the findings. Children are checked before
// parents, so an instance is judged by the facts of its module.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "ir/check/report.h"
#include "ir/drivers.h"

namespace kumiki::ir::checking {

enum class Rule : std::uint8_t { mux7_data, mux8_data, carry4_in };

// A pin with a rule about its driver, if an input of its module feeds the pin: the parent of the
// module must obey the rule.
struct Need {
  std::uint32_t input_bit;
  Rule rule;
  ModuleId module;  // where the pin is
  std::uint32_t cell, offset;
};

struct Facts {
  std::vector<Driver> driver;             // by net
  std::vector<Net> inputs, outputs;       // of all ports, bit after bit
  std::vector<std::uint8_t> needs_value;  // input bits that may not stay open
  std::vector<std::uint8_t> through;      // input bits that reach an output without a register
  std::vector<std::uint8_t> output_used;  // output bits that some instance uses
  std::vector<std::uint8_t> input_dead;   // input bits that reach no output; empty: not looked at
  std::vector<std::uint32_t> wired;       // cells with rules about their neighbours
  std::vector<Need> needs;
  std::vector<Net> carry_taken;  // nets on a CI, here or through an instance; sorted
  Net clock = net_open;
  Net fast_clock = net_open;  // the clock if there is no other one
  bool has_fast_clock() const { return fast_clock != clock; }
  bool is_through = false;    // has any `through` bit
  bool holds_slices = false;  // DSP slices, itself or in an instance
  bool is_placed = false;     // placed in another module
  bool back_edges = false;    // some cell reads, without a register, a later one
};

// The final driver of a net, followed through the ports of instances.
struct Source {
  const Module* module = nullptr;
  const Cell* cell = nullptr;  // a primitive, with the offset among its outputs
  std::uint32_t offset = 0;
  Driver driver;  // if no cell drives it: none, a constant, or an input of the module
  Net net;        // in `module`
};

class Checker {
 public:
  Checker(const Design& design, const CheckOptions& options)
      : design_(design), options_(options), report_(options), facts_(design.module_count()) {}
  std::vector<Finding> run();

  const Design& design() const { return design_; }
  const CheckOptions& options() const { return options_; }
  Report& report() { return report_; }
  Facts& facts(const Module& m) { return facts_[m.id().value]; }
  Facts& facts(ModuleId id) { return facts_[id.value]; }
  // A root has no parent: its ports are the pins of the device.
  bool is_root(const Module& m) {
    return design_.has_top() ? design_.top_id() == m.id() : !facts(m).is_placed;
  }
  Source source(const Module& m, Net net, unsigned depth = 0);

 private:
  bool find_order();
  bool visit(ModuleId id, std::vector<std::uint8_t>& mark);

  const Design& design_;
  const CheckOptions& options_;
  Report report_;
  std::vector<Facts> facts_;
  std::vector<ModuleId> order_;
};

// The checks, each in a file.
void check_cells(Checker& k, const Module& m);        // drivers, pins, clocks, parameters
void check_loops(Checker& k, const Module& m);        // combinational loops; fills `through`
void check_wiring(Checker& k, const Module& m);       // carry chains and wide multiplexers
void check_clock_ports(Checker& k, const Module& m);  // the clocks that instances get
void check_clocks(Checker& k);    // paths from one clock to the other, all modules at once
void check_cascades(Checker& k);  // DSP columns, all modules at once
void check_unused(Checker& k, const Module& m);
void check_unused_outputs(Checker& k, const Module& m);  // after all parents

// Input pins, as a mask, that reach some output of a primitive without a register.
inline std::uint64_t through_pins(const Prototype& proto, const CellView& cell) {
  std::uint64_t mask = 0;
  if (proto.reach)
    for (unsigned o = 0; o < proto.outputs.size(); ++o) mask |= proto.reach(cell, o);
  return mask;
}

// A view without the contents of a memory: looking them up would cost a search.
inline CellView plain_view(const Module& m, const Cell& c) {
  return {m.params(c), c.width, nullptr};
}

// Calls f(net) for the inputs of a cell that reach one of its outputs without a register. For an
// instance, the facts of its module decide.
template <class F>
void for_each_through_input(Checker& k, const Module& m, const Cell& c, F f) {
  if (c.kind == Kind::instance) {
    const Facts& child = k.facts(ModuleId{c.params});
    if (!child.is_through) return;
    auto nets = m.inputs(c);
    for (std::size_t i = 0; i < nets.size(); ++i)
      if (child.through[i]) f(nets[i]);
    return;
  }
  auto& proto = prototype(c.kind);
  auto view = plain_view(m, c);
  auto mask = through_pins(proto, view);
  if (mask == 0) return;
  const Net* net = m.inputs(c).data();
  for (const Pin& pin : proto.inputs) {
    auto width = pin_width(pin, view);
    if (mask & 1)
      for (std::uint32_t i = 0; i < width; ++i) f(net[i]);
    net += width;
    mask >>= 1;
  }
}

}  // namespace kumiki::ir::checking
