// SPDX-License-Identifier: Apache-2.0
#include "gen/layer/reference.h"

#include <fmt/format.h>

#include <bit>

namespace kumiki::gen::proof {

std::string history(const Word& word, unsigned ages) {
  return fmt::format(
      "  reg [{0}:0] {1}_past = 0;\n"
      "  always @(posedge clk) if (en) {1}_past <= {{{1}_past, {1}}};\n",
      word.bits * ages - 1, word.name);
}

std::string valid_bits(unsigned latency) {
  return fmt::format(
      "  reg [{0}:0] valid = 0;\n"
      "  always @(posedge clk) if (rst) valid <= 0; else if (en) valid <= {{valid, in_valid}};\n"
      "  assign out_valid = valid[{0}];\n",
      latency - 1);
}

Reference reference(const Function& f) {
  const bool pipelined = f.latency > 0;
  std::string ports, body;
  if (pipelined) {
    ports = "input clk, input rst, input en, input in_valid, output out_valid";
    body += valid_bits(f.latency);
  }
  for (const Word& word : f.in) {
    ports += fmt::format("{}input [{}:0] {}", ports.empty() ? "" : ", ", word.bits - 1, word.name);
    if (pipelined) body += history(word, f.latency);
    body += fmt::format("  wire [{}:0] {}_due = {};\n", word.bits - 1, word.name,
                        pipelined ? aged(word, f.latency, 0, word.bits) : word.name);
  }
  ports += fmt::format(", output [{}:0] {}", f.out.bits - 1, f.out.name);
  Reference r{
      fmt::format("module gold({});\n{}{}endmodule\n", ports, body, f.body), f.latency, true, {}};
  r.sum_ports = f.sum_ports;
  r.sum_words = f.sum_words;
  if (pipelined) r.while_one = {{f.out.name, "out_valid"}};
  return r;
}

std::string aged(const Word& word, unsigned age, std::uint64_t low, std::uint64_t bits) {
  return fmt::format("{}_past[{} +: {}]", word.name, word.bits * (age - 1) + low, bits);
}

std::string number(const std::string& bits, bool is_signed) {
  return is_signed ? fmt::format("$signed({})", bits) : fmt::format("$signed({{1'b0, {}}})", bits);
}

// Uses as few bits as possible, because Verilog computes with the width of the widest number.
std::string constant(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
  const unsigned bits = static_cast<unsigned>(std::bit_width(magnitude)) + 1;
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return fmt::format("{}'sh{:x}", bits, static_cast<std::uint64_t>(value) & all);
}

}  // namespace kumiki::gen::proof
