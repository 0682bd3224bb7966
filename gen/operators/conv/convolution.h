// SPDX-License-Identifier: Apache-2.0
// Sums of products of a convolution or a dense layer: a matrix of packed chains, or of compressor
// trees without a slice (gen/layers/matrix), with its weights in memories. A beat of the input is a
// word of the matrix, a beat of sums a tile. The bias and the zero point of the input are not in
// the sums: `requantise_sums.h`.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/matrix/model.h"
#include "gen/layers/matrix/plan.h"
#include "gen/layers/pipeline/machine.h"
#include "ir/context.h"

namespace kumiki::gen::pipeline {

struct ConvolutionPlan {
  matrix::MatrixPlan matrix;
  arith::Format sums;  // of the widest channel, or of the numbers that they are
  std::vector<Stream> inputs() const;
  Stream output() const;
  std::int64_t interval() const { return matrix.cycles_a_frame(); }
  std::int64_t slices() const { return matrix.slices(); }
  // Where sums are put together behind the chains, words of up to 24 bits are added in a clock.
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
std::unique_ptr<Counts> counts_of(const ConvolutionPlan& plan);

class ConvolutionModel : public MachineModel {
 public:
  explicit ConvolutionModel(const ConvolutionPlan& plan)
      : plan_(plan), matrix_(plan.matrix), formats_(matrix::formats_of_beat(plan_.matrix)) {}
  ConvolutionModel(const ConvolutionModel&) = delete;
  void reset() override { matrix_.power_up(); }
  MachineOut<Values> shown() const override;
  void clock(const MachineIn<Values>& in) override;

 private:
  ConvolutionPlan plan_;
  matrix::MatrixModel matrix_;
  std::vector<arith::Format> formats_;  // of a beat
};

// Products of a column a clock: channels of so many positions of the kernel (one, a line of it, or
// all); and columns.
struct Fold {
  std::int64_t rows = 1, columns = 1, positions = 1;
  auto operator<=>(const Fold&) const = default;
};

// How a node is folded.
struct ConvolutionFolding {
  Fold fold;
  std::int64_t lanes = 1;     // of the sums
  std::int64_t interval = 1;  // that of the plan is at most one in a hundred more
  std::int64_t slices = 1;
  std::int64_t in_trees = 0;  // products a clock
  bool operator==(const ConvolutionFolding&) const = default;
};

// Columns of chains that were planned for nodes of one graph, with the same limits: layers of one
// shape ask for the same.
class PlannedColumns {
 public:
  // What matrix::column_of says.
  const std::optional<matrix::Column>& of(const matrix::MatrixRequest& request, std::int64_t rows);

 private:
  struct Asked {
    int pixel_bits, weight_bits;
    bool pixels_are_signed, weights_are_narrow;
    std::optional<std::pair<std::int64_t, std::int64_t>> weights;
    std::int64_t rows, words;
    auto operator<=>(const Asked&) const = default;
  };
  std::map<Asked, std::optional<matrix::Column>> planned_;
};

// What the products of a node are added in.
struct ColumnsOf {
  packing::Limits limits = {};        // of slices
  PlannedColumns* planned = nullptr;  // chains of other nodes
  bool are_trees = false;
  bool is_sketch = false;    // everything but the trees, which are searched for
  ir::Context context = {};  // of that search
  // Of sums that are numbers as they are; nothing: as wide as the sums are.
  std::optional<arith::Format> numbers = {};
};

// The foldings of a Conv that are worth a look: of those with the same rows none has more columns
// and no shorter interval than another, and with several positions of the kernel, each of which
// takes a copy of the line buffer, only those that are faster than all with one. A column is
// planned once for all that have its rows.
std::vector<ConvolutionFolding> foldings_of(const graph::Graph& graph, const graph::Node& node,
                                            const ColumnsOf& made = {});

// Of the sums of a Conv, however it is folded.
arith::Format sums_format(const graph::Graph& graph, const graph::Node& node, bool in_trees);

// Of a Conv in a legal graph for which `why_not` has nothing to say, nor `why_not_in_trees`.
// DesignError: no column of so many rows can be proved.
ConvolutionPlan convolution(const graph::Graph& graph, const graph::Node& node, const Fold& fold,
                            const ColumnsOf& made = {});

// Empty, or what makes a Conv impossible here and what would be legal.
std::string why_not(const graph::Graph& graph, const graph::Node& node);
std::string why_not_in_trees(const graph::Graph& graph, const graph::Node& node);

// Whether all factors of a Conv are -1 and 1.
bool is_binarised(const graph::Graph& graph, const graph::Node& node);

}  // namespace kumiki::gen::pipeline
