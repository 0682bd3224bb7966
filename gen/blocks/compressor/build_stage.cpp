// SPDX-License-Identifier: Apache-2.0
// One stage: assigns bits to the inputs of its elements, makes their cells, collects the outputs.
#include <algorithm>
#include <deque>
#include <functional>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/cell.h"

namespace kumiki::gen::compressor::detail {
namespace {

// An element of the stage with the bits at its inputs.
struct Instance {
  const Element* element;
  unsigned column;
  std::vector<Bit> in;
  // LUTs that read an input.
  std::ptrdiff_t readers(std::size_t input) const {
    return std::ranges::count_if(element->luts, [&](const auto& l) {
      return std::ranges::find(l.in, static_cast<int>(input)) != l.in.end();
    });
  }
  bool is_bypass(std::size_t input) const {
    return std::any_of(element->luts.begin(), element->luts.end(),
                       [&](const auto& l) { return l.bypass == static_cast<int>(input); });
  }
};

struct ChainInstance {
  const Chain* chain;
  std::vector<Instance> atoms;
  Bit carry = plain(ir::net_zero);
  bool has_carry = false;
};

class StageBuilder {
 public:
  StageBuilder(Scope& s, Level level, const TreePlan& plan, const Stage& stage, const Parts& parts,
               SourceLocation here)
      : s_(s), now_(std::move(level)), plan_(plan), parts_(parts), here_(here) {
    next_.bits.resize(now_.bits.size());
    next_.opens.resize(now_.bits.size());
    for (const Counter& c : stage.counters) counters_.push_back(instance(c.element, c.column));
    for (const Chain& c : stage.chains) {
      ChainInstance chain{&c, {}};
      unsigned column = c.column;
      for (auto e : c.atoms) {
        chain.atoms.push_back(instance(e, column - elements()[e].first));
        column += elements()[e].width();
      }
      chains_.push_back(std::move(chain));
    }
  }

  Level run() {
    leave();
    hand_out();
    for (Instance& i : counters_) add_counter(i);
    for (std::size_t i = 0; i < chains_.size();) i = add_run(i);
    finish_runs();
    // Bits that no element took pass to the next stage, before the new ones.
    for (std::size_t c = 0; c < now_.bits.size(); ++c)
      next_.bits[c].insert(next_.bits[c].begin(), now_.bits[c].begin(), now_.bits[c].end());
    for (std::size_t c = 0; c < now_.opens.size(); ++c)
      next_.opens[c].insert(next_.opens[c].begin(), now_.opens[c].begin(), now_.opens[c].end());
    next_.pairs = std::move(now_.pairs);
    return std::move(next_);
  }

 private:
  static Instance instance(std::size_t e, unsigned column) {
    const Element& element = elements()[e];
    return {&element, column, std::vector(element.column.size(), plain(ir::net_zero))};
  }

  template <class F>
  void for_each_input(F&& f) {
    auto all = [&](Instance& i) {
      for (std::size_t p = 0; p < i.in.size(); ++p) f(i, p, i.column + i.element->column[p]);
    };
    for (Instance& i : counters_) all(i);
    for (ChainInstance& c : chains_)
      for (Instance& i : c.atoms) all(i);
  }

  // Leaves come first, because this stage may read them.
  void leave() {
    wides_.resize(now_.bits.size());
    auto all = [&](Instance& i) {
      if (!i.element->has_leaves()) return;
      for (std::size_t p = 0; p < i.in.size(); ++p)
        i.in[p] = take_other(now_.bits[i.column + i.element->column[p]]);
      for (const auto& leaf : i.element->leaves)
        if (const unsigned c = i.column + leaf.column; c < now_.opens.size())
          (leaf.is_wide() ? wides_ : now_.opens)[c].push_back(leaf_of(leaf, i.in));
    };
    for (Instance& i : counters_) all(i);
    for (ChainInstance& c : chains_)
      for (Instance& i : c.atoms) all(i);
  }

