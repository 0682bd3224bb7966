// SPDX-License-Identifier: Apache-2.0
// The slowest and simplest simulator: every cell is evaluated by its table kernel until nothing
// changes. What the fast simulators are compared with.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/machine.h"

namespace kumiki::tests {

class ReferenceMachine : public ir::Machine {
 public:
  explicit ReferenceMachine(const ir::Design& design) : layout_(ir::layout(design.top())) {
    std::vector<std::uint32_t> slots = fresh(design.top().net_count());
    for (const ir::Port& p : design.top().ports()) {
      auto& where = p.direction == ir::Direction::input ? inputs_ : outputs_;
      if (design.text(p.name) == ir::clock_port) continue;
      where.emplace_back();
      for (ir::Net n : design.top().port_nets(p)) where.back().push_back(slots[n.index]);
    }
    flatten(design.top(), slots);
    power_up();
  }

  void power_up() override {
    for (Cell& c : cells_)
      if (c.kernel->state_words) {
        c.state.assign(c.kernel->state_words(c.view), 0);
        if (c.kernel->power_up) c.kernel->power_up(c.view, c.state.data());
      }
  }

  void step(const ir::Frame& in, ir::Frame& out) override {
    for (std::size_t p = 0; p < inputs_.size(); ++p)
      for (std::size_t b = 0; b < inputs_[p].size(); ++b)
        nets_[inputs_[p][b]] = ir::Lanes{0} - (in[layout_.inputs[p].limb + b / 64] >> (b % 64) & 1);
    settle();
    out.assign(layout_.output_limbs, 0);
    for (std::size_t p = 0; p < outputs_.size(); ++p)
      for (std::size_t b = 0; b < outputs_[p].size(); ++b)
        out[layout_.outputs[p].limb + b / 64] |= (nets_[outputs_[p][b]] & 1) << (b % 64);
    for (Cell& c : cells_) {
      if (!c.kernel->clock) continue;
      gather(c);
      c.kernel->clock(c.view, buffer_.data(), c.state.data());
    }
  }

 private:
  struct Cell {
    const ir::Kernel* kernel;
    ir::CellView view;
    std::vector<std::uint32_t> in, out;
    std::vector<ir::Lanes> state;
  };

  std::vector<std::uint32_t> fresh(std::uint32_t count) {
    std::vector<std::uint32_t> slots(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      slots[i] = i < 3 ? i : static_cast<std::uint32_t>(nets_.size());
      if (i >= 3 || nets_.size() < 3) nets_.push_back(i == 1 ? ~ir::Lanes{0} : 0);
    }
    return slots;
  }

  void flatten(const ir::Module& m, const std::vector<std::uint32_t>& slots) {
    for (const ir::Cell& c : m.cells()) {
      std::vector<std::uint32_t> in, out;
      for (ir::Net n : m.inputs(c)) in.push_back(slots[n.index]);
      for (std::uint32_t i = 0; i < m.output_count(c); ++i) out.push_back(slots[c.out.index + i]);
      if (c.kind != ir::Kind::instance) {
        cells_.push_back(
            {&ir::prototype(c.kind).kernel, m.view(c), std::move(in), std::move(out), {}});
        continue;
      }
      const ir::Module& child = m.design().module({c.params});
      auto inner = fresh(child.net_count());
      std::size_t next_in = 0, next_out = 0;
      for (const ir::Port& p : child.ports())
        for (ir::Net n : child.port_nets(p))
          if (p.direction == ir::Direction::input) inner[n.index] = in[next_in++];
      flatten(child, inner);
      // An output may be an input or a constant of the child: copied when settling.
      for (const ir::Port& p : child.ports())
        for (ir::Net n : child.port_nets(p))
          if (p.direction == ir::Direction::output)
            copies_.emplace_back(inner[n.index], out[next_out++]);
    }
  }

  void gather(const Cell& c) {
    buffer_.resize(c.in.size());
    for (std::size_t i = 0; i < c.in.size(); ++i) buffer_[i] = nets_[c.in[i]];
  }

  void settle() {
    // Without a loop of signals every round settles one net more at least.
    for (std::size_t round = 0; round < nets_.size() + 2; ++round) {
      bool changed = false;
      auto put = [&](std::uint32_t slot, ir::Lanes value) {
        changed |= nets_[slot] != value;
        nets_[slot] = value;
      };
      for (auto [from, to] : copies_) put(to, nets_[from]);
      for (const Cell& c : cells_) {
        gather(c);
        result_.resize(c.out.size());
        c.kernel->evaluate(c.view, buffer_.data(), c.state.data(), result_.data());
        for (std::size_t i = 0; i < c.out.size(); ++i) put(c.out[i], result_[i]);
      }
      if (!changed) return;
    }
    throw std::runtime_error("the netlist does not settle");
  }

  ir::PortLayout layout_;
  std::vector<ir::Lanes> nets_, buffer_, result_;
  std::vector<std::vector<std::uint32_t>> inputs_, outputs_;
  std::vector<Cell> cells_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies_;
};

}  // namespace kumiki::tests
