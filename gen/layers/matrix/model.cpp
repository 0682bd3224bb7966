// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/model.h"

#include <algorithm>

namespace kumiki::gen::matrix {

MatrixModel::MatrixModel(const MatrixPlan& plan) : plan_(plan), counts_(plan_) { power_up(); }

void MatrixModel::power_up() {
  counts_ = MatrixCounts(plan_);
  weights_.clear();
  for (std::int64_t tile = 0; tile < plan_.tiles && plan_.embedded(); ++tile)
    for (std::int64_t word = 0; word < plan_.words; ++word)
      for (std::int64_t row = 0; row < plan_.rows; ++row)
        for (std::int64_t c = 0; c < plan_.tile_channels(); ++c)
          weights_.push_back(plan_.weight(tile, word, row, c));
  frames_.clear();
  oldest_ = complete_ = computed_ = 0;
  results_.clear();
}

bool MatrixModel::is_loaded() const {
  return weights_.size() ==
         static_cast<std::size_t>(plan_.tiles * plan_.words * plan_.rows * plan_.tile_channels());
}

bool MatrixModel::is_border(std::int64_t word) const {
  const ConvShape& s = plan_.shape;
  const std::int64_t x = word - plan_.first_word(), y = counts_.load_y() - s.padding.top;
  return x < plan_.left_words() || x >= plan_.left_words() + plan_.frame_line_words() || y < 0 ||
         y >= s.height;
}

// A beat begins in the border or in the frame.
void MatrixModel::load(const std::vector<std::uint64_t>& beat) {
  const std::int64_t x = counts_.load_x(), y = counts_.load_y();
  const std::int64_t rows = plan_.word_rows(), line = plan_.line_words() * rows,
                     lines = plan_.shape.padded_height();
  if (x == 0 && y == 0) frames_.emplace_back(static_cast<std::size_t>(lines * line), plan_.pad);
  for (std::int64_t i = 0; i < plan_.beat * rows; ++i)
    if (!is_border(x + i / rows))
      frames_.back()[y * line + x * rows + i] = plan_.pixel_value(beat[i]);
  if (x + plan_.beat == plan_.line_words() && y + 1 == lines) ++complete_;
}

std::int64_t MatrixModel::sum(std::int64_t channel, std::int64_t x) const {
  const ConvShape& s = plan_.shape;
  const Frame& frame = frames_[computed_ - oldest_];
  const std::int64_t conv_group = counts_.tile() / (plan_.tiles / s.groups);
  const std::int64_t channels = plan_.word_rows();
  std::int64_t total = 0;
  for (std::int64_t word = 0; word < plan_.words; ++word)
    for (std::int64_t row = 0; row < plan_.rows; ++row) {
      const std::int64_t position = word / plan_.blocks * plan_.positions + row / channels;
      const std::int64_t ky = position / s.kernel_width, kx = position % s.kernel_width;
      const std::int64_t pixel = (x * s.stride.x + kx * s.dilation.x) * plan_.pixel_words();
      const std::int64_t block =
          (counts_.line() * s.stride.y + ky * s.dilation.y) * plan_.line_words() +
          plan_.first_word() + pixel + conv_group * plan_.blocks + word % plan_.blocks;
      total += frame[block * channels + row % channels] *
               weights_[((counts_.tile() * plan_.words + word) * plan_.rows + row) *
                            plan_.tile_channels() +
                        channel];
    }
  return total;
}

MatrixModel::Result MatrixModel::compute() const {
  const ConvShape& s = plan_.shape;
  const bool line_ends = counts_.group() == plan_.pixel_groups - 1;
  Result r{.last = line_ends && counts_.line() == s.out_height() - 1 &&
                   counts_.tile() == plan_.tiles - 1,
           .sums = {}};
  for (std::int64_t c = 0; c < plan_.tile_channels(); ++c)
    for (std::int64_t p = 0; p < plan_.pixels; ++p) {
      const std::int64_t first = counts_.group() * plan_.pixels;
      const std::int64_t x = first + p < s.out_width() ? first + p : first;
      r.sums.push_back(arith::raw_of(sum(c, x), plan_.result_format(c, p)));
    }
  return r;
}

MatrixOut<Values> MatrixModel::shown() const {
  MatrixOut<Values> out{.in_ready = counts_.in_ready(),
                        .out_valid = counts_.out_valid(),
                        .out_last = false,
                        .out_data = {},
                        .w_ready = {}};
  if (out.out_valid) out.out_last = results_.front().last, out.out_data = results_.front().sums;
  out.out_data.resize(static_cast<std::size_t>(plan_.tile_channels() * plan_.pixels), 0);
  if (!plan_.embedded()) out.w_ready.push_back(!is_loaded());
  return out;
}

// All parts see the state before this clock.
void MatrixModel::clock(const MatrixIn<Values>& in) {
  const bool loaded = is_loaded();
  if (counts_.out_valid() && in.out_ready) results_.pop_front();
  if (counts_.ends_set(loaded)) {
    results_.push_back(compute());
    if (results_.back().last) ++computed_;
  }
  if (counts_.loads(in.in_valid)) load(in.in_data);
  counts_.clock(in.in_valid, in.out_ready, loaded);
  if (!loaded && in.w_valid[0])
    for (const std::uint64_t w : in.w_data)
      weights_.push_back(packing::value_of(w, plan_.weights.format()));
  // If no window needs a frame's last lines, it may be computed before it is complete.
  for (; oldest_ < std::min(computed_, complete_); ++oldest_) frames_.pop_front();
  if (in.rst) power_up();
}

}  // namespace kumiki::gen::matrix
