// SPDX-License-Identifier: Apache-2.0
// The hierarchy below the top as one flat netlist. Every net of a scope has its own number. The
// numbers of one wire across module boundaries all lead to the driven net.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::backends::native {

// One placed module. Scope 0 is the top; children come after their parent, in the order of cells.
struct Scope {
  ir::ModuleId module;
  std::uint32_t parent = 0;
  ir::CellId cell;  // the instance in the parent
  std::uint32_t base = 0;
  std::uint32_t first_child = 0, child_count = 0;
};

// No cell, no net, no position.
constexpr std::uint32_t none = ~std::uint32_t{0};

struct FlatCell {
  std::uint32_t scope;
  ir::CellId id;
};

struct Flat {
  const ir::Design* design = nullptr;
  std::vector<Scope> scopes;
  std::vector<FlatCell> cells;        // primitives only, scope by scope
  std::vector<std::uint32_t> driver;  // of every net: the driven net; 0 or 1 if constant
  std::uint32_t clock = 0;            // the top's clock; 0 if it has none
  std::uint32_t fast_clock = 0;       // the clock of twice its frequency; 0: none

  // The constants have the same numbers everywhere. An open pin reads 0.
  std::uint32_t net(const Scope& scope, ir::Net n) const {
    return n.index < ir::first_free_net ? n.index : scope.base + n.index;
  }
  std::uint32_t driver_of(const Scope& scope, ir::Net n) const { return driver[net(scope, n)]; }

  const ir::Module& module(const Scope& scope) const { return design->module(scope.module); }
  const ir::Module& module(FlatCell c) const { return module(scopes[c.scope]); }
  const ir::Cell& cell(FlatCell c) const { return module(c).cell(c.id); }
  std::uint32_t output(FlatCell c) const { return net(scopes[c.scope], cell(c).out); }

  // The scope of an instance; null if the cell is not an instance.
  const Scope* child(const Scope& scope, ir::CellId instance) const;
  // "u1/u2", instances without a name as "#7"; "" for the top.
  std::string path(std::uint32_t scope) const;
};

// The last part of a path: the instance's name or "#" and its number in the parent.
std::string own_name(const Flat& flat, const Scope& scope);

// Throws DesignError if a net that is read has no driver, or if a net has two.
Flat flatten(const ir::Design& design);

}  // namespace kumiki::backends::native
