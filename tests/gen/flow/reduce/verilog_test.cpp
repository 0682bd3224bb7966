// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/reduce/verilog.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/flow/reduce/reduce.h"
#include "ir/error.h"
#include "tests/support/seed.h"

namespace kumiki::reduction::verilog_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string text = R"(// what a comment says
`timescale 1ps / 1ps
`default_nettype none

module leaf (
    input wire clk,
    input wire [3:0] a,  // signed
    output wire [3:0] q,
    output wire spare
);
  FDRE q_reg [3:0] (.C(clk), .CE(1'b1), .D(a), .R(1'b0), .Q(q));
  LUT1 #(.INIT(2'h1)) spare_lut (.I0(a[0]), .O(spare));
endmodule

module other (input wire x, output wire y);
  assign y = x;
endmodule

(* keep *) module top (
    input wire clk,
    input wire [3:0] a, b,
    output wire [3:0] q,
    output wire y, z
);
  wire [3:0] \odd.name ;
  wire n0, n1, n2;
  wire [1:0] unused;
  localparam wide = 4;

  LUT6_2 #(.INIT(64'h00000000000000bd)) fault (.I0(n0), .I1(n1), .I2(1'b0), .I3(1'b0), .I4(1'b0), .I5(1'b1), .O5(), .O6(n2));
  LUT2 #(.INIT(4'h6)) one (.I0(a[0]), .I1(b[0]), .O(n0));
  LUT2 #(.INIT(4'h8)) two (.I0(a[1]), .I1(b[1]), .O(n1));
  leaf child (
      .clk(clk),
      .a({a[3:1], n2}),
      .q(\odd.name ),
      .spare()
  );
  elsewhere far (.in(n0), .out(z));
`ifdef SIMULATION
  initial begin
    $display("begins");
  end
`endif
  always @(posedge clk) begin
    if (a[0]) begin : block
    end else begin
    end
  end
  assign q = \odd.name ;
  assign y = n2;
endmodule
)";

std::string shrunk(const std::string& from, const Interesting& good) {
  Search search(good, {});
  const auto r = reduce("top.v", from, Form::verilog, search);
  EXPECT_TRUE(r.finished);
  EXPECT_TRUE(good(r.text)) << r.text;
  // What comes out is read again, as the same.
  EXPECT_EQ(laid_out("top.v", r.text, Form::verilog), r.text);
  return r.text;
}

bool has(const std::string& in, std::string_view what) {
  return in.find(what) != std::string::npos;
}

TEST(ReduceVerilog, LaysOutWithoutComments) {
  const auto plain = laid_out("top.v", text, form_of(text));
  EXPECT_THAT(plain, Not(HasSubstr("//")));
  EXPECT_THAT(plain, HasSubstr("    input wire [3:0] a, input wire [3:0] b,"));
  EXPECT_THAT(plain, HasSubstr("`default_nettype none\n\nmodule leaf ("));
  EXPECT_THAT(plain, HasSubstr("  FDRE q_reg [3:0] (.C(clk), .CE(1'b1), .D(a), .R(1'b0), .Q(q));"));
  EXPECT_THAT(plain, HasSubstr(".q(\\odd.name ),"));
  EXPECT_EQ(laid_out("top.v", plain, Form::verilog), plain);
}

TEST(ReduceVerilog, OneCellIsLeft) {
  const auto left = shrunk(text, [](const std::string& t) { return has(t, "00bd"); });
  const auto read = verilog_text(left);
  ASSERT_EQ(read.modules.size(), 1u) << left;
  EXPECT_EQ(count(read), 1u) << left;
  EXPECT_TRUE(read.modules[0].ports.empty()) << left;
  EXPECT_EQ(read.modules[0].items.size(), 1u) << left;
}

// The way from the fault to a port has to stay.
TEST(ReduceVerilog, AWayToAnOutputStays) {
  const auto left = shrunk(text, [](const std::string& t) {
    return has(t, "00bd") && has(t, ".O6(n2)") && has(t, "assign y = n2;") &&
           has(t, "output wire y");
  });
  EXPECT_THAT(left, HasSubstr("wire n2;"));
  EXPECT_THAT(left, Not(HasSubstr("LUT2")));
  EXPECT_THAT(left, Not(HasSubstr("leaf")));
  EXPECT_THAT(left, Not(HasSubstr("always")));
  EXPECT_THAT(left, HasSubstr(".I0(1'b0), .I1(1'b0)"));
}

// Nothing is left undriven: what a cell has driven is a constant, of as many bits.
TEST(ReduceVerilog, WhatCellsHaveDrivenIsConstant) {
  const auto left = shrunk(text, [](const std::string& t) {
    return has(t, "module top") && has(t, "assign q =") && has(t, "output wire z") &&
           (has(t, "far (") || has(t, "assign z"));
  });
  EXPECT_THAT(left, HasSubstr("assign q = 4'b0;"));
  EXPECT_THAT(left, HasSubstr("assign z = 1'b0;"));
  EXPECT_EQ(count(verilog_text(left)), 0u) << left;
}

