// SPDX-License-Identifier: Apache-2.0
#include "gen/hdl/state.h"

#include <fmt/format.h>

#include "gen/hdl/arithmetic.h"
#include "gen/hdl/cells.h"
#include "gen/hdl/messages.h"

namespace kumiki::gen {
namespace detail {

Word flops(Scope& s, Net out, const Word& next, const RegOptions& options, SourceLocation here) {
  std::uint32_t width = next.width();
  if (width < 64 && options.init >> width != 0)
    refuse(here, code::value_does_not_fit,
           fmt::format("the initial value {} does not fit a register of {} bits", options.init,
                       width));
  if (width == 0) return s.word({}, s.at(here));
  if (out == ir::net_open) out = s.module().fresh_nets(width);
  auto init_of = [&](std::uint32_t i) { return i < 64 && (options.init >> i & 1); };
  std::vector<Net> in;
  // Consecutive bits with the same initial value are one cell: an FDSE if reset must set them to 1.
  for (std::uint32_t low = 0, n; low < width; low += n) {
    bool one = init_of(low);
    for (n = 1; low + n < width && init_of(low + n) == one;) ++n;
    in = {s.clk(), options.enable};
    in.insert(in.end(), next.nets().begin() + low, next.nets().begin() + low + n);
    in.push_back(options.reset);
    const ir::CellId made = s.module().add_cell_driving(
        Net{out.index + low}, one ? ir::Kind::fdse : ir::Kind::fdre, n, in, {}, s.at(here));
    if (options.crossing != ir::Crossing::none) s.module().set_crossing(made, options.crossing);
  }
  return s.run(out, width, s.at(here));
}

Word delay(Scope& s, const Word& d, std::uint32_t cycles, Net enable, SourceLocation here) {
  if (cycles == 0 || d.width() == 0) return d;
  Word now = d;
  std::uint32_t in_luts = cycles >= 3 ? cycles - 1 : 0;
  for (std::uint32_t left = in_luts; left > 0;) {
    std::uint32_t length = std::min(left, 32u), w = now.width();
    bool small = length <= 16;
    std::vector<Net> in;
    for (unsigned bit = 0; bit < (small ? 4u : 5u); ++bit)
      in.push_back(ir::constant((length - 1) >> bit & 1));
    in.push_back(enable);
    in.push_back(s.clk());
    in.insert(in.end(), now.nets().begin(), now.nets().end());
    // A full SRLC32E also has its word at Q31, which only a neighbour in its slice can read: a
    // placer that does not know that cannot route it.
    Net out = s.cell(small ? ir::Kind::srl16e : ir::Kind::srlc32e, w, in, {}, s.at(here));
    now = s.run(out, w, s.at(here));
    left -= length;
  }
  for (std::uint32_t i = 0; i < cycles - in_luts; ++i)
    now = flops(s, ir::net_open, now, {.enable = enable}, here);
  return now;
}

}  // namespace detail

Counter counter(Scope& s, CounterOptions options, SourceLocation here) {
  if (options.modulo < 2)
    refuse(here, code::too_few,
           fmt::format("a counter is modulo {}; it must be at least 2", options.modulo));
  std::uint32_t width = address_width(options.modulo);
  bool power_of_two = (options.modulo & (options.modulo - 1)) == 0;
  Wire<Net> wrap(s, here);
  Reg<UInt> value(s, width, {.enable = options.enable, .reset = wrap}, here);
  Net last = equals(s, value.q(), options.modulo - 1, here);
  value.next(increment(s, value.q(), ir::net_one, here), here);
  // The counter wraps by the reset of its flip-flops, which is set only with the enable.
  if (power_of_two)
    wrap.drive(options.reset, here);
  else
    wrap.drive(options.reset | (last & options.enable), here);
  return {value.q(), last};
}

Fsm::Fsm(Scope& s, unsigned states, unsigned start, RegOptions options, SourceLocation here)
    : scope_(s),
      state_(s, states,
             {.init = std::uint64_t{1} << start, .enable = options.enable, .reset = options.reset},
             here) {
  if (states > 64 || start >= states)
    refuse(here, code::fsm_states,
           fmt::format("an Fsm of {} states cannot start in {}", states, start));
}

void Fsm::go(unsigned from, unsigned to, const Bit& when) {
  transitions_.push_back({from, to, when});
}

void Fsm::finish(SourceLocation here) {
  std::vector<Bit> arrivals(state_.q().width());
  for (unsigned from = 0; from < arrivals.size(); ++from) {
    Bit still = in(from);  // in this state, and no earlier transition was taken
    for (const Transition& t : transitions_) {
      if (t.from != from) continue;
      arrivals[t.to] |= still & t.when;
      still &= ~t.when;
    }
    arrivals[from] |= still;
  }
  std::vector<Net> next;
  for (const Bit& a : arrivals) next.push_back(scope_.net(a, here));
  state_.next(bits(scope_, next, here), here);
}

std::vector<UInt> transpose(Scope& s, std::span<const UInt> words, SourceLocation here) {
  std::vector<UInt> out;
  if (words.empty()) return out;
  for (const UInt& w : words) want_equal_widths("transpose", words[0], w, here);
  for (std::uint32_t bit = 0; bit < words[0].width(); ++bit) {
    std::vector<Net> nets;
    for (const UInt& w : words) nets.push_back(w[bit]);
    out.push_back(bits(s, nets, here));
  }
  return out;
}

}  // namespace kumiki::gen
