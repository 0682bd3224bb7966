// SPDX-License-Identifier: Apache-2.0
// Two registers a slice, and enables that walk up the chain with the operands. The enables take a
// flip-flop or two a slice, shared by all chains side by side, instead of one for each bit of each
// weight.
#include "gen/blocks/packing/operand_store.h"

namespace kumiki::gen::packing {
namespace {

// A net delayed to the time of every slice, a register a cycle. `before[i]` is the input of the
// last register.
struct Walk {
  std::vector<Net> at, before;
};
Walk walk(Scope& s, const StorePlan& plan, Net first, Net before_first, Net en) {
  Walk w{{first}, {before_first}};
  for (int i = 1; i < plan.request.slices; ++i) {
    Net before = w.at.back();
    for (int k = plan.skew(i) - plan.skew(i - 1); k > 1; --k)
      before = reg(s, before, {.enable = en});
    w.before.push_back(before);
    w.at.push_back(reg(s, before, {.enable = en}));
  }
  return w;
}

// CEB1 of a column: a slice joins the shifting one shift after the slice below it, because only
// then has its own weight of the load before been swapped in.
void skewed_shifts(Scope& s, const StorePlan& plan, const StoreControl& c, int first,
                   std::vector<Net>& ce1) {
  const auto foot = static_cast<std::uint32_t>(plan.skew(first));
  const Net shift = delay(s, c.shift, foot, c.en), start = delay(s, c.start, foot, c.en);
  const Net moves = s.net(c.en & shift);
  ce1.push_back(moves);
  Net joined = ir::net_one;
  for (int i = first + 1; i < plan.column_end(first); ++i) {
    const Bit stays = ~start & joined;
    ce1.push_back(s.net(moves & stays));
    joined = reg(s, stays, {.enable = moves});
  }
}

StoreEnables shift_chain(Scope& s, const StorePlan& plan, const StoreControl& c) {
  StoreEnables e{.control = c};
  const Net swap = delay(s, c.swap, static_cast<std::uint32_t>(plan.lag()), c.en);
  for (const Net pulse : walk(s, plan, swap, swap, c.en).at) e.ce2.push_back(s.net(c.en & pulse));
  if (plan.request.enable == StoreEnable::Common)
    e.ce1.assign(static_cast<std::size_t>(plan.request.slices), s.net(c.en & c.shift));
  else
    for (const int first : plan.column_feed) skewed_shifts(s, plan, c, first, e.ce1);
  return e;
}

// The number of the multiplied entry walks up the chain as an INMODE bit. A one walks with the
// words that are written, to the entry that is not in use after this clock edge.
StoreEnables two_entries(Scope& s, const StorePlan& plan, const StoreControl& c) {
  StoreEnables e{.control = c};
  Reg<Net> entry(s, {.enable = c.en});
  const Net next = s.net(entry ^ c.swap);
  entry.next(next);
  Net before = next, first = entry.q();
  for (int k = 0; k < plan.lag(); ++k) before = first, first = reg(s, first, {.enable = c.en});
  const Walk entries = walk(s, plan, first, before, c.en);
  e.select = entries.at;
  const Net writes = s.net(c.en & c.shift);
  Net mine = c.start;
  for (int i = 0; i < plan.request.slices; ++i) {
    const Net used = entries.before[static_cast<std::size_t>(i)];
    e.ce1.push_back(s.net(writes & mine & ~used));
    e.ce2.push_back(s.net(writes & mine & used));
    if (i + 1 < plan.request.slices) mine = reg(s, mine, {.enable = writes});
  }
  return e;
}

// 0 up to `top`, where it stays.
std::uint32_t bits_to_hold(std::uint64_t top) {
  std::uint32_t bits = 1;
  while (top >> bits != 0) ++bits;
  return bits;
}

}  // namespace

StoreEnables store_enables(Scope& s, const StorePlan& plan, const StoreControl& control) {
  return plan.request.kind == StoreKind::ShiftChain ? shift_chain(s, plan, control)
                                                    : two_entries(s, plan, control);
}

StoredColumn::StoredColumn(Scope& s, const StorePlan& plan, const StoreEnables& enables)
    : s_(s), plan_(plan), enables_(enables) {}

// The word that comes from the fabric to this slice.
SInt StoredColumn::fed(int index, std::span<const SInt> words) const {
  const StoreRequest& r = plan_.request;
  if (r.kind == StoreKind::TwoEntries) return words.front();
  const auto column = static_cast<std::size_t>(index / r.limits.column_height);
  // Where enables are skewed, a higher column shifts later, so its words are delayed too.
  const int wait = r.enable == StoreEnable::Skewed ? plan_.skew(index) : 0;
  return delay(s_, words[column], static_cast<std::uint32_t>(wait), enables_.control.en);
}

void StoredColumn::wire(Dsp48e2& slice, int index, std::span<const SInt> words) {
  const auto at = static_cast<std::size_t>(index);
  const bool chain = plan_.request.kind == StoreKind::ShiftChain;
  const bool on_a = plan_.request.side == Side::Packed;
  ir::Dsp48e2Attributes& attributes = slice.attributes;
  (on_a ? attributes.areg : attributes.breg) = chain ? 2 : 1;
  (on_a ? attributes.acascreg : attributes.bcascreg) = 1;
  (on_a ? slice.cea1 : slice.ceb1) = enables_.ce1[at];
  (on_a ? slice.cea2 : slice.ceb2) = enables_.ce2[at];
  if (below_.width() != 0) {
    (on_a ? attributes.a_input : attributes.b_input) = ir::dsp48e2::Path::cascade;
    (on_a ? slice.acin : slice.bcin) = below_;
  } else {
    (on_a ? slice.a : slice.b) = sext(s_, fed(index, words), on_a ? 30 : 18);
  }
  if (!chain) choose_entry(slice, enables_.select[at]);
}

// The bit comes in the multiplier's own cycle, so there is no register in front of it.
void StoredColumn::choose_entry(Dsp48e2& slice, Net select) const {
  std::vector<Net> inmode;
  for (int bit = 0; bit < 5; ++bit)
    inmode.push_back((slice.inmode >> bit & 1) != 0 ? ir::net_one : ir::net_zero);
  inmode[static_cast<std::size_t>(plan_.select_bit)] = select;
  slice.attributes.inmodereg = 0;
  slice.inmode_nets = bits(s_, inmode);
}

void StoredColumn::placed(int index, const Dsp48e2::Out& out) {
  const bool goes_on = plan_.request.kind == StoreKind::ShiftChain &&
                       index + 1 < plan_.column_end(index - plan_.place_in_column(index));
  if (!goes_on)
    below_ = {};
  else
    below_ = plan_.request.side == Side::Packed ? out.acout : out.bcout;
}

StoreLoader store_loader(Scope& s, const StorePlan& plan, const StoreOffer& offer) {
  const auto words = static_cast<std::uint64_t>(plan.load_cycles);
  const auto wait = static_cast<std::uint64_t>(plan.wait());
  // How many words of a load have come. What the count says is a flip-flop, set a step ahead.
  const RegOptions steps{.enable = offer.en, .reset = offer.rst};
  Reg<UInt> count(s, bits_to_hold(words), steps);
  Reg<Net> full(s, steps), empty(s, {.init = 1, .enable = offer.en, .reset = offer.rst});
  const Net swap = s.net(full & offer.swap);
  // The next load waits while a swap walks up the chain. A reset may come in between.
  Net free = ir::net_one;
  if (wait > 1) {
    Reg<UInt> left(s, bits_to_hold(wait - 1),
                   {.init = wait - 1, .enable = offer.en, .reset = offer.rst});
    Reg<Net> none_left(s, steps);
    const std::uint32_t width = left.q().width();
    none_left.next(~swap & (none_left | equals(s, left.q(), std::uint64_t{1})));
    free = none_left.q();
    left.next(mux(s, swap, s.constant(wait - 1, width),
                  mux(s, free, left.q(), sub(s, left.q(), s.constant(1, width)))));
  }
  const Net ready = s.net(wait == 0 ? ~full | swap : ~full & free);
  const Net shift = s.net(ready & offer.offered);
  const std::uint32_t width = count.q().width();
  const UInt kept = lut_o6(
      s, [](bool c, bool f, bool swaps) { return c && !(f && swaps); }, SourceLocation::current(),
      count.q(), full.q(), offer.swap);
  count.next(UInt(Word(carry_chain(s, kept, s.constant(0, width), shift).sum)));
  const Net last_comes = s.net(shift & equals(s, count.q(), words - 1));
  full.next(words == 1 ? Bit(mux(swap, shift, full | last_comes)) : ~swap & (full | last_comes));
  empty.next(~shift & (empty | swap));
  const Net start = s.net(empty | swap);
  return {.ready = ready, .full = full.q(), .shift = shift, .start = start, .swap = swap};
}

}  // namespace kumiki::gen::packing
