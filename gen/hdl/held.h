// SPDX-License-Identifier: Apache-2.0
// How many things a memory holds, of one or two at most, as flags from registers.
#pragma once
#include <optional>

#include "gen/hdl/hdl.h"

namespace kumiki::gen {

class Held {
 public:
  // `now`: after a reset.
  Held(Scope& s, int most, int now, Net reset)
      : s_(s), some_(s, {.init = now > 0 ? 1u : 0u, .reset = reset}) {
    if (most > 1) both_.emplace(s, RegOptions{.init = now > 1 ? 1u : 0u, .reset = reset});
  }
  Net some() const { return some_; }
  // Returns whether it is full in the next clock. None may come while it is.
  Net update(Net comes, Net goes) {
    if (!both_) {
      const Net full = s_.net(comes | (some_ & ~goes));
      some_.next(full);
      return full;
    }
    const Net full = s_.net((*both_ & ~goes) | (some_ & ~*both_ & comes & ~goes));
    both_->next(full);
    some_.next(*both_ | comes | (some_ & ~goes));
    return full;
  }

 private:
  Scope& s_;
  Reg<Net> some_;
  std::optional<Reg<Net>> both_;
};

}  // namespace kumiki::gen
