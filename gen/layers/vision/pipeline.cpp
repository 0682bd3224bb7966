// SPDX-License-Identifier: Apache-2.0
// Turns a request into a pipeline: assigns stages to groups.
#include <fmt/format.h>

#include <algorithm>

#include "gen/layers/vision/stages.h"

namespace kumiki::gen::vision {
namespace {

std::string word(StageKind kind) {
  std::string name = stage_name(kind);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

bool Group::operator==(const Group& other) const {
  return *request == *other.request && place == other.place;
}
bool Pipeline::operator==(const Pipeline& other) const { return *request == *other.request; }

Pipeline make_pipeline(const Request& request, const packing::Limits& limits) {
  Pipeline p{.name = "vision",
             .geometry = {static_cast<int>(request.pixels), request.width, request.height},
             .request = std::make_shared<Request>(request)};
  p.inputs.assign(static_cast<std::size_t>(request.channels),
                  {.bits = static_cast<int>(request.bits), .is_signed = request.is_signed});
  std::vector<Format> channels = p.inputs;
  Geometry geometry = p.geometry;
  const auto new_group = [&](const std::string& name) -> Group& {
    p.groups.push_back(
        {.name = name, .geometry = geometry, .inputs = channels, .outputs = channels});
    p.groups.back().request = p.request;
    p.groups.back().place = p.groups.size();
    return p.groups.back();
  };
  for (std::size_t i = 0; i < request.stages.size(); ++i) {
    const StageRequest& stage = request.stages[i];
    const std::string name = word(stage.kernel);
    try {
      StagePlan made = plan_stage(stage, request, channels, limits);
      if (made.window || (!made.after.empty() && (p.groups.empty() || p.groups.back().halves)))
        new_group("group");
      if (made.window || !made.after.empty()) {
        Group& g = p.groups.back();
        g.name += "_" + name;
        if (made.window) g.window = std::move(made.window);
        for (auto& op : made.after) g.after.push_back(std::move(op));
        g.outputs = channels = g.after.empty() ? g.window_outputs() : g.after.back()->outputs();
      }
      if (made.halves) {
        new_group("group_halving").halves = true;
        geometry = geometry.halved();
      }
    } catch (const DesignError& e) {
      Diagnostic d = e.diagnostic();
      if (d.key.empty()) d.key = "kernel";
      throw StageError(i, std::move(d));
    }
    p.name += "_" + name;
  }
  bool later = false;  // a later group halves
  for (auto g = p.groups.rbegin(); g != p.groups.rend(); ++g) {
    g->hands_on_height = later;
    later = g->takes_height = later || g->halves;
  }
  p.outputs = channels;
  return p;
}

}  // namespace kumiki::gen::vision
