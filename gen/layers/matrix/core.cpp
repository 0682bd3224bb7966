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
#include "gen/layers/matrix/row_memories.h"
#include "gen/layers/matrix/tree_core.h"
#include "ir/arch.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::matrix {
namespace {

// Of weights side by side: of rows that share an address, and of a word in one memory.
constexpr std::uint32_t most_bits_together = 72, most_bits_of_a_word = 64;

class CoreBuilder {
 public:
  CoreBuilder(Scope& s, const MatrixPlan& p, const CoreIn& in)
      : s_(s), p_(p), in_(in), late_(lateness(p)), pixels_(late_.size()), weights_(late_.size()) {
    read_pixels();
    read_weights();
  }

  packing::Sequence sequence() {
    return packing::build_sequence(s_, p_.chain(), in_.start, ir::net_one, in_.rst);
  }

  // The results of every column.
  std::vector<std::vector<UInt>> columns(const packing::Sequence& sequence) {
    const auto rows = static_cast<std::size_t>(p_.chain_rows());
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < pixels_[row].size(); ++k)
        s_.named(fmt::format("x{}_{}", row, k), pixels_[row][k]);
      for (std::size_t c = 0; c < weights_[row].size(); ++c)
        s_.named(fmt::format("w{}_{}", row, c), weights_[row][c]);
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
        for (std::size_t row = 0; row < rows; ++row) of_pixels.push_back(pixels_[row][k]);
      for (std::int64_t q = 0; q < p_.column_channels; ++q)
        for (std::size_t row = 0; row < rows; ++row)
          of_weights.push_back(weights_[row][c * p_.column_channels + q]);
      const ColumnOut sums = instantiate(s_, build_column, column, in, fmt::format("column{}", c));
      results.emplace_back();
      for (std::int64_t q = 0; q < p_.column_channels; ++q)
        for (std::int64_t x = 0; x < p_.pixels; ++x)
          results.back().push_back(whole(sums, p_.result(q, x)));
    }
    return results;
  }

 private:
  // A result at the width that the column's plan states.
  UInt whole(const ColumnOut& sums, std::size_t result) const {
    const UInt& sum = sums.sum[result];
    const packing::Result& r = p_.chain().results[result];
    const auto width = static_cast<std::uint32_t>(r.bits);
    if (sum.width() == width) return sum;
    return r.is_signed ? UInt(sext(s_, as_signed(sum), width)) : zext(s_, sum, width);
  }

  // The pixels of every row, delayed by the skew of its slice.
  void read_pixels() {
    const auto positions = static_cast<std::size_t>(p_.positions);
    const RowGroups groups = ring_groups(p_, p_.ring_bits);
    for (std::size_t of = 0; of < in_.pixel_addresses.size(); ++of)
      for (const auto& rows : groups)
        if (rows[0] / static_cast<std::size_t>(p_.ring_rows()) == of % positions)
          read_pixels(rows, in_.pixel_addresses[of]);
  }

  // A word of the memory holds a beat of each of its rows.
  void read_pixels(const std::vector<std::size_t>& rows, const UInt& issued) {
    const auto chosen_bits = static_cast<std::uint32_t>(p_.beat_bits()),
               bits = static_cast<std::uint32_t>(p_.ring_bits + p_.half_bits());
    const auto of_word = [&](std::size_t row) {
      return row % static_cast<std::size_t>(p_.ring_rows());
    };
    const RingWrite& write = in_.ring[of_word(rows[0]) / p_.rows_of_a_copy()];
    std::vector<Word> high_to_low;
    for (std::size_t i = rows.size(); i-- > 0;)
      high_to_low.push_back(write.data[of_word(rows[i]) % p_.rows_of_a_copy()]);
    const UInt data = cat(s_, high_to_low), address = later(issued, late_[rows.front()]);
    const UInt words =
        Memory{.depth = 1u << (bits - chosen_bits),
               .width = data.width(),
               .style = ring_is_distributed(static_cast<int>(bits)) ? ir::memory::distributed
                                                                    : ir::memory::block,
               .read = read_of(p_),
               .write_enable = write.enable,
               .write_address = write.address,
               .write_data = data,
               .read_address = address.slice(chosen_bits, bits - chosen_bits)}
            .add_to(s_);
    const std::uint32_t width = data.width() / static_cast<std::uint32_t>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const UInt beat = words.slice(static_cast<std::uint32_t>(i) * width, width);
      const UInt word = p_.beat == 1 ? beat : chosen(beat, address.slice(0, chosen_bits));
      pixels_[rows[i]].push_back(waited(word, rows[i], rows.front()));
    }
  }

  // The answer of a memory for its first row, delayed for another row.
  UInt waited(const UInt& word, std::size_t row, std::size_t first) {
    return delay(s_, word, static_cast<std::uint32_t>(late_[row] - late_[first]));
  }

  // Selects one word of a beat. `which` accompanies the address; the result is registered.
  UInt chosen(const UInt& words, const UInt& which) {
    const auto width = static_cast<std::uint32_t>(p_.activations.bits);
    std::vector<UInt> items;
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(p_.beat); ++k)
      items.push_back(words.slice(k * width, width));
    const UInt index = delay(s_, which, static_cast<std::uint32_t>(p_.memory_clocks()));
    return reg(s_, select(s_, index, std::span<const UInt>(items)));
  }

  // Each address has one delay line of registers.
  UInt later(const UInt& address, int clocks) {
    if (address[0].is_constant()) return address;
    auto& line = later_.try_emplace(address.nets().data(), s_, address, ir::net_one).first->second;
    for (int clock = 1; clock < clocks; ++clock) line.after(clock);
    return line.after(clocks);
  }

  // The weights of every row for all columns, [channel of the tile]. Weights loaded at run time
  // come row by row, each row into a memory of its own, or two into one.
  void read_weights() {
    const auto width = static_cast<std::uint64_t>(p_.weights.bits * p_.tile_channels());
    const bool may_share = p_.embedded() && !p_.weights_are_distributed();
    const RowMemory memory{.depth = static_cast<std::uint64_t>(p_.weight_depth()),
                           .bits = width,
                           .most_bits = may_share ? most_bits_together : 0};
    const auto groups =
        reloaded_in_pairs(memory) ? pairs() : rows_together(late_, 0, late_.size(), memory);
    for (const auto& rows : groups) read_weights(rows);
  }

  // Whether a memory for two rows takes fewer blocks than two memories. On two clocks the weights
  // of the row before are not at hand.
  bool reloaded_in_pairs(const RowMemory& m) const {
    return p_.reloads && !p_.is_double && !p_.weights_are_distributed() &&
           2 * m.bits <= most_bits_of_a_word &&
           ir::memory::brams_18k(m.depth, 2 * m.bits) < 2 * ir::memory::brams_18k(m.depth, m.bits);
  }
  // Rows that come one after the other, the earlier reader first.
  RowGroups pairs() const {
    RowGroups all;
    for (std::size_t row = 0; row < late_.size(); row += 2) {
      all.push_back({row});
      if (row + 1 == late_.size()) break;
      all.back().push_back(row + 1);
      std::ranges::stable_sort(all.back(), {}, [&](std::size_t r) { return late_[r]; });
    }
    return all;
  }

  // Rows that are too wide for one memory have several. Together they fill blocks.
  void read_weights(const std::vector<std::size_t>& rows) {
    const auto width = static_cast<std::uint32_t>(p_.weights.bits);
    const auto channels = static_cast<std::uint32_t>(p_.tile_channels()),
               all = static_cast<std::uint32_t>(rows.size()) * channels;
    const bool is_wide = rows.size() > 1 && all * width > most_bits_of_a_word;
    const std::uint32_t bits =
                            is_wide ? ir::arch::block_ram_18k.front().width : most_bits_of_a_word,
                        most = bits / width;
    std::vector<Word> low_to_high;
    for (std::uint32_t first = 0; first < all; first += most) {
      const std::uint32_t count = std::min(most, all - first);
      UInt word = weight_memory(rows, first, count, later(in_.weight_address, late_[rows.front()]));
      if (p_.beat > 1) word = reg(s_, word);
      low_to_high.push_back(word);
    }
    const UInt words = cat(s_, std::vector<Word>(low_to_high.rbegin(), low_to_high.rend()));
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const UInt own =
          waited(words.slice(i * channels * width, channels * width), rows[i], rows.front());
      for (std::uint32_t c = 0; c < channels; ++c)
        weights_[rows[i]].push_back(own.slice(c * width, width));
    }
  }

  // `count` weights from `first` on, counted over the channels of every row, the first row lowest.
  // Of rows that are loaded at run time, at most two come together.
  UInt weight_memory(const std::vector<std::size_t>& rows, std::uint32_t first, std::uint32_t count,
                     const UInt& address) {
    const std::uint32_t bits = count * static_cast<std::uint32_t>(p_.weights.bits);
    if (p_.embedded() && p_.weights_are_distributed())
      return weights_in_luts(s_, p_, contents(rows, first, count), bits, address);
    Memory memory{
        .depth = static_cast<std::uint32_t>(std::max<std::int64_t>(p_.weight_depth(), 2)),
        .width = bits,
        .style = p_.weights_are_distributed() ? ir::memory::distributed : ir::memory::block,
        .read = read_of(p_),
        .read_address = address};
    if (p_.embedded()) {
      memory.contents = contents(rows, first, count);
    } else {
      const auto channels = static_cast<std::uint32_t>(p_.tile_channels());
      const std::size_t last = std::ranges::max(rows);
      std::vector<Word> high_to_low;
      for (std::uint32_t w = first + count; w-- > first;) {
        const bool is_last = rows[w / channels] == last;
        high_to_low.push_back((is_last ? in_.weights.data : in_.weights.before)[w % channels]);
      }
      memory.write_enable = in_.weights.enable[last];
      memory.write_address = in_.weights.word;
      memory.write_data = cat(s_, high_to_low);
    }
    return memory.add_to(s_);
  }

  std::vector<std::uint64_t> contents(const std::vector<std::size_t>& rows, std::uint32_t first,
                                      std::uint32_t count) const {
    const auto channels = static_cast<std::uint32_t>(p_.tile_channels());
    std::vector<std::uint64_t> words;
    for (std::int64_t at = 0; at < p_.weight_depth(); ++at) {
      std::uint64_t word = 0;
      int low = 0;
      for (std::uint32_t w = first; w < first + count; ++w, low += p_.weights.bits) {
        const std::int64_t i = at / p_.halves(),
                           of = static_cast<std::int64_t>(rows[w / channels]) +
                                at % p_.halves() * p_.chain_rows(),
                           weight = p_.weight(i / p_.words, i % p_.words, of, w % channels);
        word |= arith::raw_of(weight, p_.weights.bits) << low;
      }
      words.push_back(word);
    }
    return words;
  }

  Scope& s_;
  const MatrixPlan& p_;
  const CoreIn& in_;
  std::vector<int> late_;                            // [row]: skew
  std::vector<std::vector<UInt>> pixels_, weights_;  // [row]
  std::map<const Net*, DelayLine<UInt>> later_;
};

}  // namespace

ir::memory::Read read_of(const MatrixPlan& p) {
  return p.memory_clocks() == 2 ? ir::memory::twice_registered : ir::memory::registered;
}

// A memory answers after as many clocks as the pixels' memory; LUTs with a register take one.
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
