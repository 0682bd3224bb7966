// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::dot {
namespace {

using packing::Side;
using proof::Word;

// The operands of a set among the delayed inputs, in the clock in which its results are due.
class Operands {
 public:
  explicit Operands(const DotPlan& p) : plan_(p), place_(p) {}

  std::string operator()(packing::Side side, std::int64_t which, std::int64_t term) const {
    const bool packed = side == packing::Side::Packed;
    const auto& format = packed ? plan_.packing.packed : plan_.packing.shared;
    if (format.known()) return proof::constant(format.values[which][term]);
    const auto bits = static_cast<std::uint64_t>(format.bits);
    return proof::number(proof::aged(packed ? x : y, static_cast<unsigned>(place_.age(term)),
                                     place_.element(which, term) * bits, bits),
                         format.is_signed);
  }

  Word x{"x", 0}, y{"y", 0};

 private:
  const DotPlan& plan_;
  Terms place_;
};

std::string sum(const packing::Result& r, const Operands& operand, std::int64_t terms) {
  std::string text = "0";
  for (std::int64_t t = 0; t < terms; ++t)
    text += fmt::format(" + {} * {}", operand(Side::Packed, r.packed, t),
                        operand(Side::Shared, r.shared, t));
  // The consumer adds the offset, so the result does not include it.
  if (r.offset != 0)
    text += fmt::format(" - {}", proof::constant(static_cast<std::int64_t>(r.offset)));
  for (const auto& left : r.left)
    for (std::int64_t t = 0; t < terms; ++t)
      text += fmt::format(" - {} * {}", proof::constant(left.coefficient),
                          operand(left.operand.side, left.operand.index, t));
  return text;
}

// A set begins with in_valid, takes `cycles` enabled clocks and is done `latency` after the last.
std::string valid(std::int64_t cycles, unsigned latency) {
  return fmt::format(
      "  reg [31:0] cycle = 0;\n"
      "  wire active = in_valid || cycle != 0;\n"
      "  wire last = active && cycle == {0};\n"
      "  reg [{1}:0] valid = 0;\n"
      "  always @(posedge clk)\n"
      "    if (rst) begin cycle <= 0; valid <= 0; end\n"
      "    else if (en) begin\n"
      "      cycle <= !active || last ? 0 : cycle + 1;\n"
      "      valid <= {{valid, last}};\n"
      "    end\n"
      "  assign out_valid = valid[{1}];\n",
      cycles - 1, latency - 1);
}

}  // namespace

proof::Reference reference(const DotPlan& p) {
  const auto& k = p.packing;
  Operands operand(p);
  const auto ages = p.latency() + static_cast<unsigned>(k.cycles()) - 1;
  std::string ports = "input clk, input rst, input en, input in_valid, output out_valid", body;
  for (auto [port, format, count] : {std::tuple{&operand.x, &k.packed, k.packed_count},
                                     std::tuple{&operand.y, &k.shared, p.shared_count()}}) {
    if (format->known()) continue;
    port->bits = static_cast<std::uint64_t>(p.slots() * count * format->bits);
    ports += fmt::format(", input [{}:0] {}", port->bits - 1, port->name);
    body += proof::history(*port, ages);
  }
  body += k.cycles() == 1 ? proof::valid_bits(p.latency()) : valid(k.cycles(), p.latency());
  int low = 0;
  for (const auto& r : p.results()) {
    body += fmt::format(
        "  wire signed [{0}:0] result{1} = {2};\n  assign sum[{1} +: {3}] = result{1};\n",
        r.bits - 1, low, sum(r, operand, k.terms), r.bits);
    low += r.bits;
  }
  return {fmt::format("module gold({}, output [{}:0] sum);\n{}endmodule\n", ports, low - 1, body),
          ages,
          k.cycles() == 1,
          {{"sum", "out_valid"}}};
}

}  // namespace kumiki::gen::dot
