// SPDX-License-Identifier: Apache-2.0
// Netlists that were edited after they were written: right edits are proved, wrong ones refuted by
// a counterexample that counting by hand confirms, and what is no netlist of this design is refused
// with what would be one.
#include "backends/formal/edited.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "gen/flow/network.h"
#include "gen/flow/prove.h"
#include "gen/layers/catalog.h"
#include "tests/support/refusal.h"

namespace kumiki::test {
namespace edited_test {

using backends::VerilogSource;
using backends::proof::Edited;
using backends::proof::Status;
using backends::proof::Verdict;
using ::testing::HasSubstr;

// Two counters of ones beside each other, and their written netlist.
class EditedNetlist : public ::testing::Test {
 protected:
  std::string text(const std::string& module) const {
    for (const auto& s : netlist_.sources)
      if (s.name == module + ".v") return s.text;
    return {};
  }
  std::string module_of(std::size_t layer) const {
    return std::string(names_.module(network_.layers[layer].module));
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what << " is not in\n" << text;
    if (at != std::string::npos) text.replace(at, what.size(), by);
    return text;
  }

  // Nothing for a layer that is left out.
  std::optional<Verdict> verdict(const std::string& verilog, std::size_t layer) const {
    const Edited edited(names_, {{"my edit;.v", verilog}}, 60);
    const auto gates = edited.gates({layers_[layer].name, network_.layers[layer].module});
    if (!gates) return std::nullopt;
    const auto reference = layers_[layer].layer->definition().reference;
    return backends::proof::prove(*gates, flow::question_of(*reference), {0, 60});
  }
  std::string refusal(const std::string& verilog, std::size_t layer = 0) const {
    return test::refusal<std::exception>([&] { verdict(verilog, layer); });
  }

  gen::config::Document document_ = gen::config::parse_document(
      R"({"kumiki": 1, "name": "pair", "layers": [
          {"type": "popcount", "name": "a", "bits": 6},
          {"type": "popcount", "name": "b", "bits": 5, "pipeline": 1}]})",
      "test.json", gen::registry());
  std::vector<gen::NamedLayer> layers_ = gen::layers_of(document_, "test.json");
  gen::Builder builder_;
  gen::BuiltNetwork network_ = gen::build_network(builder_, "pair", layers_);
  ir::Names names_{builder_.design()};
  backends::VerilogNetlist netlist_ = backends::verilog_netlist(builder_.design());
};

// A counter of ones in other words, and one that is wrong for the word of all ones.
constexpr const char* behaviour =
    "module @ (input [5:0] x, output [2:0] sum);\n"
    "  wire [2:0] ones = x[0] + x[1] + x[2] + x[3] + x[4] + x[5];\n"
    "  assign sum = @;\nendmodule\n";

TEST_F(EditedNetlist, AnotherWayToSayTheSameIsProved) {
  const auto v = verdict(replaced(replaced(behaviour, "@", module_of(0)), "@", "ones"), 0);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->status, Status::proved);
  // Of the other layer nothing was given.
  EXPECT_FALSE(
      verdict(replaced(replaced(behaviour, "@", module_of(0)), "@", "ones"), 1).has_value());
}

TEST_F(EditedNetlist, AWrongEditIsRefutedByACaseThatCountingConfirms) {
  const auto v =
      verdict(replaced(replaced(behaviour, "@", module_of(0)), "@", "x == 6'h3f ? 3'd5 : ones"), 0);
  ASSERT_TRUE(v);
  ASSERT_EQ(v->status, Status::refuted);
  const auto& c = v->counterexample;
  ASSERT_EQ(c.inputs.size(), 1u);
  ASSERT_EQ(c.inputs[0].size(), 1u);
  EXPECT_EQ(c.inputs[0][0].name, "x");
  EXPECT_EQ(c.inputs[0][0].value, "6'h3f");
  EXPECT_EQ(c.output, "sum");
  EXPECT_EQ(c.expected, "3'h6");
  EXPECT_EQ(c.got, "3'h5");
}

