// SPDX-License-Identifier: Apache-2.0
// The kinds of stages: their names, their keys, and the plan of each.
#pragma once
#include <memory>
#include <optional>

#include "gen/config/table.h"
#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/presets.h"
#include "gen/layers/vision/request.h"
#include "ir/error.h"

namespace kumiki::gen::vision {

// An error in a key of a stage; the key is `kernel` if no other is known.
struct StageError : DesignError {
  StageError(std::size_t which, Diagnostic d) : DesignError(std::move(d)), stage(which) {}
  std::size_t stage;
};

std::vector<config::Choice<StageKind>> stage_choices();
std::vector<config::Choice<Border>> border_choices();
std::string stage_name(StageKind kind);
// The keys that a kind takes besides `kernel`, and the keys that are given.
const std::vector<std::string>& stage_keys(StageKind kind);
std::vector<std::string> given_keys(const StageRequest& request);

// For a stage that convolves: its preset, its kernels with the given coefficients, and whether its
// results are by default as wide as the pixels.
std::optional<Preset> stage_preset(StageKind kind);
PresetKernels stage_kernels(const StageRequest& request);
bool gives_pixels(StageKind kind);

// A window, or pixel operations, for pixels with these channels.
struct StagePlan {
  std::optional<Window> window;
  std::vector<std::shared_ptr<const PixelOperation>> after;
  bool halves = false;  // followed by halving, in a group of its own
};
StagePlan plan_stage(const StageRequest& stage, const Request& all,
                     const std::vector<Format>& channels, const packing::Limits& limits);

}  // namespace kumiki::gen::vision
