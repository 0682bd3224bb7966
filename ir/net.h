// SPDX-License-Identifier: Apache-2.0
// A net is an integer, one bit, valid inside one module. Side tables have everything else about
// it.
#pragma once
#include <compare>
#include <cstdint>

namespace kumiki::ir {

struct Net {
  std::uint32_t index = 2;
  friend constexpr auto operator<=>(Net, Net) = default;
  constexpr bool is_constant() const { return index < 2; }
};

inline constexpr Net net_zero{0};
inline constexpr Net net_one{1};
inline constexpr Net net_open{
    2};  // deliberately unconnected: allowed only on pins that may stay open
inline constexpr std::uint32_t first_free_net = 3;

inline constexpr Net constant(bool value) { return value ? net_one : net_zero; }

// Typed indices into the flat arrays of a design.
template <class Tag>
struct Index {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(Index, Index) = default;
};
using CellId = Index<struct CellTag>;
using ModuleId = Index<struct ModuleTag>;
using StringId = Index<struct StringTag>;  // 0 is the empty string
using BlobId = Index<struct BlobTag>;      // 0 is "none"

}  // namespace kumiki::ir
