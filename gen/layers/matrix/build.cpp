// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/build.h"
#include "gen/hdl/delay_line.h"
#include "gen/layers/matrix/column.h"
#include "gen/layers/matrix/feeder.h"

namespace kumiki::gen::matrix {

MatrixIn<Hardware> input_shape(const MatrixPlan& p) {
  const auto words = [](std::int64_t count, int width) {
    return std::vector(static_cast<std::size_t>(count),
                       UInt::shape(static_cast<std::uint32_t>(width)));
  };
  MatrixIn<Hardware> in{};
  in.in_data = words(p.beat * p.rows, p.activations.bits);
  if (!p.embedded()) {
    in.w_valid.resize(1);
    in.w_data = words(p.tile_channels(), p.weights.bits);
  }
  return in;
}

// In the results of a column the packed operand runs fastest; in a beat the pixel does.
std::vector<const packing::Result*> results_of_beat(const MatrixPlan& p) {
  std::vector<const packing::Result*> all;
  for (std::int64_t c = 0; c < p.columns; ++c)
    for (std::int64_t q = 0; q < p.column_channels; ++q)
      for (std::int64_t x = 0; x < p.pixels; ++x) all.push_back(&p.column.results[p.result(q, x)]);
  return all;
}

MatrixOut<Hardware> output_shape(const MatrixPlan& p) {
  MatrixOut<Hardware> out{};
  for (const packing::Result* r : results_of_beat(p))
    out.out_data.push_back(UInt::shape(static_cast<std::uint32_t>(r->bits)));
  if (!p.embedded()) out.w_ready.resize(1);
  return out;
}

namespace {

class MatrixBuilder {
 public:
  MatrixBuilder(Scope& s, const MatrixPlan& p, const MatrixIn<Hardware>& in)
      : s_(s), p_(p), in_(in), late_(static_cast<std::size_t>(p.rows)) {
    for (const auto& slice : p.column.slices)
      if (slice.term >= 0)
        late_[static_cast<std::size_t>(slice.term)] = packing::arrival(p.column, slice);
  }

  MatrixOut<Hardware> build() {
    s_.module().set_about(fmt::format("{} rows x {} columns of chains, {} clocks a set", p_.rows,
                                      p_.columns, p_.words));
    Wire<Net> enable(s_);
    en_ = enable;
    MatrixOut<Hardware> out;
    build_weight_loader(out);
    feeder_ = build_feeder(s_, p_, {in_.rst, en_, in_.in_valid, loaded_});
    const auto sequence = packing::build_sequence(s_, p_.column, feeder_.start, en_, in_.rst);
    const auto latency = static_cast<std::uint32_t>(p_.column.latency - (p_.column.cycles() - 1));
    out.in_ready = feeder_.loader.ready;
    out.out_valid =
        packing::delayed_valid(s_, sequence.done, static_cast<int>(latency), en_, in_.rst);
    out.out_last = delay(s_, feeder_.last, latency, en_);
    build_columns(sequence, out);
    enable.drive(~out.out_valid | in_.out_ready);
    return out;
  }

 private:
  // Loads row by row, word by word, until every bank is full; then not again before a reset.
  void build_weight_loader(MatrixOut<Hardware>& out) {
    if (p_.embedded()) return;
    Reg<Net> loaded(s_, {.reset = in_.rst});
    loaded_ = loaded.q();
    const Net ready = s_.net(~loaded_);
    const Net take = s_.net(in_.w_valid[0] & ready);
    Net row_last = ir::net_one, word_last = ir::net_one;
    UInt row, word = s_.constant(0, 1);
    if (p_.rows > 1) {
      const auto c = counter(
          s_, {.modulo = static_cast<std::uint64_t>(p_.rows), .enable = take, .reset = in_.rst});
      row = c.value;
      row_last = c.last;
    }
    const Net next_word = s_.net(take & row_last);
    if (p_.tiles * p_.words > 1) {
      const auto c = counter(s_, {.modulo = static_cast<std::uint64_t>(p_.tiles * p_.words),
                                  .enable = next_word,
                                  .reset = in_.rst});
      word = c.value;
      word_last = c.last;
    }
    loaded.next(loaded | (next_word & word_last));
    weight_word_ = word;
    for (std::int64_t j = 0; j < p_.rows; ++j)
      weight_write_.push_back(
          p_.rows == 1 ? take : s_.net(take & equals(s_, row, static_cast<std::uint64_t>(j))));
    out.w_ready = {ready};
  }

  // The pixels of a row, delayed by the skew of its slice. A word of the memory is a beat.
  std::vector<UInt> pixels_of_row(std::size_t row) {
    const auto beat = static_cast<std::uint32_t>(p_.beat),
               chosen_bits = static_cast<std::uint32_t>(p_.beat_bits()),
               width = static_cast<std::uint32_t>(p_.activations.bits),
               bits = static_cast<std::uint32_t>(p_.ring_bits);
    std::vector<Word> high_to_low;
    for (std::size_t k = beat; k-- > 0;)
      high_to_low.push_back(
          without_border(in_.in_data[k * static_cast<std::size_t>(p_.rows) + row], k));
    const UInt data = cat(s_, high_to_low);
    std::vector<UInt> all;
    for (const UInt& issued : feeder_.pixel_addresses) {
      const UInt address = later(issued, row);
      const UInt words = Memory{.depth = 1u << (bits - chosen_bits),
                                .width = beat * width,
                                .style = ring_is_distributed(p_.ring_bits) ? ir::memory::distributed
                                                                           : ir::memory::block,
                                .write_enable = feeder_.loader.write,
                                .write_address = feeder_.loader.address,
                                .write_data = data,
                                .read_enable = en_,
                                .read_address = address.slice(chosen_bits, bits - chosen_bits)}
                             .add_to(s_);
      all.push_back(beat == 1 ? words : chosen(words, address.slice(0, chosen_bits)));
    }
    return all;
  }

