// SPDX-License-Identifier: Apache-2.0
#include "backends/sim/native/lower.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "backends/support/flat/order.h"
#include "ir/machine.h"

namespace kumiki::backends::native {
namespace {

class Lowering {
 public:
  explicit Lowering(const Flat& flat)
      : flat_(flat), level_(flat.driver.size()), kernel_of_(flat.cells.size(), none) {
    all_.value = flat.driver;
    // Inputs are applied while the clock is low, so the clock reads as 0 where it is data.
    if (flat.clock != 0) all_.value[flat.clock] = 0;
    if (flat.fast_clock == 0) return;
    all_.value[flat.fast_clock] = 0;
    all_.half = static_cast<std::uint32_t>(all_.value.size());
    all_.value.push_back(all_.half);
    level_.push_back(0);
  }

  Lowered run() {
    for (std::uint32_t c = 0; c < flat_.cells.size(); ++c) sort_out_state(c);
    for (Node node : order(flat_)) add_node(node);
    // Registers come last: the values that they read are known now.
    for (std::uint32_t c = 0; c < flat_.cells.size(); ++c) {
      auto kind = flat_.cell(flat_.cells[c]).kind;
      if (is_flop(kind)) add_flop(c);
      if (is_shift(kind) && kernel_of_[c] == none) add_shift(c);
    }
    return std::move(all_);
  }

 private:
  struct Cell {
    const Scope& scope;
    const ir::Cell& cell;
    ir::CellView view;
    std::span<const ir::Net> in;
    std::uint32_t out;
  };

  static bool is_shift(ir::Kind k) { return k == ir::Kind::srl16e || k == ir::Kind::srlc32e; }

  Cell at(std::uint32_t c) const {
    FlatCell fc = flat_.cells[c];
    const ir::Module& m = flat_.module(fc);
    const ir::Cell& cell = m.cell(fc.id);
    return {flat_.scopes[fc.scope], cell, m.view(cell), m.inputs(cell), flat_.output(fc)};
  }

  std::uint32_t read(const Cell& c, std::size_t input) const {
    return all_.value[flat_.driver_of(c.scope, c.in[input])];
  }

  // Checks the clocks, and assigns an index to the cells that need their kernel.
  void sort_out_state(std::uint32_t index) {
    Cell c = at(index);
    check_clock(c);
    if (is_lut(c.cell.kind) || is_muxf(c.cell.kind) || is_carry(c.cell.kind) ||
        is_flop(c.cell.kind))
      return;
    if (is_shift(c.cell.kind)) {
      unsigned bits = c.cell.kind == ir::Kind::srl16e ? 4 : 5;
      bool is_fixed = true;
      for (unsigned i = 0; i < bits; ++i) is_fixed &= read(c, i) < 2;
      if (is_fixed) return;
    }
    kernel_of_[index] = static_cast<std::uint32_t>(all_.kernels.size());
    all_.kernels.push_back(index);
  }

  void check_clock(const Cell& c) const {
    auto& proto = ir::prototype(c.cell.kind);
    std::uint32_t bit = 0;
    for (const ir::Pin& pin : proto.inputs) {
      if (pin.clock) {
        auto driver = flat_.driver_of(c.scope, c.in[bit]);
        if (driver >= 2 && driver != flat_.clock && driver != flat_.fast_clock)
          throw DesignError(code::clock,
                            fmt::format("{}: pin {} of {} in module {} is not on the clock: every "
                                        "clock pin is wired to the "
                                        "input port {} of the top",
                                        ir::to_string(c.cell.place), pin.name, proto.name,
                                        flat_.module(c.scope).name(), ir::clock_port));
      }
      bit += ir::pin_width(pin, c.view);
    }
  }

  // With a fast clock everything moves at its edges. A register on the slow clock moves at every
  // second edge: its enable and its reset are gated.
  std::uint32_t gated(std::uint32_t clock, std::uint32_t value) {
    if (all_.half == 0 || clock == flat_.fast_clock || value == 0) return value;
    if (value == 1) return all_.half;
    auto [it, fresh] = gated_.try_emplace(value, 0);
    if (fresh) it->second = helper({0x8, 2, {value, all_.half}});
    return it->second;
  }

  void add_node(Node node) {
    Cell c = at(node.cell);
    if (is_lut(c.cell.kind))
      add_lut(c, node.part);
    else if (is_muxf(c.cell.kind))
      add_function(c.out + node.part, {0xca,
                                       3,
                                       {read(c, node.part), read(c, c.cell.width + node.part),
                                        read(c, 2 * c.cell.width + node.part)}});
    else if (is_carry(c.cell.kind))
      node.part == Node::whole ? add_carry(c) : add_carry_part(c, node.part);
    else if (kernel_of_[node.cell] != none)
      add_kernel(c, node);
  }

  void add_lut(const Cell& c, std::uint32_t output) {
    auto width = c.cell.width, element = output % width;
    bool is_o5 = output >= width;  // of a LUT6_2: the half of the table for I5 = 0
    LutFunction f{.table = c.view.params[0]};
    f.inputs = static_cast<unsigned>(ir::prototype(c.cell.kind).inputs.size()) - is_o5;
    for (unsigned i = 0; i < f.inputs; ++i) f.in[i] = read(c, i * width + element);
    add_function(c.out + output, f);
  }

  void add_function(std::uint32_t out, LutFunction f) {
    f = reduce(f);
    if (f.inputs == 0) {
      all_.value[out] = f.table & 1;
    } else if (f.inputs == 1 && f.table == 2) {
      all_.value[out] = f.in[0];
    } else {
      LoweredOp op{.op = recognise(f), .out = out, .in = f.in, .table = f.table};
      for (unsigned i = 0; i < f.inputs; ++i) op.level = std::max(op.level, level_[f.in[i]]);
      level_[out] = ++op.level;
      all_.ops.push_back(op);
    }
  }

