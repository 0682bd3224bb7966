// SPDX-License-Identifier: Apache-2.0
// Random designs of every kind of cell, and random netlists that are hard on the order of things:
// registers in chains and rings, enables and resets that are registers, shift registers in between.
#include <gtest/gtest.h>

#include "tests/backends/sim/native/compare.h"
#include "tests/support/random_design.h"

namespace kumiki::backends {
namespace native_random_test {

using ir::Kind;
using ir::Module;
using ir::Net;

class RandomNetlist {
 public:
  explicit RandomNetlist(unsigned seed) : random_(seed) {
    std::vector<const Module*> made;
    for (int i = 0; i < 3; ++i) made.push_back(&make("m" + std::to_string(i), made));
    design_.set_top(made.back()->id());
  }
  const ir::Design& design() const { return design_; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  Module& make(std::string_view name, const std::vector<const Module*>& children) {
    Module& m = design_.add_module(name);
    clk_ = m.add_input("clk", 1);
    Net in = m.add_input("in", 6);
    ready_ = {ir::net_zero, ir::net_one};
    for (std::uint32_t i = 0; i < 6; ++i) ready_.push_back({in.index + i});
    // Registers may be read before they are made.
    std::vector<std::pair<Net, std::uint32_t>> registers;
    for (int i = 0; i < 12; ++i) {
      auto width = 1 + below(4) * below(4);
      registers.emplace_back(m.fresh_nets(width), width);
      add(registers.back().first, width);
    }
    for (int i = 0; i < 15; ++i) add_logic(m);
    // Outputs of an instance may see all its inputs, so nothing before it sees them.
    for (const Module* child : children)
      for (auto n = below(3); n > 0; --n) {
        auto id = m.add_instance(child->id(), pick_for(*child), {});
        add(m.cell(id).out, child->output_bits());
      }
    for (int i = 0; i < 5; ++i) add_logic(m);
    for (auto [q, width] : registers) add_register(m, q, width);
    std::vector<Net> out;
    for (int i = 0; i < 10; ++i) out.push_back(pick());
    m.add_output("low", std::span(out).first(4));
    m.add_output("high", std::span(out).subspan(4));
    return m;
  }

  void add(Net first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) ready_.push_back({first.index + i});
  }
  // Late nets are more likely: deep logic.
  Net pick() {
    auto n = static_cast<std::uint32_t>(ready_.size());
    return ready_[below(2) ? n - 1 - below(std::min(n, 20u)) : below(n)];
  }
  std::vector<Net> pick(std::uint32_t count) {
    std::vector<Net> nets;
    while (nets.size() < count) nets.push_back(pick());
    return nets;
  }
  std::vector<Net> pick_for(const Module& child) {
    auto nets = pick(child.input_bits());
    nets[0] = clk_;
    return nets;
  }

  void add_logic(Module& m) {
    static constexpr Kind kinds[] = {Kind::lut1,   Kind::lut2,  Kind::lut3,   Kind::lut4,
                                     Kind::lut5,   Kind::lut6,  Kind::lut6_2, Kind::carry4,
                                     Kind::carry8, Kind::muxf7, Kind::muxf8};
    Kind kind = kinds[below(std::size(kinds))];
    auto& proto = ir::prototype(kind);
    std::uint32_t width = proto.vector ? 1 + below(3) : 1;
    std::vector<std::uint64_t> params;
    for (auto& p : proto.params)
      params.push_back(p.type == ir::Param::Type::text ? below(2) : random_());
    auto pins = pick(ir::total_width(proto.inputs, {params, width, nullptr}));
    add(m.cell(m.add_cell(kind, width, pins, params, {})).out,
        ir::total_width(proto.outputs, {params, width, nullptr}));
  }

  void add_register(Module& m, Net q, std::uint32_t width) {
    bool is_shift = below(4) == 0;
    Net enable = below(2) ? ir::net_one : pick(), reset = below(2) ? ir::net_zero : pick();
    auto d = pick(width);
    for (Net& n : d)  // a register in front of a register
      if (below(2)) n = {q.index + below(width)};
    if (is_shift) {
      std::array<std::uint64_t, 2> init{random_() & 0xffff, 0};
      auto pins = pick(4);
      if (below(2))
        for (Net& n : pins) n = ir::constant(below(2));
      pins.insert(pins.end(), {enable, clk_});
      pins.insert(pins.end(), d.begin(), d.end());
      // Its output follows the address at once: a register keeps that off the others.
      auto id = m.add_cell(Kind::srl16e, width, pins, init, {});
      for (std::uint32_t i = 0; i < width; ++i) d[i] = {m.cell(id).out.index + i};
    }
    std::array<std::uint64_t, 4> params{below(2), 0, below(2), below(2)};
    std::vector<Net> pins{clk_, enable};
    pins.insert(pins.end(), d.begin(), d.end());
    pins.push_back(reset);
    m.add_cell_driving(q, below(2) ? Kind::fdre : Kind::fdse, width, pins, params, {});
  }

  std::mt19937_64 random_;
  ir::Design design_;
  Net clk_;
  std::vector<Net> ready_;
};

TEST(RandomDesigns, BehaveAsTheTableKernels) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    auto design = tests::random_design(
        seed, {.family = seed % 3 ? ir::Family::ultrascale_plus : ir::Family::series7,
               .max_width = seed % 5 ? 8u : 20u,
               .false_loops = seed % 2 == 0});
    compare_with_reference(*design, 25, seed, {.portable = seed % 4 == 0}, 2);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RandomNetlists, BehaveAsTheTableKernels) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    RandomNetlist netlist(seed);
    compare_with_reference(netlist.design(), 30, seed, {.portable = seed % 2 == 0}, 3);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace native_random_test
}  // namespace kumiki::backends
