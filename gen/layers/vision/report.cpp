// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/report.h"

#include <fmt/format.h>

#include "gen/layers/common/write.h"

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

void write_formats(config::Writer& w, const char* name, const std::vector<Format>& formats) {
  w.texts(name, formats, [](const Format& f) { return packing::to_string(f); });
}

void write_window(config::Writer& w, const Group& g) {
  const WindowOperation& operation = *g.window->operation;
  w.object("window", [&] {
    w.member("size", operation.size());
    w.member("border", word(g.window->border));
    w.member("operation", operation.text());
    w.member("slices", operation.slices());
    w.member("macs", operation.macs());
  });
  w.objects("chains", operation.chains(), [&](const auto& chain) {
    w.member("module", chain.first);
    write(w, *chain.second);
  });
  const LineMemories m = g.lines();
  w.object("lines", [&] {
    w.member("rows", m.rows);
    w.member("depth", m.depth);
    w.member("row_bits", m.row_bits);
    w.member("rows_a_memory", m.together);
    w.member("in", m.in_luts ? "luts" : "block");
  });
}

void write_group(config::Writer& w, const Group& g) {
  w.member("name", g.name);
  write_formats(w, "inputs", g.inputs);
  write_formats(w, "outputs", g.outputs);
  w.member("latency", g.latency());
  if (g.window) write_window(w, g);
  w.texts("operations", g.after, [](const auto& operation) { return operation->text(); });
}

// Clocks of a frame beyond its own beats: for the empty lines, and to empty the pipeline.
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

void write(config::Writer& w, const Pipeline& p) {
  w.member("pixels", p.geometry.pixels);
  w.member("max_width", p.geometry.max_width);
  w.member("max_height", p.geometry.max_height);
  write_formats(w, "inputs", p.inputs);
  write_formats(w, "outputs", p.outputs);
  w.member("slices", p.slices());
  w.member("macs", p.macs());
  w.member("macs_per_cycle", p.macs());
  w.member("lines_late", p.lines_late());
  w.member("latency", p.latency());
  w.member("coefficients", p.coefficients());
  w.objects("groups", p.groups, [&](const Group& g) { write_group(w, g); });
}

}  // namespace kumiki::gen::vision
