// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/player.h"

#include <fmt/format.h>

#include "gen/layers/array/messages.h"
#include "gen/layers/common/messages.h"
#include "ir/error.h"

namespace kumiki::gen::array {
namespace {

void check_inputs(const Program& program, const std::vector<std::optional<Tensor>>& inputs) {
  if (inputs.size() != program.layers.size())
    throw DesignError(code::wrong_count,
                      fmt::format("there are {} inputs for {} layers; give one for each layer",
                                  inputs.size(), program.layers.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const LayerJob& job = program.layers[i].job;
    if (!inputs[i] && i == 0)
      throw DesignError(code::no_input_map,
                        fmt::format("layer {} has no input; give it a map", job.shape.name));
    const MapShape wanted = job.in_shape();
    const MapShape given = inputs[i] ? inputs[i]->shape : program.layers[i - 1].job.out_shape();
    if (job.takes(given)) continue;
    throw DesignError(code::maps_differ,
                      fmt::format("layer {} takes {} x {} x {}, its input has {} x {} x {}",
                                  job.shape.name, wanted.channels, wanted.height, wanted.width,
                                  given.channels, given.height, given.width));
  }
}

std::vector<Tensor> result_maps(const Program& program) {
  std::vector<Tensor> all;
  for (const ProgramLayer& layer : program.layers) all.emplace_back(layer.job.out_shape());
  return all;
}

std::vector<std::vector<std::int64_t>> all_missing(const Program& program) {
  std::vector<std::vector<std::int64_t>> all;
  for (const ProgramLayer& layer : program.layers) {
    const MapShape s = layer.job.out_shape();
    all.emplace_back(static_cast<std::size_t>(s.channels), s.height * s.width);
  }
  return all;
}

}  // namespace

Player::Player(const Program& program, std::vector<std::optional<Tensor>> inputs, Stalls stalls)
    : program_(program),
      inputs_((check_inputs(program, inputs), std::move(inputs))),
      results_(result_maps(program)),
      missing_(all_missing(program)),
      individual_(program, sources()),
      common_(program, sources()),
      parameters_(program),
      output_(program),
      stalls_(stalls),
      random_(static_cast<std::minstd_rand::result_type>(stalls.seed)),
      writes_(program.writes()),
      measured_(program.layers.size()) {
  writes_.push_back(program.start());
}

std::vector<Source> Player::sources() const {
  std::vector<Source> all;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i]) {
      all.push_back({&*inputs_[i], nullptr, 1});
      continue;
    }
    const MapShape s = results_[i - 1].shape;
    all.push_back({&results_[i - 1], &missing_[i - 1], s.height * s.width});
  }
  return all;
}

bool Player::stalled(int of_256) {
  return of_256 != 0 && static_cast<int>(random_() >> 8 & 255) < of_256;
}

void Player::drive(ArrayIn<Values>& in) {
  in.rst = false;
  in.cfg_valid = written_ < writes_.size();
  const bool started = !in.cfg_valid;
  if (in.cfg_valid) {
    in.cfg_addr = writes_[written_].address;
    in.cfg_data = writes_[written_].data;
    ++written_;
  }
  if (clocks_ == 0) {
    const auto lanes = static_cast<std::size_t>(program_.plan.stream_words());
    in.ind_data.assign(lanes, 0);
    in.ind_keep.assign(static_cast<std::size_t>(program_.plan.pixel_lanes()), false);
    in.com_data.assign(static_cast<std::size_t>(program_.plan.commons()), 0);
    in.par_data.assign(static_cast<std::size_t>(program_.plan.request.output_words), 0);
  }
  if (started && !individual_offer_.valid && !individual_.over() && individual_.there() &&
      !stalled(stalls_.individual)) {
    individual_offer_ = {true, individual_.layer(), 0};
    individual_offer_.words = individual_.next(in.ind_data, in.ind_keep);
    individual_words_ = {individual_offer_.layer, individual_.places()};
  }
  if (started && !common_offer_.valid && !common_.over() && common_.there() &&
      !stalled(stalls_.common)) {
    common_offer_ = {true, common_.layer(), 0};
    common_offer_.words = common_.next(in.com_data);
    common_words_ = {common_offer_.layer, {common_.place()}};
  }
  if (started && !parameter_offer_.valid && !parameters_.over() && !stalled(stalls_.parameters)) {
    parameter_offer_ = {true, parameters_.layer(), 0};
    parameter_offer_.words = parameters_.next(in.par_data);
  }
  in.ind_valid = individual_offer_.valid;
  in.com_valid = common_offer_.valid;
  in.par_valid = parameter_offer_.valid;
  in.out_ready = out_ready_ = !stalled(stalls_.output);
}

