// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "gen/packing/picture.h"

namespace kumiki::gen::packing {
namespace {

constexpr int kBit = 18;    // pixels a bit
constexpr int kLetter = 8;  // pixels a letter takes at most
constexpr int kLeft = 60;
constexpr int kRow = 36;
constexpr int kField = 26;
constexpr int kBox = 400;  // a run of slices
constexpr int kMargin = 20;
constexpr std::size_t kFirstRuns = 14;
constexpr std::size_t kLastRuns = 4;

// Dark ink on light fills, on paper of its own: the page around it may be light or dark.
constexpr const char* kInk = "#1f2328";
constexpr const char* kPaper = "#ffffff";
constexpr const char* kProduct = "#9ecae1";
constexpr const char* kGuard = "#e4e4e4";
constexpr const char* kCanary = "#fdd835";
constexpr const char* kCarries = "#f3c98b";
constexpr const char* kOperand = "#a1d99b";
constexpr const char* kSign = "#e6f2da";
constexpr const char* kAdder = "#d5c9ec";

class Drawing {
 public:
  void rect(int x, int y, int width, int height, const char* fill) {
    body_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", x, y,
        width, height, fill, kInk);
    right_ = std::max(right_, x + width);
  }
  void label(int x, int y, const std::string& text, const char* anchor = "middle") {
    if (text.empty()) return;
    std::string escaped;
    for (const char c : text) escaped += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                         escaped);
    if (std::string_view(anchor) == "start")
      right_ = std::max(right_, x + static_cast<int>(text.size()) * kLetter);
  }
  // An arrow that ends at (x, y), from above.
  void arrow(int x, int y, int length) {
    body_ +=
        fmt::format("<path d=\"M {} {} v {} m -4 -5 l 4 5 l 4 -5\" stroke=\"{}\" fill=\"none\"/>\n",
                    x, y - length, length, kInk);
  }
  std::string svg(int height) const {
    const int width = right_ + kMargin;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
               "viewBox=\"0 0 {0} {1}\" font-family=\"monospace\" font-size=\"12\" fill=\"{2}\">\n"
               "<rect width=\"{0}\" height=\"{1}\" fill=\"{3}\"/>\n",
               width, height, kInk, kPaper) +
           body_ + "</svg>\n";
  }

 private:
  std::string body_;
  int right_ = 0;
};

// The first of these texts that a field of so many pixels holds.
std::string fitting(int pixels, std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (static_cast<int>(text.size()) * kLetter <= pixels) return text;
  return "";
}

int x_of(int bit) { return kLeft + (kWordBits - bit) * kBit; }

// Bits `at` and up of a port or of P.
void field(Drawing& d, int at, int bits, int y, const char* fill,
           std::initializer_list<std::string> texts) {
  const int x = x_of(at + bits);
  d.rect(x, y, bits * kBit, kField, fill);
  d.label(x + bits * kBit / 2, y + 17, fitting(bits * kBit, texts));
}

void word(Drawing& d, const PackingPlan& plan, int y) {
  d.label(8, y + 17, "P", "start");
  for (const auto& lane : plan.lanes) {
    d.label(x_of(lane.offset) - kBit / 2, y - 5, std::to_string(lane.offset));
    const int product = std::min(lane.term_bits, lane.width);
    if (lane.kind == Lane::Kind::Carries) {
      field(d, lane.offset, lane.width, y, kCarries, {"carries", "c"});
    } else {
      if (lane.width > product)
        field(d, lane.offset + product, lane.width - product, y, kGuard,
              {fmt::format("{} guard bits", lane.width - product), "guard", "g"});
      field(d, lane.offset + lane.canary, product - lane.canary, y, kProduct,
            {fmt::format("x{}*y{}", lane.packed, lane.shared)});
      if (lane.canary > 0) field(d, lane.offset, lane.canary, y, kCanary, {"canary", "k"});
    }
    if (lane.bias != 0)
      d.label(
          x_of(lane.offset + lane.width) + lane.width * kBit / 2, y + kField + 15,
          fitting(lane.width * kBit, {"R = " + to_string(lane.bias), to_string(lane.bias), "R"}));
  }
}

std::string operand_name(const Piece& piece) {
  return fmt::format("{}{}{}", piece.invert ? "~" : "",
                     piece.operand.side == Side::Packed ? "x" : "y", piece.operand.index);
}

