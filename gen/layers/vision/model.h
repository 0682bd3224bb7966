// SPDX-License-Identifier: Apache-2.0
// The model of a pipeline in integers. Handshakes are simulated clock by clock; the value of a
// pixel is computed from the whole picture by the definition of every filter.
#pragma once
#include <deque>
#include <vector>

#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/ports.h"

namespace kumiki::gen::vision {

// A pixel's channels, and the pixels of a beat.
using PixelValues = std::vector<std::int64_t>;
using BeatValues = std::vector<PixelValues>;

struct ModelBeat {
  bool valid = false, eol = false, eof = false;
  int tail = 0;
  std::int64_t height = 0;  // of the frame
  BeatValues pixels;
};

class GuardModel {
 public:
  explicit GuardModel(const Pipeline& pipeline) : pipeline_(&pipeline) {}
  void power_up();
  ModelBeat offer(const VideoIn<Values>& in) const;
  bool ready(const VideoIn<Values>& in, bool next_ready) const;
  void clock(const VideoIn<Values>& in, bool next_ready);
  unsigned status() const { return status_; }

 private:
  enum class State { hunting, measuring, deciding, passing, filling, refusing };
  bool size_is_legal() const;
  bool is_early(const VideoIn<Values>& in) const;

  const Pipeline* pipeline_;
  State state_ = State::hunting;
  std::int64_t width_ = 0, height_ = 0, x_ = 0, y_ = 0;  // x in beats
  unsigned status_ = 0;
};

class GroupModel {
 public:
  explicit GroupModel(const Group& group) : group_(&group) { power_up(); }
  void power_up();
  const ModelBeat& out() const { return out_; }
  bool ready(bool next_ready) const;
  void clock(const ModelBeat& in, bool next_ready, bool reset,
             const std::vector<std::int64_t>& coefficients, bool complete);

 private:
  struct Token {
    bool valid = false, eof = false, eol = false;
    std::int64_t beat = 0, line = 0;  // position of the window's middle
    ModelBeat plain;                  // without a window
  };
  enum class Phase { running, flushing, draining };
  bool room(bool next_ready) const { return !out_.valid || next_ready; }
  void clock_halving(const ModelBeat& in, bool next_ready);
  void clock_windowed(const ModelBeat& in, bool next_ready,
                      const std::vector<std::int64_t>& coefficients, bool complete);
  void end_line(bool is_last_of_frame);
  ModelBeat finished(const Token& token) const;
  PixelValues pixel(std::int64_t row, std::int64_t column) const;

  const Group* group_;
  ModelBeat out_;
  std::deque<Token> tokens_;  // the oldest in front
  Phase phase_ = Phase::draining;
  bool pause_ = false;
  bool muted_ = true;
  int left_ = 0;                                     // remaining steps of a drain
  std::int64_t column_ = 0, line_ = 0;               // of the next beat
  std::int64_t flushed_ = 0;                         // empty lines so far
  std::int64_t width_ = 0, height_ = 0, beats_ = 0;  // of the current frame, as far as known
  int tail_ = 0;
  std::int64_t announced_height_ = 0;
  BeatValues kept_;                                // halving: pixels that wait until a beat is full
  std::vector<std::vector<PixelValues>> picture_;  // [row][column]
  std::vector<std::int64_t> coefficients_;
};

// A buffer of two beats.
class SkidModel {
 public:
  bool ready() const { return beats_.size() < 2; }
  ModelBeat out() const { return beats_.empty() ? ModelBeat{} : beats_.front(); }
  void clock(const ModelBeat& in, bool next_ready, bool reset);
  void power_up() { beats_.clear(); }

 private:
  std::deque<ModelBeat> beats_;
};

class PipelineModel {
 public:
  explicit PipelineModel(const Pipeline& pipeline);
  void power_up();
  VideoOut<Values> step(const VideoIn<Values>& in);

 private:
  VideoIn<Values> entered(const VideoIn<Values>& in) const;
  void clock_entry(const VideoIn<Values>& in, bool leaves);

  // Held by value: a model outlives the layer it comes from.
  std::shared_ptr<const Pipeline> pipeline_;
  std::deque<VideoIn<Values>> entry_;  // up to two beats in front of the guard
  GuardModel guard_;
  std::vector<SkidModel> skids_;  // in front of every group, and behind the last
  std::vector<GroupModel> groups_;
  bool first_ = true;  // the next beat that leaves begins a frame
  std::vector<std::int64_t> loaded_;
  int loaded_count_ = 0;
  bool is_whole_ = true;  // the last set is complete, and no new one has begun
};

}  // namespace kumiki::gen::vision
