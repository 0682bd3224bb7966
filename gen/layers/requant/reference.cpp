// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/requant/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::requant {
namespace {

// `exact` / 2^shift rounded to an integer: the quotient rounded down, the remainder, and the rule
// for ties.
std::string rounded(int shift, Rounding rounding) {
  if (shift == 0) return "  wire signed [63:0] nearest = exact;\n";
  if (rounding == Rounding::down)
    return fmt::format("  wire signed [63:0] nearest = exact >>> {};\n", shift);
  if (rounding == Rounding::up || rounding == Rounding::to_zero)
    return fmt::format(
        "  wire signed [63:0] nearest = (exact >>> {0}) + "
        "$signed({{1'b0, {1}exact[{2}:0] != {0}'d0}});\n",
        shift, rounding == Rounding::to_zero ? "exact[63] && " : "", shift - 1);
  const char* tie = rounding == Rounding::half_even   ? "whole[0]"
                    : rounding == Rounding::half_away ? "!exact[63]"
                                                      : "1'b1";
  return fmt::format(
      "  wire signed [63:0] whole = exact >>> {0};\n"
      "  wire [{1}:0] rest = exact[{1}:0];\n"
      "  wire tie = rest == {0}'d{2}, above = rest > {0}'d{2};\n"
      "  wire signed [63:0] nearest = whole + $signed({{1'b0, above || (tie && {3})}});\n",
      shift, shift - 1, std::uint64_t{1} << (shift - 1), tie);
}

// A module that computes `result` from words that end in "_then". q keeps the last valid result.
proof::Reference gold(const std::vector<proof::Word>& words, int clocks, int result_bits,
                      const std::string& due) {
  const auto latency = static_cast<unsigned>(clocks);
  std::string ports = "input clk, input rst, input en, input in_valid, output out_valid", history;
  for (const auto& word : words) {
    ports += fmt::format(", input [{}:0] {}", word.bits - 1, word.name);
    history += proof::history(word, latency);
    history += fmt::format("  wire [{}:0] {}_then = {};\n", word.bits - 1, word.name,
                           proof::aged(word, latency - 1, 0, word.bits));
  }
  return {
      fmt::format("module gold({}, output reg [{}:0] q);\n"
                  "  initial q = 0;\n{}{}{}"
                  "  always @(posedge clk) if (en && valid[{}]) q <= result;\nendmodule\n",
                  ports, result_bits - 1, proof::valid_bits(latency), history, due, latency - 2),
      latency,
      true,
      {}};
}

}  // namespace

Definition reference(const Plan& promised) {
  const Request& r = promised.request;
  const auto& s = promised.slice.request;
  std::vector<proof::Word> in{{"acc", promised.accumulator_bits}};
  if (!r.scale) in.push_back({"scale", static_cast<std::uint64_t>(s.limits.narrow_bits)});
  if (r.bias_bits) in.push_back({"bias", static_cast<std::uint64_t>(*r.bias_bits)});
  if (r.zero_point_bits)
    in.push_back({"zero_point", static_cast<std::uint64_t>(*r.zero_point_bits)});
  const std::string due = fmt::format(
      "  wire signed [63:0] exact = ($signed(acc_then){}) * {};\n{}"
      "  wire signed [63:0] shifted = nearest + {};\n"
      "  wire signed [63:0] low = {}, high = {};\n"
      "  wire [{}:0] result = shifted < low ? low : shifted > high ? high : shifted;\n",
      r.bias_bits ? " + $signed(bias_then)" : "",
      r.scale ? proof::constant(promised.scale->scale) : "$signed(scale_then)",
      rounded(s.shift, r.rounding),
      r.zero_point_bits ? "$signed(zero_point_then)" : proof::constant(r.zero_point),
      proof::constant(static_cast<std::int64_t>(s.clamp.lo)),
      proof::constant(static_cast<std::int64_t>(s.clamp.hi)), r.result_bits - 1);
  return gold(in, promised.slice.latency, r.result_bits, due);
}

Definition reference(const ChannelPlan& promised) {
  const int bits = promised.request.result.bits;
  if (promised.request.accumulators !=
      arith::signed_range(static_cast<int>(promised.accumulator_bits)))
    return Definition::none(
        "accumulators outside of their range mean nothing: with accumulator_bits it has one");
  std::vector<proof::Word> in{{"acc", promised.accumulator_bits}};
  if (promised.channel_bits > 0) in.push_back({"channel", promised.channel_bits});
  // The result of a channel: its lowest result, plus one for every threshold passed.
  std::string due = "  wire signed [63:0] a = $signed(acc_then);\n";
  std::string chosen = fmt::format("q_0[{}:0]", bits - 1);
  for (std::size_t c = 0; c < promised.steps.size(); ++c) {
    const auto& steps = promised.steps[c];
    due += fmt::format("  wire signed [63:0] q_{} = {}", c, proof::constant(steps.first));
    for (const std::int64_t at : steps.begins)
      due += fmt::format(" + $signed({{1'b0, a >= {}}})", proof::constant(at));
    due += ";\n";
    if (c > 0)
      chosen = fmt::format("channel_then == {0} ? q_{0}[{1}:0] : {2}", c, bits - 1, chosen);
  }
  due += fmt::format("  wire [{}:0] result = {};\n", bits - 1, chosen);
  return gold(in, promised.latency, bits, due);
}

}  // namespace kumiki::gen::requant
