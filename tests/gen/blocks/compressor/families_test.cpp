// SPDX-License-Identifier: Apache-2.0
// Trees on the slices of every family: what leaves a position, what enters one, and how many LUT
// sites that takes. The rules are those of UG474 (7 series) and UG574 (UltraScale).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backends/fabric/slices.h"
#include "gen/blocks/compressor/options.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "gen/blocks/compressor/timing.h"
#include "ir/primitives/carry.h"
#include "tests/gen/blocks/compressor/support.h"
#include "tests/support/long_form.h"

namespace kumiki::gen::compressor {
namespace compressor_families_test {

using ir::Family;
constexpr Family families[] = {Family::series7, Family::ultrascale, Family::ultrascale_plus};

// A tree on bits of one port; every pair is an XNOR of two.
HeapCircuit circuit_of(const TreePlan& plan, Family family) {
  unsigned inputs = 0;
  for (unsigned c = 0; c < plan.shape.width(); ++c)
    inputs += plan.shape.bits[c] + 2 * plan.shape.pairs[c];
  const auto fill = [&](Heap& heap, const UInt& x) {
    unsigned next = 0;
    for (unsigned c = 0; c < plan.shape.width(); ++c) {
      for (unsigned i = 0; i < plan.shape.bits[c]; ++i) heap.add(c, x[next++]);
      for (unsigned i = 0; i < plan.shape.pairs[c]; ++i, next += 2)
        heap.add(c, Bit{Bit::Form::xnor_, x[next], x[next + 1]});
    }
  };
  return {inputs, plan.shape.width(), fill, plan, family, {.every = plan.free_exits ? 1u : 0u}};
}

// Who reads the nets of a flat module.
class Readers {
 public:
  explicit Readers(const ir::Module& m) : m_(m), fabric_(m.net_count()), flops_(m.net_count()) {
    std::vector<unsigned> lut(m.net_count(), none);
    for (std::uint32_t i = 0; i < m.cells().size(); ++i) {
      const ir::Cell& c = m.cells()[i];
      const auto in = m.inputs(c);
      for (std::uint32_t pin = 0; pin < in.size(); ++pin) {
        if (ir::is_flop(c.kind) && pin >= 2 && pin < 2 + c.width) {
          ++flops_[in[pin].index];
        } else if (!is_carry(c) || !is_own(c, pin, in)) {
          ++fabric_[in[pin].index];
        }
      }
    }
    for (const ir::Port& p : m.ports())
      if (p.direction == ir::Direction::output)
        for (Net n : m.port_nets(p)) ++fabric_[n.index];
  }

  static bool is_carry(const ir::Cell& c) {
    return c.kind == ir::Kind::carry4 || c.kind == ir::Kind::carry8;
  }
  bool by_fabric(Net n) const { return !n.is_constant() && fabric_[n.index] > 0; }
  bool by_flops_only(Net n) const {
    return !n.is_constant() && fabric_[n.index] == 0 && flops_[n.index] > 0;
  }
  // The cell that drives a net, and the number of the net among its outputs.
  std::pair<const ir::Cell*, std::uint32_t> driver(Net n) const {
    const auto at = drivers().find(n.index);
    if (at == drivers().end()) return {nullptr, 0};
    const ir::Cell& c = m_.cells()[at->second];
    return {&c, n.index - c.out.index};
  }

 private:
  static constexpr unsigned none = ~0u;

  const std::map<std::uint32_t, std::uint32_t>& drivers() const {
    if (!drivers_.empty()) return drivers_;
    for (std::uint32_t i = 0; i < m_.cells().size(); ++i) {
      const ir::Cell& c = m_.cells()[i];
      std::uint32_t outputs = 0;
      for (const ir::Pin& pin : ir::prototype(c.kind).outputs)
        outputs += ir::pin_width(pin, m_.view(c));
      for (std::uint32_t o = 0; o < outputs; ++o) drivers_[c.out.index + o] = i;
    }
    return drivers_;
  }

  // A wire that does not leave the slice: S, DI of the same LUT, and the carry of the block below.
  bool is_own(const ir::Cell& c, std::uint32_t pin, std::span<const Net> in) const {
    const ir::CarryShape shape(c.kind, m_.view(c));
    if (pin >= shape.s()) return true;
    const auto [from, output] = driver(in[pin]);
    if (pin == 0) return from && from->kind == c.kind && output == shape.positions - 1;
    if (pin < ir::CarryShape::di || !from || from->kind != ir::Kind::lut6_2) return false;
    const auto [lut, o6] = driver(in[pin - ir::CarryShape::di + shape.s()]);
    return lut == from && output == from->width + o6;
  }

