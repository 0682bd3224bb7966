// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/emit/project/header.h"
#include "backends/support/tool.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

std::string run_text(const DriverOptions::Whole& w) {
  return fmt::format(
      "\n/* Numbers of `frames` frames in, numbers of as many out: packed, through the DMA, "
      "unpacked."
      " */\n"
      "static inline kumiki_dma_status {0}_run(kumiki_dma *dma, const kumiki_dma_buffer *in,\n"
      "                                    const kumiki_dma_buffer *out, const int32_t *numbers,\n"
      "                                    int32_t *results, size_t frames) {{\n"
      "  size_t i, stride_in, stride_out;\n"
      "  kumiki_dma_status status;\n"
      "  if (!dma || !in || !out || !in->data || !out->data || !numbers || !results)\n"
      "    return KUMIKI_DMA_BAD_ARGUMENT;\n"
      "  stride_in = kumiki_dma_stride(dma, {2}_FRAME_BYTES);\n"
      "  stride_out = kumiki_dma_stride(dma, {4}_FRAME_BYTES);\n"
      "  if (frames > in->bytes / stride_in || frames > out->bytes / stride_out)\n"
      "    return KUMIKI_DMA_BUFFER_SMALL;\n"
      "  for (i = 0; i < frames; ++i)\n"
      "    {1}_pack(numbers + i * {2}_FRAME_NUMBERS, (uint8_t *)in->data + i * stride_in);\n"
      "  status = kumiki_dma_frames(dma, in, {2}_FRAME_BYTES, out, {4}_FRAME_BYTES, frames, "
      "NULL);\n"
      "  if (status != KUMIKI_DMA_OK) return status;\n"
      "  for (i = 0; i < frames; ++i)\n"
      "    {3}_unpack((const uint8_t *)out->data + i * stride_out, results + i * "
      "{4}_FRAME_NUMBERS);\n"
      "  return KUMIKI_DMA_OK;\n"
      "}}\n",
      w.name, w.in, w.in_capital, w.out, w.out_capital);
}

// Both directions of a layer, for callers without inline functions.
std::string exported(const DriverOptions::Whole& w) {
  constexpr const char* one =
      "\nextern void {0}_host_{1}(const {2} *from, {3} *to, size_t frames);\n"
      "void {0}_host_{1}(const {2} *from, {3} *to, size_t frames) {{\n"
      "  size_t i;\n"
      "  for (i = 0; i < frames; ++i) {4}_{1}(from + i * {5}_FRAME_{6}, to + i * {5}_FRAME_{7});\n"
      "}}\n";
  return fmt::format(fmt::runtime(one), w.name, "pack", "int32_t", "uint8_t", w.in, w.in_capital,
                     "NUMBERS", "BYTES") +
         fmt::format(fmt::runtime(one), w.name, "unpack", "uint8_t", "int32_t", w.out,
                     w.out_capital, "BYTES", "NUMBERS");
}

// A Python tuple has a comma after its only item.
template <class Items>
std::string python_tuple(const Items& items) {
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}
// Writes every bit of the value.
std::string python(float value) { return fmt::format("float.fromhex(\"{:a}\")", value); }

std::string python(const DriverOptions::Tensor& t) {
  std::string text = fmt::format("Tensor({}, {}, {}, {}", python_tuple(t.shape), t.lowest,
                                 t.highest, t.frame_bytes);
  if (t.scale) text += fmt::format(", {}, {}", python(*t.scale), t.zero_point);
  return text + ")";
}

std::string python(const DriverOptions::Whole& w) {
  std::vector<std::string> steps;
  for (const auto& [name, values] : w.preparation) {
    std::vector<std::string> texts;
    for (const float v : values) texts.push_back(python(v));
    steps.push_back(fmt::format("(\"{}\", {})", name, python_tuple(texts)));
  }
  return fmt::format("    \"{}\": Layer(\"{}\",\n        {},\n        {}{}),\n", w.layer, w.name,
                     python(w.input), python(w.output),
                     steps.empty() ? "" : ",\n        " + python_tuple(steps));
}

void write_host(const std::string& top, OutputSet& out, const DriverOptions& options) {
  const std::string name = c_identifier(top);
  std::string functions, layers;
  for (const auto& whole : options.whole) {
    functions += exported(whole);
    layers += python(whole);
  }
  const auto file = [&](std::string_view ending, std::string text) {
    out.add(fmt::format("{}_host.{}", name, ending),
            fill(templates::text(fmt::format("driver/host.{}.in", ending)),
                 {{"TOP", top},
                  {"GENERATOR", options.generator},
                  {"NAME", name},
                  {"LAYERS", std::move(text)}}));
  };
  file("c", functions);
  file("py", layers);
}

// Files that are the same for all netlists.
void add_fixed(OutputSet& out, const std::string& generator,
               const std::vector<std::string>& files) {
  for (const std::string& file : files)
    out.add(file, fill(templates::text("driver/" + file + ".in"), {{"GENERATOR", generator}}));
}

}  // namespace

void write_hosts_of_parts(OutputSet& out, const std::string& generator) {
  add_fixed(out, generator,
            {"kumiki_session.py", "kumiki_parts.c", "kumiki_engine.h", "kumiki_engine.c",
             "kumiki_map.h", "kumiki_map.c"});
}

void write_driver(const ir::Names& names, OutputSet& out, const DriverOptions& options) {
  const std::string top(names.module(names.design().top_id()));
  std::vector<std::string> files{"kumiki_map.h", "kumiki_map.c"};
  if (options.has_engine)
    files.insert(files.end(), {"kumiki_engine.h", "kumiki_engine.c", "kumiki_engine.py"});
  if (!options.streams.empty()) files.insert(files.end(), {"kumiki_dma.h", "kumiki_dma.c"});
  add_fixed(out, options.generator, files);
  if (options.streams.empty()) return;
  std::string frames;
  for (const std::string& stream : options.streams) frames += stream;
  for (const auto& whole : options.whole) frames += run_text(whole);
  const std::string name = c_identifier(top);
  out.add(top + "_frames.h",
          fill(templates::text("driver/frames.h.in"), {{"TOP", top},
                                                       {"GENERATOR", options.generator},
                                                       {"GUARD", in_capitals(name)},
                                                       {"NAME", name},
                                                       {"FRAMES", frames}}));
  if (!options.whole.empty()) write_host(top, out, options);
}

}  // namespace kumiki::backends
