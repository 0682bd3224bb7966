// SPDX-License-Identifier: Apache-2.0
// Nodes that only move numbers, as products with weights of 1: transposes and picks of channels,
// lines and columns, with a constant around them.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gen/graph/graph.h"

namespace kumiki::gen::engine {

class Known;
class Lowerer;
struct Job;
struct Op;
struct Part;

// Line factor * u + i of the result has line stride * u + shift of the input, and so do columns.
// The shift and the channel depend on i and on the channel of the result.
struct Moves {
  struct Source {
    std::int64_t channel = -1;  // of the input; -1: the constant
    std::array<std::int64_t, 2> shift{0, 0};
    friend bool operator==(const Source&, const Source&) = default;
  };
  std::array<std::int64_t, 2> factor{1, 1}, stride{1, 1};
  std::vector<Source> sources;  // [line of factor][column of factor][channel of the result]
  std::int64_t fill = 0;        // the constant

  const Source& source(std::int64_t i, std::int64_t j, std::int64_t channel) const {
    const std::int64_t channels = std::ssize(sources) / (factor[0] * factor[1]);
    return sources[static_cast<std::size_t>((i * factor[1] + j) * channels + channel)];
  }
};

// Whether the engine does a node as such products.
bool is_moved(const graph::Node& node);
// Empty: the node moves numbers in another way.
std::optional<Moves> moves_of(const graph::Graph& graph, const graph::Node& node);

std::string no_moves(const Known& known, const graph::Node& node);
void move(Lowerer& lowerer, const Job& job);

// Some channels of the result of a job (the first one, how many), from any channels and taps of a
// walk. `is_one` says which (channel of the result, channel of the input, tap) has the weight 1.
Op moved(Lowerer& lowerer, const Job& job, const Part& part, std::array<std::int64_t, 2> channels,
         const std::function<bool(std::int64_t, std::int64_t, std::int64_t)>& is_one);

}  // namespace kumiki::gen::engine
