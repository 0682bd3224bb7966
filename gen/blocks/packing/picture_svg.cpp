// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "gen/blocks/packing/picture.h"
#include "ir/picture/svg.h"

namespace kumiki::gen::packing {
namespace {

namespace paint = picture::paint;
using picture::Anchor;
using picture::Paint;
using picture::Svg;

constexpr int kBit = 16;  // pixels a bit
constexpr int kLetter = picture::letter_width;
constexpr int kLeft = 52;
constexpr int kRow = 36;
constexpr int kField = 26;
constexpr int kBox = 400;  // a run of slices
constexpr int kMargin = 20;
constexpr std::size_t kFirstRuns = 14;
constexpr std::size_t kLastRuns = 4;

// An arrow that ends at (x, y), from above.
void arrow(Svg& d, int x, int y, int length) {
  d.path(fmt::format("M {} {} v {} m -4 -5 l 4 5 l 4 -5", x, y - length, length));
}

// The first of these texts that fits into a field of this many pixels.
std::string fitting(int pixels, std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (static_cast<int>(text.size()) * kLetter <= pixels) return text;
  return "";
}

int x_of(int bit) { return kLeft + (kWordBits - bit) * kBit; }

// The bits of a port or of P from `at` up.
void field(Svg& d, int at, int bits, int y, const Paint& fill,
           std::initializer_list<std::string> texts) {
  const int x = x_of(at + bits);
  d.rect(x, y, bits * kBit, kField, fill);
  d.text(x + bits * kBit / 2, y + 17, fitting(bits * kBit, texts), Anchor::middle);
}

void word(Svg& d, const PackingPlan& plan, int y) {
  d.text(8, y + 17, "P");
  for (const auto& lane : plan.lanes) {
    d.text(x_of(lane.offset) - kBit / 2, y - 5, std::to_string(lane.offset), Anchor::middle);
    const int product = std::min(lane.term_bits, lane.width);
    if (lane.kind == Lane::Kind::Carries) {
      field(d, lane.offset, lane.width, y, paint::carries, {"carries", "c"});
    } else {
      if (lane.width > product)
        field(d, lane.offset + product, lane.width - product, y, paint::guard,
              {fmt::format("{} guard bits", lane.width - product), "guard", "g"});
      field(d, lane.offset + lane.canary, product - lane.canary, y, paint::product,
            {fmt::format("x{}*y{}", lane.packed, lane.shared)});
      if (lane.canary > 0) field(d, lane.offset, lane.canary, y, paint::canary, {"canary", "k"});
    }
    if (lane.bias != 0)
      d.text(x_of(lane.offset + lane.width) + lane.width * kBit / 2, y + kField + 15,
             fitting(lane.width * kBit, {"R = " + to_string(lane.bias), to_string(lane.bias), "R"}),
             Anchor::middle);
  }
}

std::string operand_name(const Piece& piece) {
  return fmt::format("{}{}{}", piece.invert ? "~" : "",
                     piece.operand.side == Side::Packed ? "x" : "y", piece.operand.index);
}

void port(Svg& d, const char* name, const Wiring& wiring, int y) {
  d.text(8, y + 17, name);
  d.text(x_of(wiring.width) - 14, y + 17, std::to_string(wiring.width - 1), Anchor::middle);
  d.rect(x_of(wiring.width), y, wiring.width * kBit, kField, paint::empty);
  for (const auto& piece : wiring.pieces) {
    if (piece.from == Piece::From::Constant)
      field(d, piece.at, piece.width, y, paint::constant,
            {fmt::format("{}'h{:x}", piece.width, piece.value), fmt::format("{:x}", piece.value)});
    else if (piece.repeat)
      field(d, piece.at, piece.width, y, paint::sign,
            {"sign of " + operand_name(piece), "sign", operand_name(piece), "s"});
    else
      field(d, piece.at, piece.width, y, paint::operand,
            {fmt::format("{}[{}:{}]", operand_name(piece), piece.lsb + piece.width - 1, piece.lsb),
             operand_name(piece)});
  }
}

const Paint& colour(const SliceKind& kind) {
  if (!kind.multiplies) return paint::adder;
  return kind.c.used() ? paint::slice_c : kind.rnd != 0 ? paint::slice_rnd : paint::slice;
}

void run_box(Svg& d, const PackingPlan& plan, const SliceRun& run, int y) {
  const SliceKind& kind = plan.kinds[run.kind];
  const Slice& slice = plan.slices[run.first];
  if (slice.cascade >= 0) arrow(d, kLeft + kBox / 2, y, kRow - kField);
  d.rect(kLeft, y, kBox, kField, colour(kind));
  std::string text = fmt::format("{} x{}  {}", kind.name, run.count, to_string(kind.load));
  if (kind.run != kind.load) text += " then " + to_string(kind.run);
  d.text(kLeft + kBox / 2, y + 17, text, Anchor::middle);
  std::string sources = kind.c.used() ? "C = " + to_string(kind.c) : "";
  std::string from;
  for (const int source : slice.sources)
    if (source >= 0) from += fmt::format("{}P of {}", from.empty() ? "" : ", ", source);
  if (!from.empty()) sources += (sources.empty() ? "" : ", ") + from;
  d.text(kLeft + kBox + 12, y + 17, sources);
  d.text(8, y + 17, std::to_string(run.first));
}

void slices(Svg& d, const PackingPlan& plan, int& y) {
  d.text(8, y + 10, "slices, the wave enters at the top; arrows are PCOUT to PCIN; OPMODE inside");
  y += kRow - 10;
  const auto runs = slice_runs(plan);
  const bool all = runs.size() <= kFirstRuns + kLastRuns + 1;
  for (std::size_t k = 0; k < runs.size(); ++k, y += kRow) {
    if (!all && k == kFirstRuns) {
      k = runs.size() - kLastRuns;
      d.text(kLeft + kBox / 2, y + 17,
             fmt::format(".. {} slices ..", runs[k].first - runs[kFirstRuns].first),
             Anchor::middle);
      y += kRow + 8;
    }
    run_box(d, plan, runs[k], y);
  }
}

}  // namespace

std::string picture_svg(const PackingPlan& plan) {
  Svg d;
  d.text(8, 20,
         fmt::format("{}: {} x {} packed, {} x {} shared, {} terms, {} slices",
                     to_string(plan.scheme), plan.packed_count, to_string(plan.packed),
                     plan.shared_count, to_string(plan.shared), plan.terms, plan.slices.size()));
  int y = 54;
  word(d, plan, y);
  y += 2 * kRow;
  port(d, "A", plan.ports.a, y), y += kRow;
  if (plan.ports.preadder()) port(d, "D", plan.ports.d, y), y += kRow;
  port(d, "B", plan.ports.b, y), y += kRow + 10;
  slices(d, plan, y);
  y += 10;
  y += d.legend(8, y, kLeft + kWordBits * kBit);
  return d.str(y + kMargin);
}

}  // namespace kumiki::gen::packing
