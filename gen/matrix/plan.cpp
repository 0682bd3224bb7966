// SPDX-License-Identifier: Apache-2.0
#include "gen/matrix/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/packing/hardware/slices.h"
#include "gen/packing/picture.h"
#include "gen/packing/plan_json.h"
#include "gen/packing/schemes/draft.h"

namespace kumiki::gen::matrix {
namespace {

using packing::ceil_div;

void check_shape(const ConvShape& s) {
  const auto refuse = [](const std::string& what) { throw DesignError(what); };
  if (s.in_channels % s.groups != 0 || s.out_channels % s.groups != 0)
    refuse(fmt::format("{} groups do not divide {} input and {} output channels", s.groups,
                       s.in_channels, s.out_channels));
  if (s.out_height() < 1 || s.out_width() < 1)
    refuse(fmt::format("a kernel of {}x{} at dilation {} is larger than the padded map of {}x{}",
                       s.kernel_height, s.kernel_width, s.dilation, s.padded_height(),
                       s.padded_width()));
}

// The best plan of a column that takes exactly `rows` terms in each of `words` clocks.
std::optional<packing::PackingPlan> column_plan(const MatrixRequest& r, std::int64_t rows,
                                                std::int64_t words,
                                                std::optional<packing::Refusal>& refusal) {
  const bool pixels_packed = r.sharing == Sharing::Weight;
  packing::Request wanted{.packed = pixels_packed ? r.activations : r.weights,
                          .shared = pixels_packed ? r.weights : r.activations,
                          .terms = rows * words,
                          .cycles = words,
                          .limits = r.limits,
                          .wish = r.wish};
  std::vector<packing::PackingPlan> plans;
  std::vector<packing::Refusal> refused;
  if (r.scheme) {
    try {
      plans.push_back(packing::plan(wanted, *r.scheme));
    } catch (const packing::Refusal& one) {
      refused.push_back(one);
    }
  } else {
    plans = packing::enumerate(wanted, &refused);
  }
  for (auto& plan : plans)
    if (plan.terms_per_cycle == rows && plan.cycles() == words) return std::move(plan);
  if (!refused.empty()) refusal = refused.front();
  return {};
}

std::int64_t words_of(const ConvShape& s, std::int64_t rows) {
  return s.kernel_height * s.kernel_width * ceil_div(s.group_in(), rows);
}

MatrixPlan complete(const MatrixRequest& r, std::int64_t rows, std::int64_t columns,
                    packing::PackingPlan column) {
  const ConvShape& s = r.shape;
  MatrixPlan p{.shape = s,
               .activations = r.activations,
               .weights = r.weights,
               .sharing = r.sharing,
               .values = r.values,
               .column = std::move(column),
               .rows = rows,
               .columns = columns};
  const bool packed = r.sharing == Sharing::Weight;
  p.pixels = packed ? p.column.packed_count : p.column.shared_count;
  p.column_channels = packed ? p.column.shared_count : p.column.packed_count;
  p.blocks = ceil_div(s.group_in(), rows);
  p.words = words_of(s, rows);
  p.tiles = s.groups * ceil_div(s.group_out(), p.tile_channels());
  p.pixel_groups = ceil_div(s.out_width(), p.pixels);

  const std::int64_t pixel_step = s.stride * p.pixel_words();
  const std::int64_t last_offset = (s.kernel_height - 1) * s.dilation * p.line_words() +
                                   ((s.kernel_width - 1) * s.dilation + 1) * p.pixel_words() - 1;
  p.need = last_offset + (p.pixels - 1) * pixel_step + 1;
  p.need_last = last_offset + (p.last_pixels() - 1) * pixel_step + 1;
  p.next_group = p.pixels * pixel_step;
  const std::int64_t line = s.stride * p.line_words();
  p.next_line = line - (p.pixel_groups - 1) * p.next_group;
  p.next_frame = s.padded_height() * p.line_words() - (s.out_height() - 1) * line -
                 (p.pixel_groups - 1) * p.next_group;
  // The next lines come in while a line is computed.
  p.ring_bits = packing::bits_for_count(std::max<std::int64_t>(p.need + line, 4));
  int late = 0;
  for (const auto& slice : p.column.slices)
    if (slice.term >= 0) late = std::max(late, packing::arrival(p.column, slice));
  p.hold = issue_latency + late;
  return p;
}

std::vector<std::int64_t> row_choices(const MatrixRequest& r) {
  if (r.rows) return {*r.rows};
  std::vector<std::int64_t> all;
  for (const std::int64_t rows : {1, 2, 3, 4, 6, 7, 8, 14, 16, 24, 32, 48, 64})
    if (rows <= r.shape.group_in()) all.push_back(rows);
  const std::int64_t whole = r.shape.group_in();
  if (whole <= 64 && std::find(all.begin(), all.end(), whole) == all.end()) all.push_back(whole);
  return all;
}

bool better(const MatrixPlan& a, const MatrixPlan& b) {
  if (a.cycles_a_frame() != b.cycles_a_frame()) return a.cycles_a_frame() < b.cycles_a_frame();
  if (a.slices() != b.slices()) return a.slices() < b.slices();
  return a.rows < b.rows;  // fewer memories
}

}  // namespace

MatrixPlan plan(const MatrixRequest& request) {
  check_shape(request.shape);
  std::optional<MatrixPlan> best;
  std::optional<packing::Refusal> refusal;
  for (const std::int64_t rows : row_choices(request)) {
    const std::int64_t words = words_of(request.shape, rows);
    if (rows * words > 65536) continue;
    auto column = column_plan(request, rows, words, refusal);
    if (!column) continue;
    const auto each = static_cast<std::int64_t>(column->slices.size());
    const int channels =
        request.sharing == Sharing::Weight ? column->shared_count : column->packed_count;
    // More columns than a group has channels would stand idle.
    const std::int64_t useful = ceil_div(request.shape.group_out(), channels);
    const std::int64_t columns = request.columns.value_or(std::min(useful, request.slices / each));
    if (columns < 1) continue;
    auto one = complete(request, rows, columns, std::move(*column));
    if (one.ring_bits > 24) continue;
    if (!best || better(one, *best)) best = std::move(one);
  }
  if (best) return std::move(*best);
  if (refusal) throw packing::Refusal(*refusal);
  throw DesignError(fmt::format(
      "no matrix of chains: {} slices do not hold a column, or a set is longer than 65536 terms",
      request.slices));
}

std::int64_t MatrixPlan::offset_of(std::int64_t tile, std::int64_t word) const {
  const std::int64_t block = word % blocks, position = word / blocks;
  const std::int64_t ky = position / shape.kernel_width, kx = position % shape.kernel_width;
  const std::int64_t group = tile / (tiles / shape.groups);
  return ky * shape.dilation * line_words() + kx * shape.dilation * pixel_words() + group * blocks +
         block;
}

std::int64_t MatrixPlan::output_channel(std::int64_t tile, std::int64_t channel) const {
  const std::int64_t tiles_a_group = tiles / shape.groups;
  const std::int64_t in_group = tile % tiles_a_group * tile_channels() + channel;
  return in_group < shape.group_out() ? tile / tiles_a_group * shape.group_out() + in_group : -1;
}

std::int64_t MatrixPlan::weight(std::int64_t tile, std::int64_t word, std::int64_t row,
                                std::int64_t channel) const {
  const std::int64_t out = output_channel(tile, channel);
  const std::int64_t in = word % blocks * rows + row, position = word / blocks;
  if (out < 0 || in >= shape.group_in()) return 0;
  return values[static_cast<std::size_t>(
      shape.weight_index(out, in, position / shape.kernel_width, position % shape.kernel_width))];
}

double MatrixPlan::peak() const {
  return static_cast<double>(rows * columns * pixels * column_channels) /
         static_cast<double>(slices());
}

double MatrixPlan::sustained() const {
  return static_cast<double>(shape.macs()) /
         (static_cast<double>(cycles_a_frame()) * static_cast<double>(slices()));
}

std::string MatrixPlan::module_name() const {
  return fmt::format("conv_{}x{}x{}_to_{}_k{}x{}_r{}c{}", shape.in_channels, shape.height,
                     shape.width, shape.out_channels, shape.kernel_height, shape.kernel_width, rows,
                     columns);
}

bool MatrixPlan::operator==(const MatrixPlan& other) const {
  return values == other.values && to_text(*this) == to_text(other);
}

std::string to_text(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  std::string text = fmt::format(
      "convolution  {}x{}x{} to {}x{}x{}, kernel {}x{}, stride {}, padding {}, dilation {}, groups "
      "{}\n",
      s.in_channels, s.height, s.width, s.out_channels, s.out_height(), s.out_width(),
      s.kernel_height, s.kernel_width, s.stride, s.padding, s.dilation, s.groups);
  text += fmt::format(
      "matrix       {} rows x {} columns, {} sharing: {} pixels and {} output channels at once\n",
      p.rows, p.columns, p.sharing == Sharing::Weight ? "weight" : "input", p.pixels,
      p.tile_channels());
  text += fmt::format("slices       {} ({} a column)\n", p.slices(), p.column.slices.size());
  text += fmt::format(
      "sequence     {} words ({} kernel positions x {} channel blocks) x {} tiles x {} pixel "
      "groups x {} lines = {} cycles a frame\n",
      p.words, s.kernel_height * s.kernel_width, p.blocks, p.tiles, p.pixel_groups, s.out_height(),
      p.cycles_a_frame());
  text += fmt::format("MAC/slice    {:.3f} a cycle peak, {:.3f} sustained ({} MAC a frame)\n",
                      p.peak(), p.sustained(), s.macs());
  text += fmt::format(
      "line buffer  {} words of {} x {} bits, {} copies; a word is {} channels of a pixel, {} "
      "words a pixel\n",
      std::int64_t{1} << p.ring_bits, p.rows, p.activations.bits, p.pixels, p.rows,
      p.pixel_words());
  text += fmt::format("weights      {} words of {} x {} bits, {}\n", p.tiles * p.words,
                      p.rows * p.tile_channels(), p.weights.bits,
                      p.embedded() ? "embedded" : "loaded through w_data, row by row");
  return text + "column\n" + packing::picture_text(p.column) + packing::to_text(p.column);
}

Json to_json(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  return {{"in", {s.in_channels, s.height, s.width}},
          {"out", {s.out_channels, s.out_height(), s.out_width()}},
          {"kernel", {s.kernel_height, s.kernel_width}},
          {"stride", s.stride},
          {"padding", s.padding},
          {"dilation", s.dilation},
          {"groups", s.groups},
          {"sharing", p.sharing == Sharing::Weight ? "weight" : "input"},
          {"rows", p.rows},
          {"columns", p.columns},
          {"pixels", p.pixels},
          {"tile_channels", p.tile_channels()},
          {"slices", p.slices()},
          {"macs", s.macs()},
          {"cycles_a_frame", p.cycles_a_frame()},
          {"mac_per_slice_peak", p.peak()},
          {"mac_per_slice_sustained", p.sustained()},
          {"latency", issue_latency + p.column.latency},
          {"line_buffer_words", std::int64_t{1} << p.ring_bits},
          {"weight_words", p.tiles * p.words},
          {"embedded", p.embedded()},
          {"column", packing::to_json(p.column)}};
}

}  // namespace kumiki::gen::matrix
