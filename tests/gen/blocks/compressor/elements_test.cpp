// SPDX-License-Identifier: Apache-2.0
// Every element for every value of its inputs, on both carry primitives, with bits of every form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/fabric/slices.h"
#include "gen/blocks/compressor/elements.h"
#include "ir/error.h"
#include "tests/gen/blocks/compressor/support.h"

namespace kumiki::gen::compressor {
namespace compressor_elements_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Case {
  std::size_t element;
  Bit::Form form;  // of all inputs that may have it
  bool carry_in;
  ir::Family family;
};

void PrintTo(const Case& c, std::ostream* to) {
  *to << elements()[c.element].name << " form " << static_cast<int>(c.form)
      << (c.carry_in ? " carry in " : " ") << ir::family_name(c.family);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t e = 0; e < elements().size(); ++e)
    for (auto form : {Bit::Form::plain, Bit::Form::inverted, Bit::Form::xnor_, Bit::Form::and_,
                      Bit::Form::nand_}) {
      if (elements()[e].has_leaves()) continue;  // nothing without a reader: EveryLeaf
      for (auto family :
           {ir::Family::series7, ir::Family::ultrascale, ir::Family::ultrascale_plus}) {
        all.push_back({e, form, false, family});
        if (elements()[e].is_atom) all.push_back({e, form, true, family});
      }
    }
  return all;
}

// A tree of the element alone. Its inputs are the bits of x, pairs take two of them.
class EveryElement : public ::testing::TestWithParam<Case> {
 protected:
  EveryElement() : e(elements()[GetParam().element]), form(GetParam().form) {
    plan.shape.bits.assign(e.per_column.inputs.size() + 3, 0);
    plan.shape.pairs = plan.shape.bits;
    auto inputs = e.per_column.inputs, room = e.per_column.pairs;
    for (std::size_t c = 0; c < inputs.size(); ++c) {
      unsigned pairs = form > Bit::Form::inverted && c < room.size() ? room[c] : 0;
      for (unsigned i = 0; i < inputs[c]; ++i)
        put(static_cast<unsigned>(c), i < pairs                     ? form
                                      : form == Bit::Form::inverted ? form
                                                                    : Bit::Form::plain);
    }
    plan.stages.resize(1);
    if (!e.is_atom) {
      plan.stages[0].counters = {{GetParam().element, 0}};
      return;
    }
    Entry entry = !GetParam().carry_in ? Entry::none
                  : e.takes_carry_in() ? Entry::pin
                                       : Entry::lead;
    plan.stages[0].chains = {{0, {GetParam().element}, entry}};
    if (GetParam().carry_in) put(0, Bit::Form::plain);
  }
  void put(unsigned column, Bit::Form f) {
    bool pair = f > Bit::Form::inverted;
    used.push_back({column, f, x_bits});
    x_bits += pair ? 2 : 1;
    ++(pair ? plan.shape.pairs : plan.shape.bits)[column];
  }

  struct Input {
    unsigned column;
    Bit::Form form;
    unsigned x;
  };
  const Element& e;
  Bit::Form form;
  TreePlan plan;
  std::vector<Input> used;
  unsigned x_bits = 0;
};

TEST_P(EveryElement, AddsEveryValueOfItsInputs) {
  HeapCircuit circuit(
      x_bits, plan.shape.width(),
      [&](Heap& heap, const UInt& x) {
        for (const Input& i : used)
          heap.add(i.column,
                   Bit{i.form, x[i.x], i.form > Bit::Form::inverted ? x[i.x + 1] : ir::net_zero});
      },
      plan, GetParam().family);
  circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
    std::uint64_t sum = 0;
    for (const Input& i : used)
      sum += std::uint64_t{value(i.form, x >> i.x & 1, x >> (i.x + 1) & 1)} << i.column;
    EXPECT_EQ(y, sum) << "x = " << x;
  });
  EXPECT_EQ(backends::fabric::pack(backends::timing::Netlist(circuit.design())).sites,
            circuit.sites());
  // What the plan counts is in the netlist; inverted bits that go around a LUT need one more each,
  // and two plain bits need no LUT to be two bits.
  const Audit a = audit(plan);
  if (form == Bit::Form::inverted)
    EXPECT_GE(circuit.sites(), a.luts());
  else
    EXPECT_EQ(circuit.sites(), a.luts() - (e.name == "p2" && form == Bit::Form::plain));
  EXPECT_EQ(a.tree_luts, e.area() + e.is_atom + (GetParam().carry_in && !e.takes_carry_in()));
}

