// SPDX-License-Identifier: Apache-2.0
// From the slices' memories to rows for the output: the selected row, its corrected lanes, the
// pixels of a window across, sums over slots, and rows of a window. Every stage takes one clock and
// never waits; ArrayPlan::drain_clocks counts them.
#include "gen/layers/array/hardware/drain.h"
#include "gen/layers/array/hardware/steps.h"

namespace kumiki::gen::array {
namespace {

class Results {
 public:
  Results(Scope& s, const ArrayPlan& p, const Config& c, const RowFlags& read)
      : s_(s), p_(p), c_(c), sum_bits_(static_cast<std::uint32_t>(p.sum_bits())), flags_{read} {}

  DrainedRow build(const Sums& sums) {
    clock_ = ArrayPlan::memory_clocks;
    const auto lanes = across(of_part(put_right(chosen_row(sums))));
    const auto words = combined(lanes);
    const RowFlags& f = at(clock_);
    return {.valid = reg(s_, f.valid & f.emit, {.reset = c_.rst}),
            .fc = reg(s_, f.fc),
            .relu = reg(s_, f.relu),
            .row_last = reg(s_, f.row_last),
            .last = reg(s_, f.last),
            .final = reg(s_, f.final),
            .left = reg(s_, f.words),
            .layer = p_.request.float32 ? reg(s_, f.layer) : UInt(),
            .words = words};
  }

 private:
  bool pools() const { return p_.request.max_pool || p_.request.average_pool; }
  bool odd_columns() const { return p_.pairs() && p_.columns() % 2 != 0; }

  // The flags of a row, `clocks` after it was read. Unused ones are removed later.
  const RowFlags& at(int clocks) {
    while (static_cast<int>(flags_.size()) <= clocks) {
      const RowFlags f = flags_.back();
      RowFlags n{.valid = reg(s_, f.valid, {.reset = c_.rst})};
      for (auto member : {&RowFlags::fc, &RowFlags::first_slot, &RowFlags::emit, &RowFlags::odd,
                          &RowFlags::pooled, &RowFlags::three, &RowFlags::average, &RowFlags::relu,
                          &RowFlags::row_last, &RowFlags::last, &RowFlags::final, &RowFlags::right})
        if (f.*member != ir::net_open) n.*member = reg(s_, f.*member);
      for (auto member : {&RowFlags::row, &RowFlags::words, &RowFlags::layer})
        if ((f.*member).width() > 0) n.*member = reg(s_, f.*member);
      flags_.push_back(n);
    }
    return flags_[static_cast<std::size_t>(clocks)];
  }

  // The slices of a row, and the slice of its last column if the number of columns is odd.
  std::vector<UInt> chosen_row(const Sums& sums) {
    const int clocks = clocks_to_choose(sums.rows.size());
    std::vector<UInt> row, pair;
    for (int k = 0; k < clocks; ++k) {
      row.push_back(at(clock_ + k).row);
      pair.push_back(row.back().slice(1, row.back().width() - 1));
    }
    std::vector<UInt> all;
    for (std::size_t i = 0; i < sums.rows[0].size(); ++i) {
      std::vector<UInt> column;
      for (const auto& of_row : sums.rows) column.push_back(of_row[i]);
      all.push_back(chosen(s_, column, row, clocks));
    }
    if (!sums.edge.empty()) all.push_back(chosen(s_, sums.edge, pair, clocks));
    clock_ += clocks;
    return all;
  }

  // Splits {overflows, high, low} into two numbers. A slice with one element has one number.
  std::vector<UInt> put_right(const std::vector<UInt>& slices) {
    if (!p_.pairs()) return slices;
    const auto high_bits = static_cast<std::uint32_t>(p_.lane_bits());
    const int clocks = steps_of(high_bits);
    clock_ += clocks;
    const Net odd = at(clock_ - 1).odd;
    std::vector<UInt> lanes;
    const auto wide = [&](const UInt& w) { return as_unsigned(sext(s_, as_signed(w), sum_bits_)); };
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const UInt over = slices[i].slice(ir::arch::dsp48e2.p, overflow_bits);
      const UInt low = later(s_, cat(s_, {over, slices[i].slice(0, low_lane_bits)}), clocks - 1);
      const UInt high = almost_added(s_, slices[i].slice(low_lane_bits, high_bits),
                                     as_unsigned(sext(s_, as_signed(over), high_bits)), true);
      if (!odd_columns() || i + 1 < slices.size()) {
        lanes.push_back(wide(reg(s_, low)));
        lanes.push_back(wide(reg(s_, high)));
      } else {
        lanes.push_back(wide(reg(s_, p_.rows() == 1 ? low : mux(s_, odd, high, low))));
      }
    }
    return lanes;
  }

