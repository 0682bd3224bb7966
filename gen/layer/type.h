// SPDX-License-Identifier: Apache-2.0
// A type of layers for the list in gen/layers/catalog.cpp.
#pragma once
#include <memory>
#include <type_traits>
#include <vector>

#include "gen/config/document.h"
#include "gen/layer/layer.h"
#include "ir/delays.h"

namespace kumiki::gen {

// How a type plans: `make` is a function of the request, or of the request and the target. A
// request with a `context` gets the caller's; one with `family` or `grade` gets the target's.
template <class Request, auto make>
std::unique_ptr<config::Planned> plan_with(const void* request, const config::Target& target,
                                           const ir::Context& context) {
  const auto made = [&](const Request& keys) {
    if constexpr (std::is_invocable_v<decltype(make), const Request&, const config::Target&>)
      return make(keys, target);
    else
      return make(keys);
  };
  const auto& keys = *static_cast<const Request*>(request);
  if constexpr (requires { keys.context; }) {
    Request with = keys;
    with.context = context;
    if constexpr (requires { with.family = target.family; }) with.family = target.family;
    if constexpr (requires { with.grade = ir::timing::Grade{}; })
      if (target.part) with.grade = ir::timing::grade_of_part(*target.part);
    return made(with);
  } else {
    return made(keys);
  }
}

}  // namespace kumiki::gen
