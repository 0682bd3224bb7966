// SPDX-License-Identifier: Apache-2.0
// Draws the engine around the columns, and when a group of pixels gives its results.
#include "gen/layers/matrix/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/layers/matrix/row_memories.h"
#include "ir/picture/svg.h"

namespace kumiki::gen::matrix {
namespace {

namespace paint = picture::paint;
using picture::Anchor;
using picture::letter_width;
using picture::line_height;
using picture::Svg;

constexpr int left = 20, gap = 36, box_pad = 8;

// Draws a box with lines of text; returns its right edge.
int box(Svg& d, int x, int y, int height, const std::vector<std::string>& lines,
        const picture::Paint& fill) {
  std::size_t longest = 0;
  for (const auto& l : lines) longest = std::max(longest, l.size());
  const int width = static_cast<int>(longest) * letter_width + 2 * box_pad;
  d.rect(x, y, width, height, fill);
  for (std::size_t i = 0; i < lines.size(); ++i)
    d.text(x + box_pad, y + line_height * static_cast<int>(i + 1) + 2, lines[i]);
  return x + width;
}

void to_right(Svg& d, int x, int y) { d.path(fmt::format("M{} {}h{}m-6 -4l6 4l-6 4", x, y, gap)); }

std::string count(std::int64_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// Draws the first rows and columns and the last of each.
int columns(Svg& d, const MatrixPlan& p, int x, int y, int height) {
  constexpr int cell = 34, most = 4;
  const auto shown = [](std::int64_t n) {
    return static_cast<int>(std::min<std::int64_t>(n, most));
  };
  const int wide = shown(p.columns), high = shown(p.chain_rows());
  const int row = (height - line_height) / high;
  const auto number = [](int i, int shown_, std::int64_t n) {
    return i == most - 1 && i == shown_ - 1 ? n - 1 : i;
  };
  for (int c = 0; c < wide; ++c) {
    d.faint(x + c * cell + cell / 2, y + 11, std::to_string(number(c, wide, p.columns)),
            Anchor::middle);
    for (int r = 0; r < high; ++r) {
      d.rect(x + c * cell, y + line_height + r * row, cell - 6, row - 6, paint::slice);
      d.path(fmt::format("M{} {}v6", x + c * cell + (cell - 6) / 2,
                         y + line_height + r * row + row - 6));
    }
  }
  return x + wide * cell - 6;
}

void timing(Svg& d, const MatrixPlan& p, int y) {
  d.text(left, y + 12,
         fmt::format("A group of {}: {} of {}, one after the other", count(p.pixels, "pixel"),
                     count(p.tiles, "tile"), count(p.words, "clock")));
  y += line_height + 8;
  constexpr int row = 26, names = 84, set = 132;
  const int latency = p.latency();
  const auto sets = static_cast<int>(std::min<std::int64_t>(p.tiles, 4));
  d.faint(left, y + 17, "operands");
  d.faint(left, y + row + 25, "out_data");
  for (int i = 0; i < sets; ++i) {
    const bool is_last = i == sets - 1;
    const std::int64_t tile = is_last ? p.tiles - 1 : i;
    const int x = left + names + i * set + (is_last && p.tiles > sets ? 24 : 0);
    if (is_last && p.tiles > sets) d.faint(x - 20, y + 17, "..");
    d.rect(x, y, set - 4, row, paint::operand);
    d.text(x + set / 2 - 2, y + 17, fmt::format("tile {}", tile), Anchor::middle);
    // Its results come one latency after its last word.
    d.path(fmt::format("M{} {}v8h30m-6 -4l6 4l-6 4", x + set - 4, y + row));
    d.rect(x + set + 28, y + row + 10, 56, row - 6, paint::element);
    d.text(x + set + 56, y + row + 25, "word", Anchor::middle);
  }
  d.faint(left, y + 2 * row + 26,
          fmt::format("a word of out_data comes {} clocks behind the last operands of its tile; a "
                      "group begins",
                      latency));
  d.faint(left, y + 2 * row + 26 + line_height,
          fmt::format("when its {} words are in the line buffer and goes on without a stop while "
                      "results are taken",
                      p.need));
}

}  // namespace

std::string engine_svg(const MatrixPlan& p) {
  Svg d;
  const ConvShape& s = p.shape;
  d.text(left, 20,
         fmt::format("{}x{}x{} to {}x{}x{}: {} x {} of chains{}, {}", s.in_channels, s.height,
                     s.width, s.out_channels, s.out_height(), s.out_width(), count(p.rows, "row"),
                     count(p.columns, "column"), p.is_double ? " on clk2x" : "",
                     count(p.slices(), "slice")));
  constexpr int top = 40, height = 104, below = top + height + 40, low = 56;
  const int middle = top + height / 2;
  d.text(left, middle - 8, "in_data");
  d.path(fmt::format("M{} {}h64m-6 -4l6 4l-6 4", left, middle));
  int x = box(d, left + 64, top, height,
              {"loader", "", s.padding.any() ? "border added" : "no border"}, paint::logic);
  to_right(d, x, middle);
  const int ring = x + gap;
  const std::int64_t memories = std::ssize(ring_groups(p, p.ring_bits)) * p.pixels;
  x = box(d, ring, top, height,
          {"line buffer", fmt::format("{} words", std::int64_t{1} << p.ring_bits),
           fmt::format("of {} x {} bits", p.rows, p.activations.bits),
           fmt::format("{}", p.pixels == 1 ? "1 copy" : fmt::format("{} copies", p.pixels)),
           memories == 1 ? "a memory" : fmt::format("{} memories", memories)},
          paint::memory);
  to_right(d, x, middle);
  const int matrix = x + gap;
  const int end = columns(d, p, matrix, top - 10, height + 10);
  to_right(d, end, middle);
  d.text(end + gap + 4, middle - 8, "out_data");
  d.text(end + gap + 4, middle + 8, fmt::format("{} channels", p.tile_channels()));
  d.text(end + gap + 4, middle + 24, fmt::format("x {}", count(p.pixels, "pixel")));
  // The feeder gives the read addresses of both memories.
  const int feeder =
      box(d, ring, below, low,
          p.is_double ? std::vector<std::string>{"feeder", "addresses, half", "a clock later a row"}
                      : std::vector<std::string>{"feeder", "addresses, a", "clock later a row"},
          paint::logic);
  d.path(fmt::format("M{0} {1}V{2}m-4 6l4 -6l4 6", ring + 40, below, top + height));
  to_right(d, feeder, below + low / 2);
  box(d, feeder + gap, below, low,
      {fmt::format("weights, {}", p.embedded() ? "embedded" : "loaded"),
       fmt::format("{} words of", p.tiles * p.words),
       fmt::format("{} x {} bits", p.rows * p.tile_channels(), p.weights.bits)},
      paint::memory);
  d.path(fmt::format("M{0} {1}V{2}m-4 6l4 -6l4 6", matrix + 14, below, top + height - 4));
  timing(d, p, below + low + 28);
  const int legend = below + low + 28 + 2 * line_height + 8 + 2 * 26 + 36;
  return d.str(legend + d.legend(left, legend, 800) + 16);
}

}  // namespace kumiki::gen::matrix
