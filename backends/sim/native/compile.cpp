// SPDX-License-Identifier: Apache-2.0
// Assigns slots to values and writes the batches. Slots follow the order of execution: values
// computed together are adjacent. Registers are in the order of their inputs, so that most of them
// move in bulk.
#include <algorithm>
#include <tuple>

#include "backends/sim/native/flops.h"
#include "backends/sim/native/lower.h"
#include "backends/sim/native/program.h"

namespace kumiki::backends::native {
namespace {

class Assembly {
 public:
  explicit Assembly(const Flat& flat)
      : flat_(flat), all_(lower(flat)), slot_(all_.value.size(), no_slot) {
    slot_[0] = 0;
    slot_[1] = 1;
  }

  Program run() {
    p_.ports = ir::layout(flat_.design->top());
    place_inputs();
    place_kernels();
    place_shifts();
    place_ops();
    place_flops(all_, slot_, p_);
    emit_ops();
    emit_kernels();
    emit_shifts();
    emit_outputs();
    return std::move(p_);
  }

 private:
  std::uint32_t place(std::uint32_t value) { return slot_[value] = p_.slots++; }
  std::uint32_t pool_size() const { return static_cast<std::uint32_t>(p_.pool.size()); }

  void place_inputs() {
    const ir::Module& top = flat_.design->top();
    for (const ir::PortSlot& port : p_.ports.inputs) {
      p_.input_slot.push_back(p_.slots);
      for (ir::Net n : top.port_nets(*top.find_port(port.name)))
        place(flat_.net(flat_.scopes[0], n));
    }
    if (all_.half != 0) p_.half_slot = place(all_.half);
  }

  void place_kernels() {
    for (std::uint32_t index : all_.kernels) {
      FlatCell fc = flat_.cells[index];
      const ir::Module& m = flat_.module(fc);
      const ir::Cell& cell = m.cell(fc.id);
      auto& proto = ir::prototype(cell.kind);
      KernelCell k{
          .prototype = &proto, .view = m.view(cell), .state = p_.state_words, .out = p_.slots};
      if (proto.kernel.state_words) p_.state_words += proto.kernel.state_words(k.view);
      for (unsigned o = 0; o < proto.outputs.size(); ++o)
        k.has_register_output |= proto.reach(k.view, o) == 0;
      const auto clock = proto.kernel.clock ? clock_of(fc, cell, k.view) : 0;
      k.is_clocked = clock >= 2;
      k.is_fast = k.is_clocked && clock == flat_.fast_clock;
      for (std::uint32_t o = 0; o < m.output_count(cell); ++o) place(flat_.output(fc) + o);
      p_.kernels.push_back(k);
    }
  }

  // The net that clocks a cell; a constant if there is none.
  std::uint32_t clock_of(FlatCell fc, const ir::Cell& cell, const ir::CellView& view) const {
    const auto clock = ir::clock_input(cell.kind, view);
    if (!clock) return 0;
    return flat_.driver_of(flat_.scopes[fc.scope], flat_.module(fc).inputs(cell)[*clock]);
  }

  void place_shifts() {
    auto key = [](const LoweredShift& s) { return std::tuple(s.length, s.tap, s.enable); };
    std::stable_sort(all_.shifts.begin(), all_.shifts.end(),
                     [&](auto& a, auto& b) { return key(a) < key(b); });
    for (std::uint32_t i = 0, end; i < all_.shifts.size(); i = end) {
      const LoweredShift& s = all_.shifts[i];
      for (end = i; end < all_.shifts.size() && key(all_.shifts[end]) == key(s); ++end) {
      }
      ShiftGroup g{.length = s.length,
                   .tap = s.tap,
                   .count = end - i,
                   .enable = s.enable,
                   .q = p_.slots,
                   .init = static_cast<std::uint32_t>(p_.shift_init.size()),
                   .state = p_.state_words};
      p_.state_words += std::size_t{g.length} * g.count;
      for (auto j = i; j < end; ++j) place(all_.shifts[j].q);
      if (s.last != 0) g.last = p_.slots;
      for (auto j = i; s.last != 0 && j < end; ++j) place(all_.shifts[j].last);
      for (auto j = i; j < end; ++j) p_.shift_init.push_back(all_.shifts[j].init);
      p_.shifts.push_back(g);
    }
  }

