// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::dot {
namespace {

using proof::Word;

// The operands of a set among the delayed inputs, in the clock in which its results are due.
class Operands {
 public:
  explicit Operands(const DotPlan& p)
      : packed_(p.packing.packed),
        shared_(p.packing.shared),
        slots_(p.slots()),
        words_(p.packing.words),
        terms_per_round_(p.packing.terms_per_round),
        cycles_(p.packing.cycles()),
        latency_(p.latency()),
        late_(p.lateness()) {}

  std::string operator()(bool packed, std::int64_t which, std::int64_t term) const {
    const auto& format = packed ? packed_ : shared_;
    if (format.known())
      return proof::constant(
          format.values[static_cast<std::size_t>(which)][static_cast<std::size_t>(term)]);
    const std::int64_t cycle = term / terms_per_round_ * words_ + term % terms_per_round_ / slots_,
                       slot = term % terms_per_round_ % slots_;
    const auto age = latency_ + static_cast<unsigned>(cycles_ - 1 - cycle) -
                     late_[static_cast<std::size_t>(slot)];
    const auto bits = static_cast<std::uint64_t>(format.bits);
    const Word& port = packed ? x : y;
    return proof::number(
        proof::aged(port, age, static_cast<std::uint64_t>(which * slots_ + slot) * bits, bits),
        format.is_signed);
  }

  Word x{"x", 0}, y{"y", 0};

 private:
  packing::OperandFormat packed_, shared_;
  std::int64_t slots_, words_, terms_per_round_, cycles_;
  unsigned latency_;
  std::vector<std::uint32_t> late_;
};

std::string sum(const packing::Result& r, const Operands& operand, std::int64_t terms) {
  std::string text = "0";
  for (std::int64_t t = 0; t < terms; ++t)
    text += fmt::format(" + {} * {}", operand(true, r.packed, t), operand(false, r.shared, t));
  // The consumer adds the offset, so the result does not include it.
  if (r.offset != 0)
    text += fmt::format(" - {}", proof::constant(static_cast<std::int64_t>(r.offset)));
  for (const auto& left : r.left)
    for (std::int64_t t = 0; t < terms; ++t)
      text +=
          fmt::format(" - {} * {}", proof::constant(left.coefficient),
                      operand(left.operand.side == packing::Side::Packed, left.operand.index, t));
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
