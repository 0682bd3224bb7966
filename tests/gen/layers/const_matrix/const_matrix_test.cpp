// SPDX-License-Identifier: Apache-2.0
// The layer type: its plan in words, what it refuses, where its weights come from.
#include <gtest/gtest.h>

#include <fstream>

#include "gen/layers/catalog.h"
#include "gen/layers/const_matrix/layer.h"
#include "tests/support/golden.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::const_matrix {
namespace const_matrix_layer_test {

std::string document(const std::string& keys) {
  return R"({"kumiki":1,"name":"n","layers":[{"type":"const_matrix","name":"m",)" + keys + "}]}";
}

std::string answer(const std::string& keys) {
  return test::refusal<std::exception>(
      [&] { (void)config::parse_document(document(keys), "cfg.json", registry()); });
}

TEST(ConstMatrix, Refusals) {
  std::string all;
  for (const char* keys :
       {R"("outputs":2,"inputs":2,"weights":[[1,2],[3,4]])",
        R"("outputs":2,"inputs":2,"weights":[1,2,3,4])", R"("outputs":2,"inputs":2)",
        R"("outputs":2,"inputs":3,"weights":[[1,2],[3,4],[5,6]])",
        R"("outputs":1,"inputs":1,"weights":[[1048577]])",
        R"("outputs":2,"inputs":2,"weights_from":"random")",
        R"("outputs":2,"inputs":2,"weights_from":"random","weight_bits":1)",
        R"("outputs":1,"inputs":1,"weights_from":"random","weight_bits":4,"weights":[1])",
        R"("outputs":1,"inputs":1,"weights":[1],"seed":3)",
        R"("outputs":1,"inputs":1,"weights":[1],"weight_bits":3)",
        R"("outputs":1,"inputs":1,"weights":[1],"latency":0,"levels":3)",
        R"("outputs":1,"inputs":1,"weights":[1],"levels":1)",
        R"("outputs":1,"inputs":9,"weights":[3,3,3,3,3,3,3,3,3],"latency":2,"levels":3)",
        R"("outputs":0,"inputs":1,"weights":[])",
        R"("outputs":1,"inputs":1,"weights":[1],"bits":31)"})
    all += std::string(keys) + "\n  " + answer(keys) + "\n";
  test::expect_golden("const_matrix/refusals.txt", all);
}

TEST(ConstMatrix, PlanAsText) {
  const auto text = [](const char* keys) {
    const auto d = config::parse_document(document(keys), "cfg.json", registry());
    return layers_of(d, "cfg.json").at(0).layer->plan_text();
  };
  test::expect_golden(
      "const_matrix/plan.txt",
      text(R"("outputs":2,"inputs":3,"bits":4,"weights":[[3,-5,7],[-1,6,0]])") +
          text(R"("outputs":1,"inputs":8,"bits":1,"signed":false,"weights":[1,2,-3,4,5,6,7,9])") +
          text(R"("outputs":1,"inputs":2,"weights":[1,1],"latency":0)"));
}

// Every latency from 0 on has a network. More clocks never take more levels between registers.
TEST(ConstMatrix, EveryLatencyHasANetwork) {
  const auto plan_of = [](int latency, std::int64_t size) {
    return plan({.outputs = size,
                 .inputs = size,
                 .bits = 8,
                 .source = WeightSource::random,
                 .weight_bits = 8,
                 .latency = latency,
                 .effort = 0},
                {});
  };
  for (const std::int64_t size : {1, 2, 5, 12}) {
    int levels = plan_of(0, size).levels();
    for (int latency = 1; latency < 9; ++latency) {
      const Plan p = plan_of(latency, size);
      EXPECT_LE(p.solution.network.latency, latency) << size;
      EXPECT_LE(p.levels(), levels) << size << " at latency " << latency;
      levels = p.levels();
    }
  }
}

// da4ml 0.6.0 has these LUTs for seeds 1 to 3, after Yosys (tests/bench/beside_da4ml.py).
TEST(ConstMatrix, CombinationalNetworksAreNotLargerThanDa4mls) {
  const std::uint64_t theirs[] = {1119, 1129, 1179};
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const Plan p = plan({.outputs = 8,
                         .inputs = 8,
                         .source = WeightSource::random,
                         .weight_bits = 8,
                         .seed = seed,
                         .latency = 0},
                        {});
    EXPECT_LE(p.luts, theirs[seed - 1]) << "seed " << seed;
  }
}

// A file of numbers is the same matrix as the list.
TEST(ConstMatrix, WeightsFromAFile) {
  const std::string folder = KUMIKI_TEST_TMP "/const_matrix";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/w.csv") << "3,-5,7\n-1,6,0\n";
  const auto plan_of = [&](const std::string& weights) {
    std::ofstream(folder + "/cfg.json")
        << document(R"("outputs":2,"inputs":3,"weights":)" + weights);
    const auto d = config::read_document(folder + "/cfg.json", registry());
    return layers_of(d, "cfg.json").at(0).layer->plan_text();
  };
  EXPECT_EQ(plan_of(R"({"file":"w.csv"})"), plan_of("[[3,-5,7],[-1,6,0]]"));
}

TEST(ConstMatrix, EqualRequestsGiveEqualPlans) {
  const Request request{
      .outputs = 6, .inputs = 5, .source = WeightSource::random, .weight_bits = 7, .seed = 4};
  EXPECT_EQ(plan(request, {}), plan(request, {}));
  Request other = request;
  other.seed = 5;
  EXPECT_NE(plan(request, {}), plan(other, {}));
}

}  // namespace const_matrix_layer_test
}  // namespace kumiki::gen::const_matrix
