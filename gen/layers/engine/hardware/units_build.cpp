// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gen/hdl/crossing.h"
#include "gen/hdl/dsp.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"
#include "gen/layers/matrix/column.h"

namespace kumiki::gen::engine {
namespace {

constexpr auto fed_pixels = static_cast<std::size_t>(EngineShape::pixels);
constexpr std::uint32_t sum_bits = 32, depthwise_bits = 24;

using Rows = std::vector<std::vector<UInt>>;

// The pixels in order, and the units. On clk2x the rows of a word come in two halves.
class Units {
 public:
  Units(Scope& s, const CorePlan& p, const Ports& in, const Issued& issued)
      : s_(s), p_(p), in_(in), issued_(issued), rows_(static_cast<std::size_t>(p.chain_rows())) {}

  Results run(const Rows& banks, const WeightWrite& write, Net takes_products,
              Net takes_depthwise) {
    const UInt begins = bits(s_, {delay(s_, issued_.begins, fed)}),
               address = delay(s_, issued_.weight, static_cast<std::uint32_t>(p_.weight_clocks()));
    Results held;
    if (!p_.is_double) {
      numbers_ = in_order(banks, [&](const UInt& rotation) { return reg(s_, rotation); });
      for (std::size_t row = 0; row < rows_; ++row) held.word.push_back(numbers_[row * fed_pixels]);
      multiply(begins[0], begins[0], read_weights(s_, p_, write, address, in_.depthwise, UInt()));
    } else {
      cross(begins, address, banks, write, held);
    }
    held.maximum = maxima();
    held.products = products_;
    const bool in_first_half = p_.is_double && p_.column_latency() % 2 == 0;
    for (auto& column : held.products)
      for (UInt& sum : column) {
        if (in_first_half) {
          const auto fast = s_.fast();
          sum = reg(s_, sum);
        }
        sum = reg(s_, sum,
                  {.enable = takes_products,
                   .crossing = p_.is_double ? ir::Crossing::each : ir::Crossing::none});
      }
    hold_depthwise(held, takes_depthwise);
    return held;
  }

 private:
  static constexpr auto fed = static_cast<std::uint32_t>(CorePlan::feed_clocks);
  static constexpr std::size_t channels_of_a_copy = 8;

  // Pixel i is in bank (i + rotation) mod 4. A copy of the rotation for every eight channels.
  template <class Copy>
  std::vector<UInt> in_order(const Rows& banks, Copy copy) {
    const UInt before = reg(s_, issued_.rotation);
    std::vector<UInt> rotations;
    for (std::size_t c = 0; c < banks[0].size(); c += channels_of_a_copy)
      rotations.push_back(copy(before));
    std::optional<Scope::Fast> fast;
    if (p_.is_double) fast.emplace(s_);
    std::vector<UInt> numbers;
    for (std::size_t c = 0; c < banks[0].size(); ++c)
      for (std::size_t pixel = 0; pixel < fed_pixels; ++pixel) {
        std::vector<UInt> turned;
        for (std::size_t r = 0; r < fed_pixels; ++r)
          turned.push_back(banks[(pixel + r) % fed_pixels][c]);
        numbers.push_back(
            reg(s_, select(s_, rotations[c / channels_of_a_copy], std::span<const UInt>(turned))));
      }
    return numbers;
  }

  void cross(const UInt& begins, const UInt& address, const Rows& banks, const WeightWrite& write,
             Results& held) {
    UInt half;
    {
      const auto fast = s_.fast();
      half = bits(s_, {reg(s_, s_.phase())});
    }
    Rows halves(fed_pixels);
    for (std::size_t row = 0; row < rows_; ++row) {
      const Net phase = s_.phase_copy();
      for (std::size_t bank = 0; bank < fed_pixels; ++bank)
        halves[bank].push_back(to_fast(s_, banks[bank][row], banks[bank][rows_ + row], phase));
    }
    const std::vector<UInt> early =
        in_order(halves, [&](const UInt& rotation) { return to_fast(s_, reg(s_, rotation)); });
    std::vector<UInt> second;
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto both = to_slow(s_, early[row * fed_pixels], Half::first);
      held.word.push_back(both.first);
      second.push_back(both.second);
    }
    held.word.insert(held.word.end(), second.begin(), second.end());
    const UInt first = to_fast(s_, begins, s_.constant(0, 1)), both = to_fast(s_, begins),
               there = cat(s_, {to_fast(s_, address), half});
    const auto fast = s_.fast();
    for (const UInt& number : early) numbers_.push_back(reg(s_, number));
    multiply(first[0], both[0],
             read_weights(s_, p_, write, there, to_fast(s_, bits(s_, {in_.depthwise}))[0], half));
  }

  // `begins`: the first operands of a set; `begins_each`: those of each half of the rows.
  void multiply(Net begins, Net begins_each, const Rows& weights) {
    std::vector<UInt> numbers;
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      numbers.push_back(delay(s_, numbers_[i], late(i / fed_pixels)));
    products_.resize(static_cast<std::size_t>(p_.shape.columns));
    for (std::size_t c = 0; c < products_.size(); ++c)
      for (std::size_t pair = 0; pair < fed_pixels; pair += 2) {
        matrix::ColumnIn in{.sequence = {ir::net_one, ir::net_one, begins}, .x = {}, .y = {}};
        for (std::size_t k = pair; k < pair + 2; ++k)
          for (std::size_t row = 0; row < rows_; ++row)
            in.x.push_back(numbers[row * fed_pixels + k]);
        for (std::size_t row = 0; row < rows_; ++row) in.y.push_back(weights[row][c]);
        const matrix::ColumnOut out =
            instantiate(s_, matrix::build_column, matrix::ColumnPlan{p_.chain, {}}, in,
                        fmt::format("column{}_{}", c, pair / 2));
        for (std::size_t k = 0; k < 2; ++k) {
          const UInt& sum = out.sum[k];
          products_[c].push_back(p_.chain.results[k].is_signed
                                     ? UInt(sext(s_, as_signed(sum), sum_bits))
                                     : zext(s_, sum, sum_bits));
        }
      }
    accumulate(begins_each, weights);
  }

