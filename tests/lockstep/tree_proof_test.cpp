// SPDX-License-Identifier: Apache-2.0
// Whole trees proved by Yosys against the sum as Verilog understands it. Equivalence of counters is
// hard for SAT: larger trees are proved element by element (elements_lockstep_test.cpp) and run.
#include <gtest/gtest.h>

#include <functional>

#include "gen/layers/compressor/layer.h"
#include "gen/layers/neuron/neuron.h"
#include "tests/support/prove.h"

namespace kumiki::gen {
namespace tree_proof_test {

// The tree is solved by its own test: the list of them is made in every process of this program.
struct Proof {
  std::string name, gold;
  std::function<std::unique_ptr<Layer>()> layer;
};
void PrintTo(const Proof& p, std::ostream* to) { *to << p.name; }

compressor::TreeOptions options(compressor::Objective objective) {
  return {.objective = objective, .effort = 0};
}

std::string sum_of(const std::string& bit, unsigned n) {
  std::string sum = "0";
  for (unsigned i = 0; i < n; ++i) sum += fmt::format(" + {}[{}]", bit, i);
  return sum;
}

std::vector<Proof> proofs() {
  using namespace compressor;
  std::vector<Proof> all;
  for (unsigned n : {5u, 12u, 18u})
    for (Objective o : {Objective::stages, Objective::luts, Objective::delay}) {
      if (n == 5 && o == Objective::delay) continue;  // all its LUTs have one output
      const unsigned width = static_cast<unsigned>(std::bit_width(n));
      all.push_back({fmt::format("popcount{}_{}", n, name(o)),
                     fmt::format("module gold(input [{}:0] x, output [{}:0] sum);\n"
                                 "  assign sum = {};\nendmodule\n",
                                 n - 1, width - 1, sum_of("x", n)),
                     [=] {
                       return make_layer(PopcountRequest{options(o), n});
                     }});
    }
  for (bool is_signed : {false, true}) {
    const char* sign = is_signed ? "signed " : "";
    all.push_back(
        {fmt::format("multiplier5x4{}", is_signed ? "s" : "u"),
         fmt::format("module gold(input {0}[4:0] a, input {0}[3:0] b, "
                     "output {0}[8:0] sum);\n  assign sum = a * b;\nendmodule\n",
                     sign),
         [=] {
           return make_layer(MultiplierRequest{options(Objective::stages), 5, 4, is_signed});
         }});
  }
  for (unsigned n : {7u, 10u})
    for (auto form : {neuron::Form::absorbed, neuron::Form::gpc_bias}) {
      neuron::NeuronRequest r;
      r.effort = 0;
      r.inputs = n;
      r.form = form;
      r.threshold = n / 2 + 1;
      all.push_back({fmt::format("neuron{}_{}", n, static_cast<int>(form)),
                     fmt::format("module gold(input [{0}:0] x, input [{0}:0] w, output y);\n"
                                 "  wire [{0}:0] a = ~(x ^ w);\n"
                                 "  assign y = ({1}) >= {2};\nendmodule\n",
                                 n - 1, sum_of("a", n), *r.threshold),
                     [=] { return neuron::make_neuron(r); }});
    }
  return all;
}

class TreeProof : public ::testing::TestWithParam<Proof> {};

TEST_P(TreeProof, YosysProvesTheWholeTree) {
  Builder builder(ir::Family::series7);
  const auto layer = GetParam().layer();
  ir::Module& m = layer->build(builder, {});
  builder.design().set_top(m.id());
  EXPECT_TRUE(test::prove(builder.design(), GetParam().gold));
  // And it finds a wrong table: in some LUT, others may be inverted twice.
  bool refuted = false;
  for (std::uint32_t i = 0; i < m.cells().size() && !refuted; ++i) {
    const auto kind = m.cells()[i].kind;
    if (kind != ir::Kind::lut6_2 && kind != ir::Kind::lut6) continue;
    const std::uint64_t upside_down =
        kind == ir::Kind::lut6 ? ~std::uint64_t{0} : 0xffffffff00000000;  // O6
    m.mutable_params({i})[0] ^= upside_down;
    refuted = !test::prove(builder.design(), GetParam().gold);
    m.mutable_params({i})[0] ^= upside_down;
  }
  EXPECT_TRUE(refuted);
  // On blocks of eight positions, which may be two chains.
  Builder eights(ir::Family::ultrascale_plus);
  eights.design().set_top(GetParam().layer()->build(eights, {}).id());
  EXPECT_TRUE(test::prove(eights.design(), GetParam().gold));
}

INSTANTIATE_TEST_SUITE_P(Trees, TreeProof, ::testing::ValuesIn(proofs()));

}  // namespace tree_proof_test
}  // namespace kumiki::gen
