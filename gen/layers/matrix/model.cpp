// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/model.h"

namespace kumiki::gen::matrix {

MatrixModel::MatrixModel(const MatrixPlan& plan) : plan_(plan), counts_(plan) { power_up(); }

void MatrixModel::power_up() {
  counts_ = MatrixCounts(plan_);
  weights_.clear();
  for (std::int64_t tile = 0; tile < plan_.tiles && plan_.embedded(); ++tile)
    for (std::int64_t word = 0; word < plan_.words; ++word)
      for (std::int64_t row = 0; row < plan_.rows; ++row)
        for (std::int64_t c = 0; c < plan_.tile_channels(); ++c)
          weights_.push_back(plan_.weight(tile, word, row, c));
  frames_.clear();
  frame_in_ = beat_in_ = frame_ = beat_ = 0;
  result_.assign(static_cast<std::size_t>(plan_.tile_channels() * plan_.pixels), 0);
  is_computed_ = false;
}

bool MatrixModel::is_loaded() const {
  return std::ssize(weights_) == plan_.weight_beats() * plan_.tile_channels();
}

std::int64_t MatrixModel::sum(std::int64_t tile, std::int64_t channel, std::int64_t line,
                              std::int64_t column) const {
  const ConvShape& s = plan_.shape;
  const std::int64_t rows = plan_.word_rows(), group = tile / (plan_.tiles / s.groups),
                     beats = plan_.in_beats() / s.height;
  const auto frame = frames_.find(frame_);
  std::int64_t total = 0;
  for (std::int64_t word = 0; word < plan_.words; ++word)
    for (std::int64_t row = 0; row < plan_.rows; ++row) {
      const std::int64_t position = word / plan_.blocks * plan_.positions + row / rows;
      const std::int64_t y = line * s.stride.y + position / s.kernel_width * s.dilation.y -
                             s.padding.top,
                         x = column * s.stride.x + position % s.kernel_width * s.dilation.x -
                             s.padding.left;
      const std::int64_t at = x * plan_.pixel_words() + group * plan_.blocks + word % plan_.blocks;
      const bool is_border = y < 0 || y >= s.height || x < 0 || x >= s.width;
      total +=
          (is_border ? plan_.pad
                     : frame->second.at(static_cast<std::size_t>(
                           (y * beats * plan_.beat + at) * rows + row % rows))) *
          weights_[static_cast<std::size_t>(
              ((tile * plan_.words + word) * plan_.rows + row) * plan_.tile_channels() + channel)];
    }
  return total;
}

std::vector<std::uint64_t> MatrixModel::result() const {
  const std::int64_t tile = beat_ % plan_.tiles, group = beat_ / plan_.tiles % plan_.pixel_groups,
                     line = beat_ / plan_.tiles / plan_.pixel_groups;
  std::vector<std::uint64_t> sums;
  for (std::int64_t c = 0; c < plan_.tile_channels(); ++c)
    for (std::int64_t p = 0; p < plan_.pixels; ++p) {
      const std::int64_t first = group * plan_.pixels;
      const std::int64_t x = first + p < plan_.shape.out_width() ? first + p : first;
      sums.push_back(arith::raw_of(sum(tile, c, line, x), plan_.result_format(c, p)));
    }
  return sums;
}

MatrixOut<Values> MatrixModel::step(const MatrixIn<Values>& in) {
  const bool valid = counts_.out_valid(), was_loaded = is_loaded();
  if (valid && !is_computed_) result_ = result();
  is_computed_ = valid && !in.out_ready;
  MatrixOut<Values> out{.in_ready = counts_.in_ready(),
                        .out_valid = valid,
                        .out_last = beat_ + 1 == plan_.out_beats(),
                        .out_data = result_,
                        .w_ready = {}};
  if (!plan_.embedded()) out.w_ready.push_back(!was_loaded);
  if (in.rst) {
    power_up();
    return out;
  }
  // If no window needs a frame's last lines, its results may leave before it is complete.
  if (out.in_ready && in.in_valid) {
    for (const std::uint64_t raw : in.in_data)
      if (frame_in_ >= frame_) frames_[frame_in_].push_back(plan_.pixel_value(raw));
    if (++beat_in_ == plan_.in_beats()) beat_in_ = 0, ++frame_in_;
  }
  if (valid && in.out_ready && ++beat_ == plan_.out_beats()) {
    beat_ = 0;
    frames_.erase(frame_++);
  }
  if (!was_loaded && in.w_valid[0])
    for (const std::uint64_t w : in.w_data)
      weights_.push_back(packing::value_of(w, plan_.weights.format()));
  counts_.clock({.in_valid = in.in_valid, .out_ready = in.out_ready, .are_loaded = was_loaded}, 1);
  return out;
}

}  // namespace kumiki::gen::matrix
