// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/cycle.h"

#include <algorithm>
#include <map>

namespace kumiki::gen {
namespace {

constexpr std::size_t of_a_lut = 64;  // entries of a table

// A table with a power of two of entries: leaves of six bits, and selections where the halves
// differ.
class TableTree {
 public:
  TableTree(Scope& s, const UInt& index) : s_(s), index_(index) {}
  Bit of(const std::vector<bool>& table) {
    if (std::ranges::all_of(table, [&](bool b) { return b == table[0]; }))
      return ir::constant(table[0]);
    if (const auto at = known_.find(table); at != known_.end()) return at->second;
    return known_.emplace(table, made(table)).first->second;
  }

 private:
  Bit made(const std::vector<bool>& table) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(table.size() - 1));
    if (table.size() <= of_a_lut)
      return look_up(
          s_, 1, [&](unsigned i) { return std::uint64_t{table[i]}; },
          index_.slice(0, bits).nets())[0];
    const auto middle = table.begin() + static_cast<std::ptrdiff_t>(table.size() / 2);
    const std::vector<bool> low(table.begin(), middle), high(middle, table.end());
    if (low == high) return of(low);
    return mux(index_[bits - 1], of(high), of(low));
  }
  Scope& s_;
  UInt index_;
  std::map<std::vector<bool>, Bit> known_;
};

}  // namespace

Cycle::Cycle(Scope& s, std::int64_t modulo, Net moves, Net reset)
    : s_(s), modulo_(modulo), moves_(moves), reset_(reset), ends_(moves) {
  if (modulo == 1) return;
  const auto count = static_cast<std::uint64_t>(modulo);
  Reg<Net> last(s, {.enable = moves, .reset = reset});
  last_ = last.q();
  ends_ = s.net(moves & last_);
  Reg<UInt> at(s, address_width(count), {.enable = moves, .reset = s.net(ends_ | reset)});
  at.next(increment(s, at.q()));
  at_ = at.q();
  last.next(equals(s, at_, count - 2));
}

Net Cycle::look_up(const std::vector<bool>& table) const {
  if (std::ranges::all_of(table, [&](bool b) { return b == table[0]; }))
    return ir::constant(table[0]);
  // The value that the register must hold after the counter has moved on. Entries past the end
  // repeat the LUT before them, which makes equal halves more likely.
  std::vector<bool> next(std::size_t{1} << at_.width());
  for (std::size_t i = 0; i < next.size(); ++i)
    next[i] = i < table.size() ? table[(i + 1) % table.size()]
              : i >= of_a_lut  ? next[i - of_a_lut]
                               : next[table.size() - 1];
  Reg<Net> now(s_, {.init = table[0] ? 1u : 0u, .enable = moves_, .reset = reset_});
  now.next(TableTree(s_, at_).of(next));
  return now.q();
}

Net Cycle::is_one_of(const std::vector<std::int64_t>& values) const {
  if (std::ssize(values) == modulo_) return ir::net_one;
  if (values.empty()) return ir::net_zero;
  // Up to so many comparisons and their OR take three levels; more take another step.
  constexpr std::size_t most_at_once = 6;
  const bool at_once = values.size() <= most_at_once;
  std::vector<Net> ahead;
  for (const std::int64_t value : values) {
    const std::int64_t seen = (value + modulo_ - (at_once ? 1 : 2)) % modulo_;
    const Net is_there = equals(s_, at_, static_cast<std::uint64_t>(seen));
    ahead.push_back(
        at_once
            ? is_there
            : reg(s_, is_there, {.init = value == 1 ? 1u : 0u, .enable = moves_, .reset = reset_}));
  }
  return reg(s_, any_of(s_, ahead),
             {.init = values.front() == 0 ? 1u : 0u, .enable = moves_, .reset = reset_});
}

}  // namespace kumiki::gen
