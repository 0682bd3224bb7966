// SPDX-License-Identifier: Apache-2.0
// The ring of weights: its counts, and its memories.
#include <algorithm>
#include <map>

#include "gen/blocks/packing/hardware/control.h"
#include "gen/hdl/crossing.h"
#include "gen/hdl/cycle.h"
#include "gen/hdl/delay_line.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/engine/hardware/core_parts.h"

namespace kumiki::gen::engine {

// A beat may come before `has_room` is 0. The ring has a word for it, which may be a whole one.
Ring build_ring(Scope& s, const CorePlan& p, const Ports& in, Net claims, Net ends_tile) {
  const std::uint32_t width = p.count_bits();
  Reg<Net> has_room(s, {.reset = in.rst});
  const Net takes = s.net(in.w_valid & has_room);
  const Cycle part(s, p.beats_of_place(), takes, in.rst);
  const Cycle column(s, p.shape.columns, s.net(part.ends() & ~in.w_depthwise), in.rst);
  const Net done = s.net(part.ends() & (in.w_depthwise | column.last()));
  Reg<UInt> word(s, p.word_bits(), {.enable = done, .reset = in.rst});
  word.next(increment(s, word.q()));

  const UInt less_words = reg(s, sub(s, s.constant(0, width), zext(s, in.words, width)));
  const auto counted = [&](Net gives) {
    Reg<UInt> count(s, width, {.reset = in.rst});
    count.next(add(s, count.q(), masked(s, gives, less_words), done));
    return count.q();
  };
  const UInt there = counted(claims);
  const UInt taken = counted(packing::delayed_valid(s, ends_tile, p.freed(), ir::net_one, in.rst));
  const Net is_full = s.net(taken.msb() | equals(s, taken.slice(0, width - 1),
                                                 static_cast<std::uint64_t>(p.most_words())));
  has_room.next(~is_full);

  Ring ring{
      .has_room = has_room, .has_tile = at_least(s, there, zext(s, in.words, width)), .write = {}};
  for (std::int64_t i = 0; i < p.beats_of_place(); ++i)
    ring.write.part.push_back(reg(
        s, s.net(takes & equals(s, part.at(), static_cast<std::uint64_t>(i))), {.reset = in.rst}));
  for (std::int64_t group = 0; group < p.column_groups(); ++group)
    ring.write.ends_group.push_back(reg(
        s, s.net(mux(in.w_depthwise, ir::constant(group == 0),
                     equals(s, column.at(), static_cast<std::uint64_t>(p.last_column(group)))))));
  ring.write.word = reg(s, word.q());
  for (const UInt& data : in.w_data) ring.write.data.push_back(reg(s, data));
  return ring;
}

namespace {

// The weights of a row of slices, a column at a time. On clk2x its two rows follow each other.
class Collector {
 public:
  Collector(Scope& s, const CorePlan& p, UInt data, Net comes)
      : step_(static_cast<std::size_t>(p.halves())) {
    const auto columns =
        static_cast<std::size_t>(std::min(p.shape.columns, CorePlan::most_columns_of_a_memory));
    while (columns_.size() < (columns - 1) * step_ + 1)
      columns_.push_back(data = reg(s, data, {.enable = comes}));
  }
  // The newest columns, in order.
  UInt newest(Scope& s, std::int64_t count) const {
    std::vector<Word> high_to_low;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      high_to_low.push_back(columns_[i * step_]);
    return cat(s, high_to_low);
  }

 private:
  std::size_t step_;
  std::vector<UInt> columns_;  // the newest one first
};

// What comes of the rows of slices, in the clock of the slices.
class Arriving {
 public:
  Arriving(Scope& s, const CorePlan& p, const WeightWrite& w) : s_(s), p_(p), w_(w) {}
  // The weight of a row; whether it comes; and whether it is the last one of a group of columns.
  UInt weight(std::int64_t row) {
    const auto first = byte(row), second = byte(row + p_.chain_rows());
    const auto known = weights_.find(first);
    if (first == second && known != weights_.end()) return known->second;
    const UInt& one = w_.data[first];
    const UInt weight = !p_.is_double     ? one
                        : first == second ? to_fast(s_, one)
                                          : to_fast(s_, one, w_.data[second], s_.phase_copy());
    return weights_.insert_or_assign(first, weight).first->second;
  }
  Net comes(std::int64_t row) {
    return flag(row, -1, [&](std::size_t part) { return w_.part[part]; });
  }
  Net ends_group(std::int64_t row, std::int64_t group) {
    return flag(row, group, [&](std::size_t part) {
      return s_.net(w_.part[part] & w_.ends_group[static_cast<std::size_t>(group)]);
    });
  }

 private:
  std::size_t byte(std::int64_t row) const {
    return static_cast<std::size_t>(row % p_.shape.beat_bytes());
  }
  std::size_t part(std::int64_t row) const {
    return static_cast<std::size_t>(row / p_.shape.beat_bytes());
  }
  template <class OfPart>
  Net flag(std::int64_t row, std::int64_t which, const OfPart& of_part) {
    const std::size_t first = part(row);
    const auto known = flags_.find({first, which});
    if (known != flags_.end()) return known->second;
    const auto word = [&](Net net) { return bits(s_, {net}); };
    const Net one = of_part(first);
    const Net made = !p_.is_double ? one
                     : p_.beats_of_place() == 1
                         ? to_fast(s_, word(one))[0]
                         : to_fast(s_, word(one), word(of_part(part(row + p_.chain_rows()))))[0];
    return flags_.emplace(std::pair{first, which}, made).first->second;
  }

  Scope& s_;
  const CorePlan& p_;
  const WeightWrite& w_;
  std::map<std::size_t, UInt> weights_;                        // by byte of a beat
  std::map<std::pair<std::size_t, std::int64_t>, Net> flags_;  // by part and group
};

}  // namespace

std::vector<std::vector<UInt>> read_weights(Scope& s, const CorePlan& p, const WeightWrite& write,
                                            const UInt& address, Net depthwise, const UInt& half) {
  const UInt at = reg(s, p.is_double ? to_fast(s, write.word) : write.word),
             write_address = p.is_double ? cat(s, {at, reg(s, half)}) : at;
  Arriving arriving(s, p, write);
  DelayLine<UInt> addresses(s, address, ir::net_one);
  std::vector<std::vector<UInt>> weights(static_cast<std::size_t>(p.chain_rows()));
  for (std::int64_t row = 0; row < p.chain_rows(); ++row) {
    const Collector columns(s, p, arriving.weight(row), arriving.comes(row));
    const UInt late = addresses.after(p.late(row));
    for (std::int64_t group = 0; group < p.column_groups(); ++group) {
      const std::int64_t count =
          p.last_column(group) + 1 - group * CorePlan::most_columns_of_a_memory;
      const bool is_by_itself = group == 0 && p.late(row) > 0;
      const UInt word =
          Memory{.depth = static_cast<std::uint32_t>(p.shape.weight_words * p.halves()),
                 .width = static_cast<std::uint32_t>(8 * count),
                 .style = ir::memory::block,
                 .read = ir::memory::twice_registered,
                 .write_enable = reg(s, arriving.ends_group(row, group)),
                 .write_address = write_address,
                 .write_data = columns.newest(s, count),
                 .read_address = is_by_itself ? mux(s, depthwise, address, late) : late}
              .add_to(s);
      for (std::uint32_t c = 0; c < count; ++c)
        weights[static_cast<std::size_t>(row)].push_back(word.slice(8 * c, 8));
    }
  }
  return weights;
}

}  // namespace kumiki::gen::engine
