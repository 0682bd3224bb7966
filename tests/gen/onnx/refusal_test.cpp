// SPDX-License-Identifier: Apache-2.0
// What is no model, and models that have no exact meaning here: all of a file at once, each with
// what would be legal.
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/graph/text.h"
#include "gen/onnx/import.h"
#include "gen/onnx/messages.h"
#include "ir/error.h"
#include "tests/gen/onnx/changed.h"
#include "tests/support/golden.h"
#include "tests/support/messages.h"
#include "tests/support/seed.h"

namespace kumiki::gen::onnx::refusal_test {
namespace {

using changed::number;
Array byte(Type type, int v) { return {type, {}, std::string(1, static_cast<char>(v))}; }

// x of 4 x 4 pixels, a convolution of 3 x 3, quantised as onnxruntime's quantiser writes it.
Model plain() {
  Model m{.name = "m", .opsets = {{"", 13}}};
  m.inputs = {{"x", Type::f32, {-1, 1, 4, 4}}};
  m.outputs = {{"out", Type::f32, {-1, 1, 2, 2}}};
  m.constants = {{"s", number(0.5F)},
                 {"ws", number(0.25F)},
                 {"z", byte(Type::u8, 3)},
                 {"wz", byte(Type::s8, 0)},
                 {"w", {Type::s8, {1, 1, 3, 3}, std::string("\1\2\3\4\5\6\7\10\11", 9)}}};
  auto node = [&](const char* name, const char* op, std::vector<std::string> in, const char* out) {
    m.nodes.push_back({name, "", op, std::move(in), {out}, {}});
  };
  node("qx", "QuantizeLinear", {"x", "s", "z"}, "xq");
  node("dx", "DequantizeLinear", {"xq", "s", "z"}, "xd");
  node("dw", "DequantizeLinear", {"w", "ws", "wz"}, "wd");
  node("c", "Conv", {"xd", "wd"}, "y");
  node("qy", "QuantizeLinear", {"y", "s", "z"}, "yq");
  node("dy", "DequantizeLinear", {"yq", "s", "z"}, "out");
  return m;
}
Node& conv(Model& m) { return m.nodes[3]; }

std::string refused(const std::function<void(Model&)>& change) {
  return changed::refused(plain(), change);
}

TEST(ImportRefuses, APlainModelIsImported) {
  const Imported imported = import_model(plain(), "m.onnx");
  ASSERT_EQ(imported.graph.nodes.size(), 1U);
  const auto& c = std::get<graph::Conv>(imported.graph.nodes[0].op);
  EXPECT_THAT(c.weights, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(c.scales, testing::ElementsAre(0.25F));  // 0.5 * 0.25 / 0.5
  EXPECT_TRUE(imported.outputs[0].is_float);
}

TEST(ImportRefuses, Messages) {
  test::expect_messages("messages/onnx.txt",
                        {{code::onnx_file, [] { parse_model("abc", "cut.onnx", {}); }},
                         {code::onnx_refused,
                          [] {
                            Model m = plain();
                            m.opsets[""] = 25;
                            conv(m).attributes["auto_pad"] = std::string("SAME");
                            import_model(m, "m.onnx");
                          }},
                         {code::onnx_refused, [] {
                            // Several nodes at once; nothing is said of those that only read what
                            // was refused.
                            Model m = plain();
                            m.opsets[""] = 9;
                            conv(m).attributes["group"] = std::int64_t{2};
                            conv(m).attributes["colour"] = 1.5F;
                            m.nodes.push_back({"", "", "Einsum", {"xd"}, {"e"}, {}});
                            m.nodes.push_back({"after", "", "Relu", {"e"}, {"f"}, {}});
                            m.nodes.push_back({"twice", "", "Relu", {"xd"}, {"xq"}, {}});
                            m.nodes.push_back({"early", "", "Relu", {"later"}, {"g"}, {}});
                            m.outputs.push_back({"nowhere", Type::f32, {}});
                            import_model(m, "m.onnx");
                          }}});
}

TEST(ImportRefuses, Nodes) {
  using testing::HasSubstr;
  EXPECT_THAT(refused([](Model& m) { conv(m).attributes["colour"] = 1.5F; }),
              HasSubstr("node c (Conv) has the attribute colour, which is not known here"));
  EXPECT_THAT(
      refused([](Model& m) { conv(m).attributes["strides"] = 1.5F; }),
      HasSubstr("has the attribute strides of another kind; it must be a list of integers"));
  EXPECT_THAT(refused([](Model& m) {
                m.constants["b2"] = array_of(Dims{2}, std::vector<float>{1, 2});
                conv(m).inputs.emplace_back("b2");
              }),
              HasSubstr("has 2 numbers of bias; it must have 1"));
  EXPECT_THAT(refused([](Model& m) { conv(m).inputs[1] = "w"; }),
              HasSubstr("are not quantised constants"));
  EXPECT_THAT(refused([](Model& m) { conv(m).inputs[0] = "x"; }),
              HasSubstr("reads input 0 (x), which is not quantised"));
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.push_back({"r", "", "Relu", {"y"}, {"real"}, {}});
                m.outputs[0].name = "real";
              }),
              HasSubstr("output real is a float32 result of node c"));
  EXPECT_THAT(refused([](Model& m) { m.constants["s"] = number(-1); }),
              HasSubstr("has the scale -1 in input 1 (s); it must be a finite number above 0"));
  EXPECT_THAT(refused([](Model& m) { m.constants["s"] = number(NAN); }),
              HasSubstr("a finite number above 0"));
  // Each is a number above 0, their product is not.
  EXPECT_THAT(
      refused([](Model& m) {
        m.constants["s"] = m.constants["ws"] = number(1e-30F);
        m.constants["one"] = number(1);
        m.nodes[4].inputs[1] = m.nodes[5].inputs[1] = "one";
      }),
      HasSubstr("follows node c, whose scales multiply to 0; it must be a finite number above 0"));
  EXPECT_THAT(refused([](Model& m) {
                m.opsets[""] = 21;
                m.nodes[4].attributes["output_dtype"] = std::int64_t{5};
              }),
              HasSubstr("has the output_dtype 5; it must be 2 (uint8) or 3 (int8)"));
  EXPECT_THAT(
      refused([](Model& m) {
        m.nodes.push_back({"cast", "", "Cast", {"out"}, {"as"}, {}});
        m.nodes.back().attributes["to"] = std::int64_t{7};
        m.outputs[0].name = "as";
      }),
      HasSubstr("node cast (Cast) changes the type of numbers; it must be float32 to float32"));
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.push_back({"flat", "", "Flatten", {"yq"}, {"row"}, {}});
                m.nodes.push_back({"most", "", "ArgMax", {"row"}, {"class"}, {}});
                m.nodes.back().attributes["axis"] = std::int64_t{1};
                m.nodes.back().attributes["select_last_index"] = std::int64_t{1};
                m.outputs[0] = {"class", Type::s64, {-1, 1}};
              }),
              HasSubstr("node most (ArgMax) has select_last_index = 1; it must be 0"));
  EXPECT_THAT(refused([](Model& m) {
                m.inputs[0].dims = {1, 1, -1, 4};
              }),
              HasSubstr("input x has the shape [1, 1, ?, 4]"));
  EXPECT_THAT(refused([](Model& m) {
                m.inputs.push_back({"x2", Type::f32, {-1, 4}});
              }),
              HasSubstr("no node uses the input x2"));
  EXPECT_THAT(refused([](Model& m) { m.inputs[0].dims[2] = 2; }),
              HasSubstr("has a window of 3, larger than the padded map of 2"));
  // The bias has another scale than the sums: onnxruntime would add it as it is.
  EXPECT_THAT(
      refused([](Model& m) {
        m.constants["b"] = {Type::s32, {1}, std::string(4, '\1')};
        m.nodes.insert(m.nodes.begin(), Node{"db", "", "DequantizeLinear", {"b", "s"}, {"bd"}, {}});
        m.nodes[4].inputs.emplace_back("bd");
      }),
      HasSubstr("has a bias with the scale 0.5 in channel 0; it must be 0.125, input x weights"));
}