  // Moves the first column of the part into the first lane.
  std::vector<UInt> of_part(const std::vector<UInt>& lanes) {
    if (!p_.cuts_across()) return lanes;
    const auto right = static_cast<std::size_t>(p_.cut_across().offset);
    const Net second = at(clock_++).right;
    std::vector<UInt> placed;
    for (std::size_t i = 0; i < lanes.size(); ++i)
      placed.push_back(reg(
          s_, i + right < lanes.size() ? mux(s_, second, lanes[i + right], lanes[i]) : lanes[i]));
    return placed;
  }

  // The larger number or the sum, or `a` itself if `both` is low; takes steps_of(width) clocks.
  UInt larger_or_sum(const UInt& a, const UInt& b, Net both, Net average) {
    const int clocks = steps_of(sum_bits_);
    const UInt a_late = later(s_, a, clocks - 1), b_late = later(s_, b, clocks - 1);
    UInt sum = a_late;
    Net larger = ir::net_zero;
    if (p_.request.average_pool) sum = almost_added(s_, a, b);
    if (p_.request.max_pool) larger = later(s_, less(s_, as_signed(a), as_signed(b)), clocks - 1);
    if (!p_.request.average_pool) average = ir::net_zero;
    if (!p_.request.max_pool) average = ir::net_one;
    return reg(s_, s_.word(mux(both & average, sum, mux(both & larger, b_late, a_late))));
  }

  // What a row contributes to a window: two or three columns if pooled, or one lane.
  std::vector<UInt> across(const std::vector<UInt>& lanes) {
    if (!pools()) return lanes;
    const int clocks = steps_of(sum_bits_);
    const bool three = lanes.size() > 2;
    const int all = three ? 2 * clocks : clocks;
    std::vector<UInt> of_row;
    for (std::size_t j = 0; j < lanes.size(); ++j) {
      const UInt alone = later(s_, lanes[j], all);
      if (j >= lanes.size() / 2) {
        of_row.push_back(later(s_, alone, 1));
        continue;
      }
      UInt window = larger_or_sum(lanes[2 * j], lanes[2 * j + 1], ir::net_one,
                                  at(clock_ + clocks - 1).average);
      if (three) {
        const RowFlags& f = at(clock_ + all - 1);
        window =
            2 * j + 2 < lanes.size()
                ? larger_or_sum(window, later(s_, lanes[2 * j + 2], clocks), f.three, f.average)
                : later(s_, window, clocks);
      }
      of_row.push_back(reg(s_, mux(s_, at(clock_ + all).pooled, window, alone)));
    }
    clock_ += all + 1;
    return of_row;
  }

  // How a row combines with the kept number: the row alone, their sum, or the larger one.
  struct Way {
    Net sum, larger;
  };
  struct Ways {
    Way word, kept;
    Net add, add_slot;  // add the kept number; only for the next slot of a sum
  };
  Ways ways() {
    const RowFlags& f = at(clock_ - 1);
    const bool max = p_.request.max_pool, average = p_.request.average_pool;
    const Bit sums = average ? max ? Bit(f.average) : Bit(ir::net_one) : Bit(ir::net_zero);
    const Bit pooled = pools() ? ~f.fc & f.pooled : Bit(ir::net_zero);
    const Bit later_row = pools() ? Bit(f.odd) : Bit(ir::net_zero);
    auto held = [&](const Bit& b) { return reg(s_, b); };
    return {.word = {held(f.fc | (pooled & sums)), held(pooled & ~sums)},
            .kept = {held(f.fc | (pooled & sums & later_row)), held(pooled & ~sums & later_row)},
            .add = held(mux(f.fc, ~f.first_slot, pooled & sums)),
            .add_slot = held(f.fc & ~f.first_slot)};
  }