void port(Drawing& d, const char* name, const Wiring& wiring, int y) {
  d.label(8, y + 17, name, "start");
  d.label(x_of(wiring.width) - 14, y + 17, std::to_string(wiring.width - 1));
  d.rect(x_of(wiring.width), y, wiring.width * kBit, kField, kPaper);
  for (const auto& piece : wiring.pieces) {
    if (piece.from == Piece::From::Constant)
      field(d, piece.at, piece.width, y, kGuard,
            {fmt::format("{}'h{:x}", piece.width, piece.value), fmt::format("{:x}", piece.value)});
    else if (piece.repeat)
      field(d, piece.at, piece.width, y, kSign,
            {"sign of " + operand_name(piece), "sign", operand_name(piece), "s"});
    else
      field(d, piece.at, piece.width, y, kOperand,
            {fmt::format("{}[{}:{}]", operand_name(piece), piece.lsb + piece.width - 1, piece.lsb),
             operand_name(piece)});
  }
}

const char* colour(const SliceKind& kind) {
  if (!kind.multiplies) return kAdder;
  return kind.c.used() ? kCarries : kind.rnd != 0 ? kProduct : kPaper;
}

void run_box(Drawing& d, const PackingPlan& plan, const SliceRun& run, int y) {
  const SliceKind& kind = plan.kinds[run.kind];
  const Slice& slice = plan.slices[run.first];
  if (slice.cascade >= 0) d.arrow(kLeft + kBox / 2, y, kRow - kField);
  d.rect(kLeft, y, kBox, kField, colour(kind));
  std::string text = fmt::format("{} x{}  {}", kind.name, run.count, to_string(kind.load));
  if (kind.run != kind.load) text += " then " + to_string(kind.run);
  d.label(kLeft + kBox / 2, y + 17, text);
  std::string sources = kind.c.used() ? "C = " + to_string(kind.c) : "";
  std::string from;
  for (const int source : slice.sources)
    if (source >= 0) from += fmt::format("{}P of {}", from.empty() ? "" : ", ", source);
  if (!from.empty()) sources += (sources.empty() ? "" : ", ") + from;
  d.label(kLeft + kBox + 12, y + 17, sources, "start");
  d.label(8, y + 17, std::to_string(run.first), "start");
}

void slices(Drawing& d, const PackingPlan& plan, int& y) {
  d.label(8, y + 10, "slices, the wave enters at the top; arrows are PCOUT to PCIN; OPMODE inside",
          "start");
  y += kRow - 10;
  const auto runs = slice_runs(plan);
  const bool all = runs.size() <= kFirstRuns + kLastRuns + 1;
  for (std::size_t k = 0; k < runs.size(); ++k, y += kRow) {
    if (!all && k == kFirstRuns) {
      k = runs.size() - kLastRuns;
      d.label(kLeft + kBox / 2, y + 17,
              fmt::format(".. {} slices ..", runs[k].first - runs[kFirstRuns].first));
      y += kRow + 8;
    }
    run_box(d, plan, runs[k], y);
  }
}

void legend(Drawing& d, int y) {
  constexpr std::pair<const char*, const char*> entries[] = {
      {kProduct, "product; slice with RND"}, {kGuard, "guard, constant"}, {kCanary, "canary"},
      {kCarries, "carries; slice with C"},   {kOperand, "operand"},       {kAdder, "adder"}};
  int x = 8;
  for (const auto& [fill, text] : entries) {
    d.rect(x, y, 14, 14, fill);
    d.label(x + 20, y + 11, text, "start");
    x += 40 + static_cast<int>(std::string_view(text).size()) * kLetter;
  }
}

}  // namespace

std::string picture_svg(const PackingPlan& plan) {
  Drawing d;
  d.label(8, 20,
          fmt::format("{}: {} x {} packed, {} x {} shared, {} terms, {} slices",
                      to_string(plan.scheme), plan.packed_count, to_string(plan.packed),
                      plan.shared_count, to_string(plan.shared), plan.terms, plan.slices.size()),
          "start");
  int y = 54;
  word(d, plan, y);
  y += 2 * kRow;
  port(d, "A", plan.ports.a, y), y += kRow;
  if (plan.ports.preadder()) port(d, "D", plan.ports.d, y), y += kRow;
  port(d, "B", plan.ports.b, y), y += kRow + 10;
  slices(d, plan, y);
  y += 10;
  legend(d, y);
  return d.svg(y + 14 + kMargin);
}

}  // namespace kumiki::gen::packing
