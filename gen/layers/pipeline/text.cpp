// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {
namespace {

std::string in_words(const Stream& s) {
  return fmt::format("{}x{}x{}, {} of {} a beat", s.channels, s.height, s.width, s.lanes,
                     to_string(s.format));
}

// How much of an interval a machine works.
double busy(const PipelinePlan& p, const Machine& m) {
  return 100 * static_cast<double>(m.interval()) / static_cast<double>(p.interval());
}

Beat beat_of(const std::string& port, const Stream& s, const std::string& what,
             const std::string& valid, const std::string& ready) {
  return {.port = port,
          .formats = {s.format},
          .elements = {{"i", s.lanes}},
          .words = {{"y", s.height}, {"x", s.width}, {"block", s.blocks()}},
          .of = {{"channel", s.channels, {{"block", s.lanes}, {"i"}}},
                 {"y", s.height, {{"y"}}},
                 {"x", s.width, {{"x"}}}},
          .what = what,
          .padding = "anything",
          .when = {valid, ready}};
}

}  // namespace

std::string to_text(const PipelinePlan& p) {
  std::string text = fmt::format("pipeline {}: {} machines, {} slices; a frame every {} clocks\n",
                                 p.graph->name, p.boxes.size(), p.slices(), p.interval());
  std::size_t name = 0, kind = 0;
  for (const Box& b : p.boxes) {
    name = std::max(name, b.name.size());
    kind = std::max(kind, b.machine->kind().size());
  }
  for (const Box& b : p.boxes)
    text += fmt::format("  {:{}}  {:{}}  {:>5.1f} %  {:>4} slices  {}\n", b.name, name,
                        b.machine->kind(), kind, busy(p, *b.machine), b.machine->slices(),
                        b.machine->text());
  return text;
}

void write(config::Writer& w, const PipelinePlan& p) {
  w.member("graph", p.graph->name);
  w.member("interval", p.interval());
  w.member("slices", p.slices());
  w.member("products", p.products());
  w.objects("machines", p.boxes, [&](const Box& b) {
    w.member("name", b.name);
    w.member("kind", b.machine->kind());
    w.member("interval", b.machine->interval());
    w.member("slices", b.machine->slices());
    w.member("lanes", b.machine->output().lanes);
    w.texts("reads", b.sources, [&](std::size_t source) {
      return source == Box::from_outside ? std::string("in_data") : p.boxes[source].name;
    });
    w.member("text", b.machine->text());
  });
}

HostFacts host_facts(const PipelinePlan& p) {
  return {
      {"in_data",
       fmt::format("{}; frame after frame, nothing marks their ends", in_words(p.input))},
      {"out_data", fmt::format("{}; out_last with the last beat of a frame", in_words(p.output()))},
      {"reset", "drops all frames under way"}};
}

std::vector<Beat> beats(const PipelinePlan& p) {
  return {beat_of("in_data", p.input, "q", "in_valid", "in_ready"),
          beat_of("out_data", p.output(), "q", "out_valid", "out_ready")};
}

}  // namespace kumiki::gen::pipeline
