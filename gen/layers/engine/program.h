// SPDX-License-Identifier: Apache-2.0
// A network as operations of an engine.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/engine/batch.h"
#include "gen/layers/engine/ends.h"
#include "gen/layers/engine/op.h"
#include "gen/layers/engine/shape.h"

namespace kumiki::gen::engine {

// Lines of a map, or of some of its channels, from the memory outside. A window along a line may be
// unfolded: a word then has the channels of all its columns, [column][channel].
struct Load {
  std::size_t tensor = 0;
  std::int64_t first_channel = 0, first_line = 0, lines = 1;
  std::int64_t unfolded = 1, stride = 1, dilation = 1, before = 0;
  Map to;  // its first line is `first_line`
  friend bool operator==(const Load&, const Load&) = default;
};

// Lines of a map, or of some of its channels, to the memory outside.
struct Store {
  std::size_t tensor = 0;
  std::int64_t first_channel = 0, first_line = 0;
  Map from;  // its first line is `first_line`
  friend bool operator==(const Store&, const Store&) = default;
};

using Step = std::variant<Load, Op, Store, Normalise>;

// The places of the memory of maps that a tensor has, from the first step that needs them to the
// last one. Parts of a concat are in the places of the concat if they are made there; a second
// number is in the places of the sum that overwrites it.
struct Held {
  std::size_t tensor = 0;
  std::int64_t place = 0, places = 0;
  std::size_t first = 0, last = 0;
  bool is_strip = false;  // lines of a map that is in the memory outside
  friend bool operator==(const Held&, const Held&) = default;
};

struct Program {
  EngineShape shape;
  // For all images of a run, without reshapes, nor transposes at its ends.
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const graph::Graph> whole;  // as it was given, and as hosts see it
  // How a host has the numbers of inputs and outputs of an image.
  std::vector<HostOrder> input_orders, output_orders;
  // Where they are, by image.
  std::vector<std::vector<End>> inputs, outputs;
  std::vector<Step> steps;
  // By step: how many steps of the other unit must be done before, among those that move maps, with
  // the normaliser's, or among the operations. The steps of a unit are done one after the other.
  std::vector<std::size_t> waits;
  // By step: the first node of the operations that it is for. Empty for an input that is also an
  // output.
  std::vector<std::optional<std::size_t>> nodes;
  // By tensor; without channels if the memory of maps never has all of it at once. Of tensors that
  // are never a map of their own, undefined.
  std::vector<Map> maps;
  std::vector<Held> held;
  std::int64_t places = 0;  // that are used at most

  std::int64_t images() const { return std::ssize(inputs); }
  // The map of an input or output, of one image alone.
  graph::Shape shape_of(const End& end) const {
    graph::Shape map = graph->tensors[end.tensor].shape;
    if (end.column) map[2] /= static_cast<int>(images());
    return map;
  }
  // Of the operations before another step, how many it need not wait for.
  std::size_t beside(std::size_t step) const {
    const auto is_operation = [](const Step& s) { return std::holds_alternative<Op>(s); };
    const auto before = std::span(steps).first(step);
    return static_cast<std::size_t>(std::ranges::count_if(before, is_operation)) - waits[step];
  }
};

}  // namespace kumiki::gen::engine
