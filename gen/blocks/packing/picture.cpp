// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/picture.h"

#include <fmt/format.h>

namespace kumiki::gen::packing {
namespace {

constexpr std::size_t kTextFirstRuns = 12;
constexpr std::size_t kTextLastRuns = 3;

// One letter a bit, the top bit first: p product, g guard, k canary, c carries, s sign extension.
std::string lane_letters(const Lane& lane) {
  std::string letters(static_cast<std::size_t>(lane.width),
                      lane.kind == Lane::Kind::Carries ? 'c' : 'g');
  if (lane.kind == Lane::Kind::Carries) return letters;
  for (int bit = 0; bit < lane.width; ++bit) {
    char& letter = letters[lane.width - 1 - bit];
    if (bit < lane.term_bits) letter = 'p';
    if (bit < lane.canary) letter = 'k';
  }
  return letters;
}

std::string word_row(const PackingPlan& plan) {
  std::string row = "|";
  for (auto lane = plan.lanes.rbegin(); lane != plan.lanes.rend(); ++lane)
    row += lane_letters(*lane) + "|";
  return row;
}

// The row with the lowest bit number of each lane, below its letter.
std::string offsets_row(const PackingPlan& plan) {
  std::string row(1, ' ');
  for (auto lane = plan.lanes.rbegin(); lane != plan.lanes.rend(); ++lane) {
    const std::string label = std::to_string(lane->offset);
    const auto width = static_cast<std::size_t>(lane->width);
    row += width > label.size() ? std::string(width - label.size(), ' ') + label
                                : label.substr(0, width);
    row += ' ';
  }
  return row;
}

char letter_of(const Piece& piece) {
  if (piece.from == Piece::From::Constant) return '1';
  if (piece.repeat) return 's';
  return static_cast<char>((piece.operand.side == Side::Packed ? '0' : 'a') + piece.operand.index);
}

std::string port_row(const Wiring& port) {
  std::string row(static_cast<std::size_t>(port.width), '.');
  for (const auto& piece : port.pieces)
    for (int bit = 0; bit < piece.width; ++bit) {
      if (piece.from == Piece::From::Constant && (piece.value >> bit & 1) == 0) continue;
      row[port.width - 1 - piece.at - bit] = letter_of(piece);
    }
  return "|" + row + "|";
}

std::string run_line(const PackingPlan& plan, const SliceRun& run) {
  const SliceKind& kind = plan.kinds[run.kind];
  const Slice& slice = plan.slices[run.first];
  std::string text = fmt::format("  {} {:5}  {:18} x{:<5} {}", slice.cascade >= 0 ? "^" : " ",
                                 run.first, kind.name, run.count, to_string(kind.load));
  if (kind.run != kind.load) text += " then " + to_string(kind.run);
  for (const int source : slice.sources)
    if (source >= 0) text += fmt::format(", P of {}", source);
  return text + "\n";
}

}  // namespace

std::vector<SliceRun> slice_runs(const PackingPlan& plan) {
  std::vector<SliceRun> runs;
  for (std::size_t i = 0; i < plan.slices.size(); ++i) {
    const Slice& slice = plan.slices[i];
    const bool same =
        !runs.empty() && runs.back().kind == slice.kind && slice.cascade == static_cast<int>(i) - 1;
    if (same)
      ++runs.back().count;
    else
      runs.push_back({slice.kind, static_cast<int>(i), 1});
  }
  return runs;
}

std::string picture_text(const PackingPlan& plan) {
  std::string text = fmt::format("{}, the word of P (p product, g guard, k canary, c carries)\n",
                                 to_string(plan.scheme));
  text += "  " + word_row(plan) + "\n  " + offsets_row(plan) + "\n";
  text += "ports (0, 1, .. packed, a, b, .. shared operands, s sign)\n";
  text += fmt::format("  A {}\n", port_row(plan.ports.a));
  if (plan.ports.preadder()) text += fmt::format("  D {}\n", port_row(plan.ports.d));
  text += fmt::format("  B {}\n", port_row(plan.ports.b));
  text += fmt::format("slices, {} in all, the wave enters at the top (^ from the PCOUT above)\n",
                      plan.slices.size());
  const auto runs = slice_runs(plan);
  const bool all = runs.size() <= kTextFirstRuns + kTextLastRuns + 1;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!all && k == kTextFirstRuns) {
      k = runs.size() - kTextLastRuns;
      text +=
          fmt::format("           .. {} slices ..\n", runs[k].first - runs[kTextFirstRuns].first);
    }
    text += run_line(plan, runs[k]);
  }
  return text;
}

}  // namespace kumiki::gen::packing
