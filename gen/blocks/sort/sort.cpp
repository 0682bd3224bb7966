// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/sort/sort.h"

#include <fmt/format.h>

#include "gen/blocks/simd/exchange.h"
#include "gen/blocks/simd/messages.h"
#include "gen/blocks/simd/simd.h"
#include "gen/blocks/sort/schedule.h"
#include "gen/hdl/arithmetic.h"
#include "gen/hdl/lut.h"
#include "gen/hdl/messages.h"
#include "gen/hdl/mux.h"
#include "gen/hdl/state.h"

namespace kumiki::gen::sort {
namespace {

// A wire of a lane, read at ascending clocks.
class Line {
 public:
  Line() = default;
  Line(const UInt& word, int available) : word_(word), clock_(available) {}
  UInt at(Scope& s, int clock, Net enable, SourceLocation here) {
    for (; clock_ < clock; ++clock_) word_ = reg(s, word_, {.enable = enable}, here);
    return word_;
  }

 private:
  UInt word_;
  int clock_ = 0;
};

// Whether a >= b, for every pair that a layer compares.
using Answers = std::map<Comparison, Net>;

// Selects one of three by the results a >= b, b >= c, a >= c. For equal values any result is right.
UInt lowest(Scope& s, const std::array<Net, 3>& answer, const std::array<UInt, 3>& x,
            SourceLocation here) {
  const auto& [ab, bc, ac] = answer;
  const auto& [a, b, c] = x;
  return s.word(mux(ab, mux(bc, c, b), mux(ac, c, a)), here);
}
UInt middle(Scope& s, const std::array<Net, 3>& answer, const std::array<UInt, 3>& x,
            SourceLocation here) {
  const auto& [ab, bc, ac] = answer;
  const auto& [a, b, c] = x;
  return s.word(mux(ab, mux(bc, b, mux(ac, c, a)), mux(ac, a, mux(bc, c, b))), here);
}
UInt highest(Scope& s, const std::array<Net, 3>& answer, const std::array<UInt, 3>& x,
             SourceLocation here) {
  const auto& [ab, bc, ac] = answer;
  const auto& [a, b, c] = x;
  return s.word(mux(ab, mux(ac, a, c), mux(bc, b, c)), here);
}

std::vector<UInt> exchanged(Scope& s, const Sorter& sorter, const Answers& answers,
                            const std::vector<UInt>& x, SourceLocation here) {
  const auto answer = [&](std::size_t a, std::size_t b) {
    return answers.at({sorter.in[a], sorter.in[b]});
  };
  const auto wanted = [&](std::size_t i) { return sorter.out[i] != unused; };
  std::vector<UInt> out(sorter.in.size());
  if (sorter.in.size() == 3) {
    const std::array<Net, 3> three{answer(0, 1), answer(1, 2), answer(0, 2)};
    const std::array<UInt, 3> words{x[0], x[1], x[2]};
    if (wanted(0)) out[0] = lowest(s, three, words, here);
    if (wanted(1)) out[1] = middle(s, three, words, here);
    if (wanted(2)) out[2] = highest(s, three, words, here);
  } else if (wanted(0) && wanted(1)) {
    const simd::Ordered two = simd::ordered(s, answer(0, 1), x[0], x[1], here);
    out = {two.low, two.high};
  } else if (wanted(0)) {
    out[0] = mux(s, answer(0, 1), x[1], x[0], here);
  } else {
    out[1] = mux(s, answer(0, 1), x[0], x[1], here);
  }
  return out;
}

class Build {
 public:
  Build(Scope& s, const SortPlan& plan, const std::vector<std::vector<UInt>>& inputs, Net enable,
        SourceLocation here)
      : s_(s), p_(plan), schedule_(schedule(plan)), enable_(enable), here_(here) {
    for (const auto& lane : inputs) {
      lines_.emplace_back(static_cast<std::size_t>(p_.network.wires));
      for (std::size_t w = 0; w < lane.size(); ++w) lines_.back()[w] = Line(lane[w], 0);
    }
  }

