// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/model.h"

#include <algorithm>

namespace kumiki::gen::vision {

void GuardModel::power_up() {
  state_ = State::hunting;
  status_ = 0;
  x_ = y_ = 0;
}

bool GuardModel::size_is_legal() const {
  const auto& g = pipeline_->geometry;
  return width_ >= 1 && width_ <= g.max_width && height_ >= 1 && height_ <= g.max_height;
}

bool GuardModel::is_early(const VideoIn<Values>& in) const {
  return state_ == State::passing && in.s_tvalid && in.s_tuser && (x_ != 0 || y_ != 0);
}

ModelBeat GuardModel::offer(const VideoIn<Values>& in) const {
  ModelBeat beat;
  const auto& channels = pipeline_->inputs;
  const int pixels = pipeline_->geometry.pixels;
  beat.valid =
      state_ == State::filling || (state_ == State::passing && in.s_tvalid && !is_early(in));
  beat.eol = x_ == (width_ - 1) / pixels;
  beat.eof = beat.eol && y_ == height_ - 1;
  beat.tail = static_cast<int>((width_ - 1) % pixels);
  beat.height = height_;
  for (std::size_t p = 0; p < static_cast<std::size_t>(pixels); ++p) {
    beat.pixels.emplace_back();
    for (std::size_t c = 0; c < channels.size(); ++c)
      beat.pixels.back().push_back(
          state_ == State::filling
              ? 0
              : packing::value_of(in.s_tdata[p * channels.size() + c], channels[c].format()));
  }
  return beat;
}

bool GuardModel::ready(const VideoIn<Values>& in, bool next_ready) const {
  if (state_ == State::hunting) return !in.s_tuser;
  if (state_ == State::refusing) return true;
  return state_ == State::passing && next_ready && !is_early(in);
}

void GuardModel::clock(const VideoIn<Values>& in, bool next_ready) {
  const ModelBeat beat = offer(in);
  unsigned seen = 0;
  if (state_ == State::hunting && in.s_tvalid) {
    if (!in.s_tuser) {
      seen |= 1u << discarded;
    } else {
      state_ = State::measuring;
      width_ = static_cast<std::int64_t>(in.width);
      height_ = static_cast<std::int64_t>(in.height);
      x_ = y_ = 0;
    }
  } else if (state_ == State::measuring) {
    state_ = State::deciding;
  } else if (state_ == State::deciding) {
    state_ = size_is_legal() ? State::passing : State::refusing;
  } else if (state_ == State::refusing) {
    seen |= 1u << bad_size;
    state_ = State::hunting;
  } else if (is_early(in)) {
    seen |= 1u << short_frame;
    state_ = State::filling;
  } else if (beat.valid && next_ready) {
    if (state_ == State::passing && in.s_tlast != beat.eol) {
      seen |= in.s_tlast ? 1u << short_line : 1u << long_line;
      state_ = State::filling;
    }
    if (beat.eof) state_ = State::hunting;
    x_ = beat.eol ? 0 : x_ + 1;
    if (beat.eol) y_ = beat.eof ? 0 : y_ + 1;
  }
  status_ = (in.clear_status ? 0 : status_) | seen;
  if (in.rst) power_up();
}

void GroupModel::power_up() {
  out_ = {};
  phase_ = group_->window ? Phase::draining : Phase::running;
  pause_ = false;
  muted_ = true;
  left_ = group_->latency() - 1;
  column_ = line_ = flushed_ = 0;
  kept_.clear();
  tokens_.assign(static_cast<std::size_t>(group_->latency() - 1), {});
  coefficients_.clear();
  if (group_->window) coefficients_ = group_->window->operation->loadable();
}

bool GroupModel::ready(bool next_ready) const {
  return room(next_ready) && phase_ == Phase::running && !pause_;
}

PixelValues GroupModel::pixel(std::int64_t row, std::int64_t column) const {
  std::vector<std::vector<std::int64_t>> windows;
  for (std::size_t c = 0; c < group_->inputs.size(); ++c)
    windows.push_back(window_at(
        *group_->window, row, column, height_, width_, [&](std::int64_t y, std::int64_t x) {
          return picture_[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)][c];
        }));
  return group_->apply(windows, coefficients_);
}

// The beat of a token when it leaves: all pixels of its window have come by then.
ModelBeat GroupModel::finished(const Token& token) const {
  ModelBeat beat{.valid = token.valid, .eol = token.eol, .eof = token.eof, .tail = tail_};
  beat.height = announced_height_;
  if (!token.valid) return beat;
  const int pixels = group_->geometry.pixels;
  if (!group_->window) {
    beat.tail = token.plain.tail;
    beat.height = token.plain.height;
    for (const PixelValues& p : token.plain.pixels) {
      std::vector<std::vector<std::int64_t>> one;
      for (const auto v : p) one.push_back({v});
      beat.pixels.push_back(group_->apply(one, {}));
    }
    return beat;
  }
  for (int p = 0; p < pixels; ++p) {
    const auto x = token.beat * pixels + p;
    beat.pixels.push_back(x < width_ ? pixel(token.line, x)
                                     : PixelValues(group_->outputs.size(), 0));
  }
  return beat;
}

