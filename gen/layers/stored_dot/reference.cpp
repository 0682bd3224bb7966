// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/stored_dot/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::stored_dot {
namespace {

using proof::Word;

// Widths and delays that the ports promise.
class Promise {
 public:
  explicit Promise(const StoredPlan& promised)
      : plan(promised),
        operand_bits(static_cast<std::uint64_t>(plan.request.data_bits)),
        weight_bits(static_cast<std::uint64_t>(plan.request.weight_bits)),
        x{"x", number(plan.slices()) * operand_bits},
        d{"d", x.bits},
        used{"used", number(plan.slices()) * weight_bits},
        load_bits(number(plan.columns() * plan.request.chains) * weight_bits),
        loads(number(plan.store.load_cycles)) {}

  // Selects the weight of a slice from the words of a complete load.
  std::string loaded(int slice) const {
    const auto& r = plan.store.request;
    const int term = slice % plan.request.terms;
    const bool shifts = r.kind == packing::StoreKind::ShiftChain;
    const int column =
        slice / plan.request.terms * plan.columns() + (shifts ? term / r.limits.column_height : 0);
    const int place = shifts ? plan.store.place_in_column(term) : term;
    std::uint64_t word = 0;
    while (plan.store.order[word] != place) ++word;
    return fmt::format("load[{} +: {}]",
                       (loads - 1 - word) * load_bits + number(column) * weight_bits, weight_bits);
  }

  // A term of a result that is due: the data of its slice's clock. The weight below is the one in
  // use when the set began.
  std::string data(int slice, int result) const {
    const auto age =
        static_cast<unsigned>(plan.latency() - plan.store.skew(slice % plan.request.terms));
    const auto operand = [&](const Word& port) {
      return proof::number(proof::aged(port, age, number(slice) * operand_bits, operand_bits),
                           true);
    };
    if (plan.request.operation == Operation::pair) return operand(result == 0 ? x : d);
    return plan.preadder() ? operand(x) + " + " + operand(d) : operand(x);
  }
  std::string weight(int slice) const {
    return proof::number(proof::aged(used, static_cast<unsigned>(plan.latency()),
                                     number(slice) * weight_bits, weight_bits),
                         true);
  }

  static std::uint64_t number(int n) { return static_cast<std::uint64_t>(n); }

  StoredPlan plan;
  std::uint64_t operand_bits, weight_bits;
  Word x, d, used;
  std::uint64_t load_bits, loads;
};

// Words shift in, the youngest lowest, until a load is complete; a swap makes it the weights in
// use. Some stores take no word for `wait` clocks after a swap.
std::string store(const Promise& p) {
  const int wait = p.plan.store.wait();
  const auto pause = wait > 0 ? wait - 1 : 0;
  std::string fresh;
  for (int i = p.plan.slices(); i-- > 0;) fresh += (fresh.empty() ? "" : ", ") + p.loaded(i);
  return fmt::format(
      "  reg [31:0] count = 0, pause = {0};\n"
      "  reg [{1}:0] load = 0;\n"
      "  reg [{2}:0] in_use = 0;\n"
      "  assign full = count == {3};\n"
      "  wire swaps = full && swap;\n"
      "  assign weight_ready = {4};\n"
      "  wire takes = weight_ready && weight_valid;\n"
      "  wire [31:0] at = swaps ? 0 : count;\n"
      "  wire [{2}:0] used = swaps ? {{{5}}} : in_use;\n"
      "  always @(posedge clk) begin\n"
      "    if (en) in_use <= used;\n"
      "    if (en && takes) load <= {{load, weights}};\n"
      "    if (rst) begin count <= 0; pause <= {0}; end\n"
      "    else if (en) begin\n"
      "      count <= at + takes;\n"
      "      pause <= swaps ? {0} : pause == 0 ? 0 : pause - 1;\n"
      "    end\n"
      "  end\n",
      pause, p.loads * p.load_bits - 1, p.used.bits - 1, p.loads,
      wait == 0 ? "!full || swaps" : "!full && pause == 0", fresh);
}

// Factors are extended to the width of the sum: modulo that width, signs do not matter.
std::string results(const Promise& p) {
  const StoredPlan& plan = p.plan;
  const int bits = arith::signed_bits(plan.sum), terms = plan.request.terms;
  std::string text;
  for (int chain = 0; chain < plan.request.chains; ++chain)
    for (int result = 0; result < plan.results(); ++result) {
      const int which = chain * plan.results() + result;
      std::string sum;
      for (int i = 0; i < terms; ++i) {
        const int slice = chain * terms + i;
        text += fmt::format("  wire [{0}:0] data{1}_{2} = {3}, weight{1}_{2} = {4};\n", bits - 1,
                            which, i, p.data(slice, result), p.weight(slice));
        sum += fmt::format("{0}data{1}_{2} * weight{1}_{2}", i ? " + " : "", which, i);
      }
      text += fmt::format("  assign p[{} +: {}] = {};\n", which * bits, bits, sum);
    }
  return text;
}

}  // namespace

proof::Reference reference(const StoredPlan& plan) {
  const Request& request = plan.request;
  const Promise p(plan);
  const auto latency = static_cast<unsigned>(p.plan.latency());
  std::string ports = fmt::format(
      "input clk, input rst, input en, input in_valid, input weight_valid, input swap, "
      "input [{}:0] weights, input [{}:0] x, ",
      p.load_bits - 1, p.x.bits - 1);
  std::string body = store(p) + proof::valid_bits(latency) + proof::history(p.x, latency) +
                     proof::history(p.used, latency);
  if (p.plan.preadder()) {
    ports += fmt::format("input [{}:0] d, ", p.d.bits - 1);
    body += proof::history(p.d, latency);
  }
  const int bits = arith::signed_bits(p.plan.sum) * request.chains * p.plan.results();
  return {fmt::format("module gold({}output weight_ready, output full, output out_valid, "
                      "output [{}:0] p);\n{}{}endmodule\n",
                      ports, bits - 1, body, results(p)),
          latency + static_cast<unsigned>(p.plan.store.load_cycles),
          false,
          {{"p", "out_valid"}}};
}

}  // namespace kumiki::gen::stored_dot
