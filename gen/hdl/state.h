// SPDX-License-Identifier: Apache-2.0
// Registers, delays, counters. Enable and reset follow the conventions of scope.h.
#pragma once
#include "gen/hdl/lut.h"
#include "gen/hdl/scope.h"

namespace kumiki::gen {

struct RegOptions {
  std::uint64_t init = 0;  // at power-up, and after reset if there is one
  Net enable = ir::net_one;
  Net reset = ir::net_zero;
  ir::Crossing crossing = ir::Crossing::none;  // of data from the other clock
};

namespace detail {
// Flip-flops with outputs on the nets from `out` on (or fresh ones for net_open).
Word flops(Scope& s, Net out, const Word& next, const RegOptions& options, SourceLocation here);
}  // namespace detail

// A register whose output is needed before its input exists: counters, accumulators, states.
template <class T>
class Reg;

template <AnyWord W>
class Reg<W> {
 public:
  Reg(Scope& s, std::uint32_t width, RegOptions options = {},
      SourceLocation here = SourceLocation::current())
      : scope_(s),
        options_(options),
        q_(s.run(s.module().fresh_nets(width), width, s.at(here))),
        promise_(s.promise(q_, {"register", "next()"})) {}
  const W& q() const { return q_; }
  operator const W&() const { return q_; }
  void next(const W& value, SourceLocation here = SourceLocation::current()) {
    want_equal_widths("Reg::next", q_, value, here);
    detail::flops(scope_, q_[0], value, options_, here);
    scope_.keep(promise_);
  }
  void next(const Bits& logic, SourceLocation here = SourceLocation::current()) {
    next(W(Word(scope_.word(logic, here))), here);
  }

 private:
  Scope& scope_;
  RegOptions options_;
  W q_;
  std::size_t promise_;
};

template <>
class Reg<Net> {
 public:
  explicit Reg(Scope& s, RegOptions options = {}, SourceLocation here = SourceLocation::current())
      : scope_(s), word_(s, 1, options, here) {}
  Net q() const { return word_.q()[0]; }
  operator Net() const { return q(); }
  void next(Net value, SourceLocation here = SourceLocation::current()) {
    word_.next(UInt(&value, 1, {}), here);
  }
  void next(const Bit& logic, SourceLocation here = SourceLocation::current()) {
    next(scope_.net(logic, here), here);
  }

 private:
  Scope& scope_;
  Reg<UInt> word_;
};

// A register after an existing value.
template <AnyWord W>
W reg(Scope& s, const W& d, RegOptions options = {},
      SourceLocation here = SourceLocation::current()) {
  return W(detail::flops(s, ir::net_open, d, options, here));
}
inline Net reg(Scope& s, Net d, RegOptions options = {},
               SourceLocation here = SourceLocation::current()) {
  return detail::flops(s, ir::net_open, UInt(&d, 1, {}), options, here)[0];
}
inline Net reg(Scope& s, const Bit& logic, RegOptions options = {},
               SourceLocation here = SourceLocation::current()) {
  return reg(s, s.net(logic, here), options, here);
}

namespace detail {
Word delay(Scope& s, const Word& d, std::uint32_t cycles, Net enable, SourceLocation here);
}

// The value `cycles` clocks later. From three clocks on, a shift register in LUTs with a flip-flop
// after it; no reset.
template <AnyWord W>
W delay(Scope& s, const W& d, std::uint32_t cycles, Net enable = ir::net_one,
        SourceLocation here = SourceLocation::current()) {
  return W(detail::delay(s, d, cycles, enable, here));
}
inline Net delay(Scope& s, Net d, std::uint32_t cycles, Net enable = ir::net_one,
                 SourceLocation here = SourceLocation::current()) {
  return detail::delay(s, UInt(&d, 1, {}), cycles, enable, here)[0];
}

// The same in flip-flops alone; 0 after a reset.
template <class W>
W later(Scope& s, W d, std::int64_t cycles, RegOptions options,
        SourceLocation here = SourceLocation::current()) {
  for (std::int64_t i = 0; i < cycles; ++i) d = reg(s, d, options, here);
  return d;
}
template <class W>
W later(Scope& s, W d, std::int64_t cycles, Net reset = ir::net_zero,
        SourceLocation here = SourceLocation::current()) {
  return later(s, d, cycles, RegOptions{.reset = reset}, here);
}

// 0, 1, …, modulo - 1, 0, …
struct CounterOptions {
  std::uint64_t modulo;
  Net enable = ir::net_one;
  Net reset = ir::net_zero;
};
struct Counter {
  UInt value;
  Net last;  // value == modulo - 1
};
Counter counter(Scope& s, CounterOptions options, SourceLocation here = SourceLocation::current());

// A state machine: states are an enum from 0 on, encoded one-hot. Every transition has from, to and
// when. Transitions out of a state are tried in the given order; if none holds, the state stays.
class Fsm {
 public:
  Fsm(Scope& s, unsigned states, unsigned start, RegOptions options = {},
      SourceLocation here = SourceLocation::current());
  Net in(unsigned state) const { return state_.q()[state]; }
  void go(unsigned from, unsigned to, const Bit& when = ir::net_one);
  void finish(SourceLocation here = SourceLocation::current());

 private:
  struct Transition {
    unsigned from, to;
    Bit when;
  };
  Scope& scope_;
  Reg<UInt> state_;
  std::vector<Transition> transitions_;
};

// Wires: word i of the result holds bit i of every word.
std::vector<UInt> transpose(Scope& s, std::span<const UInt> words,
                            SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen
