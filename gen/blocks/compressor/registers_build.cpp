// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "gen/blocks/compressor/registers.h"
#include "gen/blocks/compressor/settle.h"
#include "gen/hdl/cells.h"

namespace kumiki::gen::compressor {
namespace {

class Copy {
 public:
  Copy(Scope& s, const ir::Module& from, const Placement& placement, SourceLocation here)
      : s_(s),
        from_(from),
        placement_(placement),
        here_(here),
        settled_(s.module()),
        now_(from.net_count(), ir::net_open),
        first_(from.net_count(), 0),
        last_(from.net_count(), 0) {
    now_[0] = ir::net_zero;
    now_[1] = ir::net_one;
  }

  std::vector<Net> make(std::span<const Net> inputs, Net enable) {
    find_clocks();
    std::size_t bit = 0;
    for (const ir::Port& p : from_.ports())
      if (p.direction == ir::Direction::input)
        for (const Net n : from_.port_nets(p)) now_[n.index] = inputs[bit++];
    for (unsigned clock = 0; clock < placement_.latency; ++clock) {
      copy_cells(clock);
      register_nets(clock, enable);
    }
    std::vector<Net> out;
    for (const ir::Port& p : from_.ports())
      if (p.direction == ir::Direction::output)
        for (const Net n : from_.port_nets(p)) out.push_back(now_[n.index]);
    return out;
  }

 private:
  void find_clocks() {
    for (std::size_t c = 0; c < from_.cells().size(); ++c) {
      const ir::Cell& cell = from_.cells()[c];
      for (const Net in : from_.inputs(cell))
        last_[in.index] = std::max(last_[in.index], placement_.clock[c]);
      for (std::uint32_t o = 0; o < from_.output_count(cell); ++o)
        first_[cell.out.index + o] = placement_.clock[c];
    }
    for (const ir::Port& p : from_.ports())
      if (p.direction == ir::Direction::output)
        for (const Net n : from_.port_nets(p)) last_[n.index] = placement_.latency;
  }

  // Copies the cells that work in a clock, in order, with their comments and names.
  void copy_cells(unsigned clock) {
    const auto remarks = from_.remarks();
    std::size_t remark = 0, told = remarks.size();
    for (std::uint32_t c = 0; c < from_.cells().size(); ++c) {
      while (remark < remarks.size() && remarks[remark].cell <= c) ++remark;
      if (placement_.clock[c] != clock) continue;
      if (remark > 0 && remark - 1 != told) {
        told = remark - 1;
        s_.remark(from_.design().text(remarks[told].line));
      }
      copy_cell(c);
    }
  }

  void copy_cell(std::uint32_t c) {
    const ir::Cell& cell = from_.cells()[c];
    std::vector<Net> in;
    for (const Net n : from_.inputs(cell)) in.push_back(now_[n.index]);
    if (ir::is_carry(cell.kind)) pass_through_luts(cell, placement_.clock[c], in);
    ir::Module& to = s_.module();
    const ir::CellId made = to.add_cell(cell.kind, cell.width, in, from_.params(cell), cell.place);
    for (std::uint32_t o = 0; o < from_.output_count(cell); ++o)
      now_[cell.out.index + o] = Net{to.cell(made).out.index + o};
    if (const auto name = from_.design().text(from_.cell_name({c})); !name.empty())
      to.set_cell_name(made, name);
  }

  // S of a position must come from a LUT; if it comes from a register, it gets an extra LUT.
  void pass_through_luts(const ir::Cell& carry, unsigned clock, std::vector<Net>& in) {
    const ir::CarryShape shape(carry.kind, from_.view(carry));
    for (std::uint32_t i = shape.s(); i < shape.s() + shape.positions; ++i)
      if (const Net n = from_.inputs(carry)[i]; !n.is_constant() && first_[n.index] < clock)
        in[i] = Lut{.init = table([](bool x) { return x; }), .in = {in[i]}}.add_to(s_, here_);
  }

  // Registers all nets with later readers.
  void register_nets(unsigned clock, Net enable) {
    std::vector<std::uint32_t> at;
    std::vector<Net> nets;
    for (std::uint32_t n = ir::first_free_net; n < last_.size(); ++n)
      if (last_[n] > clock && now_[n] != ir::net_open && !now_[n].is_constant()) {
        at.push_back(n);
        nets.push_back(now_[n]);
      }
    if (nets.empty()) return;
    s_.remark(fmt::format("registers behind clock {} of {}", clock + 1, placement_.latency));
    const UInt q = s_.named(fmt::format("clock{}", clock + 1),
                            settled_register(s_, settled_, nets, enable, here_));
    for (std::uint32_t i = 0; i < q.width(); ++i) now_[at[i]] = q[i];
  }

  Scope& s_;
  const ir::Module& from_;
  const Placement& placement_;
  const SourceLocation here_;
  Settled settled_;
  std::vector<Net> now_;                // for every net of `from_`: its copy in this clock
  std::vector<unsigned> first_, last_;  // clocks in which it is made and last read
};

}  // namespace

std::vector<Net> build_with_registers(Scope& s, const ir::Module& from, const Placement& placement,
                                      std::span<const Net> inputs, Net enable,
                                      SourceLocation here) {
  if (placement.clock.size() != from.cells().size())
    throw std::logic_error("registers placed in another netlist");
  return Copy(s, from, placement, here).make(inputs, enable);
}

}  // namespace kumiki::gen::compressor
