// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/plan.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {

std::vector<Stream> PipelinePlan::results() const {
  const Machine& last = *boxes.back().machine;
  if (last.kind() != "outputs") return {output()};
  std::vector<Stream> all = last.inputs();
  for (Stream& s : all) s.format = output().format;
  return all;
}

std::int64_t PipelinePlan::interval() const {
  std::int64_t slowest = input.beats();
  for (const Box& b : boxes) slowest = std::max(slowest, b.machine->interval());
  return slowest;
}

std::int64_t PipelinePlan::slices() const {
  std::int64_t sum = 0;
  for (const Box& b : boxes) sum += b.machine->slices();
  return sum;
}

int PipelinePlan::levels() const {
  int most = 0;
  for (const Box& b : boxes) most = std::max(most, b.machine->levels());
  constexpr int of_counters = 3;
  return counted == Counted::nothing ? most : std::max(most, of_counters);
}

std::int64_t PipelinePlan::products() const {
  std::int64_t sum = 0;
  for (const graph::Node& n : graph->nodes)
    if (const auto* conv = std::get_if<graph::Conv>(&n.op)) {
      const graph::Shape& shape = graph->tensors[n.output].shape;
      sum += static_cast<std::int64_t>(conv->weights.size()) * shape[1] * shape[2];
    }
  return sum;
}

std::optional<NodeNames> node_names_of(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return names[0];
  return names;
}

std::string PipelinePlan::module_name() const { return "pipeline"; }

void require_contracts(const PipelinePlan& p) {
  const auto text = [](const Stream& s) {
    return fmt::format("{}x{}x{} in {} lanes of {}", s.channels, s.height, s.width, s.lanes,
                       arith::to_string(s.format));
  };
  for (const Box& b : p.boxes) {
    const std::vector<Stream> wanted = b.machine->inputs();
    if (wanted.size() != b.sources.size())
      throw std::logic_error(
          fmt::format("{} reads {} streams and has {}", b.name, wanted.size(), b.sources.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool from_outside = b.sources[i] == Box::from_outside;
      const Box* source = from_outside ? nullptr : &p.boxes.at(b.sources[i]);
      const Stream given = source ? source->machine->output() : p.input;
      if (given != wanted[i])
        throw std::logic_error(fmt::format("{} gives {}, and {} reads {}",
                                           source ? source->name : "the input", text(given), b.name,
                                           text(wanted[i])));
    }
  }
}

std::vector<Reader> readers_of(const PipelinePlan& plan, std::size_t source) {
  std::vector<Reader> all;
  for (std::size_t b = 0; b < plan.boxes.size(); ++b)
    for (std::size_t i = 0; i < plan.boxes[b].sources.size(); ++i)
      if (plan.boxes[b].sources[i] == source) all.push_back({b, i});
  return all;
}

HostRegisters registers_of(const PipelinePlan& p) {
  HostRegisters all;
  const auto add = [&](const std::string& name, const std::string& text) {
    all.push_back({name, 4 * std::ssize(all), text});
  };
  if (p.counted == Counted::nothing) return all;
  add("clocks", "clocks since the reset");
  add("frames_in", "frames whose last beat was taken");
  add("frames_out", "frames whose last beat has left");
  add("in_waits", "clocks in which a beat of the input waited");
  add("out_waits", "clocks in which a beat of the result was not taken");
  if (p.input_last)
    add("in_errors",
        "beats that were marked as the last of a frame and were not, or the other way round");
  if (p.counted != Counted::machines) return all;
  for (const Box& b : p.boxes) {
    add(b.name + "_beats",
        fmt::format("beats that {} has given, {} a frame", b.name, b.machine->output().beats()));
    add(b.name + "_stalls",
        fmt::format("clocks in which {} had a beat that was not taken", b.name));
  }
  return all;
}

std::optional<CountersPlan> counters_of(const PipelinePlan& p) {
  const auto registers = registers_of(p);
  if (registers.empty()) return {};
  return CountersPlan{.events = std::ssize(registers)};
}

PipelineIn<Hardware> input_shape(const PipelinePlan& p) {
  PipelineIn<Hardware> in{};
  in.in_data.assign(static_cast<std::size_t>(p.input.lanes),
                    UInt::shape(static_cast<std::uint32_t>(p.input.format.bits)));
  if (p.input_last) in.in_last.resize(1);
  if (const auto counters = counters_of(p)) {
    in.araddr.push_back(input_shape(*counters).araddr);
    in.arvalid.resize(1);
    in.rready.resize(1);
  }
  return in;
}

PipelineOut<Hardware> output_shape(const PipelinePlan& p) {
  PipelineOut<Hardware> out{};
  const Stream stream = p.output();
  out.out_data.assign(static_cast<std::size_t>(stream.lanes),
                      UInt::shape(static_cast<std::uint32_t>(stream.format.bits)));
  if (p.input_last) out.in_error.resize(1);
  if (const auto counters = counters_of(p)) {
    const auto shape = output_shape(*counters);
    out.arready.resize(1);
    out.rvalid.resize(1);
    out.rresp.push_back(shape.rresp);
    out.rdata.push_back(shape.rdata);
  }
  return out;
}

PipelineIn<Values> no_input(const PipelinePlan& p) {
  const PipelineIn<Hardware> shape = input_shape(p);
  PipelineIn<Values> in{};
  in.in_data.assign(shape.in_data.size(), 0);
  in.in_last.assign(shape.in_last.size(), false);
  in.araddr.assign(shape.araddr.size(), 0);
  in.arvalid.assign(shape.arvalid.size(), false);
  in.rready.assign(shape.rready.size(), false);
  return in;
}

}  // namespace kumiki::gen::pipeline
