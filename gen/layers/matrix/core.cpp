// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/core.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/build.h"
#include "gen/hdl/delay_line.h"
#include "gen/hdl/lut_rom.h"
#include "gen/layers/matrix/column.h"
#include "gen/layers/matrix/halves.h"
#include "gen/layers/matrix/registered.h"
#include "gen/layers/matrix/tree_core.h"

namespace kumiki::gen::matrix {
namespace {

class CoreBuilder {
 public:
  CoreBuilder(Scope& s, const MatrixPlan& p, const CoreIn& in)
      : s_(s), p_(p), in_(in), late_(static_cast<std::size_t>(p.chain_rows())) {
    for (const auto& slice : p.chain().slices)
      if (slice.term >= 0)
        late_[static_cast<std::size_t>(slice.term)] = packing::arrival(p.chain(), slice);
  }

  packing::Sequence sequence() {
    return packing::build_sequence(s_, p_.chain(), in_.start, ir::net_one, in_.rst);
  }

  // The results of every column.
  std::vector<std::vector<UInt>> columns(const packing::Sequence& sequence) {
    const auto rows = static_cast<std::size_t>(p_.chain_rows());
    std::vector<std::vector<UInt>> pixels, weights;  // [row]
    for (std::size_t row = 0; row < rows; ++row) {
      pixels.push_back(pixels_of_row(row));
      weights.push_back(weights_of_row(row));
      for (std::size_t k = 0; k < pixels[row].size(); ++k)
        s_.named(fmt::format("x{}_{}", row, k), pixels[row][k]);
      for (std::size_t c = 0; c < weights[row].size(); ++c)
        s_.named(fmt::format("w{}_{}", row, c), weights[row][c]);
    }
    const ColumnPlan column{p_.chain(), p_.sum_bits};
    std::vector<std::vector<UInt>> results;
    for (std::int64_t c = 0; c < p_.columns; ++c) {
      ColumnIn in;
      if (p_.chain().cycles() > 1)
        in.sequence = {sequence.first, sequence.last, sequence.first_round};
      auto& of_pixels = p_.sharing == Sharing::Weight ? in.x : in.y;
      auto& of_weights = p_.sharing == Sharing::Weight ? in.y : in.x;
      for (std::size_t k = 0; k < static_cast<std::size_t>(p_.pixels); ++k)
        for (std::size_t row = 0; row < rows; ++row) of_pixels.push_back(pixels[row][k]);
      for (std::int64_t q = 0; q < p_.column_channels; ++q)
        for (std::size_t row = 0; row < rows; ++row)
          of_weights.push_back(weights[row][static_cast<std::size_t>(c * p_.column_channels + q)]);
      const ColumnOut sums = instantiate(s_, build_column, column, in, fmt::format("column{}", c));
      results.emplace_back();
      for (std::int64_t q = 0; q < p_.column_channels; ++q)
        for (std::int64_t x = 0; x < p_.pixels; ++x)
          results.back().push_back(whole(sums, p_.result(q, x)));
    }
    return results;
  }

 private:
  // A result as the plan of the column has it.
  UInt whole(const ColumnOut& sums, std::size_t result) const {
    const UInt& sum = sums.sum[result];
    const packing::Result& r = p_.chain().results[result];
    const auto width = static_cast<std::uint32_t>(r.bits);
    if (sum.width() == width) return sum;
    return r.is_signed ? UInt(sext(s_, as_signed(sum), width)) : zext(s_, sum, width);
  }

  ir::memory::Read read() const {
    return p_.memory_clocks() == 2 ? ir::memory::twice_registered : ir::memory::registered;
  }

  // The pixels of a row, delayed by the skew of its slice. A word of the memory is a beat.
  std::vector<UInt> pixels_of_row(std::size_t row) {
    const auto beat = static_cast<std::uint32_t>(p_.beat),
               chosen_bits = static_cast<std::uint32_t>(p_.beat_bits()),
               width = static_cast<std::uint32_t>(p_.activations.bits),
               bits = static_cast<std::uint32_t>(p_.ring_bits + p_.half_bits());
    const auto rows = static_cast<std::size_t>(p_.ring_rows()), of_word = row % rows;
    const RingWrite& write = in_.ring[of_word / p_.rows_of_a_copy()];
    std::vector<UInt> all;
    const auto positions = static_cast<std::size_t>(p_.positions);
    for (std::size_t of = row / rows; of < in_.pixel_addresses.size(); of += positions) {
      const UInt address = later(in_.pixel_addresses[of], row);
      const UInt words =
          Memory{.depth = 1u << (bits - chosen_bits),
                 .width = beat * width,
                 .style = ring_is_distributed(static_cast<int>(bits)) ? ir::memory::distributed
                                                                      : ir::memory::block,
                 .read = read(),
                 .write_enable = write.enable,
                 .write_address = write.address,
                 .write_data = write.data[of_word % p_.rows_of_a_copy()],
                 .read_address = address.slice(chosen_bits, bits - chosen_bits)}
              .add_to(s_);
      all.push_back(beat == 1 ? words : chosen(words, address.slice(0, chosen_bits)));
    }
    return all;
  }