INSTANTIATE_TEST_SUITE_P(Elements, EveryElement, ::testing::ValuesIn(cases()));

TEST(Elements, RoomForPairs) {
  EXPECT_THAT(element("fa").per_column.pairs, ElementsAre(2));   // the notes' pfa
  EXPECT_THAT(element("A2").per_column.pairs, ElementsAre(2));   // PA2
  EXPECT_THAT(element("p3").per_column.pairs, ElementsAre(3));   // the paper's first layer
  EXPECT_THAT(element("B14").per_column.pairs, ElementsAre(2));  // two pairs, two bits, the carry
  EXPECT_THAT(element("A14").per_column.pairs, ElementsAre(1, 1));
  EXPECT_THAT(element("A06").per_column.pairs, ElementsAre());
  EXPECT_THAT(element("c25").per_column.pairs, ElementsAre());
}

// A carry of every atom that can leave as three nets, taken in by every element with room for it.
struct OpenCase {
  std::size_t from, to;
  Bit::Form form;  // of the bits of the heap
};

std::vector<OpenCase> open_cases() {
  std::vector<OpenCase> all;
  for (std::size_t from = 0; from < elements().size(); ++from)
    for (std::size_t to = 0; to < elements().size(); ++to)
      if (elements()[from].last_di() >= 0 && !elements()[to].per_column.opens.empty())
        for (auto form : {Bit::Form::plain, Bit::Form::inverted}) all.push_back({from, to, form});
  return all;
}

void PrintTo(const OpenCase& c, std::ostream* to) {
  *to << elements()[c.from].name << " to " << elements()[c.to].name << " form "
      << static_cast<int>(c.form);
}

class EveryOpenCarry : public ::testing::TestWithParam<OpenCase> {};

TEST_P(EveryOpenCarry, AddsEveryValueOfItsInputs) {
  const Element& from = elements()[GetParam().from];
  const Element& to = elements()[GetParam().to];
  TreePlan plan;
  const unsigned column = from.width();
  plan.shape.bits.assign(column + to.per_column.inputs.size() + 3, 0);
  auto put = [&](const std::vector<unsigned>& counts, unsigned at) {
    for (std::size_t c = 0; c < counts.size(); ++c) plan.shape.bits[at + c] += counts[c];
  };
  // The second element's inputs stand in the heap, but for the open carry; more than sixteen bits
  // are not tried one by one.
  put(from.per_column.inputs, 0);
  put(to.per_column.inputs, column);
  --plan.shape.bits[column];
  plan.shape.pairs.assign(plan.shape.bits.size(), 0);
  plan.stages.resize(2);
  plan.stages[0].chains = {{0, {GetParam().from}, Entry::none, true}};
  if (to.is_atom)
    plan.stages[1].chains = {{column, {GetParam().to}}};
  else
    plan.stages[1].counters = {{GetParam().to, column}};
  std::vector<unsigned> weight;
  for (unsigned c = 0; c < plan.shape.width(); ++c)
    weight.insert(weight.end(), plan.shape.bits[c], c);
  HeapCircuit circuit(
      static_cast<unsigned>(weight.size()), plan.shape.width(),
      [&](Heap& heap, const UInt& x) {
        for (std::size_t i = 0; i < weight.size(); ++i)
          heap.add(weight[i], Bit{GetParam().form, x[static_cast<std::uint32_t>(i)]});
      },
      plan);
  circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i)
      sum += std::uint64_t{value(GetParam().form, x >> i & 1, false)} << weight[i];
    EXPECT_EQ(y, sum) << "x = " << x;
  });
  EXPECT_EQ(audit(plan).levels[1].opens[column], 1u);
  EXPECT_EQ(audit(plan).levels[2].opens[column], 0u);
  if (GetParam().form == Bit::Form::plain) {
    // Where the first stage's outputs meet the final adder single bits pass by.
    EXPECT_EQ(circuit.sites(), audit(plan).luts());
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, EveryOpenCarry, ::testing::ValuesIn(open_cases()));

