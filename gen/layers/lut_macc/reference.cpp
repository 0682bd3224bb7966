// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/lut_macc/reference.h"

#include <fmt/format.h>

namespace kumiki::gen::lut_macc {

proof::Reference reference(const Plan& promised) {
  const Request& r = promised.request;
  const auto n = static_cast<std::uint64_t>(r.terms);
  const auto a_bits = static_cast<std::uint64_t>(r.a.bits),
             b_bits = static_cast<std::uint64_t>(r.b.bits);
  const proof::Word a{"a", n * a_bits}, b{"b", n * b_bits},
      out{"sum", static_cast<std::uint64_t>(promised.sum_bits)};
  std::string sum = "0";
  for (int i = 0; i < r.terms; ++i) {
    const auto age = static_cast<unsigned>(promised.latency() - promised.lateness(i));
    const auto at = static_cast<std::uint64_t>(i);
    sum += fmt::format(" + {} * {}",
                       proof::number(proof::aged(a, age, at * a_bits, a_bits), r.a.is_signed),
                       proof::number(proof::aged(b, age, at * b_bits, b_bits), r.b.is_signed));
  }
  return proof::reference({.in = {a, b},
                           .out = out,
                           .latency = static_cast<unsigned>(promised.latency()),
                           .body = fmt::format("  wire signed [{}:0] total = {};\n"
                                               "  assign sum = total;\n",
                                               out.bits - 1, sum)});
}

}  // namespace kumiki::gen::lut_macc
