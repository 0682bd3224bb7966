// SPDX-License-Identifier: Apache-2.0
#include "backends/timing/arrivals.h"

#include <algorithm>

#include "ir/label.h"
#include "ir/primitives/lut.h"
#include "ir/primitives/memory.h"
#include "ir/primitives/uram288.h"

namespace kumiki::backends::timing {
namespace {

using ir::Kind;
using native::CarryShape;
using native::Node;

bool is_column(Kind kind, const ir::CellView& view) {
  return ir::is_dsp(kind) || kind == Kind::uram288 ||
         (kind == Kind::memory && view.params[ir::memory::style] != ir::memory::distributed);
}

bool is_shift_register(Kind kind) { return kind == Kind::srl16e || kind == Kind::srlc32e; }

bool is_dsp_cascade_in(std::string_view pin) {
  return pin == "ACIN" || pin == "BCIN" || pin == "PCIN" || pin == "CARRYCASCIN" ||
         pin == "MULTSIGNIN";
}

}  // namespace

struct Arrivals::Best {
  Picoseconds at = never;
  std::uint32_t from = none;
  void take(const Best& other, Picoseconds more) {
    if (other.at != never && other.at + more > at) at = other.at + more, from = other.from;
  }
};

Arrivals::Arrivals(const Netlist& netlist, const Delays& delays)
    : netlist_(netlist), delays_(delays), arrival_(netlist.flat.driver.size()) {
  for (std::uint32_t n = 0; n < 1024; ++n)
    by_fan_out_.push_back(delays_.wire.through_fabric(std::max(n, 1u)));
  launch();
  for (const Node& node : netlist_.order) pass(node);
}

void Arrivals::set(std::uint32_t net, Picoseconds at, std::uint32_t from) {
  if (at != never && at > arrival_[net].at) arrival_[net] = {at, from};
}

// The delay of a carry out for leaving its chain.
Picoseconds Arrivals::carry_exit(std::uint32_t net) const {
  const std::uint32_t by = netlist_.driver[net];
  if (by == none || !native::is_carry(netlist_.cell(by).kind)) return 0;
  const CarryShape shape(netlist_.cell(by).kind, netlist_.view(by));
  return shape.is_carry_out(net - netlist_.output(by, 0)) ? delays_.carry_exit : 0;
}

// The carry out of a block, which goes directly to the block above it.
bool Arrivals::is_carry_cascade(std::uint32_t net) const {
  const std::uint32_t by = netlist_.driver[net];
  if (by == none || !native::is_carry(netlist_.cell(by).kind)) return false;
  return CarryShape(netlist_.cell(by).kind, netlist_.view(by))
      .is_cascade(net - netlist_.output(by, 0));
}

Picoseconds Arrivals::wire(std::uint32_t net, std::uint32_t cell, std::uint32_t pin) const {
  if (delays_.counts_levels) return 0;
  const ir::timing::WireDelays& w = delays_.wire;
  const std::uint32_t by = netlist_.driver[net];
  const Kind from = by == none ? Kind::fdre : netlist_.cell(by).kind;
  const bool logic = native::is_lut(from) || native::is_muxf(from) || native::is_carry(from);
  bool column = by != none && is_column(from, netlist_.view(by));
  if (cell != none) {
    const ir::Cell& to = netlist_.cell(cell);
    const ir::CellView view = netlist_.view(cell);
    if (native::is_carry(to.kind)) {
      const CarryShape shape(to.kind, view);
      if (pin == 0 && is_carry_cascade(net)) return w.carry_to_carry;
      const bool own_lut = pin >= shape.s() || (pin >= CarryShape::di && from == Kind::lut6_2);
      if (own_lut && native::is_lut(from)) return w.beside;
    }
    if (native::is_muxf(to.kind) && pin < 2 * to.width && logic) return w.beside;
    if (native::is_flop(to.kind) && pin >= 2 && pin < 2 + to.width && logic &&
        netlist_.flops[net] == 1)
      return w.beside + carry_exit(net);
    if (ir::is_dsp(to.kind)) {
      const auto& pins = ir::prototype(to.kind).inputs;
      if (is_dsp_cascade_in(pins[ir::locate(pins, view, pin).pin].name)) return w.cascade;
    }
    column = column || is_column(to.kind, view);
  }
  const std::uint32_t readers = netlist_.fan_out[net];
  const Picoseconds t =
      readers < by_fan_out_.size() ? by_fan_out_[readers] : w.through_fabric(readers);
  return t + (column ? w.column : 0) + carry_exit(net);
}

Arrivals::Best Arrivals::at_input(std::uint32_t cell, std::uint32_t offset) const {
  const std::uint32_t net = netlist_.input(cell, offset);
  const Picoseconds at = arrival_[net].at;
  return at == never ? Best{} : Best{at + wire(net, cell, offset), offset};
}

void Arrivals::launch() {
  const native::Flat& flat = netlist_.flat;
  const ir::Module& top = flat.design->top();
  for (const ir::Port& p : top.ports())
    if (p.direction == ir::Direction::input)
      for (ir::Net n : top.port_nets(p)) {
        const std::uint32_t net = flat.net(flat.scopes[0], n);
        if (net != flat.clock && net != flat.fast_clock) set(net, delays_.clk_to_q, none);
      }
  for (std::uint32_t c = 0; c < flat.cells.size(); ++c) launch(c);
}

void Arrivals::launch(std::uint32_t c) {
  const ir::Cell& cell = netlist_.cell(c);
  const ir::CellView view = netlist_.view(c);
  const auto all = [&](Picoseconds at) {
    for (std::uint32_t o = 0; o < netlist_.module(c).output_count(cell); ++o)
      set(netlist_.output(c, o), at, none);
  };
  if (native::is_flop(cell.kind)) return all(delays_.from_flop());
  if (is_shift_register(cell.kind)) return all(delays_.srl_clk_to_q);
  if (cell.kind == Kind::memory) {
    const auto stages = view.params[ir::memory::read];
    switch (view.params[ir::memory::style]) {
      case ir::memory::distributed:
        if (stages > 0) return all(delays_.clk_to_q);
        // A memory that is never written is a table of LUTs: only its address changes its output.
        if (netlist_.input(c, 1) != ir::net_zero.index) all(delays_.ram_clk_to_q);
        return;
      case ir::memory::block:
        return all(stages > 1 ? delays_.bram_register_clk_to_q : delays_.bram_clk_to_q);
      default:
        return all(stages > 1 ? delays_.uram_register_clk_to_q : delays_.uram_clk_to_q);
    }
  }
  if (cell.kind == Kind::uram288) return launch_uram(c);
  if (!ir::is_dsp(cell.kind)) return;
  const DspTiming& t = dsp(c);
  std::uint32_t offset = 0;
  const auto outputs = ir::dsp_output_pins(cell.kind);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    for (std::uint32_t b = 0; b < outputs[o].width; ++b)
      set(netlist_.output(c, offset++), t.clk_to[o], none);
}

// Each port has a word and whether it was read.
void Arrivals::launch_uram(std::uint32_t c) {
  const auto& pins = ir::uram288_prototype().outputs;
  std::uint32_t offset = 0;
  for (std::size_t o = 0; o < pins.size(); ++o) {
    const auto port = o / 2 * ir::uram288::port_parameters;
    const bool registered = netlist_.view(c).params[port + ir::uram288::output_register] != 0;
    for (std::uint32_t b = 0; b < pins[o].width; ++b)
      set(netlist_.output(c, offset++),
          registered ? delays_.uram_register_clk_to_q : delays_.uram_clk_to_q, none);
  }
}

const DspTiming& Arrivals::dsp(std::uint32_t c) const {
  const native::FlatCell at = netlist_.flat.cells[c];
  const std::uint64_t module = netlist_.flat.scopes[at.scope].module.value;
  const auto [it, fresh] = dsp_.try_emplace(module << 32 | netlist_.cell(c).params);
  if (fresh)
    it->second =
        dsp_timing(ir::dsp_attributes(netlist_.cell(c).kind, netlist_.view(c).params), delays_);
  return it->second;
}

void Arrivals::pass(Node node) {
  const Kind kind = netlist_.cell(node.cell).kind;
  if (native::is_lut(kind) || native::is_muxf(kind)) return pass_element(node);
  if (native::is_carry(kind)) return pass_carry(node);
  if (is_shift_register(kind)) return pass_shift_register(node.cell);
  if (kind == Kind::memory) return pass_memory(node.cell);
  if (ir::is_dsp(kind)) pass_dsp(node);
}

// Whether an output of a LUT is independent of an input. For example, no path leads to O5 of a
// LUT6_2 from a pin that only O6 needs.
bool Arrivals::ignores(std::uint32_t c, std::uint32_t output, std::uint32_t pin,
                       std::uint32_t element) const {
  const ir::Cell& cell = netlist_.cell(c);
  if (!native::is_lut(cell.kind)) return false;
  const bool upper =
      cell.kind == Kind::lut6_2 && netlist_.input(c, 5 * cell.width + element) == ir::net_one.index;
  return !ir::lut_depends(cell.kind, netlist_.view(c).params[0], upper, output, pin);
}

void Arrivals::pass_element(Node node) {
  const ir::Cell& cell = netlist_.cell(node.cell);
  const auto& proto = ir::prototype(cell.kind);
  const auto output = node.part / cell.width, element = node.part % cell.width;
  const auto reach = proto.reach(netlist_.view(node.cell), output);
  Best best;
  for (std::uint32_t i = 0; i < proto.inputs.size(); ++i)
    if (reach >> i & 1 && !ignores(node.cell, output, i, element))
      best.take(at_input(node.cell, i * cell.width + element), 0);
  if (best.at == never) return;
  const Picoseconds own = cell.kind == Kind::muxf7   ? delays_.muxf7
                          : cell.kind == Kind::muxf8 ? delays_.muxf8
                                                     : delays_.lut;
  set(netlist_.output(node.cell, node.part), best.at + own, best.from);
}

// This includes O6 of a LUT6_2 that has a function only for O5: its upper half is 0 and I5 is 1.
bool Arrivals::is_zero(std::uint32_t net) const {
  if (net == ir::net_zero.index) return true;
  const std::uint32_t by = netlist_.driver[net];
  if (by == none || netlist_.cell(by).kind != Kind::lut6_2) return false;
  const std::uint32_t width = netlist_.cell(by).width, offset = net - netlist_.output(by, 0);
  return offset < width && netlist_.input(by, 5 * width + offset) == ir::net_one.index &&
         netlist_.view(by).params[0] >> 32 == 0;
}

void Arrivals::pass_carry(Node node) {
  const CarryShape shape(netlist_.cell(node.cell).kind, netlist_.view(node.cell));
  if (node.part != Node::whole)
    return pass_position(node.cell, node.part >= shape.positions, node.part % shape.positions);
  for (std::uint32_t i = 0; i < shape.positions; ++i) {
    pass_position(node.cell, false, i);
    pass_position(node.cell, true, i);
  }
}

// CO arrives when the carry of its position is in the chain.
void Arrivals::pass_position(std::uint32_t c, bool sum, std::uint32_t position) {
  const CarryShape shape(netlist_.cell(c).kind, netlist_.view(c));
  Best below;
  if (position % shape.chain != 0) {
    const Arrival& carry = arrival_[netlist_.output(c, position - 1)];
    below = {carry.at, carry.from};
  } else {
    const std::uint32_t pin = position / shape.chain;
    const bool cascade = pin == 0 && is_carry_cascade(netlist_.input(c, pin));
    below.take(at_input(c, pin), cascade ? delays_.carry_cascade : delays_.carry_entry);
    if (shape.has_fabric_input) below.take(at_input(c, 1), delays_.carry_entry);
  }
  const std::uint32_t s = shape.s() + position, di = CarryShape::di + position;
  Best best;
  if (sum) {
    best.take(at_input(c, s), delays_.carry_sum);
    best.take(below, delays_.carry_exit);
    return set(netlist_.output(c, shape.positions + position), best.at, best.from);
  }
  // Nothing passes a position whose S is 0, and its DI is not used elsewhere.
  const std::uint32_t propagate = netlist_.input(c, s);
  if (!is_zero(propagate)) {
    best.take(below, delays_.carry_position);
    best.take(at_input(c, s), delays_.carry_entry);
  }
  if (propagate != ir::net_one.index) best.take(at_input(c, di), delays_.carry_entry);
  set(netlist_.output(c, position), best.at, best.from);
}

void Arrivals::pass_shift_register(std::uint32_t c) {
  const ir::Cell& cell = netlist_.cell(c);
  Best best;
  for (std::uint32_t i = 0; i < (cell.kind == Kind::srl16e ? 4u : 5u); ++i)
    best.take(at_input(c, i), delays_.srl_read);
  for (std::uint32_t e = 0; e < cell.width; ++e) set(netlist_.output(c, e), best.at, best.from);
}

void Arrivals::pass_memory(std::uint32_t c) {
  const auto& params = netlist_.view(c).params;
  const auto bits = static_cast<std::uint32_t>(params[ir::memory::address_bits]),
             width = static_cast<std::uint32_t>(params[ir::memory::width]);
  Best best;
  for (std::uint32_t i = 0; i < bits; ++i)
    best.take(at_input(c, 3 + bits + width + i), delays_.ram_read);
  for (std::uint32_t o = 0; o < width; ++o) set(netlist_.output(c, o), best.at, best.from);
}

void Arrivals::pass_dsp(Node node) {
  std::uint32_t first = 0;
  const auto outputs = ir::dsp_output_pins(netlist_.cell(node.cell).kind);
  for (unsigned o = 0; o < outputs.size(); ++o) {
    const std::uint32_t width = outputs[o].width;
    if (node.part == Node::whole)
      pass_dsp_output(node.cell, o, first, 0, width);
    else if (node.part >= first && node.part < first + width)
      pass_dsp_output(node.cell, o, first, node.part - first, node.part - first + 1);
    first += width;
  }
}

void Arrivals::pass_dsp_output(std::uint32_t c, unsigned output, std::uint32_t first,
                               std::uint32_t bits_from, std::uint32_t bits_to) {
  const DspTiming& t = dsp(c);
  const auto& proto = ir::prototype(netlist_.cell(c).kind);
  std::uint32_t at = 0;
  for (unsigned i = 0; i < DspTiming::inputs; ++i) {
    const std::uint32_t width = proto.inputs[i].width;
    const Picoseconds through = t.through[i][output];
    if (through != never) {
      // Bits of a pin reach the whole output, or its bits from their own position on: C, and the
      // cascades.
      const bool all = proto.reach_bit(i, width - 1, output, 0);
      Best any;
      for (std::uint32_t b = 0; all && b < width; ++b) any.take(at_input(c, at + b), through);
      for (std::uint32_t o = bits_from; o < bits_to; ++o) {
        Best best = any;
        for (std::uint32_t b = 0; !all && b < width; ++b)
          if (proto.reach_bit(i, b, output, o)) best.take(at_input(c, at + b), through);
        set(netlist_.output(c, first + o), best.at, best.from);
      }
    }
    at += width;
  }
}

Picoseconds Arrivals::setup(std::uint32_t c, unsigned pin) const {
  const ir::Cell& cell = netlist_.cell(c);
  if (native::is_flop(cell.kind)) return pin == 2 ? delays_.setup : delays_.control;
  if (is_shift_register(cell.kind)) {
    const unsigned first_address = cell.kind == Kind::srl16e ? 4 : 1;
    return pin < first_address ? never : pin == first_address ? delays_.control : delays_.srl_setup;
  }
  if (ir::is_dsp(cell.kind)) return dsp(c).setup[pin];
  if (cell.kind == Kind::uram288) return delays_.uram_setup;
  if (cell.kind != Kind::memory) return never;
  const auto& params = netlist_.view(c).params;
  const bool reads = pin == ir::memory::read_address || pin == ir::memory::read_enable;
  if (reads && params[ir::memory::read] == ir::memory::asynchronous) return never;
  switch (params[ir::memory::style]) {
    case ir::memory::distributed:
      return pin == ir::memory::read_address  ? delays_.ram_read + delays_.setup
             : pin == ir::memory::read_enable ? delays_.control
                                              : delays_.ram_setup;
    case ir::memory::block:
      return delays_.bram_setup;
    default:
      return delays_.uram_setup;
  }
}

void Arrivals::for_each_endpoint(const std::function<void(const Endpoint&)>& action) const {
  const auto end_at = [&](std::uint32_t cell, std::uint32_t pin, std::uint32_t net,
                          Picoseconds setup, bool in_half) {
    if (arrival_[net].at == never) return;
    Endpoint e{.cell = cell, .pin = pin, .net = net, .wire = wire(net, cell, pin), .setup = setup};
    e.needed = arrival_[net].at + e.wire + setup + delays_.uncertainty;
    e.in_half = in_half;
    action(e);
  };
  const native::Flat& flat = netlist_.flat;
  for (std::uint32_t c = 0; c < flat.cells.size(); ++c) {
    const Kind kind = netlist_.cell(c).kind;
    if (native::is_lut(kind) || native::is_muxf(kind) || native::is_carry(kind)) continue;
    const auto& proto = ir::prototype(kind);
    const ir::CellView view = netlist_.view(c);
    const bool in_half = netlist_.captures_in_half(c);
    std::uint32_t at = 0;
    for (unsigned i = 0; i < proto.inputs.size(); ++i) {
      const auto width = ir::pin_width(proto.inputs[i], view);
      const Picoseconds need = proto.inputs[i].clock ? never : setup(c, i);
      for (std::uint32_t b = 0; need != never && b < width; ++b)
        end_at(c, at + b, netlist_.input(c, at + b), need, in_half);
      at += width;
    }
  }
  const ir::Module& top = flat.design->top();
  std::uint32_t bit = 0;
  for (const ir::Port& p : top.ports())
    if (p.direction == ir::Direction::output)
      for (ir::Net n : top.port_nets(p))
        end_at(none, bit++, flat.driver_of(flat.scopes[0], n), delays_.setup, false);
}

}  // namespace kumiki::backends::timing
