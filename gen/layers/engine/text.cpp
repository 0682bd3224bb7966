// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/text.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "gen/layers/engine/bound.h"
#include "gen/layers/engine/timeline.h"

namespace kumiki::gen::engine {
namespace {

std::int64_t operations(const Program& p) {
  return std::ranges::count_if(p.steps,
                               [](const Step& s) { return std::holds_alternative<Op>(s); });
}

void write_causes(config::Writer& w, const ByCause& clocks) {
  for (std::size_t c = 0; c < causes; ++c) w.member(name_of(static_cast<Cause>(c)), clocks[c]);
}

}  // namespace

std::string network_text(const Engine& e) {
  const Program& p = *e.program;
  const Timeline t = timeline_of(e.plan, p);
  std::string text = fmt::format("network {}: {} operations, {} of {} places\n", p.graph->name,
                                 operations(p), p.places, p.shape.places);
  std::size_t name = 0;
  for (const LayerClocks& l : t.layers) name = std::max(name, l.name.size());
  for (const LayerClocks& l : t.layers)
    text +=
        fmt::format("  {:{}}  {:>4} step{} {:>9} clocks, mostly {:10} {:>9} bytes\n", l.name, name,
                    l.steps, l.steps == 1 ? " " : "s", l.clocks(), name_of(l.bound()), l.bytes);
  if (p.images() > 1) text += fmt::format("  an image in {} clocks:", t.clocks / p.images());
  text += fmt::format(
      "{} in {} clocks{}\n", (p.images() > 1 ? " " : "  ") + images_of(p), t.clocks,
      e.has_ports ? ", and what the memory keeps waiting" : ", if the streams never pause");
  const std::int64_t least = least_clocks(p.shape, *p.graph);
  text += fmt::format("  no program can take fewer than {} clocks on this engine: {:.0f} %\n",
                      least, 100.0 * static_cast<double>(least) / static_cast<double>(t.clocks));
  const ByCause all = t.by_cause();
  for (std::size_t c = 0; c < causes; ++c)
    text += fmt::format("    {:10} {:>9}\n", name_of(static_cast<Cause>(c)), all[c]);
  return text;
}

std::string to_text(const Engine& e) {
  const CorePlan& c = e.plan.core;
  const EngineShape& s = c.shape;
  return fmt::format("engine: {} rows x {} columns x {} pixels, {} products a clock{}, {} slices\n",
                     s.rows, s.columns, EngineShape::pixels, s.macs(),
                     c.is_double ? ", columns on clk2x" : "", c.slices()) +
         fmt::format("  maps: {} places of {} bytes in {}\n", s.places, s.rows,
                     c.has_ultra_ram ? "UltraRAM" : "block RAM") +
         fmt::format("  ring of weights: {} words of {} bytes; {} bytes come in a clock\n",
                     s.weight_words, s.rows * s.columns, s.beat_bytes()) +
         (e.program ? network_text(e) : "") + gen::to_text(host_facts(e)) +
         gen::to_text(host_registers(e));
}

void write(config::Writer& w, const Engine& e) {
  const CorePlan& c = e.plan.core;
  w.member("rows", c.shape.rows);
  w.member("columns", c.shape.columns);
  w.member("bus", c.shape.beat_bytes());
  w.member("products", c.shape.macs());
  w.member("slices", c.slices());
  w.member("places", c.shape.places);
  if (e.program) {
    const Program& p = *e.program;
    w.member("graph", p.graph->name);
    w.member("operations", operations(p));
    w.member("places_used", p.places);
    const Timeline t = timeline_of(e.plan, p);
    w.member("batch", p.images());
    w.member("clocks", t.clocks);
    w.member("clocks_an_image", t.clocks / p.images());
    w.member("least_clocks", least_clocks(p.shape, *p.graph));
    w.object("causes", [&] { write_causes(w, t.by_cause()); });
    w.objects("layers", t.layers, [&](const LayerClocks& l) {
      w.member("name", l.name);
      w.member("steps", l.steps);
      w.member("clocks", l.clocks());
      w.member("bound", name_of(l.bound()));
      w.object("causes", [&] { write_causes(w, l.by_cause); });
      w.member("bytes", l.bytes);
    });
  }
  if (const MemoryImage* image = e.image.get()) {
    w.member("moves", image->moves.size());
    w.member("program_bytes", image->program->size());
    w.member("data_bytes", image->data_words * e.ports().word_bytes());
    w.member("least_data_bytes", image->least_words * e.ports().word_bytes());
  }
  w.object("host", [&] { gen::write(w, host_facts(e)); });
  if (e.has_ports) w.member("registers", host_registers(e));
}

namespace {

HostFacts facts_of_ports(const Engine& e) {
  HostFacts all{
      {"s_axi",
       "registers of 32 bits; a part of a word, a value that cannot be, and what must not "
       "change while the engine runs are answered with SLVERR and change nothing"},
      {"m_axi", fmt::format("words of {} bits in bursts of up to {}, none across a page of 4096 "
                            "bytes, and only within the two ranges that registers name",
                            8 * e.ports().word_bytes(), PortsPlan::read_burst)},
      {"interrupt", "1 while it is wanted and the engine is done or has failed"},
      {"reset",
       "rst also drops bursts under way, so reset the memory's side with it; the bit of "
       "register control waits for them"}};
  if (const MemoryImage* image = e.image.get())
    all.insert(
        all.end(),
        {{"program", fmt::format("network.engine, which the driver loads: {} bytes of it at a "
                                 "multiple of 4096; {} moves",
                                 image->program->size(), image->moves.size())},
         {"data", fmt::format("{} bytes at a multiple of 4096, where {} are used at one time; the "
                              "driver puts inputs there, and gets outputs; unsigned numbers are "
                              "stored less 128",
                              image->data_words * e.ports().word_bytes(),
                              image->least_words * e.ports().word_bytes())}});
  return all;
}

std::vector<gen::Beat> beats_of_ports(const PortsPlan& p) {
  const auto word = [](const std::string& port, std::uint32_t bits, const char* what,
                       const std::string& channel) {
    return gen::Beat{.port = port,
                     .formats = {{static_cast<int>(bits), false}},
                     .what = what,
                     .when = {channel + "valid", channel + "ready"}};
  };
  std::vector<gen::Beat> all;
  for (const char* channel : {"s_axi_aw", "s_axi_ar"})
    all.push_back(word(std::string(channel) + "addr", PortsPlan::page_bits, "address", channel));
  all.push_back(word("s_axi_wdata", PortsPlan::register_bits, "value", "s_axi_w"));
  all.push_back(word("s_axi_wstrb", PortsPlan::register_bits / 8, "bytes", "s_axi_w"));
  all.push_back(word("s_axi_rdata", PortsPlan::register_bits, "value", "s_axi_r"));
  for (const char* channel : {"s_axi_b", "s_axi_r", "m_axi_b", "m_axi_r"})
    all.push_back(word(std::string(channel) + "resp", 2, "response", channel));
  for (const std::string channel : {"m_axi_ar", "m_axi_aw"}) {
    all.push_back(word(channel + "addr", PortsPlan::address_bits, "address", channel));
    all.push_back(word(channel + "len", 8, "words less one", channel));
    all.push_back(word(channel + "size", 3, "bytes of a word, as a power of two", channel));
    all.push_back(word(channel + "burst", 2, "burst", channel));
  }
  all.push_back(word("m_axi_wstrb", p.word_bytes(), "bytes", "m_axi_w"));
  for (const std::string channel : {"m_axi_r", "m_axi_w"})
    all.push_back({.port = channel + "data",
                   .formats = {{8, false}},
                   .elements = {{"i", p.word_bytes()}},
                   .what = "byte",
                   .when = {channel + "valid", channel + "ready"}});
  return all;
}

}  // namespace

HostFacts host_facts(const Engine& e) {
  if (e.has_ports) return facts_of_ports(e);
  return {{"in_data", fmt::format("{} bytes a beat: operations with their weights, and maps; the "
                                  "packets are in gen/layers/engine/hardware/engine.h",
                                  e.plan.core.shape.beat_bytes())},
          {"out_data", "the places of a store, beat by beat; out_last with the last one of each"},
          {"reset", "ends the operation and drops what the streams have begun"}};
}

HostRegisters host_registers(const Engine& e) {
  if (!e.has_ports) return {};
  struct Named {
    const char *name, *text;
  };
  constexpr std::array<Named, static_cast<std::size_t>(Register::count)> registers{{
      {"identity", "0x454b4d4b"},
      {"build", "a hash of what programs depend on"},
      {"shape", "rows; columns from bit 8 on; bit 16: two clocks"},
      {"places", "of the memory of maps"},
      {"control", "written: bit 0 starts, bit 1 resets, bit 2 asks for the interrupt"},
      {"status",
       "bit 0: runs; 1: done, until a 1 is written there; 2: failed, until a reset; "
       "what stopped it from bit 8 on: a move that is none, one that leaves its range, "
       "an error of a read, of a write, a store of another length, nothing moved"},
      {"moves_done", "moves that have begun"},
      {"patience", "the engine stops when nothing has moved for 2 to this power clocks"},
      {"program_low", "address of the program, a multiple of 4096"},
      {"program_high", "its upper 8 bits"},
      {"program_words", "length of the program"},
      {"moves", "of the list at its beginning"},
      {"data_low", "address of the data, a multiple of 4096"},
      {"data_high", "its upper 8 bits"},
      {"data_words", "length of the data"},
  }};
  constexpr std::array<Named, static_cast<std::size_t>(Event::count)> events{{
      {"clocks", "in which it ran"},
      {"waits_for_memory", "clocks in which the engine could take a word and none was there"},
      {"memory_waits", "clocks in which a word was there and the engine did not take it"},
      {"results_wait", "clocks in which a result found its queue full"},
      {"words_read", ""},
      {"words_written", ""},
      {"requests_wait", "clocks in which the memory did not take an address"},
      {"written_words_wait", "clocks in which the memory did not take a word"},
  }};
  HostRegisters all;
  for (std::size_t i = 0; i < registers.size(); ++i)
    all.push_back({registers[i].name, static_cast<std::int64_t>(4 * i), registers[i].text});
  for (std::size_t i = 0; i < events.size(); ++i)
    all.push_back({events[i].name, static_cast<std::int64_t>(PortsPlan::counters_from + 4 * i),
                   events[i].text});
  return all;
}

std::vector<gen::Beat> beats(const Engine& e) {
  if (e.has_ports) return beats_of_ports(e.ports());
  const std::int64_t count = e.plan.core.shape.beat_bytes();
  const auto bytes = [&](const char* port, const char* valid, const char* ready) {
    return gen::Beat{.port = port,
                     .formats = {{8, false}},
                     .elements = {{"byte", count}},
                     .of = {{"byte", count, {{"byte"}}}},
                     .what = "byte",
                     .when = {valid, ready}};
  };
  return {bytes("in_data", "in_valid", "in_ready"), bytes("out_data", "out_valid", "out_ready")};
}

}  // namespace kumiki::gen::engine
