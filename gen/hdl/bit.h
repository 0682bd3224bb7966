// SPDX-License-Identifier: Apache-2.0
// Logic as written: `s.net((room & run & ~pause) | flush)`. Nets give a Bit. Words give a Bits, an
// expression for every position, in which a net applies to all positions. Neither is hardware until
// a Scope makes it (scope.h). Use && and || for conditions that C++ decides.
#pragma once
#include <array>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "gen/hdl/word.h"

namespace kumiki::gen {

namespace detail {

enum class Gate : std::uint8_t { net, word, inverse, all, any, differ, choose };

struct Node {
  Gate gate;
  Net net = {};
  Word word = {};
  std::shared_ptr<const Node> a = {}, b = {}, c = {};
};
using NodeRef = std::shared_ptr<const Node>;

inline NodeRef node(Net net) { return std::make_shared<Node>(Node{.gate = Gate::net, .net = net}); }
inline NodeRef node(const Word& word) {
  return std::make_shared<Node>(Node{.gate = Gate::word, .word = word});
}

}  // namespace detail

// A function of nets.
class Bit {
 public:
  Bit() : Bit(ir::net_zero) {}
  Bit(Net net) : node_(detail::node(net)) {}
  explicit Bit(detail::NodeRef node) : node_(std::move(node)) {}
  const detail::NodeRef& node() const { return node_; }

 private:
  detail::NodeRef node_;
};

// The same function of every position of words, which all have one width.
class Bits {
 public:
  explicit Bits(detail::NodeRef node) : node_(std::move(node)) {}
  const detail::NodeRef& node() const { return node_; }

 private:
  detail::NodeRef node_;
};

// The operands of an expression: nets and words, including those of wires and registers.
template <class T>
concept BitOperand = std::same_as<T, Bit> || std::convertible_to<const T&, Net>;
template <class T>
concept WordOperand = std::same_as<T, Bits> || std::convertible_to<const T&, Word>;
template <class T>
concept LogicOperand = BitOperand<T> || WordOperand<T>;

namespace detail {

template <LogicOperand T>
NodeRef node_of(const T& x) {
  if constexpr (std::same_as<T, Bit> || std::same_as<T, Bits>)
    return x.node();
  else if constexpr (BitOperand<T>)
    return node(static_cast<Net>(x));
  else
    return node(static_cast<const Word&>(x));
}

template <LogicOperand... T>
auto gate(Gate what, const T&... x) {
  using Result = std::conditional_t<(BitOperand<T> && ...), Bit, Bits>;
  std::array<NodeRef, 3> in{node_of(x)...};
  return Result(std::make_shared<Node>(Node{.gate = what, .a = in[0], .b = in[1], .c = in[2]}));
}

}  // namespace detail

template <LogicOperand A>
auto operator~(const A& a) {
  return detail::gate(detail::Gate::inverse, a);
}
template <LogicOperand A, LogicOperand B>
auto operator&(const A& a, const B& b) {
  return detail::gate(detail::Gate::all, a, b);
}
template <LogicOperand A, LogicOperand B>
auto operator|(const A& a, const B& b) {
  return detail::gate(detail::Gate::any, a, b);
}
template <LogicOperand A, LogicOperand B>
auto operator^(const A& a, const B& b) {
  return detail::gate(detail::Gate::differ, a, b);
}
template <LogicOperand C, LogicOperand A, LogicOperand B>
auto mux(const C& choose, const A& when_one, const B& when_zero) {
  return detail::gate(detail::Gate::choose, choose, when_one, when_zero);
}
inline Bit& operator&=(Bit& a, const Bit& b) { return a = a & b; }
inline Bit& operator|=(Bit& a, const Bit& b) { return a = a | b; }

}  // namespace kumiki::gen
