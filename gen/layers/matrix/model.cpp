// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/model.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kumiki::gen::matrix {

MatrixModel::MatrixModel(const MatrixPlan& plan) : plan_(plan) { power_up(); }

void MatrixModel::power_up() { reset(); }

void MatrixModel::reset() {
  weights_.clear();
  for (std::int64_t tile = 0; tile < plan_.tiles && plan_.embedded(); ++tile)
    for (std::int64_t word = 0; word < plan_.words; ++word)
      for (std::int64_t row = 0; row < plan_.rows; ++row)
        for (std::int64_t c = 0; c < plan_.tile_channels(); ++c)
          weights_.push_back(plan_.weight(tile, word, row, c));
  frames_.clear();
  oldest_ = complete_ = computed_ = 0;
  load_x_ = load_y_ = word_ = tile_ = group_ = line_ = level_ = held_ = arriving_ = taken_ = 0;
  room_ = plan_.exit().sets;
  freed_.assign(static_cast<std::size_t>(plan_.hold), 0);
  pipeline_.assign(static_cast<std::size_t>(plan_.core_latency()), {});
  queue_.clear();
  exit_.assign(static_cast<std::size_t>(plan_.exit().is_chain ? plan_.exit().sets : 1), {});
}

bool MatrixModel::is_loaded() const {
  return weights_.size() ==
         static_cast<std::size_t>(plan_.tiles * plan_.words * plan_.rows * plan_.tile_channels());
}

bool MatrixModel::is_border(std::int64_t word) const {
  const ConvShape& s = plan_.shape;
  const std::int64_t x = word - plan_.first_word(), y = load_y_ - s.padding.top;
  return x < plan_.left_words() || x >= plan_.left_words() + plan_.frame_line_words() || y < 0 ||
         y >= s.height;
}

// A beat begins in the border or in the frame.
void MatrixModel::load(const MatrixIn<Values>& in) {
  if (is_full() || !(is_border(load_x_) || in.in_valid)) return;
  const ConvShape& s = plan_.shape;
  const std::int64_t rows = plan_.word_rows(), line = plan_.line_words() * rows;
  if (load_x_ == 0 && load_y_ == 0)
    frames_.emplace_back(static_cast<std::size_t>(s.padded_height() * line), plan_.pad);
  for (std::int64_t i = 0; i < plan_.beat * rows; ++i)
    if (!is_border(load_x_ + i / rows))
      frames_.back()[static_cast<std::size_t>(load_y_ * line + load_x_ * rows + i)] =
          plan_.pixel_value(in.in_data[static_cast<std::size_t>(i)]);
  arriving_ = plan_.beat;
  held_ += plan_.beat;
  load_x_ = (load_x_ + plan_.beat) % plan_.line_words();
  if (load_x_ != 0) return;
  load_y_ = (load_y_ + 1) % s.padded_height();
  if (load_y_ == 0) ++complete_;
}

void MatrixModel::load_weights(const MatrixIn<Values>& in) {
  if (is_loaded() || !in.w_valid[0]) return;
  for (const std::uint64_t w : in.w_data)
    weights_.push_back(packing::value_of(w, plan_.weights.format()));
}

std::int64_t MatrixModel::sum(std::int64_t channel, std::int64_t x) const {
  const ConvShape& s = plan_.shape;
  const Frame& frame = frames_[static_cast<std::size_t>(computed_ - oldest_)];
  const std::int64_t conv_group = tile_ / (plan_.tiles / s.groups);
  const std::int64_t channels = plan_.word_rows();
  std::int64_t total = 0;
  for (std::int64_t word = 0; word < plan_.words; ++word)
    for (std::int64_t row = 0; row < plan_.rows; ++row) {
      const std::int64_t position = word / plan_.blocks * plan_.positions + row / channels;
      const std::int64_t ky = position / s.kernel_width, kx = position % s.kernel_width;
      const std::int64_t pixel = (x * s.stride.x + kx * s.dilation.x) * plan_.pixel_words();
      const std::int64_t block = (line_ * s.stride.y + ky * s.dilation.y) * plan_.line_words() +
                                 plan_.first_word() + pixel + conv_group * plan_.blocks +
                                 word % plan_.blocks;
      total +=
          frame[static_cast<std::size_t>(block * channels + row % channels)] *
          weights_[static_cast<std::size_t>(
              ((tile_ * plan_.words + word) * plan_.rows + row) * plan_.tile_channels() + channel)];
    }
  return total;
}

