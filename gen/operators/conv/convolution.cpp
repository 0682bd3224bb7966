// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/convolution.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "gen/hdl/hdl.h"
#include "gen/layers/matrix/build.h"
#include "gen/layers/matrix/counts.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/operators/conv/lut_matrix.h"
#include "ir/arch.h"

namespace kumiki::gen::pipeline {
namespace {

using graph::Conv;
using graph::Graph;
using graph::Tensor;

constexpr std::int64_t most_terms = 65536, most_rows = 96;
constexpr int most_number_bits = 16;
// Limits for trees: a heap has a column for every bit of a product, and each of its bits costs
// about a LUT.
constexpr std::int64_t most_rows_of_trees = 256;
constexpr int most_bits_of_trees = 8;

const Conv& conv_of(const graph::Node& node) { return std::get<Conv>(node.op); }

matrix::ConvShape shape_of(const Graph& g, const graph::Node& node) {
  const Conv& c = conv_of(node);
  const graph::Window& w = c.window;
  const graph::Shape& in = g.tensors[node.inputs[0]].shape;
  return {.in_channels = in[0],
          .height = in[1],
          .width = in[2],
          .out_channels = std::ssize(c.bias),
          .kernel_height = w.kernel[0],
          .kernel_width = w.kernel[1],
          .stride = {w.stride[0], w.stride[1]},
          .padding = {w.before[0], w.before[1], w.after[0], w.after[1]},
          .dilation = {w.dilation[0], w.dilation[1]},
          .groups = c.groups};
}

// The narrowest format of the weights; a narrow range lets packing do more.
packing::OperandFormat format_of(const std::vector<std::int16_t>& weights) {
  const auto [least, most] = std::ranges::minmax(weights);
  const arith::Interval range{least, most};
  packing::OperandFormat f{.bits = std::max(2, arith::signed_bits(range))};
  f.narrow = range.lo > f.format().range().lo;
  if (range != f.interval()) f.range = {least, most};
  return f;
}

// Whether groups fit side by side as one, with weights of 0 between them. A block of `rows`
// channels or a tile of `lanes` must not span two groups, because a stream has no gaps.
bool can_be_together(const matrix::ConvShape& s, std::int64_t groups, std::int64_t rows,
                     std::int64_t lanes) {
  return groups == s.groups ||
         (groups * s.group_in() % rows == 0 && groups * s.group_out() % lanes == 0);
}

std::vector<std::int64_t> weights_of(const Conv& c, const matrix::ConvShape& alone,
                                     std::int64_t together) {
  const std::int64_t window = alone.kernel_height * alone.kernel_width,
                     terms = alone.group_in() * window;
  std::vector<std::int64_t> all(static_cast<std::size_t>(alone.out_channels * together * terms));
  for (std::int64_t out = 0; out < alone.out_channels; ++out)
    std::copy_n(c.weights.begin() + out * terms, terms,
                all.begin() + (out * together + out / alone.group_out() % together) * terms);
  return all;
}

// Some of several positions may lie in the border, but a column of signs supports a border only as
// a whole.
bool can_have(const matrix::Column& column, std::int64_t positions) {
  const auto* tree = std::get_if<matrix::TreeColumn>(&column);
  return positions == 1 || !tree || !tree->has_border;
}

bool weights_are_signs(const Conv& c) {
  return std::ranges::all_of(c.weights, [](std::int16_t w) { return w == -1 || w == 1; });
}

// Includes the padding: a column supports 0 there as its border.
bool pixels_are_signs(const Graph& g, const graph::Node& node) {
  return are_signs(g, node.inputs[0]) &&
         (!shape_of(g, node).padding.any() || std::abs(g.tensors[node.inputs[0]].zero_point) <= 1);
}

matrix::MatrixRequest request_of(const Graph& g, const graph::Node& node, const ColumnsOf& made) {
  const Tensor& in = g.tensors[node.inputs[0]];
  std::optional<matrix::MatrixRequest::Trees> trees;
  if (made.are_trees)
    trees = {.pixels_are_signs = pixels_are_signs(g, node),
             .weights_are_signs = weights_are_signs(conv_of(node)),
             .is_sketch = made.is_sketch,
             .context = made.context};
  packing::OperandFormat weights = format_of(conv_of(node).weights);
  if (made.word_bits) {
    weights.bits = static_cast<int>(std::bit_ceil(static_cast<unsigned>(weights.bits)));
    // Where there is no weight, 0 comes.
    if (weights.range)
      weights.range = {std::min<std::int64_t>(weights.range->first, 0),
                       std::max<std::int64_t>(weights.range->second, 1)};
  }
  return {.shape = shape_of(g, node),
          .activations = {.bits = in.format.bits, .is_signed = in.format.is_signed},
          .weights = weights,
          .sharing = matrix::Sharing::Input,
          // Without W, sums that take no LUT take a slice for each few products.
          .objective =
              made.limits.w_multiplexer ? packing::Objective::NoLut : packing::Objective::LeastArea,
          .beat = 1,
          .reloads = made.word_bits.has_value(),
          .limits = made.limits,
          .pad = in.zero_point,
          .pixels = 1,
          .trees = trees};
}

std::optional<matrix::Column> column_of(const matrix::MatrixRequest& r, std::int64_t rows,
                                        const ColumnsOf& made) {
  return made.planned && !made.are_trees ? made.planned->of(r, rows) : matrix::column_of(r, rows);
}

// One block size for every number of blocks; these include all divisors.
std::vector<std::int64_t> parts_of(std::int64_t whole, std::int64_t most) {
  std::set<std::int64_t> all;
  for (std::int64_t parts = 1; parts <= whole; ++parts)
    if (const std::int64_t size = (whole + parts - 1) / parts; size <= most) all.insert(size);
  return {all.begin(), all.end()};
}

// Trees allow only divisors of the channels: a sign is never 0.
std::vector<std::int64_t> row_choices_of_trees(const matrix::ConvShape& s, std::int64_t positions) {
  std::vector<std::int64_t> all = parts_of(s.in_channels, most_rows_of_trees / positions);
  std::erase_if(all, [&](std::int64_t rows) { return s.in_channels % rows != 0; });
  return all;
}

// Channels of a position: parts of a group, or whole groups.
std::vector<std::int64_t> row_choices(const matrix::ConvShape& s, std::int64_t positions) {
  std::vector<std::int64_t> all = parts_of(s.group_in(), most_rows / positions);
  for (std::int64_t n = 2; n <= s.groups && n * s.group_in() <= most_rows; ++n)
    if (s.groups % n == 0) all.push_back(n * s.group_in());
  return all;
}

// Positions of the kernel at once: one, a line, or all.
std::set<std::int64_t> position_choices(const matrix::ConvShape& s) {
  if (s.groups > 1) return {1};
  return {1, s.kernel_width, s.kernel_height * s.kernel_width};
}

std::vector<std::int64_t> column_choices(const matrix::ConvShape& s, std::int64_t channels) {
  std::set<std::int64_t> all;
  for (std::int64_t n = 1; n <= s.groups; ++n)
    if (s.groups % n == 0)
      for (const std::int64_t lanes : parts_of(n * s.group_out(), s.out_channels))
        all.insert((lanes + channels - 1) / channels);
  return {all.begin(), all.end()};
}

// Two pixels at once must fill each line: the numbers that come together leave one pixel after the
// other. With fewer than four products in P they are no more than one pixel has.
bool can_be_pairs(const matrix::MatrixRequest& r) {
  return !r.trees && r.shape.groups == 1 && r.shape.out_width() % 2 == 0 &&
         4 * (r.activations.bits + r.weights.bits) <= ir::arch::dsp48e2.p;
}

// Adds the foldings with so many rows that are faster than `slowest`.
void add_foldings(matrix::MatrixRequest& r, Fold fold, std::int64_t slowest, const ColumnsOf& made,
                  std::vector<ConvolutionFolding>& all) {
  const matrix::ConvShape alone = r.shape;
  std::map<std::int64_t, ConvolutionFolding> by_columns;
  for (std::int64_t together = 1; together <= alone.groups; ++together) {
    if (alone.groups % together != 0 || !can_be_together(alone, together, fold.rows, 1)) continue;
    r.shape.groups = alone.groups / together;
    const auto column = column_of(r, fold.rows, made);
    if (!column || !can_have(*column, fold.positions)) continue;
    const std::int64_t channels = matrix::channels_of(r, *column);
    for (const std::int64_t columns : column_choices(alone, channels)) {
      const std::int64_t lanes = columns * channels;
      if (by_columns.contains(columns) || !can_be_together(alone, together, fold.rows, lanes) ||
          (fold.pixels > 1 && alone.out_channels % lanes != 0))
        continue;
      const matrix::MatrixPlan p = matrix::sketch(r, fold.rows, columns, *column);
      fold.columns = columns;
      by_columns[columns] = {.fold = fold,
                             .lanes = lanes,
                             .interval = p.cycles_a_frame(),
                             .slices = p.slices(),
                             .tree_bits = p.bits_of_trees()};
    }
  }
  r.shape = alone;
  for (const auto& [columns, folding] : by_columns) {
    if (folding.interval >= slowest) continue;
    slowest = folding.interval;
    all.push_back(folding);
  }
}

// The tiles whose weights fill words of the memory outside without a rest.
std::vector<std::int64_t> tile_choices(const matrix::MatrixRequest& r, std::int64_t out_channels,
                                       std::int64_t rows, std::int64_t word_bits) {
  const std::int64_t word_lanes = word_bits / r.weights.bits;
  std::vector<std::int64_t> all;
  for (std::int64_t tile = 1; tile <= word_lanes; tile *= 2)
    if (ceil_div(out_channels, tile) * matrix::words_of(r, rows) * rows * tile % word_lanes == 0)
      all.push_back(tile);
  return all;
}

// The channels of a tile that so many in the columns compute: a power of two.
std::int64_t tile_of(std::int64_t channels) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(channels)));
}

