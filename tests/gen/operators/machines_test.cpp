// SPDX-License-Identifier: Apache-2.0
// Machines refuse graphs with operators that they have no machine for, and say why.
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/config/document.h"
#include "gen/layers/catalog.h"
#include "gen/operators/operators.h"
#include "tests/support/refusal.h"

namespace kumiki::gen::machines_test {
namespace {

using testing::HasSubstr;

// x of 8 channels and 2 x 4 pixels goes through a convolution to c, and then through what is given
// to y.
std::string graph_with(const std::string& nodes, const std::string& tensors) {
  std::string weights;
  for (int i = 0; i < 64; ++i) weights += fmt::format(" {}", i % 7 - 3);
  return "graph g\ntensor x s8 8x2x4 scale 0x1p-3 zero 0\ntensor c s8 8x2x4 scale 0x1p-3 zero 0\n" +
         tensors + "input x\noutput y\nconv c x -> c\n  scales 0x1p-2\n  bias 0 1 2 3 4 5 6 7\n" +
         "  weights" + weights + "\n" + nodes;
}

const std::string same = "tensor y s8 8x2x4 scale 0x1p-3 zero 0\n";
const std::map<std::string, std::string> graphs{
    {"constant", graph_with(
                     "constant k -> k\n  values" +
                         [] {
                           std::string all;
                           for (int i = 0; i < 64; ++i) all += fmt::format(" {}", i);
                           return all;
                         }() +
                         "\nadd y c k -> y\n",
                     "tensor k s8 8x2x4 scale 0x1p-3 zero 0\n" + same)},
    {"matmul",
     graph_with("matmul y c c -> y by_pixels 1\n", "tensor y s8 8x2x4 scale 0x1p-1 zero 0\n")},
    {"softmax", graph_with("softmax s c -> s\nadd y s c -> y\n",
                           "tensor s s8 8x2x4 scale 0x1p-8 zero -128\n" + same)},
    {"layer_norm", graph_with("layer_norm n c -> n epsilon 0x1p-10\n  factors 1 1 1 1 1 1 1 1\n"
                              "add y n c -> y\n",
                              "tensor n s8 8x2x4 scale 0x1p-6 zero 0\n" + same)},
};

std::string refusal_of(const std::string& name, const std::string& layer) {
  const auto folder = std::filesystem::path(KUMIKI_TEST_TMP) / "machines" / name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "g.graph") << graphs.at(name);
  return test::refusal<config::ConfigError>([&] {
    const auto document = config::parse_document(
        R"({"kumiki": 1, "name": "n", "layers": [{"graph": "g.graph", "type": )" + layer + "}]}",
        (folder / "n.json").string(), registry());
    layers_of(document, (folder / "n.json").string());
  });
}

// Why a pipeline has no machine for the operator; nothing: it has one.
template <class Op>
std::string no_machine() {
  if constexpr (requires { Op::no_machine; })
    return std::string(Op::no_machine);
  else
    return "";
}

TEST(MachinesRefuse, WhatTheyHaveNoMachineFor) {
  const std::map<std::string, std::string> reasons{{"constant", no_machine<graph::Constant>()},
                                                   {"matmul", no_machine<graph::MatMul>()}};
  for (const auto& [name, reason] : reasons) {
    SCOPED_TRACE(name);
    const std::string pipeline = refusal_of(name, R"("dataflow", "clocks": 100000)"),
                      engine = refusal_of(name,
                                          R"("engine", "rows": 16, "columns": 8, "places": 16384)");
    if (reason.empty()) {
      EXPECT_EQ(pipeline, "not refused");
    } else {
      EXPECT_THAT(pipeline, HasSubstr(reason));
      EXPECT_THAT(engine, HasSubstr(reason));
    }
    // The array computes the convolution and leaves the rest to its host.
    EXPECT_EQ(refusal_of(name, R"("pe_array", "requantise": "float32")"), "not refused");
  }
}

TEST(MachinesRefuse, Float32ThatIntegersCanReplace) {
  for (const std::string name : {"softmax", "layer_norm"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(refusal_of(name, R"("dataflow", "clocks": 100000)"),
                HasSubstr("import the model with --averages sums, which computes it in integers"));
    EXPECT_THAT(refusal_of(name, R"("engine", "rows": 16, "columns": 8, "places": 16384)"),
                HasSubstr("the engine has no unit"));
    EXPECT_EQ(refusal_of(name, R"("pe_array", "requantise": "float32")"), "not refused");
  }
}

}  // namespace
}  // namespace kumiki::gen::machines_test
