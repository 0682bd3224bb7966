// SPDX-License-Identifier: Apache-2.0
// Canonical hashes of cells and nets by colour refinement. Equal netlists get equal hashes,
// whatever their numbers, order and names. Equal hashes do not prove equality (that takes a walk),
// but cells and nets with different neighbourhoods get different hashes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ir/design.h"

namespace kumiki::ir {

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9u;
  a = (a ^ (a >> 27)) * 0x94d049bb133111ebu;
  return a ^ (a >> 31);
}

// Hashes of whole modules, each made once.
class ModuleHashes {
 public:
  explicit ModuleHashes(const Design& design) : design_(design), known_(design.module_count()) {}
  std::uint64_t of(ModuleId id);
  const Design& design() const { return design_; }

 private:
  const Design& design_;
  std::vector<std::uint64_t> known_;
};

struct Colours {
  std::vector<std::uint64_t> cells, nets;
};

// The hash of a cell alone: its kind, width, parameters and contents; for an instance, the hash of
// its module.
std::uint64_t own_hash(const Module& m, const Cell& cell, ModuleHashes& modules);

// Cells and nets that already have a colour (not 0) keep it.
Colours refine(const Module& m, ModuleHashes& modules, Colours given);

}  // namespace kumiki::ir