// Leaves and who reads them: elements with room, and carries that enter through an exit or a lead.
struct LeafCase {
  std::string heap, stages;
  unsigned luts;  // without a final adder
  Bit::Form form;
};

std::vector<LeafCase> leaf_cases() {
  std::vector<LeafCase> all;
  auto add = [&](const std::string& heap, const std::string& stages, unsigned luts) {
    for (auto form : {Bit::Form::plain, Bit::Form::inverted})
      all.push_back({heap, stages, luts, form});
  };
  // Both leaves of v3 are read in its stage; what they meet is as much as the reader takes.
  add("5 2 0", "stage\n  1 x v3 at 0\n  1 x fa at 0\n  1 x fa at 1\n", 2);
  add("5 2 0", "stage\n  1 x v3 at 0\n  chain A2 A2 at 0\n", 3);
  add("5 2 0 0", "stage\n  1 x v3 at 0\n  chain B2 B2 at 0\n", 3);
  add("7 4 3 0 0", "stage\n  1 x v3 at 0\n  chain B14 A2 at 0\n  chain B14 at 1\n", 7);
  // Or a stage later, one of them in the final adder.
  add("4 1 1 0", "stage\n  1 x v3 at 0\nstage\n  chain A2 at 0\n  chain A2 at 2\n", 4);
  add("4 1 0", "stage\n  1 x v3 at 0\n", 0);
  // In place of a carry: alone in its column, and with an element that has no room.
  add("9 1 0 0", "stage\n  1 x v3 at 0\n  lead chain A06 at 0\n", 4);
  add("4 6 0 0", "stage\n  1 x v3 at 0\n  chain B2 at 0\n  exit chain A06 at 1\n", 5);
  add("11 0 0 0", "stage\n  lead chain A06 at 0\n  chain H05 at 1\n", 6);
  add("14 0 0 0", "stage\n  lead chain A06 at 0\n  pin chain A2 H05 at 0\n", 7);
  add("6 1 1 0", "stage\n  chain B2 H05 A2 at 0\n", 4);
  return all;
}

void PrintTo(const LeafCase& c, std::ostream* to) {
  *to << c.heap << '\n' << c.stages << "form " << static_cast<int>(c.form);
}

class EveryLeaf : public ::testing::TestWithParam<LeafCase> {};

TEST_P(EveryLeaf, AddsEveryValueOfTheInputs) {
  const LeafCase& c = GetParam();
  const auto columns = 1 + std::count(c.heap.begin(), c.heap.end(), ' ');
  const TreePlan plan = parse_tree("tree " + std::to_string(columns) +
                                   " columns, finish row\nbits " + c.heap + "\n" + c.stages);
  std::vector<unsigned> weight;
  for (unsigned column = 0; column < plan.shape.width(); ++column)
    weight.insert(weight.end(), plan.shape.bits[column], column);
  for (auto family : {ir::Family::series7, ir::Family::ultrascale_plus}) {
    HeapCircuit circuit(
        static_cast<unsigned>(weight.size()), plan.shape.width(),
        [&](Heap& heap, const UInt& x) {
          for (std::size_t i = 0; i < weight.size(); ++i)
            heap.add(weight[i], Bit{c.form, x[static_cast<std::uint32_t>(i)]});
        },
        plan, family);
    circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < weight.size(); ++i)
        sum += std::uint64_t{value(c.form, x >> i & 1, false)} << weight[i];
      EXPECT_EQ(y, sum % (1u << columns)) << "x = " << x;
    });
    EXPECT_EQ(audit(plan).tree_luts, c.luts);
    if (c.form == Bit::Form::plain) {
      EXPECT_EQ(circuit.sites(), audit(plan).luts());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, EveryLeaf, ::testing::ValuesIn(leaf_cases()));

