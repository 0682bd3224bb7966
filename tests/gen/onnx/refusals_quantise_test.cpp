// SPDX-License-Identifier: Apache-2.0
// What quantisers refuse, those of ONNX (operators/quantise.cpp) and those of QONNX
// (operators/qonnx.cpp), and beside it the nearest that is imported.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/gen/onnx/small_models.h"

namespace kumiki::gen::onnx::refusals_quantise_test {
namespace {

using namespace small;

// A second quantiser, of d or of another value, and the pair's other half.
std::string again(const Constants& constants, const Attributes& attributes = {},
                  const std::string& in = "d", const Dims& x = {-1, 2}) {
  Constants all{{"t", number(1)}, {"tz", u8(0)}};
  for (const auto& [name, value] : constants) all[name] = value;
  return said(model(x, {node("QuantizeLinear", {in, "t", "tz"}, "y", attributes)}, all));
}

TEST(RefusalsOfQuantisers, QuantizeLinear) {
  const std::string begin = "node y (QuantizeLinear) ";
  EXPECT_EQ(again({}), imported);
  EXPECT_THAT(again({{"t", whole({1})}}),
              One(begin + "has input 1 (t) of int64; it must be float32"));
  EXPECT_THAT(again({{"t", {Type::f64, {}, std::string(8, '\0')}}}),
              One(begin + "has input 1 (t) of float64; it must be float32"));
  EXPECT_THAT(again({{"t", list({})}, {"tz", integers(Type::u8, {0}, {})}}),
              One(begin + "has no scale; it must have one"));
  EXPECT_THAT(again({{"t", number(INFINITY)}}),
              One(begin + "has the scale inf in input 1 (t); it must be a finite number above 0"));
  EXPECT_EQ(again({}, {{"block_size", 0}}), imported);
  EXPECT_THAT(again({}, {{"block_size", 16}}),
              One(begin + "has scales for blocks; use scales for an axis, or one for all"));
  EXPECT_THAT(again({{"t", list({1, 2, 3})}, {"tz", integers(Type::u8, {3}, {0, 0, 0})}}),
              One(begin + "has 3 scales for axis 1 of [1, 2]; it must have one, or one for each "
                          "index of the axis"));
  EXPECT_THAT(
      again({{"t", list({1, 2})}, {"tz", integers(Type::u8, {2}, {0, 0})}}),
      One(begin +
          "quantises results with several scales; it must have one, only weights may have more"));
  EXPECT_THAT(
      again({{"tz", integers(Type::u8, {2}, {0, 0})}}),
      One(begin + "has 2 zero points of uint8; it must have 1 integers, as many as scales"));
  EXPECT_THAT(
      again({{"tz", number(0)}}),
      One(begin + "has 1 zero points of float32; it must have 1 integers, as many as scales"));
  EXPECT_EQ(again({{"tz", {Type::s4, {}, std::string(1, '\0')}}}), imported);
  EXPECT_THAT(again({{"tz", s16({}, {0})}}),
              One(begin + "quantises to int16; it must be int8, uint8, int4 or uint4"));
  EXPECT_THAT(again({{"tz", s32({}, {0})}}),
              One(begin + "quantises to more than 8 bits; it must be 1 to 8"));
  EXPECT_EQ(again({}, {{"output_dtype", 3}}), imported);
  EXPECT_THAT(again({}, {{"output_dtype", 5}}),
              One(begin + "has the output_dtype 5; it must be 2 (uint8) or 3 (int8)"));
  EXPECT_THAT(again({}, {}, "q"), One(begin + "quantises a value that is not a real number"));
  EXPECT_THAT(again({}, {{"axis", 1.0F}}),
              One(begin + "has the attribute axis of another kind; it must be an integer"));
  EXPECT_THAT(said(model({-1, 2}, {node("QuantizeLinear", {"d"}, "y")})),
              One(begin + "has no input 1"));
  EXPECT_THAT(said(model({-1, 2}, {node("QuantizeLinear", {"d", "d", "z"}, "y")})),
              One(begin + "has input 1 (d), which is computed; it must be a constant"));
}

// Weights that the file keeps in float32.
TEST(RefusalsOfQuantisers, OfConstants) {
  const auto weights = [](const Array& w, const Array& scale = number(1),
                          const Array& zero = s8({}, {0}), std::int64_t axis = 1) {
    return said(
        model({-1, 2},
              {node("QuantizeLinear", {"w", "t", "tz"}, "wq", {{"axis", axis}}),
               node("DequantizeLinear", {"wq", "t", "tz"}, "wd", {{"axis", axis}}),
               node("MatMul", {"d", "wd"}, "y"), node("QuantizeLinear", {"y", "s", "z"}, "out")},
              {{"w", w}, {"t", scale}, {"tz", zero}}));
  };
  EXPECT_EQ(weights(reals({2, 1}, {1, 2})), imported);
  EXPECT_EQ(weights(reals({2, 2}, {1, 2, 3, 4}), list({1, 2}), s8({2}, {0, 1})), imported);
  EXPECT_THAT(weights(reals({2, 1}, {1, NAN})),
              One("node wq (QuantizeLinear) quantises a constant that is not a number"));
  EXPECT_THAT(weights(s8({2, 1}, {1, 2})),
              One("node wq (QuantizeLinear) quantises constants of int8"));
  EXPECT_THAT(
      weights(reals({2, 2}, {1, 2, 3, 4}), list({1, 2}), s8({2}, {0, 0}), -3),
      One("node wq (QuantizeLinear) has 2 scales for axis -1 of [2, 2]; it must have one, or one"));
}

TEST(RefusalsOfQuantisers, DequantizeLinear) {
  const auto of = [](const std::string& in, const Array& scale, const Array& zero) {
    return said(model({-1, 2}, {node("DequantizeLinear", {in, "t", "tz"}, "y")},
                      {{"t", scale}, {"tz", zero}}));
  };
  const std::string begin = "node y (DequantizeLinear) ";
  EXPECT_EQ(of("q", number(0.5F), u8(3)), imported);
  EXPECT_THAT(of("d", number(0.5F), u8(3)), One(begin + "dequantises what is not quantised"));
  EXPECT_THAT(of("q", list({1, 1}), integers(Type::u8, {2}, {3, 3})),
              One(begin + "dequantises results with several scales; it must have one"));
  EXPECT_THAT(of("q", number(0.5F), s8({}, {3})),
              One(begin + "has a zero point of int8 for numbers of another type"));
  EXPECT_THAT(of("q", number(0.25F), u8(3)),
              One(begin + "reads q with the scale 0.25 and the zero point 3; they must be those of "
                          "what makes it, 0.5 and 3"));
  EXPECT_THAT(of("q", number(0.5F), u8(4)),
              One(begin + "reads q with the scale 0.5 and the zero point 4; they must be those of "
                          "what makes it, 0.5 and 3"));
  EXPECT_THAT(
      said(model({-1, 2}, {node("DequantizeLinear", {"q", "s", "z"}, "y", {{"block_size", 2}})})),
      One(begin + "has scales for blocks"));
  const auto constant = [](const Array& w, const Array& zero) {
    return said(
        model({-1, 1},
              {node("DequantizeLinear", {"w", "one", "wz"}, "wd"),
               node("Gemm", {"d", "v", "wd"}, "y"), node("QuantizeLinear", {"y", "s", "z"}, "out")},
              {{"w", w}, {"wz", zero}, {"v", reals({1, 1}, {2})}, {"s", number(1)}}));
  };
  const std::string of_constant = "node wd (DequantizeLinear) ";
  EXPECT_EQ(constant(s32({1}, {-(1 << 23)}), s32({}, {1})), imported);
  EXPECT_THAT(constant(s32({1}, {INT32_MIN}), s32({}, {1})),
              One(of_constant + "dequantises the constant -2147483648; it must fit 32 bits"));
  EXPECT_THAT(constant(whole({std::int64_t{1} << 31}), s32({}, {0})),
              One(of_constant + "dequantises the constant 2147483648; it must fit 32 bits"));
  EXPECT_THAT(
      constant(s8({1}, {1}), u8(0)),
      One(of_constant + "has a zero point of uint8 for constants of int8; it must be of their"));
  EXPECT_THAT(constant(list({1}), s32({}, {0})),
              One(of_constant + "dequantises constants that are real numbers"));
  EXPECT_THAT(
      constant(s32({1}, {1}), s32({2}, {0, 0})),
      One(of_constant + "has 2 zero points of int32; it must have 1 integers, as many as scales"));
}

// d by a Quant of 4 bits, or whatever else it becomes.
std::string quant(const Constants& constants, const Attributes& attributes = {},
                  const std::string& op = "Quant", const std::string& in = "d") {
  Constants all{{"t", number(1)}, {"tz", number(0)}, {"bits", number(4)}};
  for (const auto& [name, value] : constants) all[name] = value;
  return said(model({-1, 2}, {node(qonnx + op, {in, "t", "tz", "bits"}, "y", attributes)}, all));
}

TEST(RefusalsOfQuantisers, Quant) {
  const std::string begin = "node y (qonnx.custom_op.general.Quant) ";
  EXPECT_EQ(quant({}), imported);
  EXPECT_THAT(quant({{"bits", list({4, 4})}}),
              One(begin + "has 2 widths in input 3 (bits); it must have one"));
  EXPECT_THAT(quant({{"tz", list({0, 0})}}),
              One(begin + "has 2 zero points in input 2 (tz); it must have one"));
  EXPECT_THAT(
      quant({{"t", list({1, 1})}}),
      One(begin +
          "quantises results with several scales; it must have one, only weights may have more"));
  EXPECT_THAT(quant({{"bits", number(9)}}),
              One(begin + "quantises to 9 bits; it must be 1 to 8, and 1 bit allows no narrow "
                          "range and, with a sign, no zero point"));
  EXPECT_THAT(quant({{"bits", number(1)}}, {{"narrow", 1}}), One(begin + "quantises to 1 bits"));
  EXPECT_THAT(quant({{"bits", number(1)}, {"tz", number(-1)}}), One(begin + "quantises to 1 bits"));
  EXPECT_EQ(quant({{"bits", number(1)}, {"tz", number(1)}}, {{"signed", 0}}), imported);
  EXPECT_THAT(quant({{"tz", number(8)}}),
              One(begin + "has the zero point 8; it must be an integer within [-8, 7]"));
  EXPECT_EQ(quant({}, {{"rounding_mode", "half_up"}}), imported);
  EXPECT_THAT(quant({}, {{"rounding_mode", "NEAREST"}}),
              One(begin + "has rounding_mode = NEAREST; it must be ROUND, HALF_EVEN, HALF_UP, "
                          "HALF_DOWN, CEIL, FLOOR, UP, DOWN or ROUND_TO_ZERO"));
  EXPECT_THAT(quant({}, {{"rounding_mode", 1}}),
              One(begin + "has the attribute rounding_mode of another kind; it must be a text"));
  EXPECT_THAT(quant({}, {}, "Quant", "q"),
              One(begin + "quantises a value that is not a real number"));
  EXPECT_EQ(quant({}, {}, "BipolarQuant"), imported);
  EXPECT_THAT(quant({{"t", number(0)}}, {}, "BipolarQuant"),
              One("node y (qonnx.custom_op.general.BipolarQuant) has the scale 0 in input 1 (t); "
                  "it must be a finite number above 0"));
  // Weights may have scales along one axis.
  const auto weights = [](const Array& scale) {
    return said(
        model({-1, 2},
              {node(qonnx + "Quant", {"w", "t", "zero", "b4"}, "wq"),
               node("MatMul", {"d", "wq"}, "y"), node("QuantizeLinear", {"y", "s", "z"}, "out")},
              {{"w", reals({2, 2}, {1, 2, 3, 4})}, {"t", scale}}));
  };
  EXPECT_EQ(weights(reals({1, 2}, {1, 2})), imported);
  for (const Array& scale :
       {reals({2, 2}, {1, 2, 3, 4}), reals({3}, {1, 2, 3}), reals({1, 1, 2}, {1, 2})})
    EXPECT_THAT(
        weights(scale),
        One("node wq (qonnx.custom_op.general.Quant) has scales of " + to_string(scale.dims) +
            " for [2, 2]; it must have one, or one for each index of one axis"));
}

TEST(RefusalsOfQuantisers, OfTheInput) {
  const auto first = [](const Node& n) {
    Model m = model({-1, 2}, {n}, {{"k", reals({1, 2}, {0, 1})}});
    m.nodes.erase(m.nodes.begin(), m.nodes.begin() + 2);
    return said(m);
  };
  const std::string ends =
      "quantises the input of the model to a narrow range, to two values, with a zero point, by "
      "thresholds or with another rounding; the first quantiser must have all numbers of its bits, "
      "the zero point 0 and ROUND, and others may follow it";
  EXPECT_EQ(first(node(qonnx + "Quant", {"x", "one", "zero", "b4"}, "y")), imported);
  EXPECT_THAT(first(node(qonnx + "Quant", {"x", "one", "zero", "b4"}, "y", {{"narrow", 1}})),
              One("node y (qonnx.custom_op.general.Quant) " + ends));
  EXPECT_THAT(first(node(qonnx + "Quant", {"x", "one", "one", "b4"}, "y")),
              One("node y (qonnx.custom_op.general.Quant) " + ends));
  EXPECT_THAT(first(node(qonnx + "BipolarQuant", {"x", "one"}, "y")),
              One("node y (qonnx.custom_op.general.BipolarQuant) " + ends));
  EXPECT_THAT(first(node(qonnx + "MultiThreshold", {"x", "k"}, "y")),
              One("node y (qonnx.custom_op.general.MultiThreshold) " + ends));
  EXPECT_THAT(said(model({-1, 2}, {node("QuantizeLinear", {"x", "one", "z"}, "y")})),
              One("node y (QuantizeLinear) quantises the input of the model in another way than a "
                  "node before it; use one quantiser for the input"));
  EXPECT_EQ(said(model({-1, 2}, {node("QuantizeLinear", {"x", "s", "z"}, "y")})), imported);
}

TEST(RefusalsOfQuantisers, Trunc) {
  // Bits of the result alone, and with a scale before them.
  const auto trunc = [](const Constants& constants, bool second = false,
                        const std::string& in = "d") {
    Constants all{{"t", number(0.5F)},
                  {"tz", number(0)},
                  {"from", number(8)},
                  {"to", number(7)},
                  {"ts", number(1)}};
    for (const auto& [name, value] : constants) all[name] = value;
    std::vector<std::string> inputs{in, "t", "tz", "from"};
    if (second) inputs.emplace_back("ts");
    inputs.emplace_back("to");
    return said(model({-1, 2}, {node(qonnx + "Trunc", inputs, "y")}, all));
  };
  const std::string begin = "node y (qonnx.custom_op.general.Trunc) ";
  EXPECT_THAT(trunc({}), One(begin + "makes 64; it must be within [-64, 63]"));
  EXPECT_EQ(trunc({{"to", number(8)}, {"from", number(9)}}), imported);
  EXPECT_EQ(trunc({}, true), imported);
  EXPECT_THAT(trunc({{"w", list({1, 2})}}, false, "w"),
              One(begin + "truncates constants: truncate them in the file"));
  EXPECT_THAT(trunc({{"t", list({1, 1})}}),
              One(begin + "has 2 scales in input 1 (t); it must have one"));
  EXPECT_THAT(trunc({{"t", number(0)}}), One(begin + "has the scale 0 in input 1 (t)"));
  EXPECT_THAT(trunc({{"ts", number(-1)}}, true), One(begin + "has the scale -1 in input 4 (ts)"));
  EXPECT_THAT(trunc({{"tz", list({0, 0})}}),
              One(begin + "has 2 zero points in input 2 (tz); it must have one"));
  EXPECT_THAT(trunc({{"to", number(0)}}), One(begin + "quantises to 0 bits; it must be 1 to 8"));
  EXPECT_THAT(trunc({{"to", number(9)}}, true),
              One(begin + "quantises to 9 bits; it must be 1 to 8"));
  EXPECT_THAT(trunc({{"from", number(6)}}),
              One(begin + "truncates 6 bits to 7; they must be 7 to 32"));
  EXPECT_THAT(trunc({{"tz", number(1)}}, true),
              One(begin + "has the zero point 0.5; it must be an integer within [-64, 63]"));
}

TEST(RefusalsOfQuantisers, MultiThreshold) {
  const auto count = [](const Array& thresholds, const Attributes& attributes = {},
                        const Dims& x = {-1, 2, 1, 1}) {
    return said(model(x,
                      {node("finn.custom_op.general.MultiThreshold", {"d", "k"}, "y", attributes)},
                      {{"k", thresholds}}));
  };
  const std::string begin = "node y (finn.custom_op.general.MultiThreshold) ";
  const Array one = reals({1, 2}, {0, 1}), two = reals({2, 2}, {0, 1, 0, 2});
  EXPECT_EQ(count(one), imported);
  EXPECT_EQ(count(two), imported);
  for (const Array& t :
       {list({0, 1}), reals({3, 1}, {1, 2, 3}), reals({2, 0}, {}), filled({1, 256}, 1)})
    EXPECT_THAT(count(t), One(begin + "has thresholds of " + to_string(t.dims) +
                              " for [1, 2, 1, 1]; it must have one row, or one for each channel, "
                              "of 1 to 255 thresholds"));
  EXPECT_EQ(count(filled({1, 255}, 1)), imported);
  EXPECT_EQ(count(two, {{"data_layout", "NCHW"}}), imported);
  EXPECT_EQ(count(one, {{"data_layout", "NHWC"}}), imported);
  EXPECT_THAT(count(two, {{"data_layout", "NHWC"}}),
              One(begin + "has data_layout = NHWC; with thresholds for each channel it must be "
                          "NCHW or NC, which a Transpose before it makes"));
  EXPECT_THAT(
      count(two, {}, {-1, 2, 3}),
      One(begin + "has data_layout = NWC; with thresholds for each channel it must be NCHW or NC"));
  EXPECT_THAT(count(one, {{"out_scale", 0.0F}}), One(begin + "has the scale 0 in out_scale"));
  EXPECT_EQ(count(one, {{"out_bias", 0.5F}}), imported);
  EXPECT_THAT(count(one, {{"out_bias", 0.25F}}),
              One(begin + "gives 1 x count + 0.25; it must be 8 bits times one scale, and out_bias "
                          "a multiple of out_scale / 2"));
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusals_quantise_test
