// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/lut_pairs.h"

#include <algorithm>
#include <optional>

#include "gen/hdl/lut.h"

namespace kumiki::gen::detail {
namespace {

constexpr std::size_t most_shared = 5;
// Bits that share nets stand near each other.
constexpr std::size_t reach = 16;

bool is_same(const Cone& a, const Cone& b) {
  return a.table.bits == b.table.bits && std::ranges::equal(a.inputs(), b.inputs());
}

std::vector<Net> inputs_of_both(const Cone& a, const Cone& b) {
  std::vector<Net> nets(a.inputs().begin(), a.inputs().end());
  for (const Net n : b.inputs())
    if (std::ranges::find(nets, n) == nets.end()) nets.push_back(n);
  return nets;
}

// O6 in the upper half of the INIT.
std::uint64_t table_of_both(std::span<const Net> nets, const Cone& o5, const Cone& o6) {
  const auto at = [&](const Cone& c, unsigned index) {
    unsigned own = 0;
    for (unsigned i = 0; i < c.table.inputs; ++i)
      own |= (index >> (std::ranges::find(nets, c.in[i]) - nets.begin()) & 1) << i;
    return std::uint64_t{c.table.at(own)};
  };
  std::uint64_t both = 0;
  for (unsigned index = 0; index < 1u << most_shared; ++index)
    both |= at(o5, index) << index | at(o6, index) << (32 + index);
  return both;
}

class Pairs {
 public:
  Pairs(Scope& s, std::vector<Cone> bits, PlaceId at)
      : s_(s), bits_(std::move(bits)), nets_(bits_.size()), at_(at) {}

  // Begins at the top, because the upper bits of a sum depend on more nets.
  UInt all() {
    for (std::size_t i = bits_.size(); i-- > 0;)
      if (!nets_[i]) make(i);
    Net* out = s_.builder().allocate(static_cast<std::uint32_t>(nets_.size()));
    std::ranges::transform(nets_, out, [](const std::optional<Net>& n) { return *n; });
    return {out, static_cast<std::uint32_t>(nets_.size()), at_};
  }

 private:
  bool is_lut(std::size_t i) const { return !bits_[i].is_constant() && !bits_[i].is_wire(); }

  void make(std::size_t i) {
    if (!is_lut(i)) return set(i, bits_[i].net());
    for (std::size_t other = i; other-- > i - std::min(i, reach);) {
      if (nets_[other] || !is_lut(other) || is_same(bits_[other], bits_[i])) continue;
      std::vector<Net> nets = inputs_of_both(bits_[other], bits_[i]);
      if (nets.size() > most_shared) continue;
      const std::uint64_t init = table_of_both(nets, bits_[other], bits_[i]);
      nets.resize(most_shared, ir::net_zero);
      nets.push_back(ir::net_one);
      const Net o6 = s_.cell(ir::Kind::lut6_2, 1, nets, std::span(&init, 1), at_);
      set(i, o6);
      return set(other, Net{o6.index + 1});
    }
    set(i, lut_net(s_, bits_[i].table, bits_[i].inputs(), at_));
  }
  void set(std::size_t i, Net net) {
    for (std::size_t k = i - std::min(i, reach); k < std::min(bits_.size(), i + reach); ++k)
      if (is_same(bits_[k], bits_[i])) nets_[k] = net;
  }

  Scope& s_;
  std::vector<Cone> bits_;
  std::vector<std::optional<Net>> nets_;
  PlaceId at_;
};

}  // namespace

UInt lut_pairs(Scope& s, std::vector<Cone> bits, PlaceId at) {
  return Pairs(s, std::move(bits), at).all();
}

}  // namespace kumiki::gen::detail
