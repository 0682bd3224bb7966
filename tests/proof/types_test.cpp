// SPDX-License-Identifier: Apache-2.0
// The examples of every type of layers that has a definition in Verilog are what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "gen/flow/prove.h"
#include "gen/layers/catalog.h"
#include "tests/support/example.h"

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

void expect_proved(const NamedLayer& layer, ir::Family family) {
  const auto verdict = flow::prove(layer, family, {.seconds = 300});
  EXPECT_EQ(verdict.status, backends::proof::Status::proved)
      << layer.name << ": " << backends::proof::name(verdict.status) << "\n"
      << backends::proof::to_text(verdict.counterexample);
}

// A sequence of thousands of clocks defines what these do.
bool has_no_definition(const config::LayerType& type) {
  return type.name == "pe_array" || type.name == "dataflow" || type.name == "engine";
}

// ABC proves no multiplier of eight bits in the time of a test.
bool multiplies(const config::LayerType& type) {
  static const std::set<std::string> all{"dot",    "matvec",  "matmul",  "conv2d",
                                         "vision", "requant", "lut_macc"};
  return all.contains(type.name);
}

class TypesProof : public ::testing::TestWithParam<Example> {};

// Of LUTs everything is proved. Multipliers of eight bits take longer than a test may: they are
// only not refuted, and SmallOnesAreProved below proves layers of the same types with fewer bits.
TEST_P(TypesProof, NothingIsRefuted) {
  const auto [type, text] = GetParam();
  const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "proofs" /
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto document = config::read_document(test::write_example(folder, *type, text), registry());
  const auto layers = layers_of(document, "example.json");
  const auto definition = layers.at(0).layer->definition();
  if (!definition.reference) {
    EXPECT_TRUE(has_no_definition(*type)) << definition.why_not;
    return;
  }
  if (!multiplies(*type)) return expect_proved(layers[0], document.target.family);
  const auto verdict = flow::prove(layers[0], document.target.family, {.seconds = 4});
  EXPECT_NE(verdict.status, backends::proof::Status::refuted)
      << backends::proof::to_text(verdict.counterexample);
}

INSTANTIATE_TEST_SUITE_P(Types, TypesProof, ::testing::ValuesIn(examples()), [](const auto& info) {
  return info.param.type->name + std::to_string(info.index);
});

// Of every type that NothingIsRefuted leaves unproved, its first layer in examples/proofs.json. ABC
// finds no invariant of those that take their operands in turn: these are proved for as many clocks
// as bring a result out.
TEST(TypesWithMultipliers, SmallOnesAreProved) {
  const auto file = std::filesystem::path(KUMIKI_TEST_DIR) / "../examples/proofs.json";
  const auto document = config::read_document(file, registry());
  const auto layers = layers_of(document, "proofs.json");
  for (const auto& type : registry().types()) {
    if (!multiplies(type)) continue;
    const auto layer = std::find_if(layers.begin(), layers.end(),
                                    [&](const NamedLayer& l) { return l.type == type.name; });
    ASSERT_NE(layer, layers.end()) << "examples/proofs.json has no " << type.name;
    const std::set<std::string> in_turn{"matvec", "matmul", "conv2d"};
    if (!in_turn.contains(type.name)) {
      expect_proved(*layer, document.target.family);
      continue;
    }
    const auto clocks = layer->layer->definition().reference->depth + 2;
    const auto verdict = flow::prove(*layer, document.target.family,
                                     {.clocks = clocks, .seconds = 300, .invariants = false});
    EXPECT_EQ(verdict.status, backends::proof::Status::bounded) << type.name;
    EXPECT_EQ(verdict.clocks, clocks) << type.name;
  }
}

}  // namespace types_test
}  // namespace kumiki::gen