void GroupModel::end_line(bool is_last_of_frame) {
  column_ = 0;
  ++line_;
  if (phase_ == Phase::running && is_last_of_frame) {
    height_ = line_;
    phase_ = Phase::flushing;
    flushed_ = 0;
  } else if (phase_ == Phase::flushing && ++flushed_ == group_->window->radius()) {
    phase_ = Phase::draining;
    left_ = group_->latency() - 1;
  }
}

void GroupModel::clock_windowed(const ModelBeat& in, bool next_ready,
                                const std::vector<std::int64_t>& coefficients, bool complete) {
  if (!room(next_ready) || (phase_ == Phase::running && !pause_ && !in.valid)) {
    if (next_ready) out_.valid = false;
    return;
  }
  Token token;
  if (phase_ == Phase::draining) {
    pause_ = false;
    if (--left_ == 0) {
      phase_ = Phase::running;
      line_ = column_ = 0;
    }
  } else if (pause_) {
    pause_ = false;
  } else {
    const bool real = phase_ == Phase::running;
    if (real) {
      if (line_ == 0 && column_ == 0) {
        picture_.clear();
        announced_height_ = in.height;
        height_ = std::int64_t{1} << 40;  // not known yet, so larger than any frame
        if (complete) coefficients_ = coefficients;
      }
      if (column_ == 0) picture_.emplace_back();
      for (const auto& p : in.pixels) picture_.back().push_back(p);
    }
    const bool ends = real ? in.eol : column_ + 1 == beats_;
    const int radius = group_->window->radius();
    token = {.valid = line_ >= radius, .eol = ends, .beat = column_, .line = line_ - radius};
    token.eof = ends && !real && flushed_ + 1 == radius;
    pause_ = ends && column_ == 0;
    if (real && ends) {
      beats_ = column_ + 1;
      tail_ = in.tail;
      width_ = column_ * group_->geometry.pixels + in.tail + 1;
    }
    if (ends)
      end_line(real && in.eof);
    else
      ++column_;
  }
  tokens_.push_back(token);
  Token last = tokens_.front();
  tokens_.pop_front();
  if (muted_) last.valid = false;
  muted_ = muted_ && phase_ == Phase::draining;
  out_ = finished(last);
}

// Line by line: collects pixels until there is a beat of them or the line ends.
void GroupModel::clock_halving(const ModelBeat& in, bool next_ready) {
  if (!room(next_ready)) return;
  out_.valid = false;
  if (!in.valid) return;
  const std::int64_t pixels = group_->geometry.pixels;
  const std::int64_t here = in.eol ? in.tail + 1 : pixels;
  for (std::int64_t p = 0; line_ % 2 == 0 && p < here; ++p)
    if ((column_ * pixels + p) % 2 == 0) kept_.push_back(in.pixels[static_cast<std::size_t>(p)]);
  const bool second = column_ % 2 == 1;
  column_ = in.eol ? 0 : column_ + 1;
  if (!kept_.empty() && (second || in.eol)) {
    out_ = {.valid = true, .eol = in.eol, .tail = static_cast<int>(kept_.size()) - 1};
    out_.eof = in.eol && line_ / 2 == (in.height - 1) / 2;
    out_.height = (in.height + 1) / 2;
    kept_.resize(static_cast<std::size_t>(pixels), PixelValues(group_->outputs.size(), 0));
    out_.pixels = std::move(kept_);
    kept_.clear();
  }
  if (in.eol) line_ = in.eof ? 0 : line_ + 1;
}

void GroupModel::clock(const ModelBeat& in, bool next_ready, bool reset,
                       const std::vector<std::int64_t>& coefficients, bool complete) {
  if (reset) {
    // Coefficients in use are data: a reset keeps them.
    auto kept = coefficients_;
    power_up();
    coefficients_ = std::move(kept);
    return;
  }
  if (group_->halves) return clock_halving(in, next_ready);
  if (group_->window) return clock_windowed(in, next_ready, coefficients, complete);
  if (!room(next_ready)) return;
  tokens_.push_back({.valid = in.valid, .eof = in.eof, .eol = in.eol, .plain = in});
  out_ = finished(tokens_.front());
  tokens_.pop_front();
}