TEST(ReduceVerilog, ZeroThenOne) {
  const auto left = shrunk(text, [](const std::string& t) {
    return has(t, "00bd") && has(t, "output wire y") && !has(t, "assign y = 1'b0") &&
           !has(t, ".I0(1'b0), .I1(1'b0)");
  });
  EXPECT_THAT(left, HasSubstr(".I0(1'b0), .I1(1'b1)"));
  EXPECT_THAT(left, HasSubstr("assign y = 1'b1;"));
}

TEST(ReduceVerilog, PiecesOfWhatIsReadGoOneByOne) {
  const auto left = shrunk(text, [](const std::string& t) {
    return has(t, "module leaf") && has(t, "leaf child") && has(t, "n2}") && has(t, ".a(") &&
           has(t, "input wire [3:0] a,");
  });
  EXPECT_THAT(left, HasSubstr(".a({3'b0, n2})"));
}

TEST(ReduceVerilog, WidthsOfExpressions) {
  const Widths widths{{"a", 4}, {"n", 1}};
  const auto width = [&](std::string_view e) { return width_of(verilog_tokens(e), widths); };
  EXPECT_EQ(width("a"), 4u);
  EXPECT_EQ(width("a[2]"), 1u);
  EXPECT_EQ(width("a[3:1]"), 3u);
  EXPECT_EQ(width("8'hff"), 8u);
  EXPECT_EQ(width("{a, n, 2'b01}"), 7u);
  EXPECT_EQ(width("{3{a}}"), 12u);
  EXPECT_EQ(width("{2{a, n}}"), 10u);
  EXPECT_EQ(width("{a} + {n}"), std::nullopt);
  EXPECT_EQ(width("unknown"), std::nullopt);
  EXPECT_EQ(width("{a, unknown}"), std::nullopt);
  EXPECT_EQ(width("a & n"), std::nullopt);
}

// A text that ends anywhere is read or refused, never read beyond its end.
TEST(ReduceVerilog, EveryBeginningIsReadOrRefused) {
  std::size_t read = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      const auto v = verilog_text(text.substr(0, n));
      EXPECT_FALSE(v.modules.empty());
      ++read;
    } catch (const DesignError& e) {
      EXPECT_NE(std::string(e.what()), "");
    }
  }
  EXPECT_GT(read, 0u);
  EXPECT_LT(read, text.size());
}

// Words left out, doubled and exchanged: read and printed, or refused.
TEST(ReduceVerilog, DamagedTextsAreReadOrRefused) {
  const auto seed = test::rotating_seed();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto whole = verilog_tokens(text);
  const auto any = [&](const VerilogTokens& t) { return random() % t.size(); };
  std::size_t read = 0;
  constexpr std::size_t texts = 1000;
  for (std::size_t n = 0; n < texts; ++n) {
    auto damaged = whole;
    for (auto times = 1 + random() % 3; times > 0; --times) {
      const auto at = any(damaged);
      if (random() % 2 == 0)
        damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(at));
      else
        damaged[at].text = whole[any(whole)].text;
    }
    if (random() % 2 == 0) damaged.resize(any(damaged));
    try {
      const auto v = verilog_text(to_text(damaged));
      EXPECT_FALSE(verilog_text(to_text(v)).modules.empty());
      ++read;
    } catch (const DesignError& e) {
      EXPECT_STRNE(e.what(), "");
    }
  }
  EXPECT_GT(read, 0u);
  EXPECT_LT(read, texts);
}

TEST(ReduceVerilog, WhatIsNoNetlistIsRefused) {
  const auto says = [](const std::string& t) -> std::string {
    try {
      return laid_out("x.v", t, form_of(t));
    } catch (const FileError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(says("library ieee;"),
            "x.v: there is no module: a netlist in structural Verilog or in Kumiki's text form is "
            "legal");
  EXPECT_THAT(says("module m (input a;"), HasSubstr("x.v: a module without an end"));
  EXPECT_THAT(says("module m (input a, , input b);"),
              HasSubstr("x.v: module m: a port is missing"));
  EXPECT_THAT(says("module m ()"), HasSubstr("x.v: a module without an end"));
  EXPECT_THAT(says("module m; `else"), HasSubstr("x.v: a module without an end"));
  EXPECT_THAT(says("module m;\n/* endmodule"), HasSubstr("x.v: line 2: a comment without an end"));
  EXPECT_THAT(says("design nowhere"), HasSubstr("x.v: "));
}

}  // namespace
}  // namespace kumiki::reduction::verilog_test