// The foldings of a Conv whose weights come from outside.
std::vector<ConvolutionFolding> outside_foldings(matrix::MatrixRequest r, const ColumnsOf& made) {
  const std::int64_t out_channels = r.shape.out_channels;
  std::vector<ConvolutionFolding> all;
  for (const std::int64_t rows : row_choices(r.shape, 1)) {
    if (matrix::words_of(r, rows) < matrix::least_words_of_reload) continue;
    const auto column = column_of(r, rows, made);
    if (!column) continue;
    const std::int64_t channels = matrix::channels_of(r, *column);
    for (const std::int64_t tile : tile_choices(r, out_channels, rows, *made.word_bits)) {
      // With the same columns a larger tile is better.
      const std::int64_t columns = ceil_div(tile, channels);
      if (tile_of(columns * channels) != tile) continue;
      r.shape.out_channels = tile;
      const matrix::MatrixPlan p = matrix::sketch(r, rows, columns, *column);
      all.push_back({.fold = {.rows = rows, .columns = columns},
                     .lanes = tile,
                     .interval = ceil_div(out_channels, tile) * p.cycles_a_frame(),
                     .slices = p.slices()});
      r.shape.out_channels = out_channels;
    }
  }
  return all;
}

// Foldings of two pixels at once, where they have more products than one pixel has, without LUTs.
void add_pairs(const matrix::MatrixRequest& r, const ColumnsOf& made,
               std::vector<ConvolutionFolding>& all) {
  matrix::MatrixRequest of_pairs = r;
  of_pairs.pixels = 2;
  for (const std::int64_t rows : row_choices(r.shape, 1)) {
    const auto one = column_of(r, rows, made), two = column_of(of_pairs, rows, made);
    if (one && two && std::get<packing::PackingPlan>(*two).lut_free() &&
        2 * matrix::channels_of(of_pairs, *two) > matrix::channels_of(r, *one))
      add_foldings(of_pairs, {.rows = rows, .pixels = 2}, std::numeric_limits<std::int64_t>::max(),
                   made, all);
  }
}

}  // namespace

