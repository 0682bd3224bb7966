// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/plan.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "gen/graph/plan.h"

namespace kumiki::gen::pipeline {

Stream PipelinePlan::input() const {
  Stream all = inputs[0];
  if (inputs.size() == 1) return all;
  all.height = 1;
  all.channels = all.lanes;
  all.width = 0;
  for (const Stream& map : inputs) {
    all.width += map.beats();
    if (map.format != all.format) all.format = {std::max(all.format.bits, map.format.bits), false};
  }
  return all;
}

std::vector<Stream> PipelinePlan::results() const {
  const Machine& last = *boxes.back().machine;
  if (last.kind() != "outputs") return {output()};
  std::vector<Stream> all = last.inputs();
  for (Stream& s : all) s.format = output().format;
  return all;
}

std::int64_t PipelinePlan::interval() const {
  std::int64_t slowest = input().beats();
  if (const auto reader = weight_reader_of(*this)) slowest = std::max(slowest, reader->interval());
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
    sum += static_cast<std::int64_t>(graph::products_of(*graph, n));
  return sum;
}

std::optional<NodeNames> node_names_of(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return names[0];
  return names;
}

std::string PipelinePlan::module_name() const { return "pipeline"; }

std::string PipelinePlan::name_of(std::size_t source) const {
  if (source == Box::from_outside) return "in_data";
  if (Box::is_outside(source))
    return fmt::format("weights of {}", weights.at(Box::outside(source) - 1).node);
  return boxes.at(source).name;
}

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
      const Stream given = p.given_by(b.sources[i]);
      // Pixels come one after the other, in whatever lines.
      Stream in_lines = given;
      if (given.pixels() == wanted[i].pixels()) {
        in_lines.height = wanted[i].height;
        in_lines.width = wanted[i].width;
      }
      if (in_lines != wanted[i])
        throw std::logic_error(fmt::format("{} gives {}, and {} reads {}", p.name_of(b.sources[i]),
                                           text(given), b.name, text(wanted[i])));
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

std::optional<WeightReaderPlan> weight_reader_of(const PipelinePlan& p) {
  if (p.weights.empty()) return {};
  std::vector<Stream> words;
  for (const WeightStream& w : p.weights) words.push_back(w.stream);
  return weight_reader(words[0].bits(), words);
}

std::int64_t weight_bytes(const PipelinePlan& p) {
  std::int64_t bits = 0;
  for (const WeightStream& w : p.weights) bits += w.stream.beats() * w.stream.bits();
  return bits / 8;
}

std::vector<std::uint8_t> weight_image(const PipelinePlan& p) {
  const auto reader = weight_reader_of(p);
  if (!reader) return {};
  std::vector<std::uint8_t> image(static_cast<std::size_t>(reader->bytes()));
  for (std::size_t w = 0; w < p.weights.size(); ++w) {
    const std::int64_t bits = p.weights[w].stream.format.bits;
    std::int64_t at = 8 * reader->channels[w].first;
    for (const std::int64_t number : *p.weights[w].numbers) {
      const std::uint64_t raw = arith::raw_of(number, static_cast<int>(bits));
      for (std::int64_t bit = 0; bit < bits; ++bit, ++at)
        image[static_cast<std::size_t>(at / 8)] |=
            static_cast<std::uint8_t>((raw >> bit & 1) << (at % 8));
    }
  }
  return image;
}

PipelineIn<Hardware> input_shape(const PipelinePlan& p) {
  PipelineIn<Hardware> in{};
  const Stream stream = p.input();
  in.in_data.assign(static_cast<std::size_t>(stream.lanes),
                    UInt::shape(static_cast<std::uint32_t>(stream.format.bits)));
  if (p.input_last) in.in_last.resize(1);
  if (const auto counters = counters_of(p)) {
    in.araddr.push_back(input_shape(*counters).araddr);
    in.arvalid.resize(1);
    in.rready.resize(1);
  }
  if (const auto reader = weight_reader_of(p)) {
    const auto shape = input_shape(*reader);
    in.weights_base.push_back(shape.base);
    in.m_arready.resize(1);
    in.m_rvalid.resize(1);
    in.m_rlast.resize(1);
    in.m_rresp.push_back(shape.rresp);
    in.m_rdata = shape.rdata;
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
  if (!p.weights.empty()) {
    out.m_araddr.push_back(UInt::shape(WeightReaderPlan::address_bits));
    out.m_arlen.push_back(UInt::shape(8));
    out.m_arsize.push_back(UInt::shape(3));
    out.m_arburst.push_back(UInt::shape(2));
    out.m_arvalid.resize(1);
    out.m_rready.resize(1);
    out.weights_error.resize(1);
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
  in.weights_base.assign(shape.weights_base.size(), 0);
  in.m_arready.assign(shape.m_arready.size(), false);
  in.m_rvalid.assign(shape.m_rvalid.size(), false);
  in.m_rlast.assign(shape.m_rlast.size(), false);
  in.m_rresp.assign(shape.m_rresp.size(), 0);
  in.m_rdata.assign(shape.m_rdata.size(), 0);
  return in;
}

}  // namespace kumiki::gen::pipeline
