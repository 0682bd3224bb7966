// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/exit.h"

#include "gen/arith/interval.h"
#include "gen/hdl/memory_queue.h"

namespace kumiki::gen::matrix {
namespace {

int bits_of_room(const MatrixPlan& p) {
  return arith::signed_bits(arith::Interval{-p.exit().sets, 0});
}

// Each register passes its result on as soon as the next one is empty: a result moves in every
// other clock. Every column's registers have their own enable flip-flop.
Results build_chain(Scope& s, const MatrixPlan& p, const Results& arriving, Net ready, Net reset) {
  const auto stages = static_cast<std::size_t>(p.exit().sets);
  std::vector<Reg<Net>> full;
  for (std::size_t k = 0; k < stages; ++k) full.emplace_back(s, RegOptions{.reset = reset});
  Results now = arriving;
  for (std::size_t k = 0; k < stages; ++k) {
    const Bit leaves = k + 1 < stages ? ~full[k + 1] : Bit(ready);
    const Bit next = mux(full[k], ~leaves, now.valid);
    full[k].next(next);
    const Net empties = s.net(~next);
    const auto empty = [&] { return reg(s, empties, {.init = 1, .reset = reset}); };
    now.valid = full[k].q();
    now.last = reg(s, now.last, {.enable = empty()});
    for (auto& column : now.words) {
      const Net takes = empty();
      for (UInt& word : column) word = reg(s, word, {.enable = takes});
    }
  }
  return now;
}

// A memory as a queue, with an output register.
Results build_queue(Scope& s, const MatrixPlan& p, const Results& arriving, Net ready, Net reset) {
  const std::uint32_t depth = 1u << address_width(static_cast<std::uint64_t>(p.exit().sets));
  const MemoryQueue queue(s, depth, depth <= 32 ? ir::memory::distributed : ir::memory::block,
                          arriving.valid, ready, reset);
  Results out{.valid = queue.valid(), .last = queue.pass(arriving.last), .words = {}};
  for (const auto& column : arriving.words) {
    std::vector<Word> high_to_low(column.rbegin(), column.rend());
    const UInt all = queue.pass(cat(s, high_to_low));
    std::uint32_t low = 0;
    out.words.emplace_back();
    for (const UInt& word : column) {
      out.words.back().push_back(all.slice(low, word.width()));
      low += word.width();
    }
  }
  return out;
}

}  // namespace

Room::Room(Scope& s, const MatrixPlan& p, Net reset)
    : s_(s),
      count_(s, static_cast<std::uint32_t>(bits_of_room(p)),
             {.init = arith::raw_of(-p.exit().sets, bits_of_room(p)), .reset = reset}) {}

void Room::update(Net begins, Net taken) {
  const UInt propagate = lut_o6(
      s_, [](bool count, bool t) { return count != t; }, SourceLocation::current(),
      UInt(Word(count_.q())), taken);
  count_.next(SInt(Word(carry_chain(s_, propagate, count_.q(), begins).sum)));
}

Results build_exit(Scope& s, const MatrixPlan& p, const Results& arriving, Net ready, Net reset) {
  if (p.exit().is_chain) return build_chain(s, p, arriving, ready, reset);
  return build_queue(s, p, arriving, ready, reset);
}

}  // namespace kumiki::gen::matrix
