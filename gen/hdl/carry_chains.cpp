// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/carry_chains.h"

#include <algorithm>
#include <array>
#include <optional>

#include "gen/hdl/cells.h"

namespace kumiki::gen {
namespace {

constexpr std::uint32_t block = 8, half = 4;
constexpr std::uint64_t dual_cy4 = 1;  // CARRY_TYPE
// Positions of two chains in one column: 13 of the 60 CLBs of a clock region's height.
constexpr std::size_t most_together = 104;

// Whether a chain that begins at the bottom of a block ends in the lower half of one.
bool has_room(const CarryIn& c) {
  const std::size_t rest = c.propagate.size() % block;
  return rest > 0 && rest <= half;
}

// For every chain: the chain that begins in the upper half of its last block. The shortest chains
// are placed on the longest ones, so that no column is much taller than its longest chain.
std::vector<std::optional<std::size_t>> guests(std::span<const CarryIn> chains) {
  std::vector<std::size_t> by_length;
  for (std::size_t i = 0; i < chains.size(); ++i)
    if (has_room(chains[i])) by_length.push_back(i);
  const auto length = [&](std::size_t i) { return chains[i].propagate.size(); };
  std::ranges::stable_sort(by_length, std::ranges::greater{}, length);
  std::vector<std::optional<std::size_t>> guest(chains.size());
  for (std::size_t low = 0, high = by_length.size(); low + 1 < high; ++low)
    if (length(by_length[low]) + length(by_length[high - 1]) <= most_together)
      guest[by_length[low]] = by_length[--high];
  return guest;
}

// Adds a chain, and another one that begins above its end. Carries go up from block to block.
class Column {
 public:
  Column(Scope& s, const CarryIn& low, const CarryIn& high, SourceLocation here)
      : s_(s), here_(here) {
    Part lower(s, low), upper(s, high);
    while (lower.left() > half) add({&lower, nullptr});
    add({&lower, &upper});
    while (upper.left() > 0) add({&upper, nullptr});
    out = {lower.out(s.at(here)), upper.out(s.at(here))};
  }
  std::vector<CarryOut> out;

 private:
  // The part of a chain that has no positions yet.
  class Part {
   public:
    Part(Scope& s, const CarryIn& chain)
        : chain_(chain), carry_(chain.carry), sum_(s.builder().allocate(width())) {}
    std::uint32_t width() const { return static_cast<std::uint32_t>(chain_.propagate.size()); }
    std::uint32_t left() const { return width() - done_; }
    CarryOut out(PlaceId at) const { return {UInt(sum_, width(), at), carry_}; }

    void put(std::span<Net> pins, std::uint32_t at, std::uint32_t n) const {
      pins[at / half] = carry_;
      for (std::uint32_t i = 0; i < n; ++i) {
        pins[2 + at + i] = chain_.di[done_ + i];
        pins[2 + block + at + i] = chain_.propagate[done_ + i];
      }
    }
    // From the outputs of a CARRY8: CO, then O.
    void take(Net first, std::uint32_t at, std::uint32_t n) {
      const auto from = first.index + at;
      for (std::uint32_t i = 0; i < n; ++i) sum_[done_ + i] = Net{from + block + i};
      carry_ = Net{from + n - 1};
      done_ += n;
    }

   private:
    const CarryIn& chain_;
    Net carry_;
    Net* sum_;
    std::uint32_t done_ = 0;
  };

  // A block, of one chain or of two.
  void add(std::array<Part*, 2> parts) {
    std::array<Net, 2 + 2 * block> pins;
    pins.fill(ir::net_zero);
    const bool is_dual = parts[1] != nullptr;
    std::array<std::uint32_t, 2> n{};
    for (std::uint32_t i = 0; i < 2; ++i)
      if (parts[i]) {
        n[i] = std::min(parts[i]->left(), is_dual ? half : block);
        parts[i]->put(pins, i * half, n[i]);
      }
    const std::array<std::uint64_t, 1> params{is_dual ? dual_cy4 : 0};
    const Net first = s_.cell(ir::Kind::carry8, 1, pins, params, s_.at(here_));
    for (std::uint32_t i = 0; i < 2; ++i)
      if (parts[i]) parts[i]->take(first, i * half, n[i]);
  }

  Scope& s_;
  SourceLocation here_;
};

}  // namespace

CarryPosition net_and_function(Scope& s, Net net, const Table& function, std::span<const Net> in,
                               SourceLocation here) {
  constexpr unsigned most = 5, half_table = 1u << most;
  Table t{.inputs = most + 1};
  for (unsigned index = 0; index < half_table; ++index) {
    const bool bit = function.at(index & ((1u << in.size()) - 1));
    t.bits |= std::uint64_t{bit} << index | std::uint64_t{!bit} << (half_table + index);
  }
  std::vector<Net> nets(in.begin(), in.end());
  nets.resize(most, ir::net_zero);
  nets.push_back(net);
  const auto out = Lut6_2{.init = t, .in = nets}.add_to(s, here);
  return {out.o6, out.o5};
}

std::vector<CarryOut> carry_chains(Scope& s, std::span<const CarryIn> chains, SourceLocation here) {
  std::vector<std::optional<std::size_t>> guest(chains.size());
  if (s.family() != ir::Family::series7) guest = guests(chains);
  std::vector<std::optional<CarryOut>> out(chains.size());
  for (std::size_t i = 0; i < chains.size(); ++i)
    if (guest[i]) {
      const Column both(s, chains[i], chains[*guest[i]], here);
      out[i] = both.out[0];
      out[*guest[i]] = both.out[1];
    }
  std::vector<CarryOut> all;
  for (std::size_t i = 0; i < chains.size(); ++i)
    all.push_back(out[i] ? *out[i]
                         : carry_chain(s, s.word(chains[i].propagate, s.at(here)),
                                       s.word(chains[i].di, s.at(here)), chains[i].carry, here));
  return all;
}

}  // namespace kumiki::gen