  // Sorts operations by level, kind and the registers that they feed, then as in the netlist.
  void place_ops() {
    std::vector<std::uint32_t> feeds(all_.value.size());
    for (const LoweredFlop& f : all_.flops)
      if (feeds[f.d] == 0) feeds[f.d] = f.control + 1;
    auto key = [&](const LoweredOp& o) {
      return std::tuple(o.level, o.op, o.op == Op::kernel ? 0 : feeds[o.out], o.out);
    };
    std::sort(all_.ops.begin(), all_.ops.end(), [&](auto& a, auto& b) { return key(a) < key(b); });
    // A kernel that was split by outputs may be needed several times on one level.
    auto same = [](const LoweredOp& a, const LoweredOp& b) {
      return a.op == Op::kernel && b.op == Op::kernel && a.level == b.level && a.out == b.out;
    };
    all_.ops.erase(std::unique(all_.ops.begin(), all_.ops.end(), same), all_.ops.end());
    for (const LoweredOp& o : all_.ops) {
      if (o.op == Op::kernel) continue;
      std::uint32_t positions = o.op == Op::carry4 ? 4 : o.op == Op::carry8 ? 8 : 0;
      if (positions == 0) place(o.out);
      for (std::uint32_t i = 0; i < positions; ++i) place(o.out + i);
      for (std::uint32_t i = 0; i < positions; ++i) place(o.in[2] + i);
    }
  }

  void emit_ops() {
    const LoweredOp* last = nullptr;
    for (const LoweredOp& o : all_.ops) {
      if (!last || last->op != o.op || last->level != o.level)
        p_.batches.push_back({.op = o.op,
                              .operands = pool_size(),
                              .out = o.op == Op::kernel ? 0 : slot_[o.out],
                              .tables = static_cast<std::uint32_t>(p_.tables.size())});
      last = &o;
      p_.levels = o.level;
      ++p_.batches.back().count;
      emit_operands(o);
    }
  }

  void emit_operands(const LoweredOp& o) {
    if (o.op == Op::kernel) return p_.pool.push_back(o.out);
    if (o.op == Op::carry4 || o.op == Op::carry8) {
      p_.pool.push_back(slot_[o.in[0]]);
      for (unsigned i = 0; i < (o.op == Op::carry4 ? 8 : 16); ++i)
        p_.pool.push_back(slot_[all_.carry_operands[o.in[1] + i]]);
      return;
    }
    for (unsigned i = 0; i < arity(o.op); ++i) p_.pool.push_back(slot_[o.in[i]]);
    if (has_table(o.op)) p_.tables.push_back(o.table);
  }

  std::uint32_t slot_of(const Scope& scope, ir::Net n) const {
    return slot_[all_.value[flat_.driver_of(scope, n)]];
  }

  // Constants and signs fill many inputs.
  void add_to_run(std::uint32_t slot, bool has_run) {
    if (has_run) {
      Run& last = p_.runs.back();
      if (last.count == 1 && last.from == slot) last.repeats = true;
      if (slot == last.from + (last.repeats ? 0 : last.count)) {
        ++last.count;
        return;
      }
    }
    p_.runs.push_back({slot, 1, false});
  }

  void emit_kernels() {
    for (std::size_t i = 0; i < p_.kernels.size(); ++i) {
      FlatCell fc = flat_.cells[all_.kernels[i]];
      KernelCell& k = p_.kernels[i];
      k.first_run = static_cast<std::uint32_t>(p_.runs.size());
      auto in = flat_.module(fc).inputs(flat_.cell(fc));
      p_.widest_kernel = std::max(p_.widest_kernel, in.size());
      for (ir::Net n : in) {
        auto slot = slot_of(flat_.scopes[fc.scope], n);
        add_to_run(slot, p_.runs.size() > k.first_run);
      }
      k.run_count = static_cast<std::uint32_t>(p_.runs.size()) - k.first_run;
    }
  }

  void emit_shifts() {
    std::size_t s = 0;
    for (ShiftGroup& g : p_.shifts) {
      g.d = pool_size();
      g.enable = slot_[g.enable];
      for (std::uint32_t e = 0; e < g.count; ++e) p_.pool.push_back(slot_[all_.shifts[s++].d]);
    }
  }

  void emit_outputs() {
    const ir::Module& top = flat_.design->top();
    for (const ir::PortSlot& port : p_.ports.outputs) {
      auto& slots = p_.output_slots.emplace_back();
      for (ir::Net n : top.port_nets(*top.find_port(port.name)))
        slots.push_back(slot_of(flat_.scopes[0], n));
    }
    p_.net_slot.reserve(flat_.driver.size());
    for (auto driver : flat_.driver) p_.net_slot.push_back(slot_[all_.value[driver]]);
  }

  const Flat& flat_;
  Lowered all_;
  Program p_;
  std::vector<std::uint32_t> slot_;  // of every value
};

}  // namespace

Program compile(const Flat& flat) { return Assembly(flat).run(); }

}  // namespace kumiki::backends::native
