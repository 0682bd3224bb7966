// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gen/cli/cost.h"

#include <nlohmann/json.hpp>

namespace kumiki::cli {

using namespace gen::array;

double macs_per_slice(const Study& s, const Cost& c) {
  return static_cast<double>(c.macs) /
         (static_cast<double>(c.cycles) * static_cast<double>(s.array.slices()));
}

namespace {

Json shape_json(const LayerShape& l) {
  if (l.kind == Kind::fc)
    return {{"name", l.name}, {"type", "fc"}, {"inputs", l.fc.inputs}, {"outputs", l.fc.outputs}};
  const ConvShape& c = l.conv;
  return {{"name", l.name},
          {"type", "conv"},
          {"kernel", c.kernel},
          {"in_channels", c.in_channels},
          {"out_channels", c.out_channels},
          {"groups", c.groups},
          {"width", c.width},
          {"out_height", c.out_height()},
          {"out_width", c.out_width()}};
}

Json cost_json(const Array& array, const Cost& c) {
  return {{"cycles", c.cycles},
          {"ms", c.ms(array)},
          {"input_gbps", c.in.gbps(array)},
          {"output_gbps", c.out.gbps(array)},
          {"input_words", c.input_words},
          {"fetched_words", c.fetched_words},
          {"output_words", c.output_words},
          {"weight_words", c.weight_words},
          {"macs", c.macs},
          {"sub_blocks", c.sub_blocks}};
}

Json array_json(const Array& a) {
  return {{"rows", a.rows},
          {"columns", a.columns},
          {"accumulators", a.accumulators},
          {"bits", a.bits},
          {"clock_mhz", a.clock_mhz},
          {"fc_elements", a.fc_working()},
          {"slices", a.slices()},
          {"batch", a.batch},
          {"split", a.split},
          {"batched_fc", a.batched_fc}};
}

// Our time for that batch compared with the other's, for each convolution.
Json comparison_json(const Study& s, const Comparison& other) {
  Array array = s.array;
  array.batch = other.batch;
  Json layers = Json::array();
  double ours = 0, theirs = 0;
  for (const LayerShape& l : s.network) {
    if (l.kind != Kind::conv) continue;
    const double ms = cost(array, l).ms(array), given = other.ms[layers.size()];
    layers.push_back({{"name", l.name}, {"ms", ms}, {"other_ms", given}});
    ours += ms;
    theirs += given;
  }
  return {{"name", other.name},
          {"batch", other.batch},
          {"layers", layers},
          {"total_ms", ours},
          {"other_total_ms", theirs}};
}

// The same network in the paper's form and in the array's modes beyond it, for one batch.
struct Modes {
  Array plain, beyond;
};
Modes modes(const Study& s) {
  Modes m{s.array, s.array};
  m.plain.split = 1;
  m.plain.batched_fc = false;
  m.beyond.split = std::max<std::int64_t>(2, s.array.split);
  m.beyond.batched_fc = true;
  if (s.array.batch == 1) m.plain.batch = m.beyond.batch = s.array.columns;
  return m;
}

Json beyond_json(const Study& s) {
  const Modes m = modes(s);
  const NetworkCost plain = cost(m.plain, s.network), beyond = cost(m.beyond, s.network);
  Json layers = Json::array();
  for (std::size_t i = 0; i < s.network.size(); ++i) {
    Json one{{"name", s.network[i].name}};
    one["paper"] = cost_json(m.plain, plain.layers[i]);
    one["beyond"] = cost_json(m.beyond, beyond.layers[i]);
    layers.push_back(std::move(one));
  }
  return {{"batch", m.beyond.batch},
          {"split", m.beyond.split},
          {"layers", layers},
          {"paper_cycles", plain.cycles},
          {"beyond_cycles", beyond.cycles},
          {"paper_macs_per_slice", plain.macs_per_slice(m.plain)},
          {"beyond_macs_per_slice", beyond.macs_per_slice(m.beyond)}};
}

Json sweep_json(const Study& s, const Sweep& sweep) {
  Json all = Json::array();
  for (const Point& p : points(s.array, sweep))
    all.push_back({{"value", p.value},
                   {"cycles", p.cost.cycles},
                   {"ms", p.cost.ms(s.array)},
                   {"input_gbps", p.cost.in.gbps(s.array)},
                   {"output_gbps", p.cost.out.gbps(s.array)}});
  return {{"name", sweep.name}, {"over", name(sweep.over)}, {"points", all}};
}

}  // namespace

Json to_json(const Study& s, bool beyond) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < s.network.size(); ++i) {
    Json one = shape_json(s.network[i]);
    one.update(cost_json(s.array, s.cost.layers[i]));
    one["macs_per_slice"] = macs_per_slice(s, s.cost.layers[i]);
    layers.push_back(std::move(one));
  }
  Json all{{"name", s.name},
           {"array", array_json(s.array)},
           {"layers", std::move(layers)},
           {"total_cycles", s.cost.cycles},
           {"total_ms", s.cost.ms(s.array)},
           {"frames_per_second", s.cost.frames_per_second(s.array)},
           {"macs", s.cost.macs},
           {"macs_per_slice", s.cost.macs_per_slice(s.array)},
           {"conv_cycles", s.cost.conv_cycles},
           {"conv_macs_per_slice", s.cost.conv_macs_per_slice(s.array)}};
  if (s.request.compare) {
    all["comparisons"] = Json::array();
    for (const auto& c : *s.request.compare) all["comparisons"].push_back(comparison_json(s, c));
  }
  if (s.request.sweeps) {
    all["sweeps"] = Json::array();
    for (const auto& w : *s.request.sweeps) all["sweeps"].push_back(sweep_json(s, w));
  }
  if (beyond) all["beyond"] = beyond_json(s);
  return all;
}

}  // namespace kumiki::cli
