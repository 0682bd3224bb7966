// SPDX-License-Identifier: Apache-2.0
// The examples of every type of layers that has a definition in Verilog are what it says.
#include <gtest/gtest.h>

#include <filesystem>

#include "gen/flow/example.h"
#include "gen/flow/prove.h"
#include "gen/layers/catalog.h"

namespace kumiki::gen {
namespace types_test {

struct Example {
  const config::LayerType* type;
  std::string text;
};

std::vector<Example> examples() {
  std::vector<Example> all;
  for (const auto& type : registry().types())
    for (const auto& example : type.examples) all.push_back({&type, example});
  return all;
}

class TypesProof : public ::testing::TestWithParam<Example> {};

TEST_P(TypesProof, NothingIsRefuted) {
  const auto [type, text] = GetParam();
  const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "proofs" /
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto document = config::read_document(flow::write_example(folder, *type, text), registry());
  const auto layers = layers_of(document, "example.json");
  const auto definition = layers.at(0).layer->definition();
  if (!definition.reference) {
    EXPECT_TRUE(type->name == "pe_array" || type->name == "dataflow") << definition.why_not;
    return;
  }
  // Of LUTs everything is proved; multipliers of eight bits take longer than a test may, and
  // smaller ones are in examples/proofs.json.
  const bool luts = type->families.empty();
  const auto verdict = flow::prove(layers[0], document.target.family, {.seconds = luts ? 60u : 4u});
  EXPECT_NE(verdict.status, backends::proof::Status::refuted)
      << backends::proof::to_text(verdict.counterexample);
  if (luts) {
    EXPECT_EQ(verdict.status, backends::proof::Status::proved);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TypesProof, ::testing::ValuesIn(examples()), [](const auto& info) {
  return info.param.type->name + std::to_string(info.index);
});

}  // namespace types_test
}  // namespace kumiki::gen