MatrixModel::Result MatrixModel::compute() const {
  const ConvShape& s = plan_.shape;
  Result r{.valid = true,
           .last = line_ == s.out_height() - 1 && group_ == plan_.pixel_groups - 1 &&
                   tile_ == plan_.tiles - 1,
           .sums = {}};
  for (std::int64_t c = 0; c < plan_.tile_channels(); ++c)
    for (std::int64_t p = 0; p < plan_.pixels; ++p) {
      const std::int64_t first = group_ * plan_.pixels;
      const std::int64_t x = first + p < s.out_width() ? first + p : first;
      r.sums.push_back(arith::raw_of(sum(c, x), plan_.result_format(c, p)));
    }
  return r;
}

void MatrixModel::move_on() {
  const bool line_ends = group_ == plan_.pixel_groups - 1;
  const bool frame_ends = line_ends && line_ == plan_.shape.out_height() - 1;
  const std::int64_t words = frame_ends  ? plan_.next_frame
                             : line_ends ? plan_.next_line
                                         : plan_.next_group;
  level_ -= words;
  freed_.front() = words;
  group_ = line_ends ? 0 : group_ + 1;
  if (line_ends) line_ = frame_ends ? 0 : line_ + 1;
  if (frame_ends) ++computed_;
}

std::int64_t MatrixModel::need() const {
  return group_ == plan_.pixel_groups - 1 ? plan_.need_last : plan_.need;
}

MatrixModel::Result MatrixModel::issue() {
  const bool begins = word_ == 0, begins_group = begins && tile_ == 0;
  if (begins && (!is_loaded() || room_ == 0)) return {};
  if (begins_group && level_ < need()) return {};
  if (begins) --room_;
  Result r;
  if (word_ == plan_.words - 1) r = compute();
  if (++word_ < plan_.words) return r;
  word_ = 0;
  if (++tile_ < plan_.tiles) return r;
  tile_ = 0;
  move_on();
  return r;
}

// A chain moves a result on if its register is full and the next one is empty. A memory moves its
// oldest result into the output register.
void MatrixModel::leave(Result arriving, bool ready) {
  const bool is_chain = plan_.exit().is_chain,
             moves = is_chain ? !at_output().valid : !at_output().valid || ready;
  if (ready) exit_.back() = {};
  if (is_chain) {
    bool empty = moves;
    for (std::size_t k = exit_.size(); k-- > 1;) {
      const bool was_empty = !exit_[k - 1].valid;
      if (empty) exit_[k] = std::exchange(exit_[k - 1], {});
      empty = was_empty;
    }
    if (!arriving.valid) return;
    if (!empty) throw std::logic_error("a matrix computed results for which there is no room");
    exit_[0] = std::move(arriving);
    return;
  }
  if (moves && !queue_.empty()) {
    exit_.back() = std::move(queue_.front());
    queue_.pop_front();
  }
  if (arriving.valid) queue_.push_back(std::move(arriving));
}

MatrixOut<Values> MatrixModel::shown() const {
  MatrixOut<Values> out{.in_ready = !is_full() && !is_border(load_x_),
                        .out_valid = at_output().valid,
                        .out_last = at_output().last,
                        .out_data = at_output().sums,
                        .w_ready = {}};
  out.out_data.resize(static_cast<std::size_t>(plan_.tile_channels() * plan_.pixels), 0);
  if (!plan_.embedded()) out.w_ready.push_back(!is_loaded());
  return out;
}

void MatrixModel::clock(const MatrixIn<Values>& in) {
  const std::int64_t given_back = freed_.back(), came = std::exchange(arriving_, 0);
  freed_.pop_back();
  freed_.push_front(0);
  pipeline_.push_front(issue());
  Result arriving = std::move(pipeline_.back());
  pipeline_.pop_back();
  room_ += std::exchange(taken_, at_output().valid && in.out_ready ? 1 : 0);
  leave(std::move(arriving), in.out_ready);
  // All parts see the state before this clock; the groups see a beat one clock later.
  load(in);
  level_ += came;
  held_ -= given_back;
  load_weights(in);
  // If no window needs a frame's last lines, it may be computed before it is complete.
  for (; oldest_ < std::min(computed_, complete_); ++oldest_) frames_.pop_front();
  if (in.rst) reset();
}

}  // namespace kumiki::gen::matrix
