// SPDX-License-Identifier: Apache-2.0
// Cells by their paths below the top, as Vivado names them. Each instance's path is made once.
#pragma once
#include <string>
#include <vector>

#include "backends/support/flat/flatten.h"
#include "ir/names.h"

namespace kumiki::backends {

class Paths {
 public:
  Paths(const ir::Names& names, const native::Flat& flat)
      : names_(names), flat_(flat), of_scope_(flat.scopes.size()) {
    for (std::size_t s = 1; s < flat.scopes.size(); ++s) {
      const native::Scope& scope = flat.scopes[s];
      of_scope_[s] = of(scope.parent, scope.cell) + "/";
    }
  }

  std::string of(std::uint32_t scope, ir::CellId cell) const {
    return of_scope_[scope] + to_string(names_.in(flat_.scopes[scope].module).cell(cell));
  }

 private:
  const ir::Names& names_;
  const native::Flat& flat_;
  std::vector<std::string> of_scope_;
};

}  // namespace kumiki::backends