  // Sums over slots and pools: the words that leave after a row whose flags say so. A sum is kept
  // in parts, so that no carry leaves its part.
  std::vector<UInt> combined(const std::vector<UInt>& lanes) {
    const Net step = at(clock_).valid;
    const Ways way = ways();
    const int parts = steps_of(sum_bits_);
    // If there is no sum, the carries are 0.
    const Net word_clears = s_.net(step & ~way.word.sum),
              kept_clears = s_.net(step & ~way.kept.sum);
    std::vector<UInt> words;
    for (std::size_t j = 0; j < lanes.size(); ++j) {
      const bool pooled = pools() && j < lanes.size() / 2;
      const UInt& x = lanes[j];
      Reg<UInt> kept(s_, sum_bits_, {.enable = step});
      const Carried sum = summed(x, kept.q(), pooled ? way.add : way.add_slot, step,
                                 pooled ? kept_clears : ir::net_zero);
      UInt word = sum.word;
      std::vector<Net> carries = sum.carries;
      if (pooled) {
        const Bit larger = p_.request.max_pool ? less_in_parts(kept.q(), x) : ir::net_zero;
        auto chosen = [&](const Way& w) {
          return s_.word(mux(w.sum, sum.word, mux(w.larger & ~larger, kept.q(), x)));
        };
        word = chosen(way.word);
        kept.next(chosen(way.kept));
      } else {
        kept.next(sum.word);
      }
      for (Net& n : carries) n = pooled ? reg(s_, n, {.reset = word_clears}) : reg(s_, n);
      words.push_back(settled(s_, {reg(s_, word), carries}));
    }
    clock_ += parts - 1;
    return words;
  }

  // a < b. The carries of wide words pass through one block each, because their selection follows
  // in the same clock.
  Bit less_in_parts(const UInt& a, const UInt& b) {
    constexpr std::uint32_t most = 2 * step_bits;  // in one piece
    if (a.width() <= most) return less(s_, as_signed(a), as_signed(b));
    Bit all = ir::net_zero;
    for (std::uint32_t low = 0; low < a.width(); low += step_bits) {
      const std::uint32_t width = std::min(step_bits, a.width() - low);
      const UInt x = a.slice(low, width), y = b.slice(low, width);
      const Net here = less(s_, x, y, low + width == a.width());
      all = low == 0 ? Bit(here) : here | (equals(s_, x, y) & all);
    }
    return all;
  }

  // x + kept if `add`, part by part. The returned carries are those before their registers.
  Carried summed(const UInt& x, const UInt& kept, Net add, Net step, Net clears) {
    const auto parts = static_cast<std::size_t>(steps_of(sum_bits_));
    std::vector<Word> high_to_low;
    Carried out;
    Net carry = ir::net_zero;
    for (std::size_t i = 0; i < parts; ++i) {
      const auto low = static_cast<std::uint32_t>(i) * step_bits;
      const UInt a = x.slice(low, step_bits), b = kept.slice(low, step_bits);
      UInt propagate = lut_o6(
          s_, [](bool p, bool q, bool also) { return p != (q && also); }, SourceLocation::current(),
          a, b, add);
      UInt generate = a;
      if (i + 1 < parts) {
        propagate = cat(s_, {s_.constant(0, 1), propagate});
        generate = cat(s_, {s_.constant(0, 1), generate});
      }
      const UInt sum = carry_chain(s_, propagate, generate, carry).sum;
      high_to_low.insert(high_to_low.begin(), sum.slice(0, step_bits));
      if (i + 1 == parts) break;
      out.carries.push_back(sum[step_bits]);
      // The carry that goes with the kept number; a new sum must not inherit one.
      Net pending = reg(s_, sum[step_bits], {.enable = step, .reset = clears});
      carry = s_.net(pending & add);
    }
    out.word = cat(s_, high_to_low);
    return out;
  }

  Scope& s_;
  const ArrayPlan& p_;
  const Config& c_;
  std::uint32_t sum_bits_;
  int clock_ = 0;  // of the current stage: clocks after a row was read
  std::vector<RowFlags> flags_;
};

}  // namespace

DrainedRow build_results(Scope& s, const ArrayPlan& plan, const Config& config,
                         const RowFlags& read, const Sums& sums) {
  return Results(s, plan, config, read).build(sums);
}

}  // namespace kumiki::gen::array
