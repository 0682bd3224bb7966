// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/packing/hardware/slices.h"
#include "gen/hdl/crossing.h"
#include "gen/hdl/delay_line.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/core_parts.h"
#include "gen/layers/matrix/column.h"

namespace kumiki::gen::engine {
namespace {

constexpr auto pixels = static_cast<std::size_t>(EngineShape::pixels);
constexpr std::uint32_t most_columns_of_a_memory = 8;  // 64 bits

class Columns {
 public:
  Columns(Scope& s, const CorePlan& p)
      : s_(s), p_(p), rows_(static_cast<std::size_t>(p.chain_rows())), late_(rows_, 0) {
    for (const auto& slice : p.chain.slices)
      if (slice.term >= 0)
        late_[static_cast<std::size_t>(slice.term)] = packing::arrival(p.chain, slice);
  }

  // On clk2x the rows of a word come in two halves.
  std::vector<std::vector<UInt>> run(const Issued& issued,
                                     const std::vector<std::vector<UInt>>& feed,
                                     const WeightWrite& write) {
    const auto feed_clocks = static_cast<std::uint32_t>(CorePlan::feed_clocks);
    const UInt begins = bits(s_, {delay(s_, issued.begins, feed_clocks)}),
               address = delay(s_, issued.weight, static_cast<std::uint32_t>(p_.weight_clocks()));
    if (!p_.is_double) {
      for (std::size_t row = 0; row < rows_; ++row)
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) numbers_.push_back(feed[pixel][row]);
      return columns(begins[0], address, write);
    }
    UInt half;
    {
      const auto fast = s_.fast();
      half = bits(s_, {reg(s_, s_.phase())});
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      const Net phase = s_.phase_copy();
      for (std::size_t pixel = 0; pixel < pixels; ++pixel)
        numbers_.push_back(to_fast(s_, feed[pixel][row], feed[pixel][rows_ + row], phase));
    }
    WeightWrite crossed;
    for (const Net enable : write.enable)
      crossed.enable.push_back(to_fast(s_, bits(s_, {enable}))[0]);
    // A write is seen in both halves and writes the same twice.
    crossed.word = to_fast(s_, write.word);
    crossed.half = to_fast(s_, write.half);
    for (const UInt& data : write.data) crossed.data.push_back(to_fast(s_, data));
    const UInt first = to_fast(s_, begins, s_.constant(0, 1)),
               there = cat(s_, {to_fast(s_, address), half});
    const auto fast = s_.fast();
    return columns(first[0], there, crossed);
  }

 private:
  std::vector<std::vector<UInt>> columns(Net begins, const UInt& address, const WeightWrite& w) {
    const auto width = static_cast<std::uint32_t>(p_.shape.columns);
    DelayLine<UInt> addresses(s_, address, ir::net_one);
    std::vector<std::vector<UInt>> weights(rows_);  // [row][column]
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::uint32_t first = 0; first < width; first += most_columns_of_a_memory) {
        const std::uint32_t count = std::min(width - first, most_columns_of_a_memory);
        std::vector<Word> high_to_low;
        for (std::uint32_t c = first + count; c-- > first;) high_to_low.push_back(w.data[c]);
        const UInt word =
            Memory{.depth = static_cast<std::uint32_t>(p_.shape.weight_words * p_.halves()),
                   .width = 8 * count,
                   .style = ir::memory::block,
                   .read = ir::memory::twice_registered,
                   .write_enable = w.enable[row],
                   .write_address = p_.is_double ? cat(s_, {w.word, w.half}) : w.word,
                   .write_data = cat(s_, high_to_low),
                   .read_address = addresses.after(late_[row])}
                .add_to(s_);
        for (std::uint32_t c = 0; c < count; ++c) weights[row].push_back(word.slice(8 * c, 8));
      }
    std::vector<UInt> numbers;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      numbers.push_back(delay(s_, numbers_[i], static_cast<std::uint32_t>(late_[i / pixels])));
    std::vector<std::vector<UInt>> sums(width);
    for (std::uint32_t c = 0; c < width; ++c)
      for (std::size_t pair = 0; pair < pixels; pair += 2) {
        matrix::ColumnIn in{.sequence = {ir::net_one, ir::net_one, begins}, .x = {}, .y = {}};
        for (std::size_t k = pair; k < pair + 2; ++k)
          for (std::size_t row = 0; row < rows_; ++row) in.x.push_back(numbers[row * pixels + k]);
        for (std::size_t row = 0; row < rows_; ++row) in.y.push_back(weights[row][c]);
        const matrix::ColumnOut out =
            instantiate(s_, matrix::build_column, matrix::ColumnPlan{p_.chain, {}}, in,
                        fmt::format("column{}_{}", c, pair / 2));
        for (std::size_t k = 0; k < 2; ++k) {
          const UInt& sum = out.sum[k];
          sums[c].push_back(p_.chain.results[k].is_signed ? UInt(sext(s_, as_signed(sum), 32))
                                                          : zext(s_, sum, 32));
        }
      }
    return sums;
  }

  Scope& s_;
  const CorePlan& p_;
  std::size_t rows_;
  std::vector<int> late_;
  std::vector<UInt> numbers_;  // [row * pixels + pixel]
};

}  // namespace

std::vector<std::vector<UInt>> build_columns(Scope& s, const CorePlan& p, const Issued& issued,
                                             const std::vector<std::vector<UInt>>& feed,
                                             const WeightWrite& write) {
  auto sums = Columns(s, p).run(issued, feed, write);
  const Net takes = delay(s, issued.ends, static_cast<std::uint32_t>(p.held() - 1));
  const bool in_first_half = p.is_double && p.column_latency() % 2 == 0;
  for (auto& column : sums)
    for (UInt& sum : column) {
      if (in_first_half) {
        const auto fast = s.fast();
        sum = reg(s, sum);
      }
      sum =
          reg(s, sum,
              {.enable = takes, .crossing = p.is_double ? ir::Crossing::each : ir::Crossing::none});
    }
  return sums;
}

}  // namespace kumiki::gen::engine
