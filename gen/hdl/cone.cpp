// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/cone.h"

#include <algorithm>

namespace kumiki::gen::detail {

std::uint64_t full_mask(unsigned inputs) {
  return inputs == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1u << inputs)) - 1;
}

ir::Kind lut_kind(unsigned inputs) {
  return static_cast<ir::Kind>(static_cast<unsigned>(ir::Kind::lut1) + inputs - 1);
}

// A cheap test for the common case: distinct nets, and every input matters.
bool is_folded(const Table& t, std::span<const Net> in) {
  constexpr std::uint64_t low[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                    0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  for (unsigned i = 0; i < t.inputs; ++i) {
    if (in[i].is_constant() || ((t.bits >> (1u << i) ^ t.bits) & low[i] & full_mask(t.inputs)) == 0)
      return false;
    for (unsigned j = 0; j < i; ++j)
      if (in[i] == in[j]) return false;
  }
  return true;
}

Cone folded(const Table& t, std::span<const Net> in) {
  Cone f;
  if (is_folded(t, in)) {
    f.table = t;
    std::copy_n(in.begin(), t.inputs, f.in.begin());
    return f;
  }
  std::array<int, 6> source{};  // input -> position among the distinct nets, or -1 - constant
  for (unsigned i = 0; i < t.inputs; ++i) {
    if (in[i].is_constant()) {
      source[i] = -1 - static_cast<int>(in[i].index);
      continue;
    }
    auto end = f.in.begin() + f.table.inputs;
    auto at = std::find(f.in.begin(), end, in[i]);
    source[i] = static_cast<int>(at - f.in.begin());
    if (at == end) f.in[f.table.inputs++] = in[i];
  }
  for (unsigned index = 0; index < 1u << f.table.inputs; ++index) {
    unsigned original = 0;
    for (unsigned i = 0; i < t.inputs; ++i) {
      bool bit = source[i] < 0 ? -1 - source[i] == 1 : (index >> source[i] & 1);
      original |= unsigned{bit} << i;
    }
    f.table.bits |= std::uint64_t{t.at(original)} << index;
  }
  // Removes inputs that no longer matter.
  for (unsigned i = f.table.inputs; i-- > 0;) {
    std::uint64_t without = 0;
    bool matters = false;
    for (unsigned index = 0, low = 0; index < 1u << f.table.inputs; ++index) {
      if (index >> i & 1) continue;
      matters |= f.table.at(index) != f.table.at(index | 1u << i);
      without |= std::uint64_t{f.table.at(index)} << low++;
    }
    if (matters) continue;
    std::copy(f.in.begin() + i + 1, f.in.begin() + f.table.inputs, f.in.begin() + i);
    f.table = {without, f.table.inputs - 1, false};
  }
  return f;
}

Cone cone_of(Net net) {
  if (net.is_constant()) return {.table = {.bits = net == ir::net_one, .inputs = 0}};
  return {.table = {.bits = 0b10, .inputs = 1}, .in = {net}};
}

Cone inverse(Cone cone) {
  cone.table.bits ^= full_mask(cone.table.inputs);
  return cone;
}

std::optional<Cone> composed(const Table& gate, std::span<const Cone> operands) {
  Cone c;
  unsigned& count = c.table.inputs;
  std::array<std::array<unsigned, 6>, 6> position{};
  for (std::size_t k = 0; k < operands.size(); ++k)
    for (unsigned i = 0; i < operands[k].table.inputs; ++i) {
      const auto end = c.in.begin() + count;
      const auto at = std::find(c.in.begin(), end, operands[k].in[i]);
      if (at == end && count == 6) return {};
      position[k][i] = static_cast<unsigned>(at - c.in.begin());
      if (at == end) c.in[count++] = operands[k].in[i];
    }
  for (unsigned index = 0; index < 1u << count; ++index) {
    unsigned chosen = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      unsigned own = 0;
      for (unsigned i = 0; i < operands[k].table.inputs; ++i)
        own |= (index >> position[k][i] & 1) << i;
      chosen |= unsigned{operands[k].table.at(own)} << k;
    }
    c.table.bits |= std::uint64_t{gate.at(chosen)} << index;
  }
  return folded(c.table, c.inputs());
}

}  // namespace kumiki::gen::detail