const std::optional<matrix::Column>& PlannedColumns::of(const matrix::MatrixRequest& r,
                                                        std::int64_t rows) {
  const Asked asked{.pixel_bits = r.activations.bits,
                    .weight_bits = r.weights.bits,
                    .pixels_are_signed = r.activations.is_signed,
                    .weights_are_narrow = r.weights.narrow,
                    .weights = r.weights.range,
                    .rows = rows,
                    .words = matrix::words_of(r, rows),
                    .pixels = *r.pixels};
  const auto known = planned_.find(asked);
  if (known != planned_.end()) return known->second;
  return planned_.emplace(asked, matrix::column_of(r, rows)).first->second;
}

std::string why_not(const Graph& g, const graph::Node& node) {
  const Tensor& in = g.tensors[node.inputs[0]];
  const matrix::ConvShape s = shape_of(g, node);
  const std::int64_t terms = s.group_in() * s.kernel_height * s.kernel_width;
  if (in.format.bits > most_number_bits)
    return fmt::format("its input has {} bits; it must have at most {}", in.format.bits,
                       most_number_bits);
  if (terms > most_terms)
    return fmt::format("its sums have {} products; they must have at most {}", terms, most_terms);
  return {};
}

bool is_binarised(const Graph& g, const graph::Node& node) {
  return pixels_are_signs(g, node) && weights_are_signs(conv_of(node));
}

