// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/reference.h"

#include <fmt/format.h>

#include <bit>

namespace kumiki::gen::neuron {
namespace {

using proof::Word;

// Text for the number of agreements between `bits` bits and the weights, which are the word w or
// constants.
std::string agreements(const std::string& x, const std::string& w,
                       const std::vector<std::uint8_t>* weights, std::uint32_t bits,
                       std::uint32_t first = 0) {
  std::string sum = "0";
  for (std::uint32_t i = 0; i < bits; ++i)
    sum += weights ? fmt::format(" + ({}[{}] == 1'b{})", x, i, (*weights)[first + i])
                   : fmt::format(" + ({}[{}] == {}[{}])", x, i, w, i);
  return sum;
}

// The bits of N + 1, as for a port t. Counts have no more bits, which keeps the proof small.
std::uint64_t threshold_bits(std::uint32_t inputs) {
  return static_cast<std::uint64_t>(std::bit_width(inputs + 1));
}

}  // namespace

proof::Reference reference(const NeuronRequest& r, unsigned latency) {
  const auto bits = threshold_bits(r.inputs);
  std::vector<Word> in{{"x", r.inputs}};
  if (!r.weights) in.push_back({"w", r.inputs});
  if (!r.threshold) in.push_back({"t", bits});
  return proof::reference(
      {.in = std::move(in),
       .out = {"y", 1},
       .latency = latency,
       .body =
           fmt::format("  wire [{}:0] agree = {};\n  assign y = agree >= {};\n", bits - 1,
                       agreements("x_due", "w_due", r.weights ? &*r.weights : nullptr, r.inputs),
                       r.threshold ? fmt::format("{}'d{}", bits, *r.threshold) : "t_due"),
       .sum_words = {"agree"}});
}

proof::Reference reference(const DenseRequest& r, unsigned latency) {
  std::string body;
  std::vector<std::string> sums;
  const auto* several = std::get_if<std::vector<std::uint32_t>>(&r.threshold);
  const auto bits = threshold_bits(r.inputs);
  for (std::size_t m = 0; m < r.weights.size(); ++m) {
    sums.push_back(fmt::format("agree{}", m));
    body +=
        fmt::format("  wire [{3}:0] agree{0} = {1};\n  assign y[{0}] = agree{0} >= {4}'d{2};\n", m,
                    agreements("x_due", "", &r.weights[m], r.inputs),
                    several ? (*several)[m] : std::get<std::uint32_t>(r.threshold), bits - 1, bits);
  }
  return proof::reference({.in = {{"x", r.inputs}},
                           .out = {"y", r.weights.size()},
                           .latency = latency,
                           .body = body,
                           .sum_words = sums});
}

// Cycle by cycle: what the cycle adds, the sum of the set, and the answer after the last cycle.
proof::Reference reference(const SerialRequest& r, unsigned latency) {
  const std::uint32_t lanes = (r.inputs - 1) / r.cycles + 1;
  const std::uint32_t rest = r.inputs - (r.cycles - 1) * lanes;  // of the last cycle
  const auto bits = threshold_bits(r.inputs);
  std::string ports =
      fmt::format("input clk, input rst, input en, input in_valid, input [{}:0] x, ", lanes - 1);
  if (!r.weights) ports += fmt::format("input [{}:0] w, ", lanes - 1);
  if (!r.threshold) ports += fmt::format("input [{}:0] t, ", bits - 1);
  std::string agree;
  for (std::uint32_t c = 0; r.weights && c < r.cycles; ++c)
    agree +=
        fmt::format("cycle == {} ? {} : ", c,
                    agreements("x", "", &*r.weights, c + 1 < r.cycles ? lanes : rest, c * lanes));
  // A port t is read in the first cycle of a set.
  const auto wanted =
      r.threshold
          ? fmt::format("  wire [{}:0] wanted = {};\n", bits - 1, *r.threshold)
          : fmt::format(
                "  reg [{0}:0] least = 0;\n  wire [{0}:0] wanted = cycle == 0 ? t : least;\n"
                "  always @(posedge clk) if (en && (in_valid || cycle != 0)) least <= wanted;\n",
                bits - 1);
  if (!r.weights)
    agree = fmt::format("last ? {} : {}", agreements("x", "w", nullptr, rest),
                        agreements("x", "w", nullptr, lanes));
  else
    agree += "0";
  return {fmt::format("module gold({}output out_valid, output y);\n"
                      "  reg [{}:0] cycle = 0;\n"
                      "  reg [{}:0] sum = 0;\n{}"
                      "  wire active = in_valid || cycle != 0;\n"
                      "  wire last = active && cycle == {};\n"
                      "  wire [{}:0] agree = {};\n"
                      "  wire [{}:0] total = (cycle == 0 ? 0 : sum) + agree;\n"
                      "  reg [{}:0] valid = 0, answer = 0;\n"
                      "  always @(posedge clk) begin\n"
                      "    if (en) begin\n"
                      "      if (active) sum <= total;\n"
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
                      ports, std::bit_width((r.cycles - 1) | 1) - 1, bits - 1, wanted, r.cycles - 1,
                      bits - 1, agree, bits - 1, latency - 1, latency - 1, latency - 1),
          latency + r.cycles,
          false,
          {{"y", "out_valid"}}};
}

}  // namespace kumiki::gen::neuron