  // One word of a beat. `which` is of the clock before; the result is registered.
  UInt chosen(const UInt& words, const UInt& which) {
    const auto width = static_cast<std::uint32_t>(p_.activations.bits);
    std::vector<UInt> items;
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(p_.beat); ++k)
      items.push_back(words.slice(k * width, width));
    const UInt index = reg(s_, which, {.enable = en_});
    return reg(s_, select(s_, index, std::span<const UInt>(items)), {.enable = en_});
  }

  UInt without_border(const UInt& data, std::size_t word) {
    const Net is_border = feeder_.loader.is_border[word];
    if (is_border == ir::net_zero) return data;
    return s_.word(data & ~is_border);
  }

  // Each address has one delay line, from which every row takes its skew.
  UInt later(const UInt& address, std::size_t row) {
    return later_.try_emplace(address.nets().data(), s_, address, en_)
        .first->second.after(late_[row]);
  }

  // The weights of a row for all columns, [channel of the tile].
  std::vector<UInt> weights_of_row(std::size_t row) {
    const auto width = static_cast<std::uint32_t>(p_.weights.bits);
    const std::int64_t depth = p_.tiles * p_.words;
    const UInt address = later(feeder_.weight_address, row);
    const std::uint32_t together = 64 / width;  // what one memory holds side by side
    std::vector<UInt> all;
    for (std::int64_t first = 0; first < p_.tile_channels(); first += together) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::int64_t>(together, p_.tile_channels() - first));
      const UInt word = weight_memory(row, first, count, width, depth, address);
      for (std::uint32_t i = 0; i < count; ++i) all.push_back(word.slice(i * width, width));
    }
    return all;
  }

  UInt weight_memory(std::size_t row, std::int64_t first, std::uint32_t count, std::uint32_t width,
                     std::int64_t depth, const UInt& address) {
    Memory memory{.depth = static_cast<std::uint32_t>(std::max<std::int64_t>(depth, 2)),
                  .width = count * width,
                  .style = depth <= 64 ? ir::memory::distributed : ir::memory::block,
                  .read_enable = en_,
                  .read_address = address};
    if (p_.embedded()) {
      for (std::int64_t i = 0; i < depth; ++i) {
        std::uint64_t word = 0;
        for (std::uint32_t c = 0; c < count; ++c)
          word |= (static_cast<std::uint64_t>(p_.weight(
                       i / p_.words, i % p_.words, static_cast<std::int64_t>(row), first + c)) &
                   ((std::uint64_t{1} << width) - 1))
                  << (c * width);
        memory.contents.push_back(word);
      }
    } else {
      std::vector<Word> high_to_low;
      for (std::uint32_t c = count; c-- > 0;)
        high_to_low.push_back(in_.w_data[static_cast<std::size_t>(first) + c]);
      memory.write_enable = weight_write_[row];
      memory.write_address = weight_word_;
      memory.write_data = cat(s_, high_to_low);
    }
    return memory.add_to(s_);
  }

  void build_columns(const packing::Sequence& sequence, MatrixOut<Hardware>& out) {
    const auto rows = static_cast<std::size_t>(p_.rows);
    std::vector<std::vector<UInt>> pixels, weights;  // [row]
    for (std::size_t row = 0; row < rows; ++row) {
      pixels.push_back(pixels_of_row(row));
      weights.push_back(weights_of_row(row));
      for (std::size_t k = 0; k < pixels[row].size(); ++k)
        s_.named(fmt::format("x{}_{}", row, k), pixels[row][k]);
      for (std::size_t c = 0; c < weights[row].size(); ++c)
        s_.named(fmt::format("w{}_{}", row, c), weights[row][c]);
    }
    const ColumnPlan column{p_.column};
    for (std::int64_t c = 0; c < p_.columns; ++c) {
      ColumnIn in{.en = en_};
      if (p_.column.cycles() > 1)
        in.sequence = {sequence.first, sequence.last, sequence.first_round};
      auto& of_pixels = p_.sharing == Sharing::Weight ? in.x : in.y;
      auto& of_weights = p_.sharing == Sharing::Weight ? in.y : in.x;
      for (std::size_t k = 0; k < static_cast<std::size_t>(p_.pixels); ++k)
        for (std::size_t row = 0; row < rows; ++row) of_pixels.push_back(pixels[row][k]);
      for (std::int64_t q = 0; q < p_.column_channels; ++q)
        for (std::size_t row = 0; row < rows; ++row)
          of_weights.push_back(weights[row][static_cast<std::size_t>(c * p_.column_channels + q)]);
      const ColumnOut sums = instantiate(s_, build_column, column, in, fmt::format("column{}", c));
      for (std::int64_t q = 0; q < p_.column_channels; ++q)
        for (std::int64_t x = 0; x < p_.pixels; ++x)
          out.out_data.push_back(sums.sum[p_.result(q, x)]);
    }
  }

  Scope& s_;
  const MatrixPlan& p_;
  const MatrixIn<Hardware>& in_;
  std::vector<int> late_;  // [row]: its skew
  Net en_, loaded_ = ir::net_one;
  Feeder feeder_;
  UInt weight_word_;
  std::vector<Net> weight_write_;
  std::map<const Net*, DelayLine<UInt>> later_;
};

}  // namespace

MatrixOut<Hardware> build(Scope& s, const MatrixPlan& p, const MatrixIn<Hardware>& in) {
  return MatrixBuilder(s, p, in).build();
}

}  // namespace kumiki::gen::matrix
