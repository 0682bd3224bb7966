// SPDX-License-Identifier: Apache-2.0
#include "gen/flow/files/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "backends/emit/project/driver.h"
#include "backends/emit/project/header.h"
#include "gen/flow/files/output.h"
#include "gen/flow/slots.h"
#include "gen/layer/beats/frames.h"

namespace kumiki::flow {
namespace {

constexpr std::string_view data_ending = "_tdata";

std::string in_capitals(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

// The streams of a layer that carry frames.
struct LayerFrames {
  std::vector<gen::CFrameNames> in, out;
  std::vector<std::string> texts;
};

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
    // Without a mark of its end a DMA cannot take a frame.
    if (!in && (!out || !find_slot(l.ports.outputs, stream + "_tlast"))) continue;
    gen::Beat of_top = b;
    gen::rename_ports(of_top, [&](std::string& port) {
      if (!port.empty()) port = fmt::format("{}_{}", l.layer->name, port);
    });
    const auto name = [&](const std::string& port) {
      return fmt::format("{}_{}", header,
                         backends::c_identifier(fmt::format("{}_{}", l.layer->name, port)));
    };
    const gen::CFrameNames names{name(stream), in_capitals(name(stream)), name(b.port), header};
    (in ? all.in : all.out).push_back(names);
    all.texts.push_back(gen::c_frames(of_top, in != nullptr, in ? in->width : out->width, names));
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
    if (frames.in.size() == 1 && frames.out.size() == 1)
      options.whole.push_back(
          {fmt::format("{}_{}_run", header, backends::c_identifier(l.layer->name)),
           frames.in[0].stream, frames.in[0].capital, frames.out[0].stream, frames.out[0].capital});
  }
  if (options.streams.empty()) return false;
  backends::write_driver(names, files, options);
  return true;
}

}  // namespace kumiki::flow
