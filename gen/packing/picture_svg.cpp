// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gen/packing/picture.h"

namespace kumiki::gen::packing {
namespace {

constexpr int kBit = 18;  // pixels a bit
constexpr int kLeft = 60;
constexpr int kRow = 34;
constexpr std::size_t kFirstRuns = 14;
constexpr std::size_t kLastRuns = 4;

std::string rect(int x, int y, int width, int height, const char* fill) {
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#333\"/>\n", x, y,
      width, height, fill);
}

std::string label(int x, int y, const std::string& text, const char* anchor = "middle") {
  std::string escaped;
  for (const char c : text) escaped += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped);
}

int x_of(int bit, int width) { return kLeft + (width - bit) * kBit; }

// A field from bit `at`, `bits` wide, in a word of `width` bits.
std::string field(int at, int bits, int width, int y, const char* fill, const std::string& text) {
  const int x = x_of(at + bits, width);
  return rect(x, y, bits * kBit, kRow - 8, fill) + label(x + bits * kBit / 2, y + 17, text);
}

std::string word(const PackingPlan& plan, int y) {
  std::string svg = label(8, y + 17, "P", "start");
  for (const auto& lane : plan.lanes) {
    svg += label(x_of(lane.offset, kWordBits) - kBit / 2, y - 3, std::to_string(lane.offset));
    if (lane.kind == Lane::Kind::Carries) {
      svg += field(lane.offset, lane.width, kWordBits, y, "#f3c98b", "carries");
      continue;
    }
    const int product = std::min(lane.term_bits, lane.width);
    if (lane.width > product)
      svg += field(lane.offset + product, lane.width - product, kWordBits, y, "#eeeeee", "guard");
    const auto name = fmt::format("x{}*y{}", lane.packed, lane.shared);
    svg += field(lane.offset, product, kWordBits, y, "#9ecae1", name);
    if (lane.canary > 0) svg += field(lane.offset, lane.canary, kWordBits, y, "#fdd835", "k");
    if (lane.bias != 0)
      svg += label(x_of(lane.offset, kWordBits) - product * kBit / 2, y + kRow + 6,
                   "R = " + to_string(lane.bias));
  }
  return svg;
}

std::string port(const char* name, const Wiring& wiring, int y) {
  std::string svg = label(8, y + 17, name, "start");
  svg += rect(x_of(wiring.width, kWordBits), y, wiring.width * kBit, kRow - 8, "#ffffff");
  for (const auto& piece : wiring.pieces) {
    std::string text = piece.from == Piece::From::Constant ? "1"
                       : piece.repeat                      ? "sign"
                                      : fmt::format("{}{}{}", piece.invert ? "~" : "",
                                                    piece.operand.side == Side::Packed ? "x" : "y",
                                                    piece.operand.index);
    if (piece.width == 1 && text.size() > 2) text = "s";
    const char* fill = piece.from == Piece::From::Constant ? "#dddddd"
                       : piece.repeat                      ? "#e6f2da"
                                                           : "#a1d99b";
    svg += field(piece.at, piece.width, kWordBits, y, fill, text);
  }
  return svg;
}

const char* colour(const SliceKind& kind) {
  if (!kind.multiplies) return "#c7b9e2";
  return kind.c.used() ? "#f3c98b" : kind.rnd != 0 ? "#9ecae1" : "#ffffff";
}

std::string run_box(const PackingPlan& plan, const SliceRun& run, int y) {
  const SliceKind& kind = plan.kinds[run.kind];
  const Slice& slice = plan.slices[run.first];
  std::string svg;
  if (slice.cascade >= 0)
    svg += fmt::format("<path d=\"M {} {} v -8\" stroke=\"#333\" stroke-width=\"2\"/>\n",
                       kLeft + 130, y);
  svg += rect(kLeft, y, 260, kRow - 8, colour(kind));
  svg += label(kLeft + 130, y + 17,
               fmt::format("{} x{}  {}", kind.name, run.count, to_string(kind.load)));
  std::string sources = kind.c.used() ? "C = " + to_string(kind.c) : "";
  for (const int source : slice.sources)
    if (source >= 0) sources += fmt::format(", P of slice {}", source);
  svg += label(kLeft + 272, y + 17, sources, "start");
  return svg + label(8, y + 17, std::to_string(run.first), "start");
}

std::string slices(const PackingPlan& plan, int& y) {
  std::string svg;
  const auto runs = slice_runs(plan);
  const bool all = runs.size() <= kFirstRuns + kLastRuns + 1;
  for (std::size_t k = 0; k < runs.size(); ++k, y += kRow) {
    if (!all && k == kFirstRuns) {
      k = runs.size() - kLastRuns;
      svg += label(kLeft + 130, y + 17,
                   fmt::format(".. {} slices ..", runs[k].first - runs[kFirstRuns].first));
      y += kRow;
    }
    svg += run_box(plan, runs[k], y);
  }
  return svg;
}

}  // namespace

std::string picture_svg(const PackingPlan& plan) {
  int y = 40;
  std::string body = label(8, 20,
                           fmt::format("{}: {} terms, {} slices", to_string(plan.scheme),
                                       plan.terms, plan.slices.size()),
                           "start");
  body += word(plan, y);
  y += 2 * kRow;
  body += port("A", plan.ports.a, y), y += kRow;
  if (plan.ports.preadder()) body += port("D", plan.ports.d, y), y += kRow;
  body += port("B", plan.ports.b, y), y += kRow + 10;
  body += slices(plan, y);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
             "font-family=\"monospace\" "
             "font-size=\"12\">\n",
             kLeft + kWordBits * kBit + 20, y + 30) +
         body + "</svg>\n";
}

}  // namespace kumiki::gen::packing
