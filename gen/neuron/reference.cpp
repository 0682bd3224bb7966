// SPDX-License-Identifier: Apache-2.0
#include "gen/neuron/reference.h"

#include <fmt/format.h>

#include <bit>

namespace kumiki::gen::neuron {
namespace {

using proof::Word;

// How many of `bits` bits agree with the weights, which are the word w or known.
std::string agreements(const std::string& x, const std::string& w,
                       const std::vector<std::uint8_t>* weights, std::uint32_t bits,
                       std::uint32_t first = 0) {
  std::string sum = "32'd0";
  for (std::uint32_t i = 0; i < bits; ++i)
    sum += weights ? fmt::format(" + ({}[{}] == 1'b{})", x, i, (*weights)[first + i])
                   : fmt::format(" + ({}[{}] == {}[{}])", x, i, w, i);
  return sum;
}

// A port t is wide enough for N + 1.
std::uint64_t threshold_bits(std::uint32_t inputs) {
  return static_cast<std::uint64_t>(std::bit_width(inputs + 1));
}

}  // namespace

proof::Reference reference(const NeuronRequest& r, const Json& plan) {
  std::vector<Word> in{{"x", r.inputs}};
  if (!r.weights) in.push_back({"w", r.inputs});
  if (!r.threshold) in.push_back({"t", threshold_bits(r.inputs)});
  return proof::reference(
      {.in = std::move(in),
       .out = {"y", 1},
       .latency = plan["latency"].get<unsigned>(),
       .body =
           fmt::format("  wire [31:0] agree = {};\n  assign y = agree >= {};\n",
                       agreements("x_due", "w_due", r.weights ? &*r.weights : nullptr, r.inputs),
                       r.threshold ? fmt::format("32'd{}", *r.threshold) : "t_due")});
}

proof::Reference reference(const DenseRequest& r, const Json& plan) {
  std::string body;
  const auto* several = std::get_if<std::vector<std::uint32_t>>(&r.threshold);
  for (std::size_t m = 0; m < r.weights.size(); ++m)
    body += fmt::format("  wire [31:0] agree{0} = {1};\n  assign y[{0}] = agree{0} >= 32'd{2};\n",
                        m, agreements("x_due", "", &r.weights[m], r.inputs),
                        several ? (*several)[m] : std::get<std::uint32_t>(r.threshold));
  return proof::reference({.in = {{"x", r.inputs}},
                           .out = {"y", r.weights.size()},
                           .latency = plan["latency"].get<unsigned>(),
                           .body = body});
}

// Cycle by cycle: what this one adds, the sum of the set, the answer behind the last one.
proof::Reference reference(const SerialRequest& r, const Json& plan) {
  const std::uint32_t lanes = r.inputs / r.cycles;
  const auto latency = plan["latency"].get<unsigned>();
  std::string ports =
      fmt::format("input clk, input rst, input en, input in_valid, input [{}:0] x, ", lanes - 1);
  if (!r.weights) ports += fmt::format("input [{}:0] w, ", lanes - 1);
  if (!r.threshold) ports += fmt::format("input [{}:0] t, ", threshold_bits(r.inputs) - 1);
  std::string agree;
  for (std::uint32_t c = 0; r.weights && c < r.cycles; ++c)
    agree +=
        fmt::format("cycle == {} ? {} : ", c, agreements("x", "", &*r.weights, lanes, c * lanes));
  agree += r.weights ? "32'd0" : agreements("x", "w", nullptr, lanes);
  return {fmt::format("module gold({}output out_valid, output y);\n"
                      "  reg [31:0] cycle = 0, sum = 0, least = 0;\n"
                      "  wire active = in_valid || cycle != 0;\n"
                      "  wire last = active && cycle == {};\n"
                      "  wire [31:0] agree = {};\n"
                      "  wire [31:0] total = (cycle == 0 ? 32'd0 : sum) + agree;\n"
                      "  wire [31:0] wanted = cycle == 0 ? {} : least;\n"
                      "  reg [{}:0] valid = 0, answer = 0;\n"
                      "  always @(posedge clk) begin\n"
                      "    if (en) begin\n"
                      "      if (active) begin sum <= total; least <= wanted; end\n"
                      "      answer <= {{answer, total >= wanted}};\n"
                      "    end\n"
                      "    if (rst) begin cycle <= 0; valid <= 0; end\n"
                      "    else if (en) begin\n"
                      "      cycle <= !active || last ? 0 : cycle + 1;\n"
                      "      valid <= {{valid, last}};\n"
                      "    end\n"
                      "  end\n"
                      "  assign out_valid = valid[{}], y = answer[{}];\n"
                      "endmodule\n",
                      ports, r.cycles - 1, agree,
                      r.threshold ? fmt::format("32'd{}", *r.threshold) : "t", latency - 1,
                      latency - 1, latency - 1),
          latency + r.cycles,
          false,
          {{"y", "out_valid"}}};
}

}  // namespace kumiki::gen::neuron
