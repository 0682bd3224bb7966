// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gen/layers/common/messages.h"
#include "gen/layers/common/planning.h"
#include "gen/layers/matrix/messages.h"
#include "gen/layers/matrix/row_memories.h"

namespace kumiki::gen::matrix {
namespace {

constexpr int most_ring_bits = 24;

config::Violation impossible(Code code, std::string what) {
  return {code, "slices", std::move(what), "use fewer terms or more slices", true};
}

std::optional<config::Violation> why_not(const MatrixRequest& r) {
  const ConvShape& s = r.shape;
  if (s.in_channels % s.groups != 0 || s.out_channels % s.groups != 0)
    return impossible(code::groups_do_not_divide,
                      fmt::format("{} groups do not divide {} input and {} output channels",
                                  s.groups, s.in_channels, s.out_channels));
  if (s.out_height() < 1 || s.out_width() < 1)
    return impossible(
        code::kernel_beyond_map,
        fmt::format("a kernel of {}x{} at dilation {} is larger than the padded map of {}x{}",
                    s.kernel_height, s.kernel_width, to_string(s.dilation), s.padded_height(),
                    s.padded_width()));
  if (s.padding.any() && !r.activations.interval().contains(r.pad))
    return impossible(code::out_of_range,
                      fmt::format("the padding is {}; it must be within {}", r.pad,
                                  arith::to_string(r.activations.interval())));
  if (r.rows && r.is_double && *r.rows % 2 != 0)
    return impossible(
        code::no_matrix_fits,
        fmt::format("no matrix of chains has {} rows in two halves of a clock; the number must be "
                    "even with double clocking",
                    *r.rows));
  return {};
}

// Requires a plan that loads weights for every frame.
bool can_reload(const MatrixPlan& p) {
  return p.tiles == 1 && p.words >= least_words_of_reload && !p.is_double && !p.in_trees();
}

int pixels_of(const MatrixRequest& r, const packing::PackingPlan& column) {
  return r.sharing == Sharing::Weight ? column.packed_count : column.shared_count;
}
int pixels_of(const MatrixRequest& r, const Column& column) {
  const auto* chain = std::get_if<packing::PackingPlan>(&column);
  return chain ? pixels_of(r, *chain) : 1;
}

// A column without its tree, for embedded weights.
TreeColumn tree_column(const MatrixRequest& r, std::int64_t rows, std::int64_t words) {
  const bool are_signs = r.trees->pixels_are_signs;
  return {.rows = rows,
          .words = words,
          .pixels = {r.activations.format(), are_signs},
          .weights = {r.weights.format(), r.trees->weights_are_signs},
          .has_border = are_signs && r.shape.padding.any() && r.pad == 0,
          .sum_bits = r.sum_bits.value_or(1),  // a sketch does not use it
          .tree = {}};
}

constexpr std::int64_t most_terms = 65536;                   // of a sum
constexpr std::int64_t most_memory = std::int64_t{1} << 24;  // words of weights in a row

// The best column that takes exactly `rows` terms in each of its clocks, or the planner's reasons.
Expected<Column, std::vector<packing::Refusal>> planned_column(const MatrixRequest& r,
                                                               std::int64_t rows) {
  const std::int64_t words = words_of(r, rows), halves = r.is_double ? 2 : 1;
  if (r.trees) return Column(tree_column(r, rows, words));
  const bool pixels_packed = r.sharing == Sharing::Weight;
  packing::Request wanted{.packed = pixels_packed ? r.activations : r.weights,
                          .shared = pixels_packed ? r.weights : r.activations,
                          .terms = rows * words,
                          .cycles = words * halves,
                          .limits = r.limits,
                          .objective = r.objective};
  if (r.pixels)
    (pixels_packed ? wanted.tuning.packed_count : wanted.tuning.shared_count) =
        static_cast<int>(*r.pixels);
  std::vector<packing::PackingPlan> plans;
  std::vector<packing::Refusal> refused;
  if (!r.scheme) {
    plans = packing::enumerate(wanted, &refused);
  } else if (auto one = packing::best_plan(wanted, *r.scheme)) {
    plans.push_back(*std::move(one));
  } else {
    refused.push_back(one.reason());
  }
  for (auto& plan : plans)
    if (plan.terms_per_cycle * halves == rows && plan.cycles() == words * halves &&
        r.pixels.value_or(pixels_of(r, plan)) == pixels_of(r, plan))
      return Column(std::move(plan));
  return refused;
}

// The plan without its ring, everything that depends on the ring, and the values.
MatrixPlan arranged(const MatrixRequest& r, std::int64_t rows, std::int64_t columns,
                    std::int64_t beat, Column column) {
  const ConvShape& s = r.shape;
  MatrixPlan p{.shape = s,
               .activations = r.activations,
               .weights = r.weights,
               .sharing = r.sharing,
               .pad = r.pad,
               .reloads = r.reloads,
               .sum_bits = r.sum_bits,
               .column = std::move(column),
               .is_double = r.is_double,
               .rows = rows,
               .columns = columns,
               .positions = r.positions,
               .beat = beat};
  p.pixels = pixels_of(r, p.column);
  p.column_channels = channels_of(r, p.column);
  p.blocks = ceil_div(s.group_in(), p.word_rows());
  p.words = words_of(r, rows);
  p.tiles = s.groups * ceil_div(s.group_out(), p.tile_channels());
  p.pixel_groups = ceil_div(s.out_width(), p.pixels);

  const std::int64_t pixel_step = s.stride.x * p.pixel_words();
  const std::int64_t last_offset = p.first_word() +
                                   (s.kernel_height - 1) * s.dilation.y * p.line_words() +
                                   ((s.kernel_width - 1) * s.dilation.x + 1) * p.pixel_words() - 1;
  p.need = last_offset + (p.pixels - 1) * pixel_step + 1;
  p.need_last = last_offset + (p.last_pixels() - 1) * pixel_step + 1;
  p.next_group = p.pixels * pixel_step;
  const std::int64_t line = s.stride.y * p.line_words();
  p.next_line = line - (p.pixel_groups - 1) * p.next_group;
  p.next_frame = s.padded_height() * p.line_words() - (s.out_height() - 1) * line -
                 (p.pixel_groups - 1) * p.next_group;
  const int late = std::ranges::max(lateness(p));
  // Not before the last row has read them. The release itself takes some clocks.
  const int halves = static_cast<int>(p.halves());
  p.hold = p.lanes_after() + std::max(ceil_div(late, halves), p.beat > 1 ? 2 : 1);
  return p;
}

// Whether `clocks` is at most 1 % more than `fastest`.
bool is_about(std::int64_t clocks, std::int64_t fastest) { return clocks * 100 <= fastest * 101; }

// The cost of the line buffer, all copies, with one memory for each row. An exact pace is worth
// what rows could save by sharing a smaller memory: a pipeline of such paces soon repeats.
MemoryCost ring_cost(const MatrixPlan& p, int ring_bits) {
  RowGroups groups;
  if (p.in_trees())
    groups = ring_groups(p, ring_bits);
  else
    for (std::size_t row = 0; row < static_cast<std::size_t>(p.chain_rows()); ++row)
      groups.push_back({row});
  MemoryCost cost = cost_of(groups, lateness(p), ring_memory(p, ring_bits));
  cost.luts *= static_cast<std::uint64_t>(p.pixels);
  cost.brams *= static_cast<std::uint64_t>(p.pixels);
  return cost;
}

// Chooses the smallest ring with which a frame takes at most 1 % more clocks, or a larger one that
// shortens frames and needs no more memory. False: no ring is small enough.
bool choose_ring(MatrixPlan& p) {
  const Pace pace = p.pace();
  const std::int64_t bound = pace.bound(), generous = generous_ring(pace);
  // The next lines arrive while a line is computed.
  const std::int64_t least = std::max<std::int64_t>(p.need + p.shape.stride.y * p.line_words(), 4);
  bool found = false;
  for (int bits = arith::bits_for_count(least); bits <= most_ring_bits; ++bits) {
    if (found && ring_cost(p, bits) != ring_cost(p, p.ring_bits)) return true;
    const std::int64_t ring = std::int64_t{1} << bits;
    const auto clocks = ring >= generous ? bound : frame_clocks(pace, ring);
    if (!clocks || !is_about(*clocks, bound) || (found && *clocks >= p.frame_clocks)) continue;
    found = true;
    p.ring_bits = bits;
    p.frame_clocks = *clocks;
    if (*clocks == bound) return true;
  }
  return found;
}

// If the columns wait for the stream, doubles the words in a clock while each doubling shortens a
// frame by a twentieth. Then drops the columns that would only wait.
MatrixPlan balanced(const MatrixRequest& r, std::int64_t rows, std::int64_t columns,
                    const Column& column) {
  const auto bound_of = [](const MatrixPlan& p) { return p.pace().bound(); };
  MatrixPlan best = arranged(r, rows, columns, r.beat.value_or(1), column);
  while (!r.beat && best.beat < most_beat) {
    MatrixPlan wider = arranged(r, rows, columns, best.beat * 2, column);
    if (bound_of(wider) * 20 > bound_of(best) * 19) break;
    best = std::move(wider);
  }
  if (r.columns) return best;
  const std::int64_t useful = ceil_div(r.shape.group_out(), best.column_channels);
  for (std::int64_t tiles = ceil_div(useful, columns); tiles <= useful; ++tiles) {
    if (ceil_div(useful, tiles) >= best.columns) continue;
    MatrixPlan fewer = arranged(r, rows, ceil_div(useful, tiles), best.beat, column);
    if (bound_of(fewer) > bound_of(best)) break;
    best = std::move(fewer);
  }
  return best;
}

std::vector<std::int64_t> row_choices(const MatrixRequest& r) {
  if (r.rows) return {*r.rows};
  const std::int64_t halves = r.is_double ? 2 : 1;
  const std::int64_t whole = ceil_div(r.shape.group_in(), halves) * halves;
  std::vector<std::int64_t> all;
  for (const std::int64_t rows : {1, 2, 3, 4, 6, 7, 8, 14, 16, 24, 32, 48, 64})
    if (rows * halves <= whole) all.push_back(rows * halves);
  if (whole <= 64 * halves && std::find(all.begin(), all.end(), whole) == all.end())
    all.push_back(whole);
  return all;
}

// Which of two plans of about equal speed is smaller.
bool smaller(const MatrixPlan& a, const MatrixPlan& b) {
  if (a.slices() != b.slices()) return a.slices() < b.slices();
  if (a.beat != b.beat) return a.beat < b.beat;
  if (a.frame_clocks != b.frame_clocks) return a.frame_clocks < b.frame_clocks;
  return a.rows < b.rows;  // fewer memories
}

}  // namespace

Expected<MatrixPlan, config::Violation> planned(const MatrixRequest& request) {
  if (auto wrong = why_not(request)) return *std::move(wrong);
  std::optional<MatrixPlan> best;
  std::vector<MatrixPlan> candidates;
  std::optional<packing::Refusal> refusal;
  std::int64_t deepest = 0;
  for (const std::int64_t rows : row_choices(request)) {
    const std::int64_t words = words_of(request, rows);
    if (rows * words > most_terms) continue;
    auto column = planned_column(request, rows);
    if (!column && !column.reason().empty()) refusal = column.reason().front();
    if (!column) continue;
    const auto* chain = std::get_if<packing::PackingPlan>(&*column);
    const auto each = chain ? static_cast<std::int64_t>(chain->slices.size()) : 1;
    const std::int64_t channels = channels_of(request, *column);
    // Columns beyond the channels of a group would be idle.
    const std::int64_t useful = ceil_div(request.shape.group_out(), channels);
    const std::int64_t columns = request.columns.value_or(std::min(useful, request.slices / each));
    if (columns < 1) continue;
    MatrixPlan one = balanced(request, rows, columns, *column);
    if (request.reloads && !can_reload(one)) continue;
    if (one.tiles * one.words > most_memory) {
      deepest = std::max(deepest, one.tiles * one.words);
      continue;
    }
    candidates.push_back(std::move(one));
    candidates.back().frame_clocks = candidates.back().pace().bound();
  }
  // Rings are simulated in the order of the bound; plans that cannot win are not simulated.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.frame_clocks < b.frame_clocks; });
  std::int64_t fastest = std::numeric_limits<std::int64_t>::max() / 101;
  std::vector<MatrixPlan> played;
  for (MatrixPlan& one : candidates) {
    if (!is_about(one.frame_clocks, fastest)) break;
    if (!choose_ring(one)) continue;
    fastest = std::min(fastest, one.frame_clocks);
    played.push_back(std::move(one));
  }
  for (MatrixPlan& one : played)
    if (is_about(one.frame_clocks, fastest) && (!best || smaller(one, *best)))
      best = std::move(one);
  if (best) {
    best->values = request.values;
    if (request.trees && !request.trees->is_sketch)
      best->column = with_tree(best->tree(), request.trees->context);
    return *std::move(best);
  }
  if (deepest > 0)
    return impossible(code::no_matrix_fits,
                      fmt::format("no matrix of chains: a row has {} words of weights, of which a "
                                  "memory has no more than {}",
                                  deepest, most_memory));
  if (refusal)
    return request.scheme ? scheme_refused(*refusal)
                          : every_scheme_refused(request.rows ? "rows" : "slices", *refusal);
  return impossible(code::no_matrix_fits,
                    fmt::format("no matrix of chains: {} slices do not hold a column, or a set is "
                                "longer than {} terms",
                                request.slices, most_terms));
}

MatrixPlan plan(const MatrixRequest& request) {
  auto made = planned(request);
  if (made) return *std::move(made);
  const config::Violation& why = made.reason();
  throw DesignError(why.code, why.is_sentence ? why.message : to_string(why));
}

std::int64_t words_of(const MatrixRequest& r, std::int64_t rows) {
  const ConvShape& s = r.shape;
  return s.kernel_height * s.kernel_width / r.positions *
         ceil_div(s.group_in(), rows / r.positions);
}

std::optional<Column> column_of(const MatrixRequest& request, std::int64_t rows) {
  if (rows * words_of(request, rows) > most_terms) return {};
  auto column = planned_column(request, rows);
  if (!column) return {};
  return *std::move(column);
}

std::int64_t channels_of(const MatrixRequest& r, const Column& column) {
  const auto* chain = std::get_if<packing::PackingPlan>(&column);
  if (!chain) return 1;
  return r.sharing == Sharing::Weight ? chain->shared_count : chain->packed_count;
}

MatrixPlan sketch(const MatrixRequest& request, std::int64_t rows, std::int64_t columns,
                  const Column& column) {
  MatrixPlan p = arranged(request, rows, columns, request.beat.value_or(1), column);
  p.frame_clocks = p.pace().bound();
  if (p.reloads) p.frame_clocks = std::max(p.frame_clocks, p.weight_beats());
  return p;
}

// On two clocks, an address of one clock is in front of row 0's memories from the second half on.
// The operands of the first rows follow it there, those of the others half a clock later. Results
// are taken at the end of a clock.
int MatrixPlan::core_latency() const {
  if (!is_double) return issue_latency() + column_latency();
  return address_after() + 2 + (operand_clocks() + column_latency()) / 2;
}

int MatrixPlan::column_latency() const {
  if (in_trees()) return tree().latency();
  return chain().latency - static_cast<int>(chain().cycles() - 1);
}

arith::Format MatrixPlan::result_format(std::int64_t channel, std::int64_t pixel) const {
  if (in_trees()) return {tree().sum_bits, true};
  return chain().results[result(channel % column_channels, pixel)].format();
}

std::int64_t MatrixPlan::pixel_value(std::uint64_t raw) const {
  return in_trees() ? tree().pixels.value(raw) : arith::value_of(raw, activations.format());
}

std::size_t MatrixPlan::rows_of_a_copy() const {
  constexpr std::size_t chains_of_a_copy = 16, bits_of_a_memory = 36;
  if (!in_trees()) return chains_of_a_copy;
  return std::max<std::size_t>(1, bits_of_a_memory / static_cast<std::size_t>(pixel_bits()));
}

std::int64_t MatrixPlan::longest_step() const {
  return (std::max({next_group, next_line, next_frame}) + need + need_last) / beat + 1;
}

ExitPlan MatrixPlan::exit() const {
  constexpr std::int64_t longest_chain = 16;
  // From the start of a set to the start of the set that reuses its room in the exit.
  const std::int64_t under_way = words + core_latency();
  if (words > 1) {
    // A chain moves at most in every other clock, and passing through takes as many clocks as it
    // holds sets.
    const std::int64_t sets = ceil_div(under_way + 1, words - 1);
    if (sets <= longest_chain) return {sets, true};
  }
  return {ceil_div(under_way + 3, words), false};
}

Pace MatrixPlan::pace() const {
  return {.group_clocks = group_clocks(),
          .groups_a_line = pixel_groups,
          .lines = shape.out_height(),
          .need = need,
          .need_last = need_last,
          .next_group = next_group,
          .next_line = next_line,
          .next_frame = next_frame,
          .frame_words = shape.padded_height() * line_words(),
          .beat = beat,
          .hold = hold};
}

std::int64_t MatrixPlan::offset_of(std::int64_t tile, std::int64_t word) const {
  const std::int64_t block = word % blocks, position = word / blocks * positions;
  const std::int64_t ky = position / shape.kernel_width, kx = position % shape.kernel_width;
  const std::int64_t group = tile / (tiles / shape.groups);
  return first_word() + ky * shape.dilation.y * line_words() +
         kx * shape.dilation.x * pixel_words() + group * blocks + block;
}

std::int64_t MatrixPlan::distance(std::int64_t position) const {
  const std::int64_t ky = position / shape.kernel_width, kx = position % shape.kernel_width;
  return ky * shape.dilation.y * line_words() + kx * shape.dilation.x * pixel_words();
}

std::int64_t MatrixPlan::output_channel(std::int64_t tile, std::int64_t channel) const {
  const std::int64_t tiles_a_group = tiles / shape.groups;
  const std::int64_t in_group = tile % tiles_a_group * tile_channels() + channel;
  return in_group < shape.group_out() ? tile / tiles_a_group * shape.group_out() + in_group : -1;
}

std::int64_t MatrixPlan::weight(std::int64_t tile, std::int64_t word, std::int64_t row,
                                std::int64_t channel) const {
  const std::int64_t out = output_channel(tile, channel);
  const std::int64_t in = word % blocks * word_rows() + row % word_rows(),
                     position = word / blocks * positions + row / word_rows();
  if (out < 0 || in >= shape.group_in()) return in_trees() && tree().weights.is_sign ? 1 : 0;
  return values[shape.weight_index(out, in, position / shape.kernel_width,
                                   position % shape.kernel_width)];
}

double MatrixPlan::peak() const {
  return static_cast<double>(macs_per_clock()) / static_cast<double>(slices());
}

double MatrixPlan::sustained() const {
  return static_cast<double>(shape.macs()) /
         (static_cast<double>(cycles_a_frame()) * static_cast<double>(slices()));
}

std::string MatrixPlan::module_name() const {
  const std::string of = positions == 1 ? "" : fmt::format("of{}", positions);
  return fmt::format("conv_{}x{}x{}_to_{}_k{}x{}_r{}{}c{}{}", shape.in_channels, shape.height,
                     shape.width, shape.out_channels, shape.kernel_height, shape.kernel_width, rows,
                     of, columns,
                     is_double    ? "_2x"
                     : in_trees() ? "_trees"
                                  : "");
}

}  // namespace kumiki::gen::matrix