  // Assigns pairs, leaves and open carries first, to inputs with room. Then assigns nets to the
  // pins that need a plain net, then the rest.
  void hand_out() {
    std::vector<std::pair<Instance*, std::size_t>> taken;
    auto is_taken = [&](Instance& i, std::size_t p) {
      return i.element->has_leaves() ||
             std::find(taken.begin(), taken.end(), std::pair(&i, p)) != taken.end();
    };
    auto to_elements = [&](std::vector<std::vector<Bit>>& columns,
                           std::vector<bool> Element::*takes) {
      for_each_input([&](Instance& i, std::size_t p, unsigned c) {
        if (!(i.element->*takes)[p] || columns[c].empty() || is_taken(i, p)) return;
        i.in[p] = take(columns[c], false);
        taken.emplace_back(&i, p);
      });
    };
    auto to_entries = [&](std::vector<std::vector<Bit>>& columns) {
      for (ChainInstance& c : chains_)
        if (c.chain->entry > Entry::pin && !c.has_carry && !columns[c.chain->column].empty()) {
          c.carry = take(columns[c.chain->column], false);
          c.has_carry = true;
        }
    };
    to_elements(now_.pairs, &Element::takes_pair);
    to_elements(wides_, &Element::takes_wide);
    to_entries(wides_);
    to_elements(now_.opens, &Element::takes_open);
    to_entries(now_.opens);
    for (ChainInstance& c : chains_)
      if (c.chain->entry != Entry::none && !c.has_carry)
        c.carry = take(now_.bits[c.chain->column], true);
    for_each_input([&](Instance& i, std::size_t p, unsigned c) {
      if (i.is_bypass(p)) i.in[p] = take(now_.bits[c], true);
    });
    hand_out_rest(is_taken);
  }

  template <class IsTaken>
  void hand_out_rest(const IsTaken& is_taken) {
    struct Pin {
      Instance* of;
      std::size_t input;
      unsigned column;
    };
    std::vector<Pin> pins;
    for_each_input([&](Instance& i, std::size_t p, unsigned c) {
      if (!i.is_bypass(p) && !is_taken(i, p)) pins.push_back({&i, p, c});
    });
    // Early bits come first: they have time for a wire to many LUTs.
    if (is_timed(plan_.objective))
      std::ranges::stable_sort(pins, std::greater(),
                               [](const Pin& p) { return p.of->readers(p.input); });
    for (const Pin& p : pins) p.of->in[p.input] = take(now_.bits[p.column], false);
  }

  // Takes the first bit of a column, or a zero. `as_it_is`: as a net, without a LUT if possible.
  Bit take(std::vector<Bit>& column, bool as_it_is) {
    if (column.empty()) return plain(ir::net_zero);
    auto at = column.begin();
    if (as_it_is) {
      at = std::find_if(column.begin(), column.end(), [](const Bit& b) { return b.is_plain(); });
      if (at == column.end()) at = column.begin();
    }
    Bit bit = *at;
    column.erase(at);
    return as_it_is ? plain(as_net(s_, bit, here_)) : bit;
  }

  // Takes a bit that is not a plain net, if there is one. A LUT absorbs it at no cost; other inputs
  // cannot.
  static Bit take_other(std::vector<Bit>& column) {
    if (column.empty()) return plain(ir::net_zero);
    auto at =
        std::find_if(column.begin(), column.end(), [](const Bit& b) { return !b.is_plain(); });
    if (at == column.end()) at = column.begin();
    Bit bit = *at;
    column.erase(at);
    return bit;
  }

  std::vector<Bit> pins(const Instance& i, const Element::Lut& lut) const {
    std::vector<Bit> bits;
    for (auto p : lut.in) bits.push_back(i.in[p]);
    return bits;
  }

  // Adds a net to `column`; the element that drives it is in column `from`.
  void give(unsigned from, unsigned column, Net n) {
    if (column < next_.bits.size() && n != ir::net_zero)
      next_.bits[column].push_back(plain(parts_.across(n, from, column)));
  }

  void add_counter(const Instance& i) {
    std::vector<Lut6_2::Out> out;
    for (const auto& lut : i.element->luts)
      out.push_back(counter_lut(s_, lut.table, pins(i, lut), here_));
    for (const auto& o : i.element->outputs)
      give(i.column, i.column + o.column, o.o5 ? out[o.lut].o5 : out[o.lut].o6);
  }

  struct Sum {
    std::size_t position;
    unsigned from, column;
  };
  // Chains that follow each other, up to their carry blocks.
  struct Run {
    ChainRun chain;
    std::vector<Sum> sums;
    unsigned from, column;  // of the atom pushed last; of the carry
    Bit open;               // S and DI of the last position, if its carry stays open
  };

