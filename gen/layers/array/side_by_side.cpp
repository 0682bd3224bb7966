// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/hdl/model.h"
#include "ir/interrupt.h"

namespace kumiki::gen::array {

SideBySide::SideBySide(const Program& program, const std::vector<std::optional<Tensor>>& inputs,
                       Place place, Options options)
    : program_(program),
      inputs_(inputs),
      place_(place),
      options_(std::move(options)),
      in_shape_(input_shape(program.plan)),
      out_shape_(output_shape(program.plan)),
      units_(units_of(program)),
      layers_(program.layers.size()),
      in_(lanes, ir::Frame(place.input_limbs, 0)),
      out_(lanes) {
  for (const Unit& u : units_) {
    all_steps_ += u.steps;
    ++layers_[u.layer].units;
  }
}

std::optional<std::string> SideBySide::run(const Step& step) {
  right_ = reference(program_, inputs_);
  for (std::size_t i = 0; i < lanes; ++i) begin(i);
  for (; at_work(); ++clocks_) {
    drive();
    step(in_, out_);
    if (auto wrong = watch()) return wrong;
    if (clocks_ % 256 != 0) continue;
    ir::stop_if_interrupted();
    if (options_.progress) options_.progress(steps_so_far());
  }
  return std::nullopt;
}

bool SideBySide::at_work() const {
  return std::ranges::any_of(lanes_, [](const Lane& l) { return l.unit != nullptr; });
}

std::int64_t SideBySide::steps_so_far() const {
  std::int64_t steps = steps_;
  for (const Lane& l : lanes_)
    if (l.unit != nullptr) steps += std::min(l.unit->steps, l.player->measured()[0].clocks);
  return steps;
}

// The lane's machine continues from the state in which the previous unit left it.
void SideBySide::begin(std::size_t i) {
  Lane& lane = lanes_[i];
  lane = {};
  std::ranges::fill(in_[i], 0);
  if (next_ == units_.size()) return;
  lane.unit = &units_[next_++];
  lane.program = std::make_unique<Program>(program_of(program_, *lane.unit));
  const std::size_t l = lane.unit->layer;
  const Tensor& input = inputs_[l] ? *inputs_[l] : right_[l - 1];
  std::vector<std::optional<Tensor>> own{input_of(program_, *lane.unit, input)};
  lane.player = std::make_unique<Player>(*lane.program, std::move(own),
                                         Stalls::all(options_.seed + next_, options_.stalls));
  lane.most_clocks = most_clocks(*lane.program, options_.stalls);
}

void SideBySide::drive() {
  for (std::size_t i = 0; i < lanes; ++i) {
    Lane& lane = lanes_[i];
    if (lane.unit == nullptr) continue;
    lane.player->drive(lane.in);
    pack(in_shape_, lane.in, own_);
    std::ranges::copy(own_, in_[i].begin() + place_.first_input_limb);
  }
}

std::optional<std::string> SideBySide::watch() {
  for (std::size_t i = 0; i < lanes; ++i) {
    Lane& lane = lanes_[i];
    if (lane.unit == nullptr) continue;
    own_.assign(out_[i].begin() + place_.first_output_limb, out_[i].end());  // other ports may
                                                                             // follow
    unpack(out_shape_, own_, result_);
    if (lane.player->watch(result_)) {
      if (lane.player->clocks() > lane.most_clocks)
        return fmt::format("layer {}: not finished after {} clocks",
                           lane.program->layers[0].job.shape.name, lane.most_clocks);
      continue;
    }
    if (auto wrong = finish(lane)) return wrong;
    begin(i);
  }
  return std::nullopt;
}

std::optional<std::string> SideBySide::finish(const Lane& lane) {
  const Unit& u = *lane.unit;
  steps_ += u.steps;
  layers_[u.layer].clocks += lane.player->measured()[0].clocks;
  return first_difference(lane.program->layers[0].job, result_of(u, right_[u.layer]),
                          lane.player->results()[0]);
}

}  // namespace kumiki::gen::array
