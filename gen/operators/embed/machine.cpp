// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/embed/machine.h"

#include <bit>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_table_words = 256 * 1024;

// Bits that count so many columns.
int column_bits(const EmbedPlan& p) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(p.stream.width - 1)));
}

// What is in the table for the lowest bits of an index; 0 if no row has it.
std::int64_t number_of(const EmbedPlan& p, std::uint64_t raw, std::int64_t column) {
  const bool is_index = p.index_bits() == p.stream.format.bits;
  std::int64_t row =
      is_index ? arith::value_of(raw, p.stream.format) : static_cast<std::int64_t>(raw);
  if (row < 0) row += p.rows();
  if (row < 0 || row >= p.rows()) return 0;
  return p.vectors[static_cast<std::size_t>(row * p.stream.width + column)];
}

}  // namespace

ReorderPlan spread(const Stream& indices, std::int64_t times) {
  ReorderPlan plan{indices, indices, indices.pixels(), {}};
  plan.made.height = indices.pixels();
  plan.made.width = times;
  for (std::int64_t k = 0; k < times * indices.blocks(); ++k)
    plan.reads.push_back(static_cast<std::int32_t>(k % indices.blocks()));
  return plan;
}

std::optional<std::string> EmbedPlan::why_not() const {
  if (const std::int64_t words = std::int64_t{1} << (column_bits(*this) + index_bits());
      words > most_table_words)
    return fmt::format("its table of {} x {} numbers takes {} words; they must be at most {}",
                       rows(), stream.width, words, most_table_words);
  return std::nullopt;
}

int EmbedPlan::index_bits() const {
  const auto all = static_cast<std::uint64_t>(rows());
  const int bits = std::countr_zero(all);
  return all > 1 && std::has_single_bit(all) && bits < stream.format.bits ? bits
                                                                          : stream.format.bits;
}

Moving EmbedPlan::schedule() const {
  Moving lines = Stages::schedule(stream, 1, 1);
  lines.pieces = stream.height;
  lines.beats *= stream.width;
  return lines;
}

std::vector<std::uint64_t> EmbedPlan::contents() const {
  std::vector<std::uint64_t> words;
  for (std::int64_t column = 0; column < std::int64_t{1} << column_bits(*this); ++column)
    for (std::uint64_t raw = 0; raw < std::uint64_t{1} << index_bits(); ++raw)
      words.push_back(column < stream.width ? arith::raw_of(number_of(*this, raw, column), format)
                                            : 0);
  return words;
}

std::string EmbedPlan::text() const {
  return fmt::format("rows of a table of {} x {} numbers of {}, {} lanes", rows(), stream.width,
                     to_string(format), stream.lanes);
}

std::string EmbedPlan::module_name() const {
  return fmt::format("embed{}x{}_l{}", rows(), stream.width, stream.lanes);
}

MachineOut<Hardware> build(Scope& s, const EmbedPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Stages stages(s, in, p.stream.lanes, p.schedule());
  const Net takes = s.net(in.in_valid[0] & stages.takes(0, 0));
  const Cycle block(s, p.stream.blocks(), takes, in.rst);
  const Cycle column(s, p.stream.width, block.ends(), in.rst);
  const std::vector<std::uint64_t> contents = p.contents();
  std::vector<UInt> results;
  for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane) {
    const UInt index = in.in_data[static_cast<std::size_t>(lane)].slice(
        0, static_cast<std::uint32_t>(p.index_bits()));
    const UInt address = p.stream.width == 1 ? index : cat(s, {Word(column.at()), Word(index)});
    const UInt word = Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                             .width = static_cast<std::uint32_t>(p.format.bits),
                             .contents = contents,
                             .read_enable = stages.takes(lane, 0),
                             .read_address = address}
                          .add_to(s);
    results.push_back(reg(s, word, {.enable = stages.moves(lane)}));
  }
  return stages.leave(results);
}

Lanes beat(const EmbedPlan& p, std::int64_t k, const Taken& in) {
  const std::uint64_t mask = (std::uint64_t{1} << p.index_bits()) - 1;
  Lanes all;
  for (const std::uint64_t raw : in.at(0, k))
    all.push_back(arith::raw_of(number_of(p, raw & mask, k / p.stream.blocks()), p.format));
  return all;
}

}  // namespace kumiki::gen::pipeline
