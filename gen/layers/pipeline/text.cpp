// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/text.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace kumiki::gen::pipeline {
namespace {

std::string in_words(const Stream& s) {
  return fmt::format("{}x{}x{}, {} of {} a beat", s.channels, s.height, s.width, s.lanes,
                     to_string(s.format));
}

// With several maps: the beats of each.
std::string in_words(const PipelinePlan& p, const std::vector<Stream>& maps,
                     const std::vector<graph::TensorId>& tensors) {
  if (maps.size() == 1) return in_words(maps[0]);
  std::string text;
  std::int64_t beat = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    text +=
        fmt::format("{}beats {} to {} {}: {}", i == 0 ? "" : ", ", beat, beat + maps[i].beats() - 1,
                    p.graph->tensors[tensors[i]].name, in_words(maps[i]));
    beat += maps[i].beats();
  }
  return text;
}

// The share of an interval in which a machine works, in percent.
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
  return text + gen::to_text(registers_of(p)) + gen::to_text(host_facts(p));
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
    w.texts("reads", b.sources, [&](std::size_t source) { return p.name_of(source); });
    w.member("text", b.machine->text());
  });
  if (const auto registers = registers_of(p); !registers.empty()) w.member("registers", registers);
  w.object("host", [&] { gen::write(w, host_facts(p)); });
}

double bytes_a_clock(const PipelinePlan& p) {
  return static_cast<double>(weight_bytes(p)) / static_cast<double>(p.interval());
}

HostFacts host_facts(const PipelinePlan& p) {
  HostFacts all{{"in_data", in_words(p, p.inputs, graph::all_inputs(*p.graph)) +
                                (p.input_last ? "; in_last with the last beat of a frame"
                                              : "; frame after frame, nothing marks their ends")},
                {"out_data", fmt::format("{}; out_last with the last beat of a frame",
                                         in_words(p, p.results(), p.graph->outputs))},
                {"reset", "drops all frames under way"}};
  if (p.input_last)
    all.push_back(
        {"in_error",
         "1 from the clock behind a beat whose in_last was wrong until a reset; beats are "
         "counted as before, so that frames behind it may be out of place"});
  if (const auto reader = weight_reader_of(p))
    all.insert(
        all.end(),
        {{"weights_base",
          fmt::format("address of the image of the weights, a multiple of {}; both must be there "
                      "before the reset ends, because reading begins then, and stay",
                      WeightReaderPlan::page)},
         {"m_axi",
          fmt::format("reads {} bytes of weights for every frame, {:.2f} bytes a clock, in bursts "
                      "of up to 16 words of {} bits; an answer with an error sets weights_error "
                      "until a reset, and a reset waits for bursts under way",
                      weight_bytes(p), bytes_a_clock(p), reader->word_bits)}});
  if (const auto counters = counters_of(p))
    all.push_back(
        {"s_axi", fmt::format("reads registers of 32 bits, which begin at 0 again; a value "
                              "is at most {} clocks old, an answer comes within {}; other "
                              "addresses answer SLVERR; a reset clears all",
                              counters->oldest(), counters->longest())});
  return all;
}

std::vector<Beat> beats(const PipelinePlan& p) {
  const auto word = [](const char* port, std::int64_t bits, const char* what, const char* valid,
                       const char* ready) {
    return Beat{.port = port,
                .formats = {{static_cast<int>(bits), false}},
                .what = what,
                .when = {valid, ready}};
  };
  std::vector<Beat> all{beat_of("in_data", p.input(), "q", "in_valid", "in_ready"),
                        beat_of("out_data", p.output(), "q", "out_valid", "out_ready")};
  if (const auto counters = counters_of(p))
    all.insert(all.end(),
               {word("s_axi_araddr", counters->address_bits(), "address", "s_axi_arvalid",
                     "s_axi_arready"),
                word("s_axi_rdata", counters->bits, "count", "s_axi_rvalid", "s_axi_rready"),
                word("s_axi_rresp", 2, "response", "s_axi_rvalid", "s_axi_rready")});
  if (const auto reader = weight_reader_of(p)) {
    all.push_back({.port = "weights_base",
                   .formats = {{int{WeightReaderPlan::address_bits}, false}},
                   .what = "address"});
    for (const auto& [port, bits, what] :
         {std::tuple{"m_axi_araddr", std::int64_t{WeightReaderPlan::address_bits}, "address"},
          {"m_axi_arlen", 8, "words less one"},
          {"m_axi_arsize", 3, "bytes of a word, as a power of two"},
          {"m_axi_arburst", 2, "burst"}})
      all.push_back(word(port, bits, what, "m_axi_arvalid", "m_axi_arready"));
    all.push_back({.port = "m_axi_rdata",
                   .formats = {{int{WeightReaderPlan::element_bits}, false}},
                   .elements = {{"i", reader->word_bits / WeightReaderPlan::element_bits}},
                   .what = "weights",
                   .when = {"m_axi_rvalid", "m_axi_rready"}});
    all.push_back(word("m_axi_rresp", 2, "response", "m_axi_rvalid", "m_axi_rready"));
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
