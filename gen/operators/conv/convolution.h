// SPDX-License-Identifier: Apache-2.0
// Sums of products of a convolution or a dense layer: a matrix of packed chains, or of compressor
// trees without slices (gen/layers/matrix), with its weights in memories. A beat of the input is a
// word of the matrix; a beat of sums is a tile. The sums contain neither the bias nor the zero
// point of the input: `requantise_sums.h`.
//
// If weights come from outside, the matrix has one tile. The map passes once for every tile, and
// the weights of a tile come while the tile before it is computed. So sums leave in the order tile,
// pixel.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/matrix/plan.h"
#include "gen/layers/pipeline/machine.h"
#include "ir/context.h"

namespace kumiki::gen::pipeline {

struct ConvolutionPlan {
  matrix::MatrixPlan matrix;
  arith::Format sums;           // of the widest channel, or of unscaled results
  std::int64_t passes = 1;      // of the map
  std::int64_t word_lanes = 1;  // weights in a word of the memory outside
  std::int64_t clocks = 0;      // of all passes
  std::int64_t lanes() const;   // of the sums of a pixel
  std::vector<Stream> inputs() const;
  // The maps of all passes, one below the other. Several pixels at once are one pixel here, with
  // the channels of all of them: tile after tile, in it pixel after pixel.
  Stream output() const;
  // The stream of weights from outside, cut to the lanes of a tile.
  Stream weights() const;
  OfMatrix schedule() const { return {passes, matrix, clocks}; }
  std::int64_t slices() const { return matrix.slices(); }
  // Adders behind the chains, if there are any, add words of up to 24 bits in a clock.
  int levels() const {
    if (matrix.in_trees()) return matrix.tree().levels();
    return matrix.chain().lut_free() ? 3 : 4;
  }
  std::string kind() const { return "convolution"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const ConvolutionPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const ConvolutionPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const ConvolutionPlan& plan, std::int64_t k, const Taken& in);

// The matrix computes this many products of a column in a clock: channels times positions of the
// kernel (one, a line, or all), for some neighbouring pixels. `columns` work in parallel.
struct Fold {
  std::int64_t rows = 1, columns = 1, positions = 1, pixels = 1;
  auto operator<=>(const Fold&) const = default;
};

// How a node is folded.
struct ConvolutionFolding {
  Fold fold;
  std::int64_t lanes = 1;     // of the sums
  std::int64_t interval = 1;  // the plan's interval is at most 1 % longer
  std::int64_t slices = 1;
  std::int64_t tree_bits = 0;  // that trees add in a clock
  bool operator==(const ConvolutionFolding&) const = default;
};

// Planned columns of chains that nodes of one graph share, under the same limits: layers of one
// shape make equal requests.
class PlannedColumns {
 public:
  // As matrix::column_of.
  const std::optional<matrix::Column>& of(const matrix::MatrixRequest& request, std::int64_t rows);

 private:
  struct Asked {
    int pixel_bits, weight_bits;
    bool pixels_are_signed, weights_are_narrow;
    std::optional<std::pair<std::int64_t, std::int64_t>> weights;
    std::int64_t rows, words, pixels;
    auto operator<=>(const Asked&) const = default;
  };
  std::map<Asked, std::optional<matrix::Column>> planned_;
};

// How the products of a node are added.
struct ColumnsOf {
  packing::Limits limits = {};        // of slices
  PlannedColumns* planned = nullptr;  // shared with other nodes
  bool are_trees = false;
  // Weights come from a memory outside, in words of so many bits.
  std::optional<std::int64_t> word_bits = {};
  bool is_sketch = false;    // plan all but the trees, which need a search
  ir::Context context = {};  // of this search
  // The format of unscaled results; empty: as wide as the sums.
  std::optional<arith::Format> numbers = {};
};

// The foldings of a Conv worth trying. Among those with equal rows, more columns always give a
// shorter interval. Each of several kernel positions needs a copy of the line buffer, so such
// foldings must be faster than all with one position. All foldings with the same rows share one
// planned column.
std::vector<ConvolutionFolding> foldings_of(const graph::Graph& graph, const graph::Node& node,
                                            const ColumnsOf& made = {});

// The format of a Conv's sums under any folding.
arith::Format sums_format(const graph::Graph& graph, const graph::Node& node, bool in_trees);

// Requires a Conv in a legal graph for which `why_not`, or `why_not_in_trees` for trees, is empty.
// DesignError: no column of so many rows can be proved.
ConvolutionPlan convolution(const graph::Graph& graph, const graph::Node& node, const Fold& fold,
                            const ColumnsOf& made = {});

// Empty, or why the Conv cannot be built this way and what is required.
std::string why_not(const graph::Graph& graph, const graph::Node& node);
std::string why_not_in_trees(const graph::Graph& graph, const graph::Node& node);

// The same for weights that come from outside.
std::string why_not_outside(const graph::Graph& graph, const graph::Node& node);

// The weights of a Conv in the order in which its machine takes them.
std::vector<std::int16_t> weights_in_order(const graph::Node& node, const ConvolutionPlan& plan);

// Whether all factors of a Conv are -1 and 1.
bool is_binarised(const graph::Graph& graph, const graph::Node& node);

}  // namespace kumiki::gen::pipeline
