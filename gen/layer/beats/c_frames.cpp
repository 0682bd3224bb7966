// SPDX-License-Identifier: Apache-2.0
// Frames of a stream as bytes in memory, in C99: on top of the functions for single elements.
#include "gen/layer/beats/frames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen {
namespace {

std::int64_t numbers_of_frame(const Beat& b) {
  std::int64_t all = 1;
  for (const Coordinate& c : b.of) all *= c.count;
  return all;
}

struct Loops {
  std::string declared, begun, arguments;
};

// The loops over all coordinates; the last one is the fastest.
Loops loops_of(const Beat& b) {
  std::vector<std::string> names;
  Loops all;
  for (const Coordinate& c : b.of) {
    if (c.count == 1) continue;
    names.push_back("at_" + c.name);
    all.begun += fmt::format("  for (at_{0} = 0; at_{0} < {1}u; ++at_{0})\n", c.name, c.count);
  }
  if (!names.empty()) all.declared = fmt::format("  uint32_t {};\n", fmt::join(names, ", "));
  all.arguments = fmt::format("{}", fmt::join(names, ", "));
  return all;
}

}  // namespace

bool is_frame(const Beat& b) {
  if (!b.part.empty() || b.is_late() || b.of.empty()) return false;
  for (const auto* loops : {&b.elements, &b.words})
    for (const Index& i : *loops)
      if (!i.given.port.empty()) return false;
  for (const arith::Format& f : b.formats)
    if (f.bits > 32) return false;
  // Every number has one place.
  std::int64_t places = 0;
  for (std::int64_t w = 0; w < b.word_count(); ++w)
    for (std::int64_t e = 0; e < b.element_count(); ++e) places += coordinates(b, w, e) ? 1 : 0;
  return places == numbers_of_frame(b);
}

std::string c_frames(const Beat& b, bool goes_in, std::uint32_t port_bits, const CFrameNames& n) {
  const Loops loops = loops_of(b);
  const auto beats = b.word_count();
  const std::uint32_t bytes = port_bits / 8;
  std::vector<std::string> order;
  for (const Coordinate& c : b.of)
    if (c.count > 1) order.push_back(fmt::format("{} of {}", c.name, c.count));
  std::string text = fmt::format(
      "\n/* {}: {} numbers{}{} */\n#define {}_FRAME_NUMBERS {}u\n#define {}_FRAME_BEATS {}u\n"
      "#define {}_BEAT_BYTES {}u\n#define {}_FRAME_BYTES {}u\n",
      b.port, numbers_of_frame(b), order.empty() ? "" : ", ", fmt::join(order, ", "), n.capital,
      numbers_of_frame(b), n.capital, beats, n.capital, bytes, n.capital, beats * bytes);
  const std::string beat = beats == 1 ? std::string("frame")
                                      : fmt::format("frame + (size_t){}_word({}) * {}u", n.element,
                                                    loops.arguments, bytes);
  const std::string with = loops.arguments.empty() ? "" : ", " + loops.arguments;
  if (goes_in)
    return text + fmt::format(
                      "static inline void {}_pack(const int32_t *numbers, uint8_t *frame) {{\n"
                      "  size_t i;\n{}  for (i = 0; i < {}u; ++i) frame[i] = 0;\n{}  {{\n"
                      "    uint32_t port[{}];\n    uint8_t *beat = {};\n"
                      "    {}_beat_load(port, beat, {}u);\n    {}_put(port{}, *numbers++);\n"
                      "    {}_beat_store(port, beat, {}u);\n  }}\n}}\n",
                      n.stream, loops.declared, beats * bytes, loops.begun, (bytes + 3) / 4, beat,
                      n.header, bytes, n.element, with, n.header, bytes);
  return text +
         fmt::format(
             "static inline void {}_unpack(const uint8_t *frame, int32_t *numbers) {{\n{}{}  {{\n"
             "    uint32_t port[{}];\n    {}_beat_load(port, {}, {}u);\n"
             "    *numbers++ = (int32_t){}_get(port{});\n  }}\n}}\n",
             n.stream, loops.declared, loops.begun, (bytes + 3) / 4, n.header, beat, bytes,
             n.element, with);
}

}  // namespace kumiki::gen