std::string why_not_in_trees(const Graph& g, const graph::Node& node) {
  if (const std::string why = why_not(g, node); !why.empty()) return why;
  const Tensor& in = g.tensors[node.inputs[0]];
  const matrix::ConvShape s = shape_of(g, node);
  const int weight_bits = format_of(conv_of(node).weights).bits;
  if (s.groups > 1) return fmt::format("it has {} groups; in trees it must have 1", s.groups);
  if (in.format.bits > most_bits_of_trees)
    return fmt::format("its input has {} bits; in trees it must have at most {}", in.format.bits,
                       most_bits_of_trees);
  if (weight_bits > most_bits_of_trees)
    return fmt::format("its weights have {} bits; in trees they must have at most {}", weight_bits,
                       most_bits_of_trees);
  return {};
}

std::string why_not_outside(const Graph& g, const graph::Node& node) {
  if (const std::string why = why_not(g, node); !why.empty()) return why;
  if (const std::int64_t groups = conv_of(node).groups; groups > 1)
    return fmt::format("it has {} groups; it must have 1", groups);
  const matrix::ConvShape s = shape_of(g, node);
  if (const std::int64_t terms = s.in_channels * s.kernel_height * s.kernel_width;
      terms < matrix::least_words_of_reload)
    return fmt::format("its sums have {} products; they must have at least {}", terms,
                       matrix::least_words_of_reload);
  return {};
}

std::vector<std::int16_t> weights_in_order(const graph::Node& node, const ConvolutionPlan& p) {
  const Conv& c = conv_of(node);
  const matrix::MatrixPlan& m = p.matrix;
  const std::int64_t positions = m.shape.kernel_height * m.shape.kernel_width,
                     terms = m.shape.in_channels * positions;
  std::vector<std::int16_t> all;
  for (std::int64_t pass = 0; pass < p.passes; ++pass)
    for (std::int64_t word = 0; word < m.words; ++word)
      for (std::int64_t row = 0; row < m.rows; ++row)
        for (std::int64_t lane = 0; lane < p.lanes(); ++lane) {
          const std::int64_t in = word % m.blocks * m.rows + row, out = pass * p.lanes() + lane;
          const bool is_there = in < m.shape.in_channels && out < std::ssize(c.bias);
          all.push_back(is_there ? c.weights[static_cast<std::size_t>(out * terms + in * positions +
                                                                      word / m.blocks)]
                                 : 0);
        }
  return all;
}

