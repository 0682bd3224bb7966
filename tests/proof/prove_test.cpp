// SPDX-License-Identifier: Apache-2.0
// Small blocks are proved against their definitions; changed ones are refuted, and the
// counterexample is confirmed on the native simulator and the model, which know nothing of proofs.
#include "tests/proof/subject.h"

namespace kumiki::test {
namespace prove_test {

using backends::proof::Status;

struct Block {
  std::string name, json;
  unsigned clocks = 0;  // that are proved from power-up, where that is all
};
void PrintTo(const Block& b, std::ostream* to) { *to << b.name; }

class Prove : public ::testing::TestWithParam<Block> {};

TEST_P(Prove, TheBlockIsItsDefinition) {
  const auto clocks = GetParam().clocks;
  const auto verdict = Subject(GetParam().json).prove({clocks, 300, clocks == 0});
  EXPECT_EQ(verdict.status, clocks ? Status::bounded : Status::proved)
      << name(verdict.status) << " by " << verdict.method;
  EXPECT_EQ(verdict.clocks, clocks);
}

TEST_P(Prove, AChangedOneIsRefutedAndTheCounterexampleIsTrue) {
  Subject subject(GetParam().json);
  // It shows within the clocks that are asked for.
  const auto what = subject.change(GetParam().clocks ? 3 * GetParam().clocks : 60);
  ASSERT_FALSE(what.empty()) << "nothing that is changed shows";
  const auto verdict = subject.prove({3 * GetParam().clocks, 120});
  ASSERT_EQ(verdict.status, Status::refuted) << what;
  EXPECT_FALSE(to_text(verdict.counterexample).empty());
  subject.expect_true(verdict.counterexample);
}

std::vector<Block> blocks() {
  return {
      {"popcount", R"({"type": "popcount", "name": "a", "bits": 12})"},
      {"multiplier", R"({"type": "multiplier", "name": "a", "a_bits": 4, "b_bits": 3,
                         "pipeline": 1})"},
      {"neuron", R"({"type": "bnn_neuron", "name": "a", "inputs": 8, "threshold": 5})"},
      {"serial", R"({"type": "bnn_serial", "name": "a", "inputs": 6, "cycles": 2,
                     "threshold": 4})"},
      {"pixels", R"({"type": "vision", "name": "a", "width": 2, "height": 2, "bits": 2,
                     "channels": 2, "stages": [{"kernel": "minimum"}]})"},
      {"window", R"({"type": "vision", "name": "a", "width": 2, "height": 1, "bits": 1,
                     "stages": [{"kernel": "erode"}]})"},
      {"matvec", R"({"type": "matvec", "name": "a", "outputs": 1, "inputs": 2, "activations":
                     {"bits": 2}, "weights": {"bits": 2}, "weights_from": "values",
                     "values": [1, -2]})",
       14},
      {"lut_macc", R"({"type": "lut_macc", "name": "a", "terms": 1, "a": {"bits": 4},
                       "b": {"bits": 4}})"},
      {"requant", R"({"type": "requant", "name": "a", "accumulator_bits": 8, "scale": 0.037})"},
      {"popcount_64", R"({"type": "popcount", "name": "a", "bits": 64})"},
      {"neuron_64", R"({"type": "bnn_neuron", "name": "a", "inputs": 64, "threshold": 40})"},
      {"neuron_any_t", R"({"type": "bnn_neuron", "name": "a", "inputs": 17, "pipeline": 1})"},
      {"dense", R"({"type": "bnn_dense", "name": "a", "inputs": 12, "threshold": 7, "weights":
                    [[1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0]]})"},
      {"compressor", R"({"type": "compressor", "name": "a", "constant": 9, "operands":
                         [{"count": 2, "bits": 2, "signed": true, "factor": -3},
                          {"bits": 2, "column": 1}]})"},
      {"conv2d", R"({"type": "conv2d", "name": "a", "in_channels": 1, "height": 1, "width": 2,
                     "out_channels": 1, "kernel": [1, 1], "activations": {"bits": 2},
                     "weights": {"bits": 2}, "weights_from": "values", "values": [-2]})",
       6},
      {"matmul", R"({"type": "matmul", "name": "a", "m": 1, "k": 2, "n": 1, "activations":
                     {"bits": 2}, "weights": {"bits": 2}, "weights_from": "random"})",
       12},
      {"dot", R"({"type": "dot", "name": "a", "scheme": "wp487-int8", "terms": 1})"},
  };
}
std::string name_of(const ::testing::TestParamInfo<Block>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Blocks, Prove, ::testing::ValuesIn(blocks()), name_of);

}  // namespace prove_test
}  // namespace kumiki::test