void SkidModel::clock(const ModelBeat& in, bool next_ready, bool reset) {
  const bool takes = in.valid && ready();
  if (next_ready && !beats_.empty()) beats_.pop_front();
  if (takes) beats_.push_back(in);
  if (reset) beats_.clear();
}

PipelineModel::PipelineModel(const Pipeline& pipeline)
    : pipeline_(std::make_shared<const Pipeline>(pipeline)), guard_(*pipeline_) {
  for (const Group& g : pipeline_->groups) groups_.emplace_back(g);
  skids_.resize(groups_.size() + 1);
  power_up();
}

void PipelineModel::power_up() {
  guard_.power_up();
  for (GroupModel& g : groups_) g.power_up();
  for (SkidModel& k : skids_) k.power_up();
  entry_.clear();
  first_ = true;
  loaded_.clear();
  for (const Group& g : pipeline_->groups)
    if (g.window)
      for (const auto v : g.window->operation->loadable()) loaded_.push_back(v);
  loaded_count_ = 0;
  is_whole_ = true;
}

// The oldest beat of the entry, as the guard sees it.
VideoIn<Values> PipelineModel::entered(const VideoIn<Values>& in) const {
  VideoIn<Values> beat = entry_.empty() ? in : entry_.front();
  beat.s_tvalid = !entry_.empty();
  beat.rst = in.rst;
  beat.clear_status = in.clear_status;
  return beat;
}

void PipelineModel::clock_entry(const VideoIn<Values>& in, bool leaves) {
  const bool takes = in.s_tvalid && entry_.size() < 2;
  if (leaves) entry_.pop_front();
  if (takes) entry_.push_back(in);
  if (in.rst) entry_.clear();
}

VideoOut<Values> PipelineModel::step(const VideoIn<Values>& in) {
  const std::size_t n = groups_.size();
  std::vector<char> ready(n + 1);  // of the skids
  for (std::size_t i = 0; i <= n; ++i) ready[i] = skids_[i].ready();

  const ModelBeat last = skids_[n].out();
  VideoOut<Values> out;
  out.s_tready = entry_.size() < 2;
  out.status = guard_.status();
  out.m_tvalid = last.valid;
  out.m_tuser = first_;
  out.m_tlast = last.eol;
  const auto& channels = pipeline_->outputs;
  for (int p = 0; p < pipeline_->geometry.pixels; ++p)
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const bool there = last.valid && !(last.eol && p > last.tail);
      out.m_tdata.push_back(
          there ? packing::raw_of(last.pixels[static_cast<std::size_t>(p)][c], channels[c].bits)
                : 0);
    }

  // The clock edge. The last part goes first; each sees what the previous part offers before the
  // edge.
  const VideoIn<Values> beat = entered(in);
  const bool leaves = last.valid && in.m_tready;
  if (leaves) first_ = last.eof;
  skids_[n].clock(groups_[n - 1].out(), in.m_tready, in.rst);
  for (std::size_t i = n; i-- > 0;) {
    const Group& g = pipeline_->groups[i];
    std::vector<std::int64_t> own;
    bool complete = false;
    if (g.loadable() > 0) {
      std::size_t first = 0;
      for (std::size_t k = 0; k < i; ++k)
        first += static_cast<std::size_t>(pipeline_->groups[k].loadable());
      own.assign(loaded_.begin() + static_cast<std::ptrdiff_t>(first),
                 loaded_.begin() + static_cast<std::ptrdiff_t>(first) + g.loadable());
      // The port is as wide as the widest coefficient; narrower ones are its low bits.
      const packing::Format f = g.window->operation->coefficient().format();
      for (auto& v : own) v = packing::value_of(static_cast<std::uint64_t>(v), f);
      complete = is_whole_;
    }
    const bool taken = groups_[i].ready(ready[i + 1] != 0);
    groups_[i].clock(skids_[i].out(), ready[i + 1] != 0, in.rst, own, complete);
    skids_[i].clock(i == 0 ? guard_.offer(beat) : groups_[i - 1].out(), taken, in.rst);
  }
  clock_entry(in, beat.s_tvalid && guard_.ready(beat, ready[0] != 0));
  guard_.clock(beat, ready[0] != 0);
  if (!in.rst && !in.coefficient_valid.empty() && in.coefficient_valid[0]) {
    loaded_.erase(loaded_.begin());
    loaded_.push_back(
        packing::value_of(in.coefficient_data[0], {pipeline_->coefficient_bits(), true}));
    loaded_count_ = (loaded_count_ + 1) % pipeline_->coefficients();
    is_whole_ = loaded_count_ == 0;
  }
  if (in.rst) {
    first_ = true;
    loaded_count_ = 0;
  }
  return out;
}

}  // namespace kumiki::gen::vision