arith::Format sums_format(const Graph& g, const graph::Node& node, bool in_trees) {
  // The padding of a map of signs is 0, so the numbers include 0.
  const arith::Interval numbers = in_trees && pixels_are_signs(g, node)
                                      ? arith::Interval{-1, 1}
                                      : g.tensors[node.inputs[0]].format.range();
  arith::Interval sums;
  for (std::size_t c = 0; c < conv_of(node).bias.size(); ++c)
    sums = hull(sums, products_of(conv_of(node), c, numbers));
  return {arith::signed_bits(sums), true};
}

ConvolutionPlan convolution(const Graph& g, const graph::Node& node, const Fold& fold,
                            const ColumnsOf& made) {
  matrix::MatrixRequest r = request_of(g, node, made);
  r.rows = fold.rows;
  r.columns = fold.columns;
  r.positions = fold.positions;
  r.pixels = fold.pixels;
  const matrix::ConvShape alone = r.shape;
  const arith::Format sums = sums_format(g, node, made.are_trees),
                      numbers = made.numbers.value_or(sums);
  // The sums need no bits above those of the numbers.
  r.sum_bits = std::min(sums.bits, numbers.bits);
  if (made.word_bits) {
    const auto column = column_of(r, fold.rows, made);
    r.shape.out_channels = tile_of(fold.columns * matrix::channels_of(r, *column));
    const std::int64_t passes = ceil_div(alone.out_channels, r.shape.out_channels),
                       word_lanes = *made.word_bits / r.weights.bits;
    const matrix::MatrixPlan m = matrix::plan(r);
    return {.matrix = m,
            .sums = numbers,
            .passes = passes,
            .word_lanes = word_lanes,
            .clocks = matrix::counted_clocks(m, passes)};
  }
  std::int64_t together = 1;
  for (; together < alone.groups; ++together) {
    if (alone.groups % together != 0) continue;
    r.shape.groups = alone.groups / together;
    const auto column = column_of(r, fold.rows, made);
    if (column &&
        can_be_together(alone, together, fold.rows, fold.columns * matrix::channels_of(r, *column)))
      break;
  }
  r.shape.groups = alone.groups / together;
  r.values = weights_of(conv_of(node), alone, together);
  return {.matrix = matrix::plan(r), .sums = numbers};
}

std::vector<ConvolutionFolding> foldings_of(const Graph& g, const graph::Node& node,
                                            const ColumnsOf& made) {
  matrix::MatrixRequest r = request_of(g, node, made);
  if (made.word_bits) return outside_foldings(std::move(r), made);
  if (made.are_trees) r.sum_bits = sums_format(g, node, true).bits;  // which trees add as well
  const matrix::ConvShape alone = r.shape;
  std::vector<ConvolutionFolding> all;
  // The best so far with fewer positions: clocks of a frame, and clocks of a set if a tile has all
  // channels.
  std::int64_t fastest = std::numeric_limits<std::int64_t>::max(), shortest = fastest;
  for (const std::int64_t positions : position_choices(alone)) {
    r.positions = positions;
    const std::size_t before = all.size();
    std::int64_t words = shortest;
    for (const std::int64_t channels :
         made.are_trees ? row_choices_of_trees(alone, positions) : row_choices(alone, positions)) {
      const Fold fold{.rows = channels * positions, .positions = positions};
      const std::int64_t of_set = matrix::words_of(r, fold.rows);
      if (positions > 1 && of_set >= shortest) continue;  // do not plan a column in vain
      words = std::min(words, of_set);
      add_foldings(r, fold, fastest, made, all);
    }
    shortest = words;
    for (std::size_t i = before; i < all.size(); ++i) fastest = std::min(fastest, all[i].interval);
  }
  r.positions = 1;
  if (can_be_pairs(r)) add_pairs(r, made, all);
  return all;
}

