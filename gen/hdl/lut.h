// SPDX-License-Identifier: Apache-2.0
// Logic on nets and words from a lambda: `lut(s, [](bool a, bool b) { return a && !b; }, x, y)`.
// Words give a bit for each position, and nets go to all of them. Constant and repeated inputs are
// folded into the table. Two bits share a LUT6_2 if five inputs serve both.
#pragma once
#include <array>
#include <vector>

#include "gen/hdl/messages.h"
#include "gen/hdl/scope.h"
#include "gen/hdl/table.h"

namespace kumiki::gen {

namespace detail {

struct LutInput {
  const Word* word = nullptr;  // null: the net
  Net net;
};
inline LutInput lut_input(const Net& n) { return {nullptr, n}; }
inline LutInput lut_input(const Word& w) { return {&w, {}}; }

Net lut_net(Scope& s, const Table& t, std::span<const Net> in, PlaceId at);
UInt lut_word(Scope& s, const Table& t, std::span<const LutInput> in, SourceLocation here,
              bool pairs = true);

template <class F, class... In>
auto lut_of(Scope& s, const F& f, SourceLocation here, const In&... in) {
  static_assert(detail::arity<F>() == sizeof...(In), "one input a parameter of the lambda");
  // A lambda without captures is a constant: its table is made once in the program's life.
  auto get = [&]() -> Table {
    if constexpr (std::is_empty_v<F>) {
      static const Table t = table(f);
      return t;
    } else {
      return table(f);
    }
  };
  if constexpr ((std::is_same_v<In, Net> && ...)) {
    std::array<Net, sizeof...(In)> nets{in...};
    return lut_net(s, get(), nets, s.at(here));
  } else {
    std::array<LutInput, sizeof...(In)> inputs{lut_input(in)...};
    return lut_word(s, get(), inputs, here);
  }
}

}  // namespace detail

// Result: a Net if all inputs are nets, else a UInt of the words' width.
template <class F, class A>
auto lut(Scope& s, const F& f, const A& a, SourceLocation here = SourceLocation::current()) {
  return detail::lut_of(s, f, here, a);
}
template <class F, class A, class B>
auto lut(Scope& s, const F& f, const A& a, const B& b,
         SourceLocation here = SourceLocation::current()) {
  return detail::lut_of(s, f, here, a, b);
}
template <class F, class A, class B, class C>
auto lut(Scope& s, const F& f, const A& a, const B& b, const C& c,
         SourceLocation here = SourceLocation::current()) {
  return detail::lut_of(s, f, here, a, b, c);
}
template <class F, class A, class B, class C, class D>
auto lut(Scope& s, const F& f, const A& a, const B& b, const C& c, const D& d,
         SourceLocation here = SourceLocation::current()) {
  return detail::lut_of(s, f, here, a, b, c, d);
}
template <class F, class A, class B, class C, class D, class E>
auto lut(Scope& s, const F& f, const A& a, const B& b, const C& c, const D& d, const E& e,
         SourceLocation here = SourceLocation::current()) {
  return detail::lut_of(s, f, here, a, b, c, d, e);
}
template <class F, class A, class B, class C, class D, class E, class G>
auto lut(Scope& s, const F& f, const A& a, const B& b, const C& c, const D& d, const E& e,
         const G& g, SourceLocation here = SourceLocation::current()) {
  return detail::lut_of(s, f, here, a, b, c, d, e, g);
}

// A computed function of up to six bits: word `f(index)` of `width` bits, a LUT a bit.
template <class F>
UInt look_up(Scope& s, std::uint32_t width, const F& f, std::span<const Net> index,
             SourceLocation here = SourceLocation::current()) {
  if (index.size() > 6) refuse(here, code::lut_inputs, "a LUT must have at most six inputs");
  std::vector<Net> out;
  for (std::uint32_t bit = 0; bit < width; ++bit) {
    Table t{.inputs = static_cast<unsigned>(index.size())};
    for (unsigned i = 0; i < 1u << index.size(); ++i)
      t.bits |= (static_cast<std::uint64_t>(f(i)) >> bit & 1) << i;
    out.push_back(detail::lut_net(s, t, index, s.at(here)));
  }
  return UInt(s.word(out, s.at(here)));
}

// A function of words with a whole LUT a bit: a carry chain takes its S from O6, never from O5.
template <class F, class... In>
UInt lut_o6(Scope& s, const F& f, SourceLocation here, const In&... in) {
  std::array<detail::LutInput, sizeof...(In)> inputs{detail::lut_input(in)...};
  return detail::lut_word(s, table(f), inputs, here, false);
}

// A LUT that is kept although it only passes its input, for a position before a carry chain.
UInt lut_buffer(Scope& s, const Word& a, bool inverted, SourceLocation here);

// Trees of LUT6 over all bits of a word.
Net all_of(Scope& s, std::span<const Net> in, SourceLocation here = SourceLocation::current());
Net any_of(Scope& s, std::span<const Net> in, SourceLocation here = SourceLocation::current());
inline Net all_of(Scope& s, const Word& w, SourceLocation here = SourceLocation::current()) {
  return all_of(s, w.nets(), here);
}
inline Net any_of(Scope& s, const Word& w, SourceLocation here = SourceLocation::current()) {
  return any_of(s, w.nets(), here);
}

}  // namespace kumiki::gen
