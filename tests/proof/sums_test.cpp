// SPDX-License-Identifier: Apache-2.0
// Outputs that are sums side by side in one port.
#include <gtest/gtest.h>

#include "gen/flow/prove.h"
#include "gen/layers/const_matrix/layer.h"
#include "gen/layers/neuron/neuron.h"

namespace kumiki::gen {
namespace sums_test {

using backends::proof::Status;

const const_matrix::Request request{
    .outputs = 2,
    .inputs = 3,
    .bits = 4,
    .weights = config::Weights{.values = {3, -5, 7, -1, 6, 0}, .shape = {2, 3}}};

backends::proof::Verdict answer(const Layer& layer, const proof::Reference& reference,
                                unsigned seconds) {
  Builder builder(ir::Family::series7);
  builder.design().set_top(layer.build(builder, {}).id());
  return backends::proof::prove(builder.design(), flow::question_of(reference),
                                {.seconds = seconds});
}

backends::proof::Verdict answer(const proof::Reference& reference, unsigned seconds) {
  return answer(*const_matrix::make_layer(request), reference, seconds);
}

TEST(SumsOfAPort, AreProvedOneByOne) {
  const auto reference = *const_matrix::make_layer(request)->definition().reference;
  EXPECT_EQ(reference.sum_ports, (std::vector<std::string>{"y[7:0]", "y[15:8]"}));
  const auto verdict = answer(reference, 60);
  EXPECT_EQ(verdict.status, Status::proved);
  EXPECT_TRUE(verdict.by_sums);
}

// The whole port is no sum: other steps decide then, in which en is no input of its own.
TEST(SumsOfAPort, AWrongClaimIsNoAnswer) {
  auto reference = *const_matrix::make_layer(request)->definition().reference;
  reference.sum_ports = {"y"};
  EXPECT_NE(answer(reference, 5).status, Status::refuted);
}

TEST(SumsOfAPort, AWrongFactorIsRefuted) {
  auto reference = *const_matrix::make_layer(request)->definition().reference;
  const auto at = reference.verilog.find("4'sh7 *");
  ASSERT_NE(at, std::string::npos);
  reference.verilog.replace(at, 5, "4'sh6");
  EXPECT_EQ(answer(reference, 60).status, Status::refuted);
}

// A comparison of a sum is proved by the bits that the last chain compares.
TEST(SumsOfAPort, ANeuronComparesOne) {
  neuron::NeuronRequest r;
  r.inputs = 32;
  r.threshold = 19;
  const auto layer = neuron::make_planned(neuron::plan_neuron(r));
  const auto verdict = answer(*layer, *layer->definition().reference, 60);
  EXPECT_EQ(verdict.status, Status::proved);
  EXPECT_TRUE(verdict.by_sums);
}

}  // namespace sums_test
}  // namespace kumiki::gen
