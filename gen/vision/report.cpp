// SPDX-License-Identifier: Apache-2.0
#include "gen/vision/report.h"

#include <fmt/format.h>

#include <set>

#include "gen/packing/picture.h"
#include "gen/packing/plan_json.h"

namespace kumiki::gen::vision {
namespace {

std::string word(Border border) {
  return border == Border::replicate ? "replicate"
         : border == Border::reflect ? "reflect"
                                     : "constant";
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
      "{} slices multiply {} products a beat; {} lines and {} clocks late\n",
      p.geometry.pixels, p.geometry.pixels > 1 ? "s" : "", p.geometry.max_width,
      p.geometry.max_height, channels(p.inputs), channels(p.outputs), p.slices(), p.macs(),
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

std::string picture_svg(const Pipeline& p) {
  constexpr int left = 20, top = 40, box = 250, gap = 40, line = 16;
  std::size_t most = 0;
  std::vector<std::vector<std::string>> rows;
  for (const Group& g : p.groups) {
    std::vector<std::string> text;
    if (g.window) {
      const auto m = g.lines();
      text.push_back(fmt::format("{} lines x {} x {} bits, {}", m.rows, m.depth, m.row_bits,
                                 m.in_luts ? "LUT RAM" : "block RAM"));
      text.push_back(fmt::format("window {0} x {0}, border {1}", g.window->operation->size(),
                                 word(g.window->border)));
      text.push_back(
          fmt::format("{} slices, column {} + row {} clocks", g.window->operation->slices(),
                      g.window->operation->column_latency(), g.window->operation->latency()));
    }
    for (const auto& op : g.after)
      text.push_back(fmt::format("{}, {} clocks", op->name(), op->latency()));
    text.push_back(fmt::format("latency {}", g.latency()));
    most = std::max(most, text.size());
    rows.push_back(std::move(text));
  }
  const int height = 2 * line + static_cast<int>(most) * line;
  const int width = 2 * left + static_cast<int>(p.groups.size()) * (box + gap) + gap;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"monospace\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n",
      width, top + height + 50);
  const auto text = [&](int x, int y, const std::string& what, const char* anchor) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"#222222\">{}</text>\n", x,
                       y, anchor, what);
  };
  int x = left;
  const auto arrow = [&](const std::vector<Format>& what) {
    const int y = top + height / 2;
    svg += fmt::format(
        "<path d=\"M{} {} h{} m-6 -4 l6 4 l-6 4\" fill=\"none\" stroke=\"#222222\"/>\n", x, y, gap);
    text(x + gap / 2, top + height + 18, channels(what), "middle");
    x += gap;
  };
  arrow(p.inputs);
  for (std::size_t i = 0; i < p.groups.size(); ++i) {
    const Group& g = p.groups[i];
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#222222\"/>\n", x,
        top, box, height, g.window ? "#dbe9f6" : "#f1ead8");
    text(x + 8, top + line, g.name, "start");
    for (std::size_t r = 0; r < rows[i].size(); ++r)
      text(x + 8, top + line * static_cast<int>(r + 2), rows[i][r], "start");
    x += box;
    arrow(g.outputs);
  }
  text(left, 20,
       fmt::format("{} pixels a beat, up to {} x {}: {} slices multiply, {} lines late",
                   p.geometry.pixels, p.geometry.max_width, p.geometry.max_height, p.slices(),
                   p.lines_late()),
       "start");
  return svg + "</svg>\n";
}

std::vector<Picture> pictures(const Pipeline& p) {
  std::vector<Picture> all{{"pipeline", picture_svg(p)}};
  std::set<std::string> names;
  for (const Group& g : p.groups)
    if (g.window)
      for (const auto& [name, plan] : g.window->operation->chains())
        if (names.insert(name).second) all.push_back({name, packing::picture_svg(*plan)});
  return all;
}

}  // namespace kumiki::gen::vision
