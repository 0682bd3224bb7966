// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/player.h"

#include <algorithm>

namespace kumiki::gen::vision {

void Player::drive(VideoIn<Values>& in) {
  const auto& channels = pipeline_.inputs;
  const std::int64_t pixels = pipeline_.geometry.pixels;
  in.rst = false;
  in.clear_status = false;
  in.m_tready = true;
  in.s_tvalid = sending_ < pictures_.size();
  in.coefficient_valid.assign(in.coefficient_valid.size(), false);
  std::fill(in.s_tdata.begin(), in.s_tdata.end(), 0);
  if (!in.s_tvalid) return;
  const Raster& picture = pictures_[sending_];
  in.width = static_cast<std::uint64_t>(picture.width);
  in.height = static_cast<std::uint64_t>(picture.height);
  in.s_tuser = x_ == 0 && y_ == 0;
  in.s_tlast = x_ + pixels >= picture.width;
  for (std::int64_t p = 0; p < pixels && x_ + p < picture.width; ++p)
    for (std::size_t c = 0; c < channels.size(); ++c)
      in.s_tdata[static_cast<std::size_t>(p) * channels.size() + c] =
          static_cast<std::uint64_t>(picture.at(y_, x_ + p, c)) &
          ((std::uint64_t{1} << channels[c].bits) - 1);
}

Raster Player::result_shape(const Raster& picture) const {
  Raster result{picture.width, picture.height, pipeline_.outputs.size(), {}};
  for (const Group& g : pipeline_.groups)
    if (g.halves) {
      result.width = (result.width + 1) / 2;
      result.height = (result.height + 1) / 2;
    }
  return result;
}

bool Player::watch(const VideoOut<Values>& out) {
  const std::int64_t pixels = pipeline_.geometry.pixels;
  if (out.s_tready && sending_ < pictures_.size()) {
    const Raster& picture = pictures_[sending_];
    x_ += pixels;
    if (x_ >= picture.width) x_ = 0, ++y_;
    if (y_ >= picture.height) y_ = 0, ++sending_;
  }
  if (out.m_tvalid && results_.size() <= pictures_.size()) {
    const auto& channels = pipeline_.outputs;
    if (out_x_ == 0 && out_y_ == 0) results_.push_back(result_shape(pictures_[results_.size()]));
    Raster& result = results_.back();
    for (std::int64_t p = 0; p < pixels && out_x_ + p < result.width; ++p)
      for (std::size_t c = 0; c < channels.size(); ++c) {
        result.values.push_back(packing::value_of(
            out.m_tdata[static_cast<std::size_t>(p) * channels.size() + c], channels[c].format()));
      }
    out_x_ += pixels;
    if (out_x_ >= result.width) out_x_ = 0, ++out_y_;
    if (out_y_ >= result.height) out_y_ = 0;
  }
  return results_.size() < pictures_.size() || out_x_ != 0 || out_y_ != 0;
}

}  // namespace kumiki::gen::vision