// A shape as a node has it; an int8 by the quantiser's own type.
TEST(ImportRefuses, NotWhatIsSaidInAnotherWay) {
  Model m = plain();
  m.opsets[""] = 21;
  m.nodes[4].attributes["output_dtype"] = std::int64_t{3};
  m.nodes[4].inputs.pop_back();
  m.nodes[5].inputs.pop_back();
  m.nodes.push_back({"shape", "", "Constant", {}, {"to"}, {}});
  m.nodes.back().attributes["value_ints"] = std::vector<std::int64_t>{1, -1};
  m.nodes.push_back({"flat", "", "Reshape", {"out", "to"}, {"row"}, {}});
  m.outputs[0] = {"row", Type::f32, {1, 4}};
  const Imported imported = import_model(m, "m.onnx");
  EXPECT_THAT(imported.graph.tensors[imported.outputs[0].tensor].shape, testing::ElementsAre(4));
  EXPECT_EQ(imported.graph.tensors[imported.outputs[0].tensor].format, (arith::Format{8, true}));
}

// What strangers write and no quantiser does: none of it may read beyond a constant, leave the
// range of an int, or ask for a table of 2^32 numbers.
TEST(ImportRefuses, HostileModels) {
  using testing::HasSubstr;
  EXPECT_THAT(refused([](Model& m) {
                m.inputs[0].dims = {1, 1, (std::int64_t{1} << 32) + 4, 4};
              }),
              HasSubstr("axes must be 1 to 1048576"));
  EXPECT_THAT(refused([](Model& m) {
                m.nodes[2].inputs[0] = "z";
                m.nodes[2].inputs.pop_back();
              }),
              HasSubstr("has weights of other than 1 or 2 dimensions"));
  EXPECT_THAT(refused([](Model& m) {
                conv(m).attributes["dilations"] = std::vector<std::int64_t>{65536, 65536};
                m.constants["w"] = {Type::s8, {1, 1, 30, 1}, std::string(30, '\1')};
              }),
              HasSubstr("the window must be at most 1048576"));
  // QLinearConv: x with its quantiser, weights with theirs, quantiser of the result, bias.
  const auto linear = [](const std::function<void(Model&)>& change) {
    return refused([&](Model& m) {
      m.constants["b"] = {Type::s32, {1}, std::string(4, '\1')};
      m.nodes = {
          m.nodes[0],
          {"c", "", "QLinearConv", {"xq", "s", "z", "w", "ws", "wz", "s", "z", "b"}, {"yq"}, {}},
          m.nodes[5]};
      change(m);
    });
  };
  EXPECT_EQ(linear([](Model&) {}), "imported");
  EXPECT_THAT(linear([](Model& m) { m.constants["ws"] = byte(Type::s8, 1); }),
              HasSubstr("has input 4 (ws) of int8; it must be float32"));
  EXPECT_THAT(
      linear([](Model& m) { m.constants["b"] = array_of(Dims{1}, Dims{std::int64_t{1} << 40}); }),
      HasSubstr("has a bias of int64; it must be int32"));
  // Sums of 32 bits behind another quantiser.
  EXPECT_THAT(refused([](Model& m) {
                m.nodes = {m.nodes[0],
                           {"c", "", "ConvInteger", {"xq", "w"}, {"y"}, {}},
                           {"d", "", "DequantizeLinear", {"y", "one"}, {"yd"}, {}},
                           {"q", "", "QuantizeLinear", {"yd", "s", "z"}, {"out"}, {}}};
                m.constants["z"] = byte(Type::u8, 0);
                m.constants["s"] = number(1);
                m.constants["one"] = number(1);
              }),
              HasSubstr("of 32 bits; it must have at most 8"));
  // Only the graph knows that a pool sees nothing but padding.
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.insert(m.nodes.begin() + 2, {"p", "", "MaxPool", {"xd"}, {"pd"}, {}});
                m.nodes[2].attributes["kernel_shape"] = std::vector<std::int64_t>{1, 1};
                m.nodes[2].attributes["pads"] = std::vector<std::int64_t>{1, 1, 1, 1};
                m.nodes[4].inputs[0] = "pd";
              }),
              HasSubstr("m.onnx: node p has padding of a whole window"));
  EXPECT_THAT(refused([](Model& m) {
                m.nodes.insert(m.nodes.begin() + 2, {"p", "", "MaxPool", {"xd"}, {"pd"}, {}});
                m.nodes[2].attributes["kernel_shape"] = std::vector<std::int64_t>{1, 1};
                m.nodes[2].attributes["pads"] = std::vector<std::int64_t>{0, -1, 0, 0};
                m.nodes[4].inputs[0] = "pd";
              }),
              HasSubstr("has pads = [0, -1, 0, 0]; it must be four numbers of 0 to 65536"));
}

