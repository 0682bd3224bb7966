// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/source.h"

#include <algorithm>

namespace kumiki::gen::vision {

VideoSource::VideoSource(const Pipeline& pipeline, const SourceOptions& options)
    : pipeline_(pipeline), options_(options), model_(pipeline) {
  begin();
}

void VideoSource::begin() {
  random_.seed(options_.seed);
  model_.power_up();
  offered_ = false;
  loading_ = 0;
  start_frame();
}

std::int64_t VideoSource::below(std::int64_t end) {
  return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
}

void VideoSource::start_frame() {
  const auto& g = pipeline_.geometry;
  const auto size = [&](std::int64_t most) {
    // The full size is rare if frames are long.
    if (below(most <= 64 ? 8 : 64) == 0) return most;
    return 1 + below(std::min(most, options_.usual_size));
  };
  width_ = size(g.max_width);
  height_ = size(g.max_height);
  if (width_ > 64 && height_ > 64) height_ = 1 + below(4);
  x_ = y_ = 0;
  fault_line_ = below(height_);
  fault_ = Fault::none;
  if (below(1000) < static_cast<std::int64_t>(options_.broken * 1000))
    fault_ = static_cast<Fault>(1 + below(6));
  if (fault_ == Fault::bad_size) {
    // 0, or one more than the largest valid size.
    const bool wide = below(2) == 0, none = below(2) == 0;
    (wide ? width_ : height_) = none ? 0 : (wide ? g.max_width : g.max_height) + 1;
  }
}

void VideoSource::advance() {
  const auto beats = std::max<std::int64_t>(
      (width_ + pipeline_.geometry.pixels - 1) / pipeline_.geometry.pixels, 1);
  std::int64_t end = beats;
  if (y_ == fault_line_ && fault_ == Fault::short_line && beats > 1) end = beats - 1;
  if (y_ == fault_line_ && fault_ == Fault::long_line) end = beats + 1 + (x_ & 1);
  if (++x_ < end) return;
  x_ = 0;
  ++y_;
  std::int64_t lines = std::max<std::int64_t>(height_, 1);
  if (fault_ == Fault::short_frame) lines = std::max<std::int64_t>(fault_line_, 1);
  if (fault_ == Fault::long_frame) ++lines;
  if (y_ >= lines) start_frame();
}

void VideoSource::load_coefficients(VideoIn<Values>& in) {
  if (in.coefficient_valid.empty()) return;
  // Mostly complete sets, sometimes an incomplete one.
  if (loading_ == 0 && below(100) == 0)
    loading_ = pipeline_.coefficients() + (below(8) == 0 ? 1 : 0);
  in.coefficient_valid[0] = loading_ > 0 && in.coefficient_valid[0];
  if (in.coefficient_valid[0]) --loading_;
}

void VideoSource::drive(std::uint64_t cycle, VideoIn<Values>& in) {
  if (cycle == 0) begin();
  if (offered_) {
    in.s_tvalid = true;
    in.s_tdata = data_;
  } else if (in.s_tvalid) {
    offered_ = true;
    data_ = in.s_tdata;
  }
  const auto beats = (width_ + pipeline_.geometry.pixels - 1) / pipeline_.geometry.pixels;
  if (offered_) {
    in.s_tuser = x_ == 0 && y_ == 0;
    in.s_tlast = x_ + 1 == beats;
    if (y_ == fault_line_) {
      if (fault_ == Fault::short_line) in.s_tlast = x_ + 1 >= beats - (beats > 1);
      if (fault_ == Fault::long_line) in.s_tlast = x_ >= beats;
      if (fault_ == Fault::no_last) in.s_tlast = false;
    }
    // The size is read with the first beat only.
    if (in.s_tuser) {
      in.width = static_cast<std::uint64_t>(width_);
      in.height = static_cast<std::uint64_t>(height_);
    }
  }
  load_coefficients(in);
  const auto out = model_.step(in);
  if (offered_ && out.s_tready && !in.rst) {
    offered_ = false;
    advance();
  }
  if (in.rst) offered_ = false;
}

}  // namespace kumiki::gen::vision
