// SPDX-License-Identifier: Apache-2.0
#include "gen/dot/plan.h"

#include <fmt/format.h>

#include "ir/error.h"

namespace kumiki::gen::dot {

const char* name(Scheme) { return "wp487-int8"; }
const char* name(Sharing sharing) { return sharing == Sharing::weight ? "weight" : "input"; }
const char* name(Skew skew) { return skew == Skew::internal ? "internal" : "external"; }

std::uint32_t term_limit(std::uint32_t operand_bits, std::uint32_t shift) {
  // The largest product of a lane is (-2^(bits-1))^2; the lane holds up to 2^(G-1) - 1.
  return ((1u << (shift - 1)) - 1) >> (2 * (operand_bits - 1));
}

namespace {

// X and Y take the product, Z nothing or the slice below (UG579, table of OPMODE).
constexpr std::uint16_t product = 0b000'00'01'01;
constexpr std::uint16_t product_plus_pcin = 0b00'001'01'01;

std::vector<Proof> prove(const DotPlan& p) {
  auto n = std::int64_t{p.request.terms};
  auto m = std::int64_t{1} << (p.operand_bits - 1);
  auto signed_range = [](unsigned bits) { return std::int64_t{1} << (bits - 1); };
  auto word = std::int64_t{1} << p.shift;
  std::int64_t product_low = -m * (m - 1), product_high = m * m;
  return {
      {"packed operand a*2^G + d on 27 bits", -m * word - m, (m - 1) * word + (m - 1),
       -signed_range(27), signed_range(27) - 1},
      {"low lane sum d*b on G bits", n * product_low, n * product_high, -signed_range(p.shift),
       signed_range(p.shift) - 1},
      {"high lane sum a*b on its result bits", n * product_low, n * product_high,
       -signed_range(p.result_bits), signed_range(p.result_bits) - 1},
      {"word H*2^G + L on 48 bits", n * product_low * word + n * product_low,
       n * product_high * word + n * product_high, -signed_range(48), signed_range(48) - 1},
  };
}

}  // namespace

std::vector<Proof> prove(const Request& request) { return prove(DotPlan{.request = request}); }

DotPlan plan(const Request& request) {
  DotPlan p{.request = request};
  p.slices = request.terms;
  p.opmode_first = product;
  p.opmode_next = product_plus_pcin;
  for (std::uint32_t i = 0; i < request.terms; ++i)
    p.operand_delay.push_back(request.skew == Skew::internal ? i : 0);
  // Through the first slice, one clock a further slice, one for the increment behind the last.
  p.latency = p.slice_latency + (request.terms - 1) + 1;
  p.proofs = prove(p);
  if (request.terms == 0) throw DesignError("a dot product of 0 terms: at least 1 is legal");
  for (const Proof& proof : p.proofs)
    if (!proof.holds())
      throw DesignError(
          fmt::format("{} terms of {} do not fit: {} can be {} to {}, legal is {} to {}; at most "
                      "{} terms are legal",
                      request.terms, name(request.scheme), proof.what, proof.low, proof.high,
                      proof.legal_low, proof.legal_high, term_limit(p.operand_bits, p.shift)));
  return p;
}

std::string DotPlan::module_name() const {
  return fmt::format("dot{0}x{0}_n{1}_g{2}{3}", operand_bits, request.terms, shift,
                     request.skew == Skew::external ? "_skewed" : "");
}

DotIn<Hardware> DotPlan::input_shape() const {
  auto operands = [&] { return std::vector(request.terms, SInt::shape(operand_bits)); };
  return {.rst = {}, .en = {}, .in_valid = {}, .a = operands(), .d = operands(), .b = operands()};
}

DotOut<Hardware> DotPlan::output_shape() const {
  return {.out_valid = {}, .ab = SInt::shape(result_bits), .db = SInt::shape(result_bits)};
}

std::string to_text(const DotPlan& p) {
  const char* roles = p.request.sharing == Sharing::weight
                          ? "b is a weight shared by the pixels a and d of one map"
                          : "b is a pixel shared by the weights a and d of two maps";
  std::string text = fmt::format(
      "scheme       {} ({} sharing: {})\n"
      "word         P = (sum a*b) * 2^{} + sum d*b, {} terms in {} slices, 2 MAC a slice\n"
      "results      db = P[{}:0], ab = P[{}:{}] + P[{}]\n"
      "latency      {} clocks, one result a clock, skew {}\n",
      name(p.request.scheme), name(p.request.sharing), roles, p.shift, p.request.terms, p.slices,
      p.shift - 1, p.shift + p.result_bits - 1, p.shift, p.shift - 1, p.latency,
      name(p.request.skew));
  for (const Proof& proof : p.proofs)
    text += fmt::format("proved       {}: [{}, {}] within [{}, {}]\n", proof.what, proof.low,
                        proof.high, proof.legal_low, proof.legal_high);
  return text;
}

Json to_json(const DotPlan& p) {
  Json proofs = Json::array();
  for (const Proof& proof : p.proofs)
    proofs.push_back({{"what", proof.what},
                      {"value", {proof.low, proof.high}},
                      {"legal", {proof.legal_low, proof.legal_high}},
                      {"holds", proof.holds()}});
  return {{"scheme", name(p.request.scheme)}, {"sharing", name(p.request.sharing)},
          {"skew", name(p.request.skew)},     {"terms", p.request.terms},
          {"operand_bits", p.operand_bits},   {"shift", p.shift},
          {"result_bits", p.result_bits},     {"slices", p.slices},
          {"macs", 2 * p.request.terms},      {"latency", p.latency},
          {"results_per_cycle", 1},           {"proofs", proofs}};
}

}  // namespace kumiki::gen::dot