std::vector<Stream> ConvolutionPlan::inputs() const {
  const matrix::ConvShape& s = matrix.shape;
  std::vector<Stream> all{{.height = passes * s.height,
                           .width = s.width,
                           .channels = s.in_channels,
                           .lanes = matrix.word_rows(),
                           .format = matrix.activations.format()}};
  if (matrix.reloads) all.push_back(weights());
  return all;
}

Stream ConvolutionPlan::weights() const {
  return {.height = 1,
          .width = passes * matrix.weight_beats() * lanes() / word_lanes,
          .channels = word_lanes,
          .lanes = lanes(),
          .format = matrix.weights.format()};
}

Stream ConvolutionPlan::output() const {
  const matrix::ConvShape& s = matrix.shape;
  return {.height = passes * s.out_height(),
          .width = matrix.pixel_groups,
          .channels = matrix.pixels * s.out_channels,
          .lanes = matrix.pixels * lanes(),
          .format = sums};
}

std::int64_t ConvolutionPlan::lanes() const {
  return matrix.reloads ? matrix.shape.out_channels : matrix.tile_channels();
}

std::string ConvolutionPlan::text() const {
  const matrix::ConvShape& s = matrix.shape;
  const std::string positions =
      matrix.positions == 1 ? "" : fmt::format(" of {} positions", matrix.positions);
  const std::string pixels = matrix.pixels == 1 ? "" : fmt::format(" of {} pixels", matrix.pixels);
  return fmt::format(
      "{}x{}x{} to {}x{}x{}, kernel {}x{}: {} rows{} x {} columns{}, {} clocks a set{}",
      s.in_channels, s.height, s.width, s.out_channels, s.out_height(), s.out_width(),
      s.kernel_height, s.kernel_width, matrix.rows, positions, matrix.columns, pixels, matrix.words,
      matrix.in_trees() ? ", in trees" : "");
}

std::string ConvolutionPlan::module_name() const { return matrix.module_name(); }

MachineOut<Hardware> build(Scope& s, const ConvolutionPlan& p, const MachineIn<Hardware>& in) {
  matrix::MatrixIn<Hardware> ports{.rst = in.rst,
                                   .in_valid = in.in_valid[0],
                                   .in_data = in.in_data,
                                   .out_ready = in.out_ready,
                                   .w_valid = {},
                                   .w_data = {}};
  if (p.matrix.reloads) {
    ports.w_valid = {in.in_valid[1]};
    const auto first = ports.in_data.begin() + p.matrix.word_rows();
    ports.w_data.assign(first, ports.in_data.end());
    ports.in_data.erase(first, ports.in_data.end());
    const auto nothing = s.constant(0, static_cast<std::uint32_t>(p.matrix.weights.bits));
    ports.w_data.resize(static_cast<std::size_t>(p.matrix.tile_channels()), nothing);
  }
  const auto out = matrix::build(s, p.matrix, ports);
  MachineOut<Hardware> machine{
      .in_ready = {out.in_ready}, .out_valid = out.out_valid, .out_data = {}};
  if (p.matrix.reloads) machine.in_ready.push_back(out.w_ready[0]);
  const auto width = static_cast<std::uint32_t>(p.sums.bits);
  const auto formats = matrix::formats_of_beat(p.matrix);
  const auto pixels = static_cast<std::size_t>(p.matrix.pixels);
  for (std::size_t x = 0; x < pixels; ++x)
    for (std::size_t c = 0; c < static_cast<std::size_t>(p.lanes()); ++c) {
      const UInt& sum = out.out_data[c * pixels + x];
      machine.out_data.push_back(sum.width() >= width ? sum.slice(0, width)
                                 : formats[c * pixels + x].is_signed
                                     ? UInt(sext(s, as_signed(sum), width))
                                     : zext(s, sum, width));
    }
  return machine;
}