// A table of one LUT, as somebody edits it.
TEST_F(EditedNetlist, ABitOfATableIsRefuted) {
  auto verilog = text(module_of(1));
  const auto at = verilog.find("'h", verilog.find(".INIT("));
  ASSERT_NE(at, std::string::npos);
  verilog[at + 2] = verilog[at + 2] == '1' ? '2' : '1';
  const auto v = verdict(verilog, 1);
  ASSERT_TRUE(v);
  ASSERT_EQ(v->status, Status::refuted);
  EXPECT_NE(v->counterexample.expected, v->counterexample.got);
}

// The top is asked layer by layer; a wire from the neighbour is an input like any other.
TEST_F(EditedNetlist, TheTopIsProvedWithItsWires) {
  for (std::size_t layer : {0u, 1u}) {
    const auto v = verdict(text("pair"), layer);
    ASSERT_TRUE(v);
    EXPECT_EQ(v->status, Status::proved) << layer;
  }
  const auto crossed = replaced(text("pair"), "(a_x)", "({b_x[0], a_x[4:0]})");
  const auto v = verdict(crossed, 0);
  ASSERT_TRUE(v);
  ASSERT_EQ(v->status, Status::refuted);
  EXPECT_THAT(to_text(v->counterexample), HasSubstr("pair.b_x"));
  EXPECT_EQ(verdict(crossed, 1)->status, Status::proved);
}

TEST_F(EditedNetlist, WhatIsNotOfThisNetlistIsRefusedWithWhatWouldBe) {
  const auto mine = module_of(0);
  EXPECT_THAT(refusal("module other (input a); endmodule\n"),
              HasSubstr("my edit;.v: other is not a module of this netlist; modules of the netlist "
                        "are pair (the top) and "));
  EXPECT_THAT(refusal("\n"), HasSubstr("what is there is not a module"));
  EXPECT_THAT(
      refusal("module " + mine +
              " (input [6:0] x, input y, output [2:0] sum);\n"
              "assign sum = 0; endmodule\n"),
      HasSubstr("has other ports than the netlist; input [5:0] x is required, not input [6:0] x; "
                "input y must go"));
  EXPECT_THAT(refusal("module " + mine + " (input [5:0] x); endmodule\n"),
              HasSubstr("output [2:0] sum is missing"));
  EXPECT_THAT(refusal(text(mine) + "module spare (input a); endmodule\n"),
              HasSubstr("module spare is not of the netlist, and no module there uses it"));
  EXPECT_THAT(refusal("module " + mine +
                      " (input [5:0] x, output [2:0] sum);\n"
                      "  OBUF o (.I(x[0]), .O(sum[0]));\nendmodule\n"),
              HasSubstr("has an instance of OBUF, which is neither"));
  EXPECT_THAT(refusal("module " + mine + " (\n"), HasSubstr("yosys could not read"));
}

// Registers of another kind and nets without a driver would be taken for something they are not.
TEST_F(EditedNetlist, OnlyTheRisingEdgeOfTheClockIsKnown) {
  const auto mine = module_of(1);
  const auto with = [&](const std::string& body) {
    return refusal("module " + mine +
                       " (input clk, input rst, input en, input in_valid, input [4:0] x,\n"
                       "  output out_valid, output reg [2:0] sum);\n" +
                       body + "\nendmodule\n",
                   1);
  };
  ASSERT_EQ(with("assign out_valid = in_valid; always @(posedge clk) sum <= x;"), "not refused");
  const auto clocked = HasSubstr("not clocked by the rising edge of clk alone");
  EXPECT_THAT(with("assign out_valid = 0; always @(negedge clk) sum <= x;"), clocked);
  EXPECT_THAT(with("assign out_valid = 0; always @(posedge en) sum <= x;"), clocked);
  EXPECT_THAT(with("assign out_valid = 0; always @(posedge clk, posedge rst)\n"
                   "if (rst) sum <= 0; else sum <= x;"),
              clocked);
  EXPECT_THAT(with("assign out_valid = 0; always @* if (en) sum = x;"), clocked);
  EXPECT_THAT(with("wire nobody; assign out_valid = nobody; always @(posedge clk) sum <= x;"),
              HasSubstr("nobody"));
}

}  // namespace edited_test
}  // namespace kumiki::test
