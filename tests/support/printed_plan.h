// SPDX-License-Identifier: Apache-2.0
// A plan as programs get it.
#pragma once
#include <nlohmann/json.hpp>

#include "gen/layer/layer.h"

namespace kumiki::tests {

inline nlohmann::ordered_json printed_plan(const gen::Layer& layer) {
  gen::config::Writer w;
  w.object([&] { layer.write_plan(w); });
  return w.take();
}

}  // namespace kumiki::tests
