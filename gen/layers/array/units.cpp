// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::gen::array {
namespace {

// The channels of a map from `first` on.
Tensor channels(const Tensor& map, std::int64_t first, std::int64_t count) {
  Tensor part({count, map.shape.height, map.shape.width});
  std::copy_n(map.values.begin() + map.index(first, 0, 0), part.shape.size(), part.values.begin());
  return part;
}

template <class T>
std::vector<T> entries(const std::vector<T>& all, const Unit& u) {
  if (all.size() <= 1) return all;  // empty, or one for all
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(u.first);
  return {from, from + static_cast<std::ptrdiff_t>(u.count)};
}

// The group of the convolution that contains the unit's outputs.
std::int64_t group_of(const ConvShape& s, const Unit& u) { return u.first / s.group_out(); }

LayerJob job_of(const LayerJob& layer, const Unit& u) {
  LayerJob job = layer;
  job.shape.name =
      fmt::format("{}, outputs {} to {}", layer.shape.name, u.first, u.first + u.count - 1);
  if (layer.shape.kind == Kind::fc) {
    job.shape.fc.outputs = u.count;
  } else {
    job.shape.conv.in_channels = layer.shape.conv.group_in();
    job.shape.conv.out_channels = u.count;
    job.shape.conv.groups = 1;
  }
  job.weights =
      layer.weights.part(u.first * (layer.weight_count() / layer.outputs()), job.weight_count());
  job.bias = entries(layer.bias, u);
  job.multiplier = entries(layer.multiplier, u);
  job.shift = entries(layer.shift, u);
  job.scales = entries(layer.scales, u);
  job.own_input = true;
  return job;
}

}  // namespace

std::vector<Unit> units_of(const Program& program) {
  std::vector<Unit> all;
  for (std::size_t l = 0; l < program.layers.size(); ++l) {
    const Layout& layout = program.layers[l].layout;
    const bool fc = layout.kind == Kind::fc;
    const std::int64_t at_once = !fc            ? layout.turn_outputs()
                                 : layout.batch ? layout.down.block
                                                : layout.elements;
    for (std::int64_t group = 0; group < layout.groups; ++group)
      for (std::int64_t at = 0; at < layout.outputs; at += at_once)
        all.push_back({l, group * layout.outputs + at, std::min(at_once, layout.outputs - at), 0});
  }
  for (Unit& u : all) {
    const ProgramLayer& layer = program.layers[u.layer];
    u.steps = foretell(program.plan, job_of(layer.job, u).shape, layer.job.pool).steps;
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Unit::steps);
  return all;
}

Program program_of(const Program& program, const Unit& u) {
  return compile(program.plan, std::vector{job_of(program.layers[u.layer].job, u)});
}

Tensor input_of(const Program& program, const Unit& u, const Tensor& of_layer) {
  const LayerShape& shape = program.layers[u.layer].job.shape;
  if (shape.kind == Kind::fc) return of_layer;
  return channels(of_layer, group_of(shape.conv, u) * shape.conv.group_in(), shape.conv.group_in());
}

Tensor result_of(const Unit& u, const Tensor& of_layer) {
  return channels(of_layer, u.first, u.count);
}

}  // namespace kumiki::gen::array