  std::uint32_t late(std::size_t row) const {
    return static_cast<std::uint32_t>(p_.late(static_cast<std::int64_t>(row)));
  }

  // A slice for every row and pixel. On clk2x it adds two channels in turn: P comes back through C,
  // two clocks later.
  void accumulate(Net begins, const Rows& weights) {
    constexpr std::uint16_t product = 0b00'000'01'01;
    const Net clears = reg(s_, begins), adds = s_.net(~Bit(clears));
    sums_.resize(rows_ * fed_pixels);
    for (std::size_t row = 0; row < rows_; ++row) {
      const UInt weight = weights[row][static_cast<std::size_t>(p_.last_column(0))];
      for (std::size_t pixel = 0; pixel < fed_pixels; ++pixel) {
        const UInt number = numbers_[row * fed_pixels + pixel];
        Dsp48e2 dsp{.a = sext(s_, as_signed(number), dsp48e2.a),
                    .b = sext(s_, as_signed(weight), dsp48e2.b)};
        std::vector<Net> opmode;
        for (std::uint32_t bit = 0; bit < 9; ++bit)
          opmode.push_back(bit == 5 || (bit == 4 && p_.is_double)
                               ? adds
                               : ir::constant((product >> bit & 1) != 0));
        dsp.opmode_nets = bits(s_, opmode);
        Wire<UInt> back(s_, dsp48e2.p);
        if (p_.is_double) dsp.c = back.get();
        const UInt sum = as_unsigned(dsp.add_to(s_).p);
        back.drive(sum);
        sums_[row * fed_pixels + pixel] = sum.slice(0, depthwise_bits);
      }
    }
  }

  void hold_depthwise(Results& held, Net takes) {
    held.depthwise.resize(static_cast<std::size_t>(p_.shape.rows));
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t pixel = 0; pixel < fed_pixels; ++pixel) {
        const UInt& sum = sums_[row * fed_pixels + pixel];
        if (!p_.is_double) {
          held.depthwise[row].push_back(reg(s_, sum, {.enable = takes}));
          continue;
        }
        const auto both = to_slow(s_, sum, Half::first, {.slow = takes});
        held.depthwise[row].push_back(both.first);
        held.depthwise[rows_ + row].push_back(both.second);
      }
  }

  // The larger one of a number and what was there before; of the first word, the number. On clk2x
  // the numbers of a half come with every second clock, and wait for the comparison.
  Rows maxima() {
    const auto of_word = [&](Net n) { return s_.net(mux(in_.adds, issued_.second, n)); };
    const Net ends = delay(s_, of_word(issued_.ends),
                           static_cast<std::uint32_t>(p_.held(Unit::maximum)) - 1),
              before = delay(s_, of_word(issued_.begins), fed - 1);
    Rows all(static_cast<std::size_t>(p_.shape.rows));
    Net begins = ir::net_open;
    for (std::size_t row = 0; row < rows_; ++row) {
      if (row % channels_of_a_copy == 0) {
        begins = reg(s_, before);
        if (p_.is_double) begins = to_fast(s_, bits(s_, {begins}))[0];
      }
      for (std::size_t pixel = 0; pixel < fed_pixels; ++pixel) {
        const UInt& number = numbers_[row * fed_pixels + pixel];
        if (!p_.is_double) {
          Reg<UInt> most(s_, number.width());
          most.next(larger(s_.net(begins | is_less(most, number)), number, most));
          all[row].push_back(reg(s_, most.q(), {.enable = ends}));
          continue;
        }
        UInt most;
        {
          const auto fast = s_.fast();
          most = largest_of_two(begins, number);
        }
        const auto both = to_slow(s_, most, Half::second, {.slow = ends});
        all[row].push_back(both.first);
        all[rows_ + row].push_back(both.second);
      }
    }
    return all;
  }

  Net is_less(const UInt& a, const UInt& b) { return less(s_, as_signed(a), as_signed(b)); }
  UInt larger(Net takes, const UInt& number, const UInt& most) {
    return lut(
        s_, [](bool t, bool a, bool b) { return t ? a : b; }, takes, number, most);
  }
  // Of every second number: a clock for the comparison, and one for the choice.
  UInt largest_of_two(Net begins, const UInt& number) {
    Reg<UInt> most(s_, number.width());
    Reg<Net> takes(s_, {.init = 1, .reset = begins});
    takes.next(is_less(most, number));
    most.next(larger(takes, reg(s_, number), reg(s_, most.q())));
    return most.q();
  }

  Scope& s_;
  const CorePlan& p_;
  const Ports& in_;
  const Issued& issued_;
  std::size_t rows_;
  std::vector<UInt> numbers_;  // [row * fed_pixels + pixel]
  Rows products_;              // [column][pixel]
  std::vector<UInt> sums_;     // [row * fed_pixels + pixel]
};

}  // namespace

Results build_units(Scope& s, const CorePlan& p, const Ports& in, const Issued& issued,
                    const Rows& banks, const WeightWrite& write, Net takes_products,
                    Net takes_depthwise) {
  return Units(s, p, in, issued).run(banks, write, takes_products, takes_depthwise);
}

}  // namespace kumiki::gen::engine
