// SPDX-License-Identifier: Apache-2.0
// What the engine knows of a product.
#pragma once
#include <cstdint>
#include <optional>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

// The results of all pairs of numbers are those of a lane for factor * product + addend.
struct Products {
  std::int64_t factor = 1, addend = 0;
  float scale = 1;
};
// Empty: there is no such scale.
std::optional<Products> products_of(const graph::Graph& graph, const graph::Node& mul);

}  // namespace kumiki::gen::engine