bool Player::watch(const ArrayOut<Values>& out) {
  ++clocks_;
  auto taken = [](Offer& offer, bool ready) {
    const bool now = offer.valid && ready;
    if (now) offer.valid = false;
    return now;
  };
  if (out.ind_ready && !individual_offer_.valid && !individual_.over())
    ++measured_[individual_.layer()].individual_waits;
  const auto waits = [this](bool ready, const Offer& offer, const auto& stream) {
    return ready && !offer.valid && !stream.over() && stream.layer() == computing_layer_ &&
           !stream.there();
  };
  if (waits(out.ind_ready, individual_offer_, individual_) ||
      waits(out.com_ready, common_offer_, common_))
    ++measured_[computing_layer_].result_waits;
  if (taken(individual_offer_, out.ind_ready)) {
    Measured& m = measured_[individual_offer_.layer];
    ++m.individual_beats;
    m.individual_words += individual_offer_.words;
  }
  if (taken(common_offer_, out.com_ready))
    measured_[common_offer_.layer].common_words += common_offer_.words;
  if (taken(parameter_offer_, out.par_ready)) {
    Measured& m = measured_[parameter_offer_.layer];
    ++m.parameter_beats;
    m.parameter_words += parameter_offer_.words;
  }
  if (was_computing_ && !out.computing) ++computing_layer_;
  // Includes the previous clock, in which the descriptor is fetched.
  if (out.computing && computing_layer_ < measured_.size())
    measured_[computing_layer_].clocks += was_computing_ ? 1 : 2;
  was_computing_ = out.computing;
  taken_.reset();
  if (out.out_valid && out_ready_) take_output(out);
  return !output_.over();
}

void Player::take_output(const ArrayOut<Values>& out) {
  if (output_.over())
    throw DesignError(code::stream_rule_broken, "the array gives a beat after its last one");
  const std::size_t layer = output_.layer();
  const OutputBeat beat = output_.next();
  taken_ = {layer, beat};
  Measured& m = measured_[layer];
  ++m.output_beats;
  m.output_words += beat.count;
  const std::string& name = program_.layers[layer].job.shape.name;
  if (out.out_last != beat.last)
    throw DesignError(code::stream_rule_broken,
                      fmt::format("layer {}, output beat {}: last is {}; it must be {}", name,
                                  m.output_beats, out.out_last, beat.last));
  for (std::size_t i = 0; i < out.out_keep.size(); ++i) {
    const bool kept = static_cast<int>(i) < beat.count;
    if (out.out_keep[i] != kept)
      throw DesignError(code::stream_rule_broken,
                        fmt::format("layer {}, output beat {}: word {} has keep {}, {} is right",
                                    name, m.output_beats, i, bool{out.out_keep[i]}, kept));
    if (!kept) continue;
    const auto place =
        program_.layers[layer].job.kept_at(beat.index + static_cast<std::int64_t>(i));
    if (!place) continue;
    const std::int64_t at = *place;
    const auto word = static_cast<std::int64_t>(out.out_data[i]);
    results_[layer].at(at) = static_cast<std::int32_t>(wrapped(word, program_.plan.operand_bits()));
    const MapShape& s = results_[layer].shape;
    --missing_[layer][static_cast<std::size_t>(at / (s.height * s.width))];
  }
}

std::int64_t most_clocks(const Program& program, int stalls_of_256) {
  std::int64_t all = 0;
  for (const ProgramLayer& l : program.layers) all += l.figures.clocks + l.figures.fill;
  return 10'000 + 20 * all * 256 / (257 - stalls_of_256);
}

std::optional<std::string> first_difference(const LayerJob& job, const Tensor& expected,
                                            const Tensor& got) {
  const MapShape& s = expected.shape;
  if (got.shape != s) return fmt::format("layer {}: maps of different shapes", job.shape.name);
  for (std::int64_t i = 0; i < s.size(); ++i)
    if (expected.at(i) != got.at(i))
      return fmt::format("layer {}, channel {}, row {}, column {}: expected {}, got {}",
                         job.shape.name, i / (s.height * s.width), i / s.width % s.height,
                         i % s.width, expected.at(i), got.at(i));
  return std::nullopt;
}

std::vector<Tensor> reference(const Program& program,
                              const std::vector<std::optional<Tensor>>& inputs) {
  check_inputs(program, inputs);
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < program.layers.size(); ++i) {
    const Tensor& in = inputs[i] ? *inputs[i] : all.back();
    Tensor out = reference(program.layers[i].job, in, arithmetic_of(program.plan));
    all.push_back(std::move(out));
  }
  return all;
}

}  // namespace kumiki::gen::array
