// SPDX-License-Identifier: Apache-2.0
// Weights as a user gives them, in the same way for every layer type: a list, lists within lists,
// or a file. They keep their shape, so a transposed file is refused.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "gen/config/bind.h"
#include "gen/config/table.h"

namespace kumiki::gen::config {

struct Weights {
  std::vector<std::int64_t> values;  // the last dimension runs fastest
  std::vector<std::size_t> shape;    // as given; for a flat list its length
  bool from_file = false;
  bool operator==(const Weights&) const = default;
};

// A dimension of the layer's weights, the slowest first: "output", 64.
struct Dimension {
  std::string name;
  std::int64_t size = 1;
};

// Checks that the weights at `key` have the shape. Neighbouring dimensions may be joined (one list
// of all, or one row for each output); dimensions of 1 do not matter.
Violations check_shape(const std::string& key, const Weights& weights,
                       const std::vector<Dimension>& wanted);
// The first value that is out of range.
Violations check_range(const std::string& key, const Weights& weights, std::int64_t low,
                       std::int64_t high);

template <>
struct Bind<Weights> {
  using leaf = std::int64_t;
  static Kind kind();
  static void load(const Kind&, Node node, Weights& out);
  static void save(const Kind&, const Weights& value, Writer& to);
};

}  // namespace kumiki::gen::config
