// SPDX-License-Identifier: Apache-2.0
// Every primitive of the table, with random legal parameters and connections, in the simulator
// against its own kernel called directly.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "backends/sim/native/simulator.h"
#include "ir/primitives/memory.h"

namespace kumiki::backends {
namespace native_primitives_test {

using ir::Kind;
using ir::Lanes;
using ir::Net;

class OneCell {
 public:
  OneCell(Kind kind, std::mt19937_64& random) : random_(random), proto_(ir::prototype(kind)) {
    do choose_parameters();
    while (!is_legal());
    build();
  }

  void compare(bool portable, int cycles) {
    NativeSimulator sim(design_, {.portable = portable});
    const ir::Module& top = design_.top();
    const ir::Cell& cell = top.cells()[0];
    auto view = top.view(cell);
    std::vector<Lanes> state(proto_.kernel.state_words ? proto_.kernel.state_words(view) : 0);
    if (proto_.kernel.power_up) proto_.kernel.power_up(view, state.data());
    auto port = sim.input("in");
    std::vector<Lanes> given(sim.ports().inputs[port].width), in, out(top.output_count(cell));
    for (int cycle = 0; cycle < cycles; ++cycle) {
      for (auto& bit : given) bit = sparse() ? random_() & random_() : random_();
      sim.set_bits(port, given);
      in.clear();
      for (Net n : top.inputs(cell)) in.push_back(value(n, given));
      proto_.kernel.evaluate(view, in.data(), state.data(), out.data());
      for (std::uint32_t o = 0; o < out.size(); ++o)
        ASSERT_EQ(sim.peek({}, {cell.out.index + o}), out[o])
            << proto_.name << " of width " << cell.width << ", output " << o << ", cycle " << cycle
            << (portable ? ", portable" : "");
      if (proto_.kernel.clock) proto_.kernel.clock(view, in.data(), state.data());
      sim.clock();
    }
  }

 private:
  bool sparse() { return random_() % 4 == 0; }

  void choose_parameters() {
    width_ = proto_.vector ? static_cast<std::uint32_t>(1 + random_() % 9) : 1;
    params_.clear();
    for (const ir::Param& p : proto_.params) {
      if (p.type == ir::Param::Type::text)
        params_.push_back(random_() % p.choices.size());
      else if (p.type == ir::Param::Type::bits)
        params_.push_back(p.name.ends_with("_INVERTED") && random_() % 4 ? 0 : bits(p.width));
      else
        params_.push_back(random_() % 4 ? p.fallback : random_() % 3);
    }
    if (proto_.kind == Kind::memory) choose_memory();
  }

  std::uint64_t bits(unsigned width) {
    return width >= 64 ? random_() : random_() & ((std::uint64_t{1} << width) - 1);
  }

  void choose_memory() {
    using namespace ir::memory;
    std::uint64_t words = 2 + random_() % 70, address = 1;
    while (std::uint64_t{1} << address < words) ++address;
    params_[depth] = words;
    params_[ir::memory::width] = 1 + random_() % 80;
    params_[address_bits] = address;
  }

  bool is_legal() {
    std::vector<Net> in(ir::total_width(proto_.inputs, {params_, width_, nullptr}), ir::net_zero);
    std::vector<std::string> broken;
    if (proto_.legality)
      proto_.legality({params_, width_, nullptr}, in, ir::Family::ultrascale_plus, broken);
    return broken.empty();
  }

  // Pins on random bits of one port, now and then on a constant or on the bit of another pin.
  void build() {
    ir::Module& m = design_.add_module("one_cell");
    ir::CellView view{params_, width_, nullptr};
    auto count = ir::total_width(proto_.inputs, view);
    Net clk = m.add_input("clk", 1), given = m.add_input("in", count);
    std::vector<Net> in;
    bool fixed_address = random_() % 2 != 0;
    for (const ir::Pin& pin : proto_.inputs)
      for (std::uint32_t b = ir::pin_width(pin, view); b > 0; --b) {
        Net own{given.index + static_cast<std::uint32_t>(in.size())};
        auto dice = random_() % 16;
        bool is_address = pin.name[0] == 'A' && pin.shared;
        if (pin.clock)
          in.push_back(clk);
        else if (dice == 0 || (is_address && fixed_address))
          in.push_back(ir::constant(random_() % 2));
        else if (dice == 1)
          in.push_back({given.index + static_cast<std::uint32_t>(random_() % count)});
        else if (pin.tie == ir::Tie::one && dice < 8)
          in.push_back(ir::net_one);
        else if (pin.tie == ir::Tie::zero && dice < 8)
          in.push_back(ir::net_zero);
        else
          in.push_back(own);
      }
    ir::BlobId contents;
    if (proto_.kind == Kind::memory && params_[ir::memory::style] != ir::memory::ultra)
      contents = random_contents();
    m.add_cell(proto_.kind, width_, in, params_, {}, contents);
    design_.set_top(m.id());
  }

  ir::BlobId random_contents() {
    ir::Blob blob{.width = static_cast<std::uint32_t>(params_[ir::memory::width])};
    auto words = random_() % (params_[ir::memory::depth] + 1);
    for (std::size_t i = 0; i < words * blob.limbs_per_word(); ++i) blob.limbs.push_back(random_());
    return design_.add_blob(std::move(blob));
  }

  Lanes value(Net n, const std::vector<Lanes>& given) const {
    if (n == ir::net_zero || n == ir::net_open) return 0;
    if (n == ir::net_one) return ~Lanes{0};
    const ir::Module& top = design_.top();
    auto first = top.port_nets(*top.find_port("in"))[0].index;
    return n.index < first ? 0 : given[n.index - first];
  }

  std::mt19937_64& random_;
  const ir::Prototype& proto_;
  std::uint32_t width_ = 1;
  std::vector<std::uint64_t> params_;
  ir::Design design_;
};

class Primitives : public testing::TestWithParam<Kind> {};

TEST_P(Primitives, BehaveAsTheirTableKernel) {
  std::mt19937_64 random(static_cast<unsigned>(GetParam()));
  for (int n = 0; n < 300; ++n) {
    OneCell cell(GetParam(), random);
    cell.compare(n % 2 == 0, 40);
    if (HasFatalFailure()) return;
  }
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (unsigned k = 1; k < ir::kind_count; ++k)
    if (!ir::is_dsp(static_cast<Kind>(k))) kinds.push_back(static_cast<Kind>(k));
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Table, Primitives, testing::ValuesIn(all_kinds()),
                         [](const auto& p) { return std::string(ir::prototype(p.param).name); });

}  // namespace native_primitives_test
}  // namespace kumiki::backends
