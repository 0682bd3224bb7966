// SPDX-License-Identifier: Apache-2.0
// The streams of a program, beat by beat in the order of the README of this folder. A beat is
// computed when it is read.
#pragma once
#include "gen/layers/array/program.h"

namespace kumiki::gen::array {

// The input of a layer: a map, and the number of outstanding values of each channel.
struct Source {
  const Tensor* map = nullptr;
  const std::vector<std::int64_t>* missing = nullptr;  // null: nothing is outstanding
  std::int64_t channel_size = 1;

  bool there(std::int64_t channel) const {
    return missing == nullptr || (*missing)[static_cast<std::size_t>(channel)] == 0;
  }
};

// Windows of convolutions and weights of fully connected layers; for a batch also the inputs.
class IndividualStream {
 public:
  IndividualStream(const Program& program, std::vector<Source> sources);
  bool over() const { return layer_ == program_->layers.size(); }
  std::size_t layer() const { return layer_; }
  // Whether all values of the next beat are available.
  bool there() const;
  // Writes the next beat; returns how many of its words are kept.
  std::int64_t next(std::vector<std::uint64_t>& data, std::vector<bool>& keep);
  // For each word of the last beat, its index in the layer's input; -1: none, for example a weight.
  const std::vector<std::int64_t>& places() const { return places_; }

 private:
  std::int64_t window_beat(std::vector<std::uint64_t>& data, std::vector<bool>& keep);
  std::int64_t weight_beat(std::vector<std::uint64_t>& data) const;
  std::int64_t batch_beat(std::vector<std::uint64_t>& data);
  void advance();
  const ProgramLayer& now() const { return program_->layers[layer_]; }

  const Program* program_;
  std::vector<Source> sources_;
  int bits_;
  std::vector<std::int64_t> places_;
  std::size_t layer_ = 0;
  std::int64_t group_ = 0, turn_ = 0, strip_ = 0, block_ = 0, channel_ = 0;
  int a_ = 0, b_ = 0, chunk_ = 0, beat_ = 0;
};

// Coefficients of convolutions and inputs of fully connected layers; empty for a batch.
class CommonStream {
 public:
  CommonStream(const Program& program, std::vector<Source> sources);
  bool over() const { return layer_ == program_->layers.size(); }
  std::size_t layer() const { return layer_; }
  bool there() const;
  // Writes the next beat, one word for each part of the array; returns how many of them count.
  int next(std::vector<std::uint64_t>& data);
  // The index in the layer's input of the last beat's first word; -1: a weight.
  std::int64_t place() const { return place_; }

 private:
  std::int64_t coefficient(std::int64_t part) const;
  void advance();
  void skip_batches();
  const ProgramLayer& now() const { return program_->layers[layer_]; }

  const Program* program_;
  std::vector<Source> sources_;
  int bits_;
  std::int64_t place_ = -1;
  std::size_t layer_ = 0;
  std::int64_t group_ = 0, turn_ = 0, repeat_ = 0, channel_ = 0, slot_ = 0;
  int a_ = 0, i_ = 0, b_ = 0, j_ = 0;
};

// Where the words of an output beat belong in the layer's result, and whose parameters they use:
// `count` neighbours.
struct OutputBeat {
  std::int64_t channel = 0;  // of the first word
  std::int64_t index = 0;    // of the first word
  int count = 0;
  bool last = false;  // of the layer
};

class OutputStream {
 public:
  explicit OutputStream(const Program& program) : program_(&program) {}
  bool over() const { return layer_ == program_->layers.size(); }
  std::size_t layer() const { return layer_; }
  OutputBeat next();

 private:
  OutputBeat conv_beat();
  OutputBeat batch_beat();
  OutputBeat fc_beat();
  const ProgramLayer& now() const { return program_->layers[layer_]; }

  const Program* program_;
  std::size_t layer_ = 0;
  std::int64_t group_ = 0, turn_ = 0, strip_ = 0, block_ = 0, slot_ = 0, row_ = 0, word_ = 0;
};

// The parameter word of an output channel.
std::uint64_t parameter(const ArrayPlan& plan, const ProgramLayer& layer, std::int64_t channel);

class ParameterStream {
 public:
  explicit ParameterStream(const Program& program) : program_(&program) {}
  bool over() const { return layer_ == program_->layers.size(); }
  std::size_t layer() const { return layer_; }
  // Writes the next beat; returns how many words of it count.
  int next(std::vector<std::uint64_t>& data);

 private:
  int batch_beat(std::vector<std::uint64_t>& data);

  const Program* program_;
  std::size_t layer_ = 0;
  std::int64_t group_ = 0, turn_ = 0, strip_ = 0, block_ = 0, slot_ = 0, row_ = 0, word_ = 0;
};

}  // namespace kumiki::gen::array
