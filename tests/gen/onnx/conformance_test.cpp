// SPDX-License-Identifier: Apache-2.0
// ONNX' own conformance cases (package libonnx-testdata) of the integer operators.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/interpret.h"
#include "gen/graph/quantise.h"
#include "gen/onnx/import.h"
#include "ir/error.h"
#include "tests/support/golden.h"

namespace kumiki::gen::onnx::conformance_test {
namespace {

namespace fs = std::filesystem;
const fs::path cases = "/usr/share/libonnx-testdata/data/node";

struct Case {
  Model model;
  Array input, output;
};

// Everything but the first input is a constant here: that is how trained models are.
Case read_case(const std::string& name) {
  const fs::path folder = cases / name, data = folder / "test_data_set_0";
  Case c{.model = read_model(folder / "model.onnx")};
  auto array = [&](const std::string& file) {
    return parse_array(test::read_bytes(data / file), file);
  };
  c.input = array("input_0.pb");
  c.output = array("output_0.pb");
  for (std::size_t i = 1; i < c.model.inputs.size(); ++i)
    c.model.constants[c.model.inputs[i].name] = array("input_" + std::to_string(i) + ".pb");
  c.model.inputs.resize(1);
  return c;
}

std::vector<double> numbers_of(const Array& a) {
  std::vector<double> all;
  if (is_float(a.type))
    for (const float v : a.floats()) all.push_back(v);
  else
    for (const auto v : a.integers()) all.push_back(static_cast<double>(v));
  return all;
}

void expect_equal(const std::string& name) {
  SCOPED_TRACE(name);
  const Case c = read_case(name);
  const Imported imported = import_model(c.model, name);
  const auto& g = imported.graph;
  const graph::Tensor& in = g.tensors[imported.input.tensor];
  std::vector<std::int32_t> images;
  for (const double v : numbers_of(c.input))
    images.push_back(imported.input.is_float ? graph::quantised(in, static_cast<float>(v)).number
                                             : static_cast<std::int32_t>(v));
  const auto& end = imported.outputs[0];
  const auto result = graph::Interpreter(g).run_all(images, end.tensor);
  std::vector<double> given;
  for (const auto n : result)
    given.push_back(end.is_float ? graph::real_value(g.tensors[end.tensor], n) : n);
  EXPECT_EQ(given, numbers_of(c.output));
}

class Conformance : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(cases))
      GTEST_SKIP()
          << "NOT TESTED: ONNX' conformance cases, the package libonnx-testdata is missing";
  }
};

TEST_F(Conformance, QLinearConv) { expect_equal("test_qlinearconv"); }
TEST_F(Conformance, QLinearMatMul) { expect_equal("test_qlinearmatmul_2D"); }
TEST_F(Conformance, ConvInteger) {
  expect_equal("test_basic_convinteger");
  expect_equal("test_convinteger_with_padding");
  expect_equal("test_convinteger_without_padding");
}
TEST_F(Conformance, MatMulInteger) { expect_equal("test_matmulinteger"); }

// Legal ONNX that trained networks do not have: refused by name, never computed wrongly.
TEST_F(Conformance, TheOthersAreRefusedWithTheirReason) {
  auto refusal = [](const std::string& name) {
    try {
      const Case c = read_case(name);
      import_model(c.model, name);
      return std::string("imported");
    } catch (const DesignError& e) {
      return std::string(e.what());
    }
  };
  EXPECT_THAT(refusal("test_qlinearmatmul_3D"), testing::HasSubstr("a matrix"));
  EXPECT_THAT(refusal("test_quantizelinear"), testing::HasSubstr("images first"));
  EXPECT_THAT(refusal("test_dequantizelinear_axis"),
              testing::HasSubstr("several scales; it must have one"));
  EXPECT_THAT(refusal("test_quantizelinear_axis"),
              testing::HasSubstr("several scales; it must have one"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::conformance_test
