// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/streams.h"

#include <algorithm>

#include "gen/arith/float_factor.h"
#include "gen/arith/format.h"

namespace kumiki::gen::array {
namespace {

// Counts up to `limit` and wraps to 0; returns true when it wraps.
template <class T, class U>
bool wraps(T& counter, U limit) {
  if (++counter < static_cast<T>(limit)) return false;
  counter = 0;
  return true;
}

}  // namespace

IndividualStream::IndividualStream(const Program& program, std::vector<Source> sources)
    : program_(&program), sources_(std::move(sources)), bits_(program.plan.operand_bits()) {}

bool IndividualStream::there() const {
  const Layout& l = now().layout;
  if (l.kind == Kind::fc && !l.batch) return true;
  return sources_[layer_].there(group_ * l.channels + channel_);
}

std::int64_t IndividualStream::next(std::vector<std::uint64_t>& data, std::vector<bool>& keep) {
  const auto lanes = static_cast<std::size_t>(program_->plan.stream_words());
  data.assign(lanes, 0);
  keep.assign(static_cast<std::size_t>(program_->plan.pixel_lanes()), false);
  places_.assign(lanes, -1);
  const Layout& l = now().layout;
  const std::int64_t kept = l.batch              ? batch_beat(data)
                            : l.kind == Kind::fc ? weight_beat(data)
                                                 : window_beat(data, keep);
  advance();
  return kept;
}

std::int64_t IndividualStream::weight_beat(std::vector<std::uint64_t>& data) const {
  const Layout& l = now().layout;
  const std::int64_t first = block_ * l.elements, count = l.outputs_of(block_);
  for (std::int64_t e = 0; e < count; ++e) {
    const std::int32_t w = now().job.weights[(first + e) * l.channels + channel_];
    data[static_cast<std::size_t>(e)] = arith::raw_of(w, bits_);
  }
  return count;
}

// The inputs of all images, then the weights of all outputs.
std::int64_t IndividualStream::batch_beat(std::vector<std::uint64_t>& data) {
  const ArrayPlan& plan = program_->plan;
  const Layout& l = now().layout;
  const std::int64_t images = l.across.results_of(block_), outputs = l.down.results_of(strip_);
  auto set = [&](std::int64_t lane, std::int32_t value) {
    data[static_cast<std::size_t>(lane)] = arith::raw_of(value, bits_);
  };
  if (const Tensor* inputs = sources_[layer_].map)
    for (std::int64_t i = 0; i < images; ++i) {
      const std::int64_t place = channel_ * l.across.results + block_ * l.across.block + i;
      places_[static_cast<std::size_t>(i)] = place;
      set(i, inputs->at(place));
    }
  for (std::int64_t o = 0; o < outputs; ++o)
    set(plan.columns() + o, now().job.weights[(strip_ * l.down.block + o) * l.channels + channel_]);
  return images + outputs;
}

// One word for each of several neighbouring banks.
std::int64_t IndividualStream::window_beat(std::vector<std::uint64_t>& data,
                                           std::vector<bool>& keep) {
  const ArrayPlan& plan = program_->plan;
  const Layout& l = now().layout;
  const ConvShape& s = now().job.shape.conv;
  const Tensor& map = *sources_[layer_].map;
  const int chunk = plan.chunk(), banks = plan.banks_a_beat();
  const std::int64_t high = l.down.sums_of(strip_) + (l.phases.taps_of(a_) - 1) * l.phases.step;
  const std::int64_t wide = l.across.sums_of(block_) + (l.phases.taps_of(b_) - 1) * l.phases.step;
  const std::int64_t top = s.stride * l.down.pitch * strip_ + a_ * s.dilation - s.above();
  const std::int64_t left = s.stride * l.across.pitch * block_ + b_ * s.dilation - s.left();
  const std::int64_t channel = group_ * l.channels + channel_;
  std::int64_t kept = 0;
  for (int j = 0; j < banks; ++j) {
    const std::int64_t bank = std::int64_t{beat_} * banks + j;
    const std::int64_t y = top + s.stride * bank;
    if (bank >= high || y < 0 || y >= s.height) continue;
    const std::int64_t row = map.index(channel, y, 0);
    for (int i = 0; i < chunk; ++i) {
      const std::int64_t m = std::int64_t{chunk_} * chunk + i, x = left + s.stride * m;
      if (m >= wide || x >= s.width) break;
      if (x < 0) continue;
      const auto lane = static_cast<std::size_t>(j * chunk + i);
      places_[lane] = row + x;
      data[lane] = arith::raw_of(map.at(row + x), bits_);
      keep[lane] = true;
      ++kept;
    }
  }
  return kept;
}

void IndividualStream::advance() {
  const Layout& l = now().layout;
  if (l.kind == Kind::fc) {
    if (wraps(channel_, l.channels) && wraps(block_, l.batch ? l.across.blocks() : l.blocks()) &&
        (!l.batch || wraps(strip_, l.down.blocks())))
      ++layer_;
    return;
  }
  if (wraps(beat_, l.bank_groups) && wraps(chunk_, program_->plan.chunks()) &&
      wraps(b_, l.phases.phases) && wraps(a_, l.phases.phases) && wraps(channel_, l.channels) &&
      wraps(block_, l.across.blocks()) && wraps(strip_, l.down.blocks()) && wraps(turn_, l.turns) &&
      wraps(group_, l.groups))
    ++layer_;
}

CommonStream::CommonStream(const Program& program, std::vector<Source> sources)
    : program_(&program), sources_(std::move(sources)), bits_(program.plan.operand_bits()) {
  skip_batches();
}

void CommonStream::skip_batches() {
  while (!over() && now().layout.batch) ++layer_;
}

bool CommonStream::there() const {
  if (now().layout.kind == Kind::conv) return true;
  const Source& s = sources_[layer_];
  return s.there(channel_ / s.channel_size);
}

int CommonStream::next(std::vector<std::uint64_t>& data) {
  const ArrayPlan& plan = program_->plan;
  const Layout& l = now().layout;
  data.assign(static_cast<std::size_t>(plan.commons()), 0);
  auto set = [&](int lane, std::int64_t value) {
    data[static_cast<std::size_t>(lane)] = arith::raw_of(value, bits_);
  };
  const auto count = static_cast<int>(l.parts.parts());
  place_ = -1;
  if (l.kind == Kind::fc) {
    place_ = channel_;
    set(0, sources_[layer_].map->at(channel_));
  } else {
    const std::int64_t across = l.parts.across.parts;
    for (std::int64_t part = 0; part < count; ++part)
      set(plan.common_lane(part / across != 0, part % across != 0), coefficient(part));
  }
  advance();
  return count;
}

// The coefficient for the output of a part in this turn; 0 past the last output.
std::int64_t CommonStream::coefficient(std::int64_t part) const {
  const LayerJob& job = now().job;
  const Layout& l = now().layout;
  const std::int64_t output = turn_ * l.turn_outputs() + part * l.depth + slot_;
  if (output >= l.outputs) return 0;
  const std::int64_t row = a_ + i_ * l.phases.phases, column = b_ + j_ * l.phases.phases;
  const std::int64_t kernel = job.shape.conv.kernel;
  const std::int64_t channel = (group_ * l.outputs + output) * l.channels + channel_;
  return job.weights[(channel * kernel + row) * kernel + column];
}

void CommonStream::advance() {
  const Layout& l = now().layout;
  const auto repeats = now().keep ? 1 : now().common_repeats();
  if (l.kind == Kind::fc) {
    if (wraps(channel_, l.channels) && wraps(repeat_, repeats)) ++layer_;
    skip_batches();
    return;
  }
  const Phases& p = l.phases;
  const int taps_a = p.taps_of(a_), taps_b = p.taps_of(b_);
  if (wraps(slot_, l.depth) && wraps(j_, taps_b) && wraps(b_, p.phases) && wraps(i_, taps_a) &&
      wraps(a_, p.phases) && wraps(channel_, l.channels) && wraps(repeat_, repeats) &&
      wraps(turn_, l.turns) && wraps(group_, l.groups))
    ++layer_;
  skip_batches();
}

OutputBeat OutputStream::next() {
  const Layout& l = now().layout;
  return l.batch ? batch_beat() : l.kind == Kind::fc ? fc_beat() : conv_beat();
}

// Results of neighbouring images for one output.
OutputBeat OutputStream::batch_beat() {
  const Layout& l = now().layout;
  const std::int64_t words = program_->plan.request.output_words;
  const std::int64_t width = l.across.results_of(block_);
  OutputBeat beat;
  beat.channel = strip_ * l.down.block + row_;
  beat.index = beat.channel * l.across.results + block_ * l.across.block + word_;
  beat.count = static_cast<int>(std::min(words, width - word_));
  word_ += words;
  if (word_ < width) return beat;
  word_ = 0;
  if (wraps(row_, l.down.results_of(strip_)) && wraps(block_, l.across.blocks()) &&
      wraps(strip_, l.down.blocks())) {
    beat.last = true;
    ++layer_;
  }
  return beat;
}

OutputBeat OutputStream::conv_beat() {
  const Layout& l = now().layout;
  const MapShape map = now().job.made_shape();
  const std::int64_t words = program_->plan.request.output_words;
  const std::int64_t width = l.across.results_of(block_);
  OutputBeat beat;
  beat.channel = group_ * l.outputs + turn_ * l.turn_outputs() + slot_;
  beat.index = (beat.channel * map.height + strip_ * l.down.block + row_) * map.width +
               block_ * l.across.block + word_;
  beat.count = static_cast<int>(std::min(words, width - word_));
  word_ += words;
  if (word_ < width) return beat;
  word_ = 0;
  if (wraps(row_, l.down.results_of(strip_)) && wraps(slot_, l.slots(turn_)) &&
      wraps(block_, l.across.blocks()) && wraps(strip_, l.down.blocks()) && wraps(turn_, l.turns) &&
      wraps(group_, l.groups)) {
    beat.last = true;
    ++layer_;
  }
  return beat;
}

OutputBeat OutputStream::fc_beat() {
  const Layout& l = now().layout;
  const std::int64_t words = program_->plan.request.output_words;
  const std::int64_t outputs = l.outputs_of(block_);
  const std::int64_t width = std::min(l.columns, outputs - row_ * l.columns);
  OutputBeat beat;
  beat.channel = beat.index = block_ * l.elements + row_ * l.columns + word_;
  beat.count = static_cast<int>(std::min(words, width - word_));
  word_ += words;
  if (word_ < width) return beat;
  word_ = 0;
  if (wraps(row_, (outputs + l.columns - 1) / l.columns) && wraps(block_, l.blocks())) {
    beat.last = true;
    ++layer_;
  }
  return beat;
}

std::uint64_t parameter(const ArrayPlan& plan, const ProgramLayer& layer, std::int64_t channel) {
  const LayerJob& job = layer.job;
  const auto bias = arith::raw_of(layer.offset_of(channel), plan.sum_bits());
  if (plan.request.float32) {
    const auto f = arith::float_factor(job.rule_of(channel, plan.request.data_bits).scale);
    return static_cast<std::uint64_t>(f.steps) << 58 | std::uint64_t{f.factor} << 32 | bias;
  }
  const auto shift = static_cast<std::uint64_t>(job.shift_of(channel) - 1);
  const std::uint64_t multiplier = plan.packed() ? job.multiplier_of(channel) : 0;
  return shift << shift_place | multiplier << 32 | bias;
}

int ParameterStream::next(std::vector<std::uint64_t>& data) {
  const ProgramLayer& now = program_->layers[layer_];
  const Layout& l = now.layout;
  const std::int64_t words = program_->plan.request.output_words;
  data.assign(static_cast<std::size_t>(words), 0);
  if (l.kind == Kind::conv) {
    data[0] = parameter(program_->plan, now, group_ * l.outputs + turn_ * l.turn_outputs() + slot_);
    if (wraps(slot_, l.slots(turn_)) && wraps(block_, l.blocks()) && wraps(turn_, l.turns) &&
        wraps(group_, l.groups))
      ++layer_;
    return 1;
  }
  if (l.batch) return batch_beat(data);
  const std::int64_t outputs = l.outputs_of(block_);
  const std::int64_t width = std::min(l.columns, outputs - row_ * l.columns);
  const int count = static_cast<int>(std::min(words, width - word_));
  for (int i = 0; i < count; ++i)
    data[static_cast<std::size_t>(i)] =
        parameter(program_->plan, now, block_ * l.elements + row_ * l.columns + word_ + i);
  word_ += words;
  if (word_ < width) return count;
  word_ = 0;
  if (wraps(row_, (outputs + l.columns - 1) / l.columns) && wraps(block_, l.blocks())) ++layer_;
  return count;
}

// The parameters of one output, repeated for each of its images.
int ParameterStream::batch_beat(std::vector<std::uint64_t>& data) {
  const ProgramLayer& now = program_->layers[layer_];
  const Layout& l = now.layout;
  const std::int64_t words = program_->plan.request.output_words;
  const std::int64_t width = l.across.results_of(block_);
  const int count = static_cast<int>(std::min(words, width - word_));
  for (int i = 0; i < count; ++i)
    data[static_cast<std::size_t>(i)] =
        parameter(program_->plan, now, strip_ * l.down.block + row_);
  word_ += words;
  if (word_ < width) return count;
  word_ = 0;
  if (wraps(row_, l.down.results_of(strip_)) && wraps(block_, l.across.blocks()) &&
      wraps(strip_, l.down.blocks()))
    ++layer_;
  return count;
}

}  // namespace kumiki::gen::array
