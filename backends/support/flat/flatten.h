// SPDX-License-Identifier: Apache-2.0
// The hierarchy below the top as one flat netlist. A net of a scope gets a number of its own; the
// numbers of one wire that crosses module boundaries all lead to the net that is driven.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/design.h"

namespace kumiki::backends::native {

// One placed module. Scope 0 is the top; children stand behind their parent, in order of cells.
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
  std::vector<std::uint32_t> driver;  // of every net: the net that is driven, 0 or 1 when constant
  std::uint32_t clock = 0;            // the top's clock, 0 when it has none
  std::uint32_t fast_clock = 0;       // the one of twice its frequency, 0 when it has none

  // The constants are the same everywhere. An open pin reads 0.
  std::uint32_t net(const Scope& scope, ir::Net n) const {
    return n.index < ir::first_free_net ? n.index : scope.base + n.index;
  }
  std::uint32_t driver_of(const Scope& scope, ir::Net n) const { return driver[net(scope, n)]; }

  const ir::Module& module(const Scope& scope) const { return design->module(scope.module); }
  const ir::Module& module(FlatCell c) const { return module(scopes[c.scope]); }
  const ir::Cell& cell(FlatCell c) const { return module(c).cell(c.id); }
  std::uint32_t output(FlatCell c) const { return net(scopes[c.scope], cell(c).out); }

  // The scope of an instance, null when the cell is none.
  const Scope* child(const Scope& scope, ir::CellId instance) const;
  // "u1/u2", instances without a name as "#7"; "" for the top.
  std::string path(std::uint32_t scope) const;
};

// The last part of a path: the instance's name or "#" and its number in the parent.
std::string own_name(const Flat& flat, const Scope& scope);

// Throws DesignError when a net that is read has no driver or a net has two.
Flat flatten(const ir::Design& design);

}  // namespace kumiki::backends::native
