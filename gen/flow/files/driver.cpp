// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/emit/project/driver.h"
#include "backends/emit/project/header.h"
#include "backends/emit/project/stream_board.h"
#include "gen/flow/axi_stream/interfaces.h"
#include "gen/flow/axi_stream/wrap.h"
#include "gen/flow/files/output.h"
#include "gen/flow/slots.h"
#include "gen/graph/quantise.h"
#include "gen/layer/beats/frames.h"
#include "gen/layers/engine/layer.h"
#include "gen/layers/pipeline/layer.h"

namespace kumiki::flow {
namespace {

constexpr std::string_view data_ending = "_tdata";

using Tensor = backends::DriverOptions::Tensor;

// The streams of a layer that carry frames.
struct LayerFrames {
  std::vector<gen::CFrameNames> in, out;
  std::vector<Tensor> numbers_in, numbers_out;
  std::vector<std::string> texts;
};

// The shape by the layer's beats: coordinates with more than one value.
Tensor tensor_of(const gen::Beat& b, std::uint32_t port_bits) {
  Tensor t{.lowest = 0,
           .highest = 0,
           .frame_bytes = static_cast<std::uint64_t>(b.word_count()) * (port_bits / 8)};
  for (const gen::Coordinate& c : b.of)
    if (c.count > 1) t.shape.push_back(c.count);
  for (const gen::arith::Format& f : b.formats) {
    t.lowest = std::min(t.lowest, static_cast<std::int64_t>(f.range().lo));
    t.highest = std::max(t.highest, static_cast<std::int64_t>(f.range().hi));
  }
  return t;
}

// A trained network adds shapes, and the meaning of its numbers.
void describe(const gen::Layer& layer, backends::DriverOptions::Whole& whole) {
  const auto* plan = gen::pipeline::plan_of(gen::axi_stream::inside(layer));
  if (!plan) return;
  const gen::graph::Graph& graph = *plan->graph;
  const auto put = [&](Tensor& to, const gen::graph::Tensor& from) {
    to.shape.assign(from.shape.begin(), from.shape.end());
    to.scale = from.scale;
    to.zero_point = from.zero_point;
    const auto held = gen::graph::numbers_of(from);
    to.lowest = static_cast<std::int64_t>(held.lo);
    to.highest = static_cast<std::int64_t>(held.hi);
  };
  // Several outputs form one frame of beats: the header assigns the beats. Several inputs do too,
  // and each is prepared on its own.
  if (graph.outputs.size() == 1) put(whole.output, graph.tensors[graph.outputs[0]]);
  if (!graph.more_inputs.empty()) return;
  put(whole.input, graph.tensors[graph.input]);
  for (const gen::graph::Preparation& p : graph.preparation)
    whole.preparation.emplace_back(gen::graph::name_of(p.kind), p.values);
}

LayerFrames frames_of(const gen::BuiltLayer& l, const std::string& header) {
  LayerFrames all;
  const auto beats = l.layer->layer->beats();
  for (const gen::Beat& b : beats) {
    if (!b.port.ends_with(data_ending) || !is_frame(b)) continue;
    const auto of_port = [&](const gen::Beat& other) { return other.port == b.port; };
    if (std::ranges::count_if(beats, of_port) != 1) continue;
    const auto stream = b.port.substr(0, b.port.size() - data_ending.size());
    const ir::PortSlot* in = find_slot(l.ports.inputs, b.port);
    const ir::PortSlot* out = find_slot(l.ports.outputs, b.port);
    // A DMA cannot receive a frame without an end mark.
    if (!in && (!out || !find_slot(l.ports.outputs, stream + "_tlast"))) continue;
    gen::Beat of_top = b;
    gen::rename_ports(of_top, [&](std::string& port) {
      if (!port.empty()) port = fmt::format("{}_{}", l.layer->name, port);
    });
    const auto name = [&](const std::string& port) {
      return fmt::format("{}_{}", header,
                         backends::c_identifier(fmt::format("{}_{}", l.layer->name, port)));
    };
    const gen::CFrameNames names{name(stream), backends::in_capitals(name(stream)), name(b.port),
                                 header};
    const std::uint32_t width = in ? in->width : out->width;
    (in ? all.in : all.out).push_back(names);
    (in ? all.numbers_in : all.numbers_out).push_back(tensor_of(b, width));
    all.texts.push_back(gen::c_frames(of_top, in != nullptr, width, names));
  }
  return all;
}

}  // namespace

bool add_driver(const Project& project, const ir::Names& names, backends::OutputSet& files) {
  const std::string header = backends::c_identifier(std::string(names.module(project.network.top)));
  backends::DriverOptions options{.generator = generator()};
  for (const gen::BuiltLayer& l : project.network.layers) {
    const LayerFrames frames = frames_of(l, header);
    options.streams.insert(options.streams.end(), frames.texts.begin(), frames.texts.end());
    if (frames.in.size() != 1 || frames.out.size() != 1) continue;
    auto& whole = options.whole.emplace_back(backends::DriverOptions::Whole{
        l.layer->name, fmt::format("{}_{}", header, backends::c_identifier(l.layer->name)),
        frames.in[0].stream, frames.in[0].capital, frames.out[0].stream, frames.out[0].capital,
        frames.numbers_in[0], frames.numbers_out[0]});
    describe(*l.layer->layer, whole);
  }
  options.has_engine = std::ranges::any_of(project.network.layers, [](const gen::BuiltLayer& l) {
    const auto* engine = gen::engine::engine_of(*l.layer->layer);
    return engine && engine->has_ports;
  });
  if (options.streams.empty() && !options.has_engine) return false;
  backends::write_driver(names, files, options);
  if (options.whole.size() == 1)
    backends::write_stream_board(
        names, gen::axi_stream::bus_interfaces(project.network, project.top()),
        options.whole[0].input.frame_bytes, files, version(), options.generator);
  return true;
}

}  // namespace kumiki::flow
