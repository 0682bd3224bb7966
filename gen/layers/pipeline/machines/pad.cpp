// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/pad.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/lanes.h"
#include "gen/layers/pipeline/machines/raster.h"
#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_positions = 1024;

bool all_of(const std::vector<bool>& flags) { return std::ranges::all_of(flags, std::identity{}); }

// Whether each block of a pixel's channels is of the map; empty: one is in part.
std::optional<std::vector<bool>> blocks_of(const PadPlan& p) {
  const std::vector<bool>& channels = p.border.channels;
  std::vector<bool> all;
  for (auto at = channels.begin(); at != channels.end();) {
    const auto end = at + std::min<std::ptrdiff_t>(p.stream.lanes, channels.end() - at);
    const std::ptrdiff_t inside = std::count(at, end, true);
    const bool is_last = std::find(end, channels.end(), true) == channels.end();
    if (inside != 0 && (inside != end - at || (!is_last && inside != p.stream.lanes))) return {};
    all.push_back(inside != 0);
    at = end;
  }
  return all;
}

// Whether each beat of a line is of the map.
std::vector<bool> beats_of_line(const PadPlan& p) {
  const auto blocks = blocks_of(p);
  std::vector<bool> all;
  for (const bool column : p.border.columns)
    for (const bool block : *blocks) all.push_back(column && block);
  return all;
}

}  // namespace

bool Border::is_there() const { return !all_of(channels) || !all_of(lines) || !all_of(columns); }

std::optional<std::string> PadPlan::why_not() const {
  if (stream.format.bits < 1 || stream.format.bits > 16)
    return fmt::format("numbers of {} bits: they must have 1 to 16", stream.format.bits);
  if (!stream.format.range().contains(border.fill))
    return fmt::format("its constant {} is not a number of {}", border.fill,
                       arith::to_string(stream.format));
  if (!blocks_of(*this))
    return fmt::format("{} lanes have both channels and the constant", stream.lanes);
  const RasterPlan around = schedule().around;
  for (const auto* axis : {&around.lines, &around.columns})
    if (std::ssize(*axis) > most_positions)
      return fmt::format("an axis has {} positions; it must have at most {}", axis->size(),
                         most_positions);
  return std::nullopt;
}

Stream PadPlan::output() const {
  Stream made = stream;
  made.channels = std::ssize(border.channels);
  made.height = std::ssize(border.lines);
  made.width = std::ssize(border.columns);
  return made;
}

// A table has an entry for every block only if blocks differ.
Walk PadPlan::schedule() const {
  const bool by_pixel = all_of(border.channels);
  const RasterPlan around{.blocks = by_pixel ? stream.blocks() : 1,
                          .lines = border.lines,
                          .columns = by_pixel ? border.columns : beats_of_line(*this)};
  return {.around = around,
          .lines = std::vector(around.lines.size(), true),
          .columns = std::vector(around.columns.size(), true),
          .results = {.clocks = 1}};
}

std::string PadPlan::text() const {
  return fmt::format("{}x{}x{} in {}x{}x{} of {}, {} lanes", stream.channels, stream.height,
                     stream.width, border.channels.size(), border.lines.size(),
                     border.columns.size(), border.fill, stream.lanes);
}

std::string PadPlan::module_name() const {
  return fmt::format("pad_{}x{}x{}_l{}", border.channels.size(), border.lines.size(),
                     border.columns.size(), stream.lanes);
}

PadPlan padded(Stream stream, const Border& border, std::int64_t clocks) {
  std::vector<std::int64_t> candidates{stream.lanes};
  for (std::int64_t lanes = 1; lanes <= stream.channels; ++lanes) candidates.push_back(lanes);
  std::optional<PadPlan> best;
  for (const std::int64_t lanes : candidates) {
    stream.lanes = lanes;
    const PadPlan plan{stream, border};
    if (plan.why_not()) continue;
    if (best && plan.schedule().interval() >= best->schedule().interval()) continue;
    best = plan;
    if (plan.schedule().interval() <= clocks) break;
  }
  stream.lanes = 1;
  return best.value_or(PadPlan{stream, border});
}

MachineOut<Hardware> build(Scope& s, const PadPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Walk walk = p.schedule();
  Wire<Net> room_next(s);
  const Raster raster = build_raster(s, walk.around, in.in_valid[0], room_next, in.rst);
  const UInt word = raster_word(s, walk.around, raster, in.in_data,
                                arith::raw_of(p.border.fill, p.stream.format));
  const Results results(s, walk.results, reg(s, raster.moves, {.reset = in.rst}), word,
                        in.out_ready, in.rst);
  room_next.drive(results.room_next());
  return {.in_ready = {raster.ready},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

Lanes beat(const PadPlan& p, std::int64_t k, const Taken& in) {
  const std::vector<bool> columns = beats_of_line(p);
  const std::int64_t line = k / std::ssize(columns), column = k % std::ssize(columns);
  const auto before = [](const std::vector<bool>& flags, std::int64_t position) {
    return std::count(flags.begin(), flags.begin() + position, true);
  };
  if (!p.border.lines[static_cast<std::size_t>(line)] || !columns[static_cast<std::size_t>(column)])
    return Lanes(static_cast<std::size_t>(p.stream.lanes),
                 arith::raw_of(p.border.fill, p.stream.format));
  const auto same = in.at(0, before(p.border.lines, line) * before(columns, std::ssize(columns)) +
                                 before(columns, column));
  return {same.begin(), same.end()};
}

}  // namespace kumiki::gen::pipeline