  // One word of a beat. `which` goes with the address; the result is registered.
  UInt chosen(const UInt& words, const UInt& which) {
    const auto width = static_cast<std::uint32_t>(p_.activations.bits);
    std::vector<UInt> items;
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(p_.beat); ++k)
      items.push_back(words.slice(k * width, width));
    const UInt index = delay(s_, which, static_cast<std::uint32_t>(p_.memory_clocks()));
    return reg(s_, select(s_, index, std::span<const UInt>(items)));
  }

  // Each address has one delay line, from which every row takes its skew.
  UInt later(const UInt& address, std::size_t row) {
    if (address[0].is_constant()) return address;
    return later_.try_emplace(address.nets().data(), s_, address, ir::net_one)
        .first->second.after(late_[row]);
  }

  // The weights of a row for all columns, [channel of the tile].
  std::vector<UInt> weights_of_row(std::size_t row) {
    const auto width = static_cast<std::uint32_t>(p_.weights.bits);
    UInt address = later(in_.weight_address, row);
    const std::uint32_t together = 64 / width;  // what one memory holds side by side
    std::vector<UInt> all;
    for (std::int64_t first = 0; first < p_.tile_channels(); first += together) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::int64_t>(together, p_.tile_channels() - first));
      UInt word = weight_memory(row, first, count, width, address);
      if (p_.beat > 1) word = reg(s_, word);
      for (std::uint32_t i = 0; i < count; ++i) all.push_back(word.slice(i * width, width));
    }
    return all;
  }

  UInt weight_memory(std::size_t row, std::int64_t first, std::uint32_t count, std::uint32_t width,
                     const UInt& address) {
    const std::int64_t depth = p_.weight_depth();
    if (p_.embedded() && p_.weights_are_distributed())
      return weights_in_luts(s_, p_, contents(row, first, count, width), count * width, address);
    Memory memory{
        .depth = static_cast<std::uint32_t>(std::max<std::int64_t>(depth, 2)),
        .width = count * width,
        .style = p_.weights_are_distributed() ? ir::memory::distributed : ir::memory::block,
        .read = read(),
        .read_address = address};
    if (p_.embedded()) {
      memory.contents = contents(row, first, count, width);
    } else {
      std::vector<Word> high_to_low;
      for (std::uint32_t c = count; c-- > 0;)
        high_to_low.push_back(in_.weights.data[static_cast<std::size_t>(first) + c]);
      memory.write_enable = in_.weights.enable[row];
      memory.write_address = in_.weights.word;
      memory.write_data = cat(s_, high_to_low);
    }
    return memory.add_to(s_);
  }

  std::vector<std::uint64_t> contents(std::size_t row, std::int64_t first, std::uint32_t count,
                                      std::uint32_t width) const {
    std::vector<std::uint64_t> words;
    for (std::int64_t at = 0; at < p_.weight_depth(); ++at) {
      const std::int64_t i = at / p_.halves(),
                         of = static_cast<std::int64_t>(row) + at % p_.halves() * p_.chain_rows();
      std::uint64_t word = 0;
      for (std::uint32_t c = 0; c < count; ++c)
        word |= (static_cast<std::uint64_t>(p_.weight(i / p_.words, i % p_.words, of, first + c)) &
                 ((std::uint64_t{1} << width) - 1))
                << (c * width);
      words.push_back(word);
    }
    return words;
  }

  Scope& s_;
  const MatrixPlan& p_;
  const CoreIn& in_;
  std::vector<int> late_;  // [row]: its skew
  std::map<const Net*, DelayLine<UInt>> later_;
};

}  // namespace

// A memory answers in as many clocks as that of the pixels, LUTs with a register in one.
UInt weights_in_luts(Scope& s, const MatrixPlan& p, const std::vector<std::uint64_t>& contents,
                     std::uint32_t width, const UInt& address) {
  const bool waits = p.memory_clocks() == 2 && !address[0].is_constant();
  return lut_rom(s, contents, width, waits ? reg(s, address) : address);
}

Results build_core(Scope& s, const MatrixPlan& p, const CoreIn& in) {
  const int latency = p.core_latency() - p.issue_latency();
  Results out;
  const auto when = [&](Net done) {
    out.valid = packing::delayed_valid(s, done, latency, ir::net_one, in.rst);
    out.last = later(s, in.last, latency);
  };
  if (p.in_trees()) {
    TreeCore core(s, p, in);
    when(core.done());
    out.words = core.columns();
    return out;
  }
  if (!p.is_double) {
    CoreBuilder core(s, p, in);
    const auto sequence = core.sequence();
    when(sequence.done);
    out.words = core.columns(sequence);
    return out;
  }
  when(in.ends);
  const CoreIn crossed = into_halves(s, p, in);
  {
    const auto fast = s.fast();
    CoreBuilder core(s, p, crossed);
    out.words = core.columns(core.sequence());
  }
  take_from_halves(s, p, out.words);
  return out;
}

}  // namespace kumiki::gen::matrix