TEST(Elements, RoomForLeavesOfFiveNets) {
  EXPECT_THAT(element("B2").per_column.wides, ElementsAre(1));
  for (const Element& e : elements())
    if (e.name != "B2") {
      EXPECT_THAT(e.per_column.wides, ElementsAre()) << e.name;
    }
}

TEST(Elements, RoomForOpenCarries) {
  EXPECT_THAT(element("fa").per_column.opens, ElementsAre(1));
  EXPECT_THAT(element("A2").per_column.opens, ElementsAre(1));
  EXPECT_THAT(element("B14").per_column.opens, ElementsAre(1));
  EXPECT_THAT(element("A14").per_column.opens, ElementsAre());
  EXPECT_THAT(element("A06").per_column.opens, ElementsAre());
  EXPECT_EQ(element("A06").last_di(), -1);
  EXPECT_EQ(element("A2").last_di(), 0);
  EXPECT_FALSE(element("A2").takes_open[0]);  // it has to be a net for the next carry
}

// As a LUT6_2 wants them; worked out by hand once.
TEST(Elements, KnownTruthTables) {
  EXPECT_EQ(element("c25").luts[0].table.bits, 0x96696996ff969600u);
  EXPECT_EQ(element("c25").luts[1].table.bits, 0xe81717e8ffe8e800u);
  EXPECT_EQ(element("A06").luts[0].table.bits, 0x6996966996696996u);
}

TEST(Elements, AnUnknownNameIsRefusedWithTheLegalOnes) {
  try {
    element("A07");
    FAIL();
  } catch (const DesignError& e) {
    EXPECT_THAT(e.what(), HasSubstr("\"A07\" is not an element; use fa, c25"));
  }
}

// The paper's table: column counts and outputs are what the names say.
TEST(PaperGpcs, NamesSayWhatTheyTake) {
  EXPECT_EQ(paper_gpcs().size(), 17u);
  for (const Gpc& g : paper_gpcs()) {
    auto in = g.inputs();
    std::string name = "(";
    for (std::size_t i = in.size(); i-- > 0;) name += std::to_string(in[i]) + (i > 0 ? "," : ";");
    name += std::to_string(g.outputs()) + ")";
    EXPECT_EQ(name, g.name);
    EXPECT_LE(g.area(), 5u);
  }
}

class EveryGpc : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryGpc, AddsEveryValueOfItsInputsInItsArea) {
  const Gpc& g = paper_gpcs()[GetParam()];
  TreePlan plan;
  auto in = g.inputs();
  plan.shape.bits = in;
  plan.shape.bits.resize(std::max<std::size_t>(in.size(), g.outputs()));
  plan.shape.pairs.assign(plan.shape.bits.size(), 0);
  if (!g.atoms.empty()) {
    plan.stages.resize(1);
    const Element& first = element(g.atoms.front());
    Entry entry = !g.carry_in ? Entry::none : first.takes_carry_in() ? Entry::pin : Entry::lead;
    std::vector<std::size_t> atoms;
    for (const auto& a : g.atoms) atoms.push_back(element_index(a));
    if (first.is_atom)
      plan.stages[0].chains = {{0, atoms, entry}};
    else
      plan.stages[0].counters = {{atoms[0], 0}};
  }
  unsigned inputs = plan.shape.total();
  HeapCircuit circuit(
      inputs, plan.shape.width(),
      [&](Heap& heap, const UInt& x) {
        unsigned next = 0;
        for (unsigned c = 0; c < in.size(); ++c)
          for (unsigned i = 0; i < in[c]; ++i) heap.add(c, x[next++]);
      },
      plan);
  circuit.for_all([&](std::uint64_t x, std::uint64_t y) {
    std::uint64_t sum = 0;
    unsigned next = 0;
    for (unsigned c = 0; c < in.size(); ++c)
      for (unsigned i = 0; i < in[c]; ++i) sum += (x >> next++ & 1) << c;
    EXPECT_EQ(y, sum);
  });
  EXPECT_EQ(circuit.sites(), g.area()) << g.name;
}

INSTANTIATE_TEST_SUITE_P(Paper, EveryGpc, ::testing::Range<std::size_t>(0, 17));

}  // namespace compressor_elements_test
}  // namespace kumiki::gen::compressor