// The sum of a channel whose weights have come for this pass: word by word, row by row.
static std::int64_t sum_of_coming(const matrix::MatrixPlan& m, std::int64_t lane,
                                  const std::vector<std::int64_t>& seen, const Taken& in) {
  const std::int64_t positions = m.shape.kernel_height * m.shape.kernel_width;
  std::int64_t sum = 0;
  for (std::int64_t word = 0; word < m.words; ++word)
    for (std::int64_t row = 0; row < m.rows; ++row) {
      const std::int64_t channel = word % m.blocks * m.rows + row;
      sum += seen[static_cast<std::size_t>(channel * positions + word / m.blocks)] *
             arith::value_of(in.at(1, word * m.rows + row)[static_cast<std::size_t>(lane)],
                             m.weights.format());
    }
  return sum;
}

// The sums of a tile for one pixel.
static Lanes sums_of_pixel(const ConvolutionPlan& p, std::int64_t tile, std::int64_t pixel,
                           const Taken& in) {
  const matrix::MatrixPlan& m = p.matrix;
  const matrix::ConvShape& s = m.shape;
  const std::int64_t top = pixel / s.out_width() * s.stride.y - s.padding.top,
                     left = pixel % s.out_width() * s.stride.x - s.padding.left;
  // The numbers that the tile sees, in the order of the weights: [channel of its group][position].
  const std::int64_t rows = m.word_rows(), first = tile / (m.tiles / s.groups) * m.blocks,
                     positions = s.kernel_height * s.kernel_width;
  // Weights that come may be for channels past the last one.
  const std::int64_t channels = m.reloads ? m.blocks * rows : s.group_in();
  std::vector<std::int64_t> seen(static_cast<std::size_t>(channels * positions), m.pad);
  for (std::int64_t at = 0; at < positions; ++at) {
    const std::int64_t y = top + at / s.kernel_width * s.dilation.y,
                       x = left + at % s.kernel_width * s.dilation.x;
    if (y < 0 || y >= s.height || x < 0 || x >= s.width) continue;
    std::span<const std::uint64_t> word;
    for (std::int64_t c = 0; c < channels; ++c) {
      if (c % rows == 0) word = in.at(0, (y * s.width + x) * m.pixel_words() + first + c / rows);
      seen[static_cast<std::size_t>(c * positions + at)] =
          m.pixel_value(word[static_cast<std::size_t>(c % rows)]);
    }
  }
  const auto sum_of = [&](std::int64_t lane) {
    if (m.reloads) return sum_of_coming(m, lane, seen, in);
    const std::int64_t out = m.output_channel(tile, lane);
    return out < 0
               ? m.weight_of_nothing() * std::accumulate(seen.begin(), seen.end(), std::int64_t{0})
               : std::inner_product(seen.begin(), seen.end(),
                                    m.values.begin() + out * std::ssize(seen), std::int64_t{0});
  };
  Lanes all;
  for (std::int64_t lane = 0; lane < p.lanes(); ++lane) {
    const std::int64_t sum = sum_of(lane);
    const arith::Format column = m.result_format(lane, pixel % m.pixels);
    all.push_back(arith::raw_of(arith::value_of(arith::raw_of(sum, column), column), p.sums));
  }
  return all;
}

Lanes beat(const ConvolutionPlan& p, std::int64_t k, const Taken& in) {
  const matrix::MatrixPlan& m = p.matrix;
  const std::int64_t tile = k % m.tiles, group = k / m.tiles;
  Lanes all;
  for (std::int64_t pixel = group * m.pixels; pixel < (group + 1) * m.pixels; ++pixel) {
    const Lanes sums = sums_of_pixel(p, tile, pixel, in);
    all.insert(all.end(), sums.begin(), sums.end());
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