  const ir::Module& m_;
  mutable std::map<std::uint32_t, std::uint32_t> drivers_;
  std::vector<unsigned> fabric_, flops_;
};

// What is wrong with the positions of a netlist; empty: the device can have it.
std::string broken_rule(const ir::Design& design) {
  const ir::Module& m = design.top();
  const bool is_old = design.family() == Family::series7;
  const Readers readers(m);
  for (const ir::Cell& c : m.cells()) {
    if (!Readers::is_carry(c)) continue;
    const ir::CarryShape shape(c.kind, m.view(c));
    const auto in = m.inputs(c);
    for (std::uint32_t i = 0; i < shape.positions; ++i) {
      const Net s = in[shape.s() + i], di = in[ir::CarryShape::di + i];
      const auto [lut, o6] = readers.driver(s);
      if (!s.is_constant() && !(lut && ir::is_lut(lut->kind) && o6 < lut->width))
        return "S comes out of no LUT's O6";
      // Beside O6 a position has one way out, for O, CO or O5; and registers behind it.
      std::vector<Net> out{{c.out.index + i}, {c.out.index + shape.positions + i}};
      const bool has_o5 = lut && lut->kind == ir::Kind::lut6_2;
      const Net o5 = has_o5 ? Net{lut->out.index + lut->width + o6} : ir::net_zero;
      if (has_o5) out.push_back(o5);
      auto outside = std::ranges::count_if(out, [&](Net n) { return readers.by_fabric(n); });
      const auto kept = std::ranges::count_if(out, [&](Net n) { return readers.by_flops_only(n); });
      // The 7 series has one register that sees the carry and its sum: the other one is elsewhere.
      const long registers = is_old ? 1 : 2;
      outside += std::max(0l, kept - registers);
      if (outside > 1) return "two nets want the one way out of a position";
      if (!is_old && i > 0 && readers.by_fabric({c.out.index + i}) && readers.by_flops_only(out[1]))
        return "a carry leaves beside its sum";
      // A carry from fabric enters through the bypass of the first position.
      const bool begins = i % shape.chain == 0;
      const Net entry = in[i / shape.chain], init = shape.has_fabric_input ? in[1] : ir::net_zero;
      const auto [below, carry] = readers.driver(entry);
      const bool from_fabric =
          begins && ((!entry.is_constant() && !(below && below->kind == c.kind)) ||
                     (i == 0 && !init.is_constant()));
      const bool around = !di.is_constant() && di != o5 && !s.is_constant() &&
                          (has_o5 || ir::prototype(lut->kind).inputs.size() > 5);
      if (from_fabric && around) return "the carry and DI want the same bypass";
    }
  }
  return "";
}

// The slices of its family can have a netlist, in as many LUT sites as it is counted with.
void expect_possible(const HeapCircuit& circuit, const std::string& what) {
  EXPECT_EQ(broken_rule(circuit.design()), "")
      << what << ir::family_name(circuit.design().family());
  const auto packed = backends::fabric::pack(backends::timing::Netlist(circuit.design()));
  EXPECT_EQ(packed.sites, circuit.sites()) << what;
}

TEST(Families, TheSlicesOfEachCanHaveTheShippedTrees) {
  unsigned trees = 0;
  for (const auto& [file, plan] : shipped_trees()) {
    if (plan.shape.total() > (test::long_form() ? 5000u : 300u)) continue;
    std::vector<std::uint64_t> sites, carries;
    for (const Family family : families) {
      const HeapCircuit circuit = circuit_of(plan, family);
      expect_possible(circuit, file);
      sites.push_back(circuit.sites());
      carries.push_back(ir::own_cost(circuit.design().top()).carry_bits);
    }
    // What the table of elements says of a LUT holds in every family.
    EXPECT_EQ(sites[0], sites[1]) << file;
    EXPECT_EQ(sites[0], sites[2]) << file;
    // Blocks of eight have at most a half for nothing in each stage and in the final adder, and
    // where chains that share blocks become as long as they may.
    EXPECT_EQ(carries[1], carries[2]) << file;
    EXPECT_LE(carries[2], carries[0] + 4 * (plan.stages.size() + 1 + carries[0] / 104)) << file;
    ++trees;
  }
  EXPECT_GE(trees, 20u);
}

// The rules do find something: a carry and a sum out of one position, without registers.
TEST(Families, TwoWaysOutOfAPositionAreSeen) {
  for (const Family family : families) {
    Builder b(family);
    ir::Module& m = b.design().add_module("m");
    Scope s(b, m);
    const UInt x = s.input<UInt>("x", 2);
    const Net p =
        Lut{.init = table([](bool a, bool c) { return a != c; }), .in = {x[0], x[1]}}.add_to(s);
    const auto out = carry_chain(s, bits(s, {p}), bits(s, {x[0]}), ir::net_zero);
    s.output("sum", out.sum);
    s.output("carry", bits(s, {out.carry}));
    s.finish();
    b.design().set_top(m.id());
    EXPECT_EQ(broken_rule(b.design()), "two nets want the one way out of a position");
  }
}

// With registers behind every stage a carry out needs no position: in UltraScale not even a wire.
TEST(Families, ExitsAreFreeWithRegistersBehindEveryStage) {
  const TreePlan plan = solve({.shape = popcount_shape(40), .free_exits = true}, {.effort = 0});
  for (const Family family : families) {
    const HeapCircuit circuit = circuit_of(plan, family);
    EXPECT_EQ(circuit.sites(), audit(plan).luts());
    EXPECT_EQ(broken_rule(circuit.design()), "");
  }
}

// A level of chains costs less than two levels of LUTs in every family, and a position little: so
// one order of trees is nearly that of the others, and the shipped ones serve all of them.
TEST(Families, WeighChainsAndLutsNearlyAlike) {
  for (const Family family : families) {
    const DelayModel m = DelayModel::of(family);
    EXPECT_GT(10 * m.chain, 7 * m.lut) << ir::family_name(family);
    EXPECT_LT(m.chain, m.lut) << ir::family_name(family);
    EXPECT_LT(20 * m.position, m.lut) << ir::family_name(family);
  }
  EXPECT_EQ(DelayModel::of(Family::series7).lut, 800u);
  // A chain gets cheaper by the position in UltraScale.
  const auto positions_a_lut = [](Family f) {
    return DelayModel::of(f).lut / DelayModel::of(f).position;
  };
  EXPECT_LT(positions_a_lut(Family::series7), 30u);
  EXPECT_GT(positions_a_lut(Family::ultrascale), 40u);
  EXPECT_GT(positions_a_lut(Family::ultrascale_plus), 40u);
}

TEST(Families, DelayTreesThatAreShippedServeAllOfThem) {
  unsigned trees = 0;
  for (const auto& [file, plan] : shipped_trees()) {
    if (plan.objective != Objective::delay || plan.shape.total() > (test::long_form() ? 64u : 16u))
      continue;
    if (plan.shape.has_pairs() && !test::long_form()) continue;
    TreePlan request = plan;
    request.stages.clear();
    for (const Family family : {Family::ultrascale, Family::ultrascale_plus}) {
      const TreePlan anew = solve(request, {.effort = 1, .family = family});
      EXPECT_LE(100 * estimate(plan, family).picoseconds, 104 * estimate(anew, family).picoseconds)
          << file;
    }
    ++trees;
  }
  EXPECT_GE(trees, 1u);
}

struct Kept : ir::SearchStore {
  std::optional<std::string> find(const std::string& request) override {
    const auto at = trees.find(request);
    return at == trees.end() ? std::nullopt : std::optional(at->second);
  }
  void keep(const std::string& request, const std::string& tree) override { trees[request] = tree; }
  std::map<std::string, std::string> trees;
};

// The sum of three rows goes into flip-flops, so its majority has the way out.
TEST(Families, TheSlicesOfEachCanHaveThreeRows) {
  for (const unsigned bits : {3u, 12u, 50u}) {
    const TreePlan plan =
        solve({.shape = popcount_shape(bits), .finish = Finish::ternary}, {.effort = 0});
    ASSERT_GT(audit(plan).finish_luts, 0u);
    for (const Family family : families) expect_possible(circuit_of(plan, family), "three rows");
  }
}

TEST(Families, ThreeRowsWithoutFlipFlopsAreRefused) {
  const TreePlan plan =
      solve({.shape = popcount_shape(3), .finish = Finish::ternary}, {.effort = 0});
  Builder builder(Family::series7);
  Scope s(builder, builder.design().add_module("heap"));
  Heap heap(plan.shape.width());
  const UInt x = s.input<UInt>("x", 3);
  for (unsigned i = 0; i < 3; ++i) heap.add(0, x[i]);
  EXPECT_THAT([&] { compress(s, heap, plan); },
              ::testing::ThrowsMessage<DesignError>(
                  ::testing::HasSubstr("three rows are added in front of flip-flops")));
}

// Only where delays count is a tree that is kept one of its family.
TEST(Families, KeepTheirOwnTreesForDelay) {
  for (const Objective objective : {Objective::stages, Objective::delay}) {
    Kept kept;
    for (const Family family : families)
      plan_tree(
          popcount_shape(9),
          {.objective = objective, .effort = 0, .family = family, .context = {.store = &kept}});
    EXPECT_EQ(kept.trees.size(), objective == Objective::delay ? 3u : 1u);
  }
}

}  // namespace compressor_families_test
}  // namespace kumiki::gen::compressor