// A text among the initializers is no number, but nobody reads it. The second graph of a file is
// merged with the first: this one has the initializer s, {"a"}.
TEST(ImportRefuses, ATextOnlyWhereItIsRead) {
  const std::filesystem::path file =
      std::filesystem::path(KUMIKI_TEST_DIR) / "gen/onnx/random/3.onnx";
  const std::string text(
      "\x3a\x0c\x2a\x0a\x08\x01\x10\x08\x32\x01"
      "a\x42\x01s");
  const auto import = [&](const std::string& more) {
    return import_model(parse_model(test::read_bytes(file) + more, "text.onnx", file.parent_path()),
                        "text.onnx");
  };
  EXPECT_EQ(graph::to_text(import(text).graph), graph::to_text(import("").graph));
  // A node of it that reads s: input 1, output 2, operator 4.
  const std::string reader("\x3a\x0e\x0a\x0c\x0a\x01s\x12\x01t\x22\x04Relu");
  try {
    import(text + reader);
    ADD_FAILURE() << "imported";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("initializer s has numbers of type 8"));
  }
}

// Damaged files are refused or mean something; nothing else happens.
TEST(ImportRefuses, DamagedFilesAreReadOrRefused) {
  const std::filesystem::path file =
      std::filesystem::path(KUMIKI_TEST_DIR) / "gen/onnx/random/3.onnx";
  const std::string whole = test::read_bytes(file);
  std::size_t refusals = 0, imports = 0;
  auto attempt = [&](const std::string& bytes) {
    try {
      import_model(parse_model(bytes, "damaged.onnx", file.parent_path()), "damaged.onnx");
      ++imports;
    } catch (const Error&) {
      ++refusals;
    }
  };
  for (std::size_t n = 0; n < whole.size(); n += 7) attempt(whole.substr(0, n));
  std::mt19937_64 random(test::rotating_seed());
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = whole;
    for (auto n = 1 + random() % 4; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    attempt(bytes);
  }
  EXPECT_GT(refusals, 500U);
  EXPECT_GT(imports, 10U);
}

}  // namespace
}  // namespace kumiki::gen::onnx::refusal_test
