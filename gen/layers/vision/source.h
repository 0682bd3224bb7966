// SPDX-License-Identifier: Apache-2.0
// Sends frames for tests: random sizes including all small ones, back to back, some broken in one
// of the ways that the guard detects. It follows AXI4-Stream: an offered beat stays until it is
// taken. Pixels, gaps and the receiver's stalls come from the random frame of inputs.
#pragma once
#include <random>

#include "gen/layers/vision/model.h"

namespace kumiki::gen::vision {

struct SourceOptions {
  std::uint64_t seed = 1;
  double broken = 0.2;           // of the frames
  std::int64_t usual_size = 12;  // most frames are at most this wide and high
};

class VideoSource {
 public:
  VideoSource(const Pipeline& pipeline, const SourceOptions& options);
  // Sets the inputs of a cycle; cycle 0 restarts the sequence.
  void drive(std::uint64_t cycle, VideoIn<Values>& in);

 private:
  enum class Fault { none, short_line, long_line, no_last, short_frame, long_frame, bad_size };
  void begin();
  void start_frame();
  void advance();
  std::int64_t below(std::int64_t end);
  void load_coefficients(VideoIn<Values>& in);

  Pipeline pipeline_;
  SourceOptions options_;
  PipelineModel model_;  // tells which beats are taken
  std::mt19937_64 random_;
  std::int64_t width_ = 1, height_ = 1, x_ = 0, y_ = 0;  // x in beats
  Fault fault_ = Fault::none;
  std::int64_t fault_line_ = 0;
  bool offered_ = false;  // and not taken yet
  std::vector<std::uint64_t> data_;
  int loading_ = 0;
};

}  // namespace kumiki::gen::vision
