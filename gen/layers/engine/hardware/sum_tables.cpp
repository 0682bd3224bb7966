// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/hardware/sum_tables.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gen/layers/engine/run.h"

namespace kumiki::gen::engine {
namespace {

constexpr std::int64_t one = 1 << SumTables::fraction_bits;
// Of random scales, none needs more than 24 rounds.
constexpr int most_rounds = 64;
// The sum of two entries has all bits.
constexpr std::int64_t most_entry = (std::int64_t{1} << (SumTables::bits - 2)) - 1;

class TableSearch {
 public:
  explicit TableSearch(const Second& second) : second_(second) {
    results_.reserve(256 * 256);
    for (int fresh = -128; fresh < 128; ++fresh)
      for (int other = -128; other < 128; ++other)
        results_.push_back(stored_result(second, static_cast<std::int8_t>(fresh),
                                         static_cast<std::int8_t>(other)));
  }

  std::optional<SumTables> run(bool ties_to_even) {
    begin();
    const std::int64_t tie = ties_to_even ? 1 << SumTables::tie_bits : 0;
    for (int round = 0; round < most_rounds; ++round)
      if (!relax(tie)) return tables(ties_to_even);
    return {};
  }

 private:
  // Near the real sum: few rounds are left.
  void begin() {
    const auto ratio = [&](const graph::Tensor& t) {
      return static_cast<double>(t.scale) / static_cast<double>(second_.result.scale);
    };
    const double of_fresh = ratio(second_.fresh), of_other = ratio(second_.other),
                 zero = second_.result.zero_point - stored_less(second_.result);
    for (int number = -128; number < 128; ++number) {
      const auto less = [&](const graph::Tensor& t) {
        return number + stored_less(t) - t.zero_point;
      };
      const auto at = static_cast<std::size_t>(number + 128);
      fresh_[at] = entry(of_fresh * less(second_.fresh));
      other_[at] = entry(of_other * less(second_.other) + zero + 0.5);
    }
  }
  static std::int64_t entry(double value) {
    return std::llround(std::clamp(value * static_cast<double>(one),
                                   -static_cast<double>(most_entry),
                                   static_cast<double>(most_entry)));
  }

  // Lowers entries of the fresh number and raises those of the other one where a pair's bound asks
  // for it. False: all bounds hold.
  bool relax(std::int64_t tie) {
    bool changes = false;
    for (std::size_t a = 0; a < 256; ++a)
      for (std::size_t b = 0; b < 256; ++b) {
        const std::int64_t q = std::int64_t{results_[a * 256 + b]}, of_odd = q % 2 != 0 ? tie : 0,
                           of_even = tie - of_odd;
        if (const std::int64_t most = (q + 1) * one - 1 + of_even - other_[b];
            q != 127 && fresh_[a] > most)
          fresh_[a] = most, changes = true;
        if (const std::int64_t least = q * one + of_odd - fresh_[a]; q != -128 && other_[b] < least)
          other_[b] = least, changes = true;
      }
    return changes;
  }

  std::optional<SumTables> tables(bool ties_to_even) const {
    SumTables t{.fresh = {}, .other = {}, .ties_to_even = ties_to_even};
    for (std::size_t number = 0; number < 256; ++number) {
      if (std::max(std::abs(fresh_[number]), std::abs(other_[number])) > most_entry) return {};
      t.fresh[number ^ 128] = static_cast<std::int32_t>(fresh_[number]);
      t.other[number ^ 128] = static_cast<std::int32_t>(other_[number]);
    }
    return t;
  }

  const Second& second_;
  std::vector<std::int8_t> results_;                 // [fresh + 128][other + 128]
  std::array<std::int64_t, 256> fresh_{}, other_{};  // by stored number + 128
};

}  // namespace

std::int8_t stored_sum(std::int64_t sum, bool ties_to_even) {
  std::int64_t q = sum >> SumTables::fraction_bits;
  if (ties_to_even && (sum & (one - 1)) >> SumTables::tie_bits == 0) q &= ~std::int64_t{1};
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(q, -128, 127));
}

std::optional<SumTables> sum_tables(const Second& second) {
  TableSearch search(second);
  if (auto found = search.run(false)) return found;
  return search.run(true);
}

}  // namespace kumiki::gen::engine
