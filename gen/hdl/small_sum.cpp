// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/small_sum.h"

#include <algorithm>
#include <vector>

#include "gen/hdl/lut_pairs.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen::detail {
namespace {

constexpr std::size_t most_nets = 6;

std::vector<Cone> cones_of(std::span<const Net> nets, const Word& a, const Word& b, Net carry_in,
                           bool subtract) {
  const auto value = [&](unsigned index, Net n) -> unsigned {
    if (n.is_constant()) return n == ir::net_one;
    return index >> (std::ranges::find(nets, n) - nets.begin()) & 1;
  };
  std::vector<Table> bits(a.width(), {.inputs = static_cast<unsigned>(nets.size())});
  for (unsigned index = 0; index < 1u << nets.size(); ++index) {
    unsigned carry = value(index, carry_in);
    for (std::uint32_t i = 0; i < a.width(); ++i) {
      const unsigned sum = value(index, a[i]) + (value(index, b[i]) ^ unsigned{subtract}) + carry;
      bits[i].bits |= std::uint64_t{sum & 1} << index;
      carry = sum / 2;
    }
  }
  std::vector<Cone> cones;
  for (const Table& t : bits) cones.push_back(folded(t, nets));
  return cones;
}

}  // namespace

std::optional<UInt> small_sum(Scope& s, const Word& a, const Word& b, Net carry_in, bool subtract,
                              SourceLocation here) {
  std::vector<Net> nets;
  const auto see = [&](Net n) {
    if (!n.is_constant() && std::ranges::find(nets, n) == nets.end()) nets.push_back(n);
  };
  see(carry_in);
  for (std::uint32_t i = 0; i < a.width() && nets.size() <= most_nets; ++i) see(a[i]), see(b[i]);
  if (nets.size() > most_nets) return std::nullopt;
  return lut_pairs(s, cones_of(nets, a, b, carry_in, subtract), s.at(here));
}

}  // namespace kumiki::gen::detail
