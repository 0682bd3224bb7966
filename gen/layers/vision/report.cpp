// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/report.h"

#include <fmt/format.h>

#include "gen/layers/common/packing_json.h"

namespace kumiki::gen::vision {
std::string word(Border border) {
  return border == Border::replicate ? "replicate"
         : border == Border::reflect ? "reflect"
                                     : "constant";
}

std::string slices_text(const Pipeline& p) {
  if (p.slices() == 0) return "no slices";
  const auto slices = fmt::format("{} slice{}", p.slices(), p.slices() == 1 ? "" : "s");
  return p.macs() == 0 ? slices + ", nothing is multiplied"
                       : fmt::format("{}, {} products a beat", slices, p.macs());
}

std::string channels(const std::vector<Format>& formats) {
  std::string text;
  for (std::size_t i = 0; i < formats.size();) {
    std::size_t n = 1;
    while (i + n < formats.size() &&
           packing::to_string(formats[i + n]) == packing::to_string(formats[i]))
      ++n;
    text += fmt::format("{}{}{}", i > 0 ? ", " : "", n > 1 ? fmt::format("{} x ", n) : "",
                        packing::to_string(formats[i]));
    i += n;
  }
  return text;
}

namespace {

std::string memories(const LineMemories& m) {
  return fmt::format("{} lines of {} words of {} bits in {}, {} a memory", m.rows, m.depth,
                     m.row_bits, m.in_luts ? "LUTs" : "block RAM", m.together);
}

Json to_json(const std::vector<Format>& formats) {
  Json all = Json::array();
  for (const Format& f : formats) all.push_back(packing::to_string(f));
  return all;
}

// Clocks that a frame takes beyond its own beats: lines of nothing, and the pipeline emptied.
std::int64_t beyond(const Group& g, std::int64_t beats) {
  return g.window ? g.window->radius() * beats + g.latency() - 1 : 0;
}

}  // namespace

std::string to_text(const Pipeline& p) {
  const auto beats = p.geometry.beats();
  std::string text = fmt::format(
      "{} pixel{} a beat, frames up to {} x {}, {} in, {} out\n"
      "{}; {} lines and {} clocks late\n",
      p.geometry.pixels, p.geometry.pixels > 1 ? "s" : "", p.geometry.max_width,
      p.geometry.max_height, channels(p.inputs), channels(p.outputs), slices_text(p),
      p.lines_late(), p.latency());
  if (p.coefficients() > 0)
    text += fmt::format("{} coefficients of {} bits are loaded, used from the next frame on\n",
                        p.coefficients(), p.coefficient_bits());
  std::int64_t slowest = 1;
  for (const Group& g : p.groups) slowest = std::max(slowest, beyond(g, beats));
  text +=
      fmt::format("a full frame every {} clocks: {} beats and {} between frames\n",
                  beats * p.geometry.max_height + slowest, beats * p.geometry.max_height, slowest);
  for (const Group& g : p.groups) {
    text += fmt::format("{}: {} to {}, {} clocks\n", g.name, channels(g.inputs),
                        channels(g.outputs), g.latency());
    if (g.window) {
      const Window& w = *g.window;
      text += fmt::format("  {}\n", memories(g.lines()));
      text += fmt::format("  border {}{}\n", word(w.border),
                          w.border == Border::constant ? fmt::format(" {}", w.outside) : "");
      text += fmt::format("  {}\n", w.operation->text());
      if (w.keep) text += "  the pixel in the middle goes on\n";
    }
    if (g.halves) text += "  every second pixel of every second line\n";
    for (const auto& op : g.after) text += fmt::format("  {}\n", op->text());
  }
  return text;
}

Json to_json(const Pipeline& p) {
  Json groups = Json::array();
  for (const Group& g : p.groups) {
    Json one{{"name", g.name},
             {"inputs", to_json(g.inputs)},
             {"outputs", to_json(g.outputs)},
             {"latency", g.latency()}};
    if (g.window) {
      const auto m = g.lines();
      one["window"] = {{"size", g.window->operation->size()},
                       {"border", word(g.window->border)},
                       {"operation", g.window->operation->text()},
                       {"slices", g.window->operation->slices()},
                       {"macs", g.window->operation->macs()}};
      Json chains = Json::array();
      for (const auto& [name, plan] : g.window->operation->chains()) {
        chains.push_back({{"module", name}});
        chains.back().update(packing::to_json(*plan));
      }
      one["chains"] = std::move(chains);
      one["lines"] = {{"rows", m.rows},
                      {"depth", m.depth},
                      {"row_bits", m.row_bits},
                      {"rows_a_memory", m.together},
                      {"in", m.in_luts ? "luts" : "block"}};
    }
    Json after = Json::array();
    for (const auto& op : g.after) after.push_back(op->text());
    one["operations"] = std::move(after);
    groups.push_back(std::move(one));
  }
  return {{"pixels", p.geometry.pixels},
          {"max_width", p.geometry.max_width},
          {"max_height", p.geometry.max_height},
          {"inputs", to_json(p.inputs)},
          {"outputs", to_json(p.outputs)},
          {"slices", p.slices()},
          {"macs", p.macs()},
          {"macs_per_cycle", p.macs()},
          {"lines_late", p.lines_late()},
          {"latency", p.latency()},
          {"coefficients", p.coefficients()},
          {"groups", std::move(groups)}};
}

}  // namespace kumiki::gen::vision
