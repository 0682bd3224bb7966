// SPDX-License-Identifier: Apache-2.0
// Whole trees proved: the netlist's function of all inputs is the sum, by decision diagrams that
// know nothing of the solver, of plans or of elements.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gen/layers/compressor/layer.h"
#include "gen/layers/neuron/neuron.h"
#include "tests/support/bdd.h"

namespace kumiki::gen::compressor {
namespace compressor_proof_test {

using test::Bdd;
using test::NetlistBdd;

struct Built {
  explicit Built(const Layer& layer) : builder(ir::Family::series7) {
    module = &layer.build(builder, {});
    builder.design().set_top(module->id());
  }
  Builder builder;
  ir::Module* module;
};

bool adds_all_bits(const ir::Module& m) {
  NetlistBdd net(m);
  const auto x = net.port("x"), y = net.port("sum");
  return net.bdd().sum(x, std::vector<unsigned>(x.size(), 0), static_cast<unsigned>(y.size())) == y;
}

// O6 of one LUT after the other is wrong in one place: where nothing reaches that place the
// function stays, elsewhere the proof must fail.
unsigned refuted(ir::Module& m, bool (*proof)(const ir::Module&), unsigned most) {
  unsigned seen = 0;
  for (std::uint32_t i = 0, tried = 0; i < m.cells().size() && tried < most; ++i) {
    if (m.cells()[i].kind != ir::Kind::lut6_2) continue;
    ++tried;
    m.mutable_params({i})[0] ^= std::uint64_t{1} << 32;
    seen += !proof(m);
    m.mutable_params({i})[0] ^= std::uint64_t{1} << 32;
  }
  return seen;
}

using Case = std::pair<unsigned, Objective>;
class PopcountProof : public ::testing::TestWithParam<Case> {};

TEST_P(PopcountProof, TheNetlistAddsAllBits) {
  PopcountRequest request{{}, GetParam().first};
  request.objective = GetParam().second;
  request.effort = 0;
  Built built(*make_layer(request));
  EXPECT_TRUE(adds_all_bits(*built.module));
  // Wrong netlists have large diagrams.
  if (GetParam().first <= 16) {
    EXPECT_GT(refuted(*built.module, adds_all_bits, 4), 0u);
  }
}

std::vector<Case> popcounts(const std::vector<unsigned>& sizes) {
  std::vector<Case> all;
  for (unsigned n : sizes)
    for (Objective o : {Objective::stages, Objective::area, Objective::luts, Objective::delay})
      all.emplace_back(n, o);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Proof, PopcountProof, ::testing::ValuesIn(popcounts({7, 16, 32})));
// By --gtest_also_run_disabled_tests --gtest_filter='*Slow*'.
INSTANTIATE_TEST_SUITE_P(DISABLED_SlowProof, PopcountProof,
                         ::testing::ValuesIn(popcounts({48, 64})));

struct NeuronCase {
  unsigned n;
  bool embedded;
  neuron::Form form;
  Objective objective;
};
void PrintTo(const NeuronCase& c, std::ostream* to) {
  *to << c.n << (c.embedded ? " embedded " : " ") << neuron::name(c.form) << ' '
      << name(c.objective);
}
class NeuronProof : public ::testing::TestWithParam<NeuronCase> {};

// popcount >= T, count by count: at[k] says that at least k of the bits so far are one.
Bdd::Function at_least(Bdd& bdd, const std::vector<Bdd::Function>& bits, unsigned threshold) {
  std::vector<Bdd::Function> at(threshold + 1, Bdd::zero);
  at[0] = Bdd::one;
  for (Bdd::Function b : bits)
    for (unsigned k = threshold; k > 0; --k) at[k] = bdd.or_(at[k], bdd.and_(at[k - 1], b));
  return at[threshold];
}

TEST_P(NeuronProof, TheNetlistComparesTheCount) {
  const NeuronCase& c = GetParam();
  neuron::NeuronRequest r;
  r.effort = 0;
  r.inputs = c.n;
  r.form = c.form;
  r.objective = c.objective;
  r.threshold = c.n / 2 + 1;
  if (c.embedded) r.weights = std::vector<std::uint8_t>(c.n, 1);
  Built built(*neuron::make_neuron(r));
  NetlistBdd net(*built.module);
  auto agree = net.port("x");
  if (!c.embedded) {
    const auto w = net.port("w");
    for (unsigned i = 0; i < c.n; ++i) agree[i] = net.bdd().not_(net.bdd().xor_(agree[i], w[i]));
  }
  const auto y = net.port("y")[0];
  EXPECT_EQ(at_least(net.bdd(), agree, c.n / 2 + 1), y);
  EXPECT_NE(at_least(net.bdd(), agree, c.n / 2), y);
}

std::vector<NeuronCase> neurons(unsigned n) {
  std::vector<NeuronCase> all;
  for (bool embedded : {false, true}) {
    for (auto form : {neuron::Form::gpc, neuron::Form::gpc_bias})
      all.push_back({n, embedded, form, Objective::stages});
    for (Objective o : {Objective::stages, Objective::luts})
      all.push_back({n, embedded, neuron::Form::absorbed, o});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Proof, NeuronProof, ::testing::ValuesIn(neurons(32)));
INSTANTIATE_TEST_SUITE_P(DISABLED_SlowProof, NeuronProof, ::testing::ValuesIn(neurons(64)));

}  // namespace compressor_proof_test
}  // namespace kumiki::gen::compressor