  void give_sums(const std::vector<Sum>& sums, const std::vector<Net>& nets) {
    for (const Sum& sum : sums) give(sum.from, sum.column, nets[sum.position]);
  }

  // Adds the chains that follow each other from `first` on; returns the number of the next chain.
  std::size_t add_run(std::size_t first) {
    Run r{.from = chains_[first].chain->column};
    auto& [run, sums, from, column, open] = r;
    std::size_t at = first;
    do {
      const ChainInstance& c = chains_[at];
      const Entry entry = c.chain->entry;
      if (entry == Entry::pin) run.begin(c.carry.a);
      if (entry == Entry::lead) run.push(injected_position(s_, c.carry, here_));
      column = c.chain->column;
      for (const Instance& i : c.atoms) {
        std::optional<Position> first_position;
        if (parts_.of(column) > parts_.of(from)) {  // the carry waits for the next part
          const auto below = run.add_to(s_, here_);
          give_sums(sums, below.sum);
          sums.clear();
          run = {};
          // Of a CARRY4, the carry takes the pin over which an input reaches DI.
          const Net carry = parts_.across(below.carry, from, column);
          const bool needs_pin = s_.family() == ir::Family::series7 && !i.element->takes_carry_in();
          if (needs_pin) first_position = position_without_bypass(i);
          if (!needs_pin || first_position)
            run.begin(carry);
          else
            run.push(injected_position(s_, plain(carry), here_));
        }
        from = column;
        for (const auto& lut : i.element->luts) {
          const Position p = first_position ? *first_position : position(i, lut);
          first_position.reset();
          open.a = p.s;
          sums.push_back({run.push(p), from, column++});
        }
      }
      if (c.chain->is_open) {
        ++at;
        const Bit& di =
            c.atoms.back().in[static_cast<std::size_t>(c.atoms.back().element->last_di())];
        open.form = di.form == Bit::Form::inverted ? Bit::Form::carry_not : Bit::Form::carry;
        open.c = di.a;
        break;
      }
      // S = 0 puts the carry on O, and DI is the carry into the next chain.
      ++at;
      const bool goes_on = at < chains_.size() && chains_[at].chain->entry == Entry::exit;
      if (column < next_.bits.size() && !plan_.free_exits)
        sums.push_back({run.push(injected_position(
                            s_, goes_on ? chains_[at].carry : plain(ir::net_zero), here_)),
                        column, column});
    } while (at < chains_.size() && chains_[at].chain->entry == Entry::exit);
    runs_.push_back(std::move(r));
    // If blocks are not shared, each run follows its LUTs.
    if (s_.family() == ir::Family::series7) finish_runs();
    return at;
  }

  void finish_runs() {
    std::vector<CarryIn> pins;
    for (const Run& r : runs_) pins.push_back(r.chain.pins());
    const auto outs = carry_chains(s_, pins, here_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Run& r = runs_[i];
      const auto sum = outs[i].sum.nets();
      give_sums(r.sums, {sum.begin(), sum.end()});
      if (r.open.is_open()) {
        r.open.b = sum[r.sums.back().position];
        next_.opens[r.column].push_back(r.open);
      }
      if (plan_.free_exits) give(r.from, r.column, outs[i].carry);
    }
    runs_.clear();
  }

  Position position(const Instance& i, const Element::Lut& lut) {
    if (lut.bypass < 0) return carry_position(s_, lut.table, pins(i, lut), here_);
    return bypassed_position(s_, lut.table, pins(i, lut), i.in[lut.bypass].a, here_);
  }

  std::optional<Position> position_without_bypass(const Instance& i) {
    const Element::Lut& lut = i.element->luts.front();
    return compressor::position_without_bypass(s_, lut.table, pins(i, lut), i.in[lut.bypass].a,
                                               here_);
  }

  Scope& s_;
  Level now_, next_;
  std::vector<std::vector<Bit>> wides_;  // leaves of five nets
  const TreePlan& plan_;
  const Parts& parts_;
  SourceLocation here_;
  std::vector<Instance> counters_;
  std::vector<ChainInstance> chains_;
  std::vector<Run> runs_;
};

}  // namespace

Level next_level(Scope& s, Level level, const TreePlan& plan, const Stage& stage,
                 const Parts& parts, SourceLocation here) {
  return StageBuilder(s, std::move(level), plan, stage, parts, here).run();
}

}  // namespace kumiki::gen::compressor::detail