  std::uint32_t helper(const LutFunction& f) {
    auto out = static_cast<std::uint32_t>(all_.value.size());
    all_.value.push_back(out);
    level_.push_back(0);
    add_function(out, f);
    return all_.value[out];
  }

  std::uint32_t inverted(std::uint32_t value) {
    auto [it, fresh] = inverted_.try_emplace(value, 0);
    if (fresh) it->second = helper({1, 1, {value}});
    return it->second;
  }

  std::uint32_t carry_in(const Cell& c, const CarryShape& shape, std::uint32_t block) {
    auto below = read(c, block);
    return shape.has_fabric_input ? helper({0xe, 2, {below, read(c, 1)}}) : below;
  }

  void add_carry(const Cell& c) {
    CarryShape shape(c.cell.kind, c.view);
    for (std::uint32_t block = 0; block * shape.chain < shape.positions; ++block) {
      auto base = block * shape.chain;
      LoweredOp op{.op = shape.chain == 8 ? Op::carry8 : Op::carry4, .out = c.out + base};
      op.in = {carry_in(c, shape, block), static_cast<std::uint32_t>(all_.carry_operands.size()),
               c.out + shape.positions + base};
      op.level = level_[op.in[0]];
      for (auto pin : {CarryShape::di, shape.s()})
        for (std::uint32_t i = 0; i < shape.chain; ++i) {
          auto v = read(c, pin + base + i);
          all_.carry_operands.push_back(v);
          op.level = std::max(op.level, level_[v]);
        }
      ++op.level;
      for (std::uint32_t i = 0; i < shape.chain; ++i)
        level_[op.out + i] = level_[op.in[2] + i] = op.level;
      all_.ops.push_back(op);
    }
  }

  // One output of a carry block that is on a loop of whole cells.
  void add_carry_part(const Cell& c, std::uint32_t output) {
    CarryShape shape(c.cell.kind, c.view);
    auto at = output % shape.positions;
    auto s = read(c, shape.s() + at);
    auto carry =
        at % shape.chain == 0 ? carry_in(c, shape, at / shape.chain) : all_.value[c.out + at - 1];
    if (output >= shape.positions)
      add_function(c.out + output, {0x6, 2, {s, carry}});
    else
      add_function(c.out + output, {0xca, 3, {read(c, CarryShape::di + at), carry, s}});
  }

  // The kernel computes all outputs; at this level those of the node are right.
  void add_kernel(const Cell& c, Node node) {
    std::vector<std::uint32_t> nets;
    append_inputs(flat_, node, nets);
    LoweredOp op{.op = Op::kernel, .out = kernel_of_[node.cell]};
    for (auto net : nets) op.level = std::max(op.level, level_[all_.value[net]]);
    ++op.level;
    std::vector<Outputs> ranges;
    append_outputs(flat_, node, ranges);
    for (auto r : ranges) std::fill_n(level_.begin() + c.out + r.first, r.count, op.level);
    all_.ops.push_back(op);
  }

  void add_flop(std::uint32_t index) {
    Cell c = at(index);
    bool is_set = c.cell.kind == ir::Kind::fdse;
    const auto clock = flat_.driver_of(c.scope, c.in[0]);
    auto width = c.cell.width;
    auto enable = read(c, 1), reset = read(c, 2 + width);
    if (c.view.params[3] & 1) reset = inverted(reset);
    if (clock < 2) enable = reset = 0;
    enable = gated(clock, enable);
    reset = gated(clock, reset);
    auto control = control_of({enable, reset, is_set && reset != 0});
    for (std::uint32_t e = 0; e < width; ++e) {
      auto d = read(c, 2 + e);
      if (c.view.params[2] & 1) d = inverted(d);
      all_.flops.push_back({c.out + e, d, control, (c.view.params[0] & 1) != 0});
    }
  }

  std::uint32_t control_of(const Control& control) {
    auto [it, fresh] =
        control_ids_.try_emplace(control, static_cast<std::uint32_t>(all_.controls.size()));
    if (fresh) all_.controls.push_back(control);
    return it->second;
  }

  void add_shift(std::uint32_t index) {
    Cell c = at(index);
    bool is_long = c.cell.kind == ir::Kind::srlc32e;
    unsigned bits = is_long ? 5 : 4;
    std::uint32_t tap = 0;
    for (unsigned i = 0; i < bits; ++i) tap |= read(c, i) << i;
    const auto clock = flat_.driver_of(c.scope, c.in[bits + 1]);
    LoweredShift s{.enable = clock >= 2 ? gated(clock, read(c, bits)) : 0,
                   .length = is_long ? 32 : tap + 1,  // taps beyond that of an SRL16E are never
                                                      // read
                   .tap = tap,
                   .init = static_cast<std::uint32_t>(c.view.params[0])};
    for (std::uint32_t e = 0; e < c.cell.width; ++e) {
      s.q = c.out + e;
      s.last = is_long ? c.out + c.cell.width + e : 0;
      s.d = read(c, bits + 2 + e);
      all_.shifts.push_back(s);
    }
  }

  const Flat& flat_;
  Lowered all_;
  std::vector<std::uint32_t> level_;      // of every value
  std::vector<std::uint32_t> kernel_of_;  // cell to index in Lowered::kernels
  std::unordered_map<std::uint32_t, std::uint32_t> inverted_, gated_;
  std::map<Control, std::uint32_t> control_ids_;
};

}  // namespace

Lowered lower(const Flat& flat) { return Lowering(flat).run(); }

}  // namespace kumiki::backends::native