  std::vector<std::vector<UInt>> run() {
    for (int layer = 0; layer < schedule_.layers(); ++layer) {
      const std::vector<Answers> answers = compare(layer);
      for (std::size_t i = 0; i < p_.network.sorters.size(); ++i)
        if (schedule_.layer[i] == layer)
          for (std::size_t lane = 0; lane < lines_.size(); ++lane)
            exchange(p_.network.sorters[i], lane, layer, answers[lane]);
    }
    std::vector<std::vector<UInt>> out(lines_.size());
    for (std::size_t lane = 0; lane < lines_.size(); ++lane)
      for (const int w : p_.network.outputs) out[lane].push_back(word(lane, w, schedule_.latency));
    return out;
  }

 private:
  UInt word(std::size_t lane, int wire, int clock) {
    return lines_[lane][static_cast<std::size_t>(wire)].at(s_, clock, enable_, here_);
  }

  // Compares all lanes of a layer together, which fills the slices.
  std::vector<Answers> compare(int layer) {
    const auto& pairs = schedule_.comparisons[static_cast<std::size_t>(layer)];
    const int clock = layer * layer_clocks(p_);
    simd::Words a, b;
    for (std::size_t lane = 0; lane < lines_.size(); ++lane)
      for (const Comparison& c : pairs) {
        a.push_back(word(lane, c.a, clock));
        b.push_back(word(lane, c.b, clock));
      }
    const std::vector<Net> nets = at_least(a, b);
    std::vector<Answers> answers(lines_.size());
    std::size_t next = 0;
    for (Answers& lane : answers)
      for (const Comparison& c : pairs) lane.emplace(c, nets[next++]);
    return answers;
  }

  std::vector<Net> at_least(const simd::Words& a, const simd::Words& b) {
    if (p_.form == Form::slices)
      return simd::at_least(s_,
                            {.lanes = simd::lanes_for(static_cast<std::uint32_t>(p_.bits)),
                             .enable = enable_,
                             .is_signed = p_.is_signed},
                            a, b, here_);
    std::vector<Net> out;
    for (std::size_t i = 0; i < a.size(); ++i)
      out.push_back(p_.is_signed ? gen::at_least(s_, SInt(Word(a[i])), SInt(Word(b[i])), here_)
                                 : gen::at_least(s_, a[i], b[i], here_));
    return out;
  }

  void exchange(const Sorter& sorter, std::size_t lane, int layer, const Answers& answers) {
    const int compared = layer * layer_clocks(p_);
    std::vector<UInt> in;
    for (const int w : sorter.in) in.push_back(word(lane, w, compared + comparison_clocks(p_)));
    std::vector<UInt> out = exchanged(s_, sorter, answers, in, here_);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (sorter.out[i] == unused) continue;
      if (p_.form == Form::luts) out[i] = reg(s_, out[i], {.enable = enable_}, here_);
      lines_[lane][static_cast<std::size_t>(sorter.out[i])] =
          Line(out[i], compared + layer_clocks(p_));
    }
  }

  Scope& s_;
  const SortPlan& p_;
  Schedule schedule_;
  Net enable_;
  SourceLocation here_;
  std::vector<std::vector<Line>> lines_;  // [lane][wire]
};

void check(const SortPlan& p, const std::vector<std::vector<UInt>>& inputs, SourceLocation here) {
  if (static_cast<int>(inputs.size()) != p.lanes)
    refuse(here, code::wrong_count,
           fmt::format("{} lanes for a sort of {}", inputs.size(), p.lanes));
  for (const auto& lane : inputs) {
    if (static_cast<int>(lane.size()) != p.network.inputs())
      refuse(here, code::wrong_count,
             fmt::format("{} words for a network of {} inputs", lane.size(), p.network.inputs()));
    for (const UInt& w : lane)
      if (static_cast<int>(w.width()) != p.bits)
        refuse(here, code::widths_differ,
               fmt::format("a word of {} bits for a sort of {} bits", w.width(), p.bits));
  }
}

}  // namespace

std::vector<std::vector<UInt>> sort(Scope& s, const SortPlan& plan,
                                    const std::vector<std::vector<UInt>>& inputs, Net enable,
                                    SourceLocation here) {
  check(plan, inputs, here);
  return Build(s, plan, inputs, enable, here).run();
}

}  // namespace kumiki::gen::sort
