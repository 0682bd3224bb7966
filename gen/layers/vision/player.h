// SPDX-License-Identifier: Apache-2.0
// Plays pictures into a pipeline at full speed and collects the results.
#pragma once
#include <vector>

#include "gen/layers/vision/ports.h"
#include "gen/layers/vision/reference.h"

namespace kumiki::gen::vision {

class Player {
 public:
  Player(const Pipeline& pipeline, std::vector<Raster> pictures)
      : pipeline_(pipeline), pictures_(std::move(pictures)) {}

  // drive() sets the inputs of the next cycle. watch() reads its outputs and returns false after
  // the last pixel.
  void drive(VideoIn<Values>& in);
  bool watch(const VideoOut<Values>& out);

  const std::vector<Raster>& results() const { return results_; }

 private:
  Raster result_shape(const Raster& picture) const;  // without its values
  const Pipeline& pipeline_;
  std::vector<Raster> pictures_, results_;
  std::size_t sending_ = 0;
  std::int64_t x_ = 0, y_ = 0;          // of the next pixel to send
  std::int64_t out_x_ = 0, out_y_ = 0;  // of the next pixel to receive
};

}  // namespace kumiki::gen::vision
