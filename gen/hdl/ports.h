// SPDX-License-Identifier: Apache-2.0
// Ports of a module are plain structs, written once for hardware and for the model's values:
//
//   template <class R> struct MacIn {
//     typename R::Bit enable;
//     typename R::SInt a;
//     std::vector<typename R::SInt> taps;
//     static constexpr auto ports() {
//       return std::tuple(port("en", &MacIn::enable), port("a", &MacIn::a),
//                         port("taps", &MacIn::taps));
//     }
//   };
//
// MacIn<Hardware> holds nets, MacIn<Values> integers (words up to 64 bits). A vector is one port,
// its element 0 in the lowest bits; without elements the module has no such port.
#pragma once
#include <tuple>
#include <vector>

#include "gen/hdl/scope.h"
#include "ir/machine.h"

namespace kumiki::gen {

struct Hardware {
  using Bit = Net;
  using UInt = gen::UInt;
  using SInt = gen::SInt;
};

struct Values {
  using Bit = bool;
  using UInt = std::uint64_t;
  using SInt = std::int64_t;
};

template <class S, class T, class V = std::nullptr_t>
struct PortOf {
  const char* name;
  T S::*member;
  V valid;
};
template <class S, class T>
constexpr PortOf<S, T> port(const char* name, T S::*member) {
  return {name, member, nullptr};
}
// An output that is valid only while the bit `valid` is 1.
template <class S, class T, class B>
constexpr PortOf<S, T, B S::*> port(const char* name, T S::*member, B S::*valid) {
  return {name, member, valid};
}

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class S, class F>
void for_each_port(F&& f) {
  std::apply([&](const auto&... p) { (f(p), ...); }, S::ports());
}

inline std::uint32_t bit_count(Net) { return 1; }
inline std::uint32_t bit_count(const Word& w) { return w.width(); }
template <class T>
std::uint32_t bit_count(const std::vector<T>& items) {
  std::uint32_t sum = 0;
  for (const T& item : items) sum += bit_count(item);
  return sum;
}

template <class T>
constexpr bool is_signed_field() {
  if constexpr (is_vector<T>::value)
    return false;
  else
    return std::is_same_v<T, SInt>;
}

// Nets of a field, appended.
inline void collect(Net n, std::vector<Net>& out) { out.push_back(n); }
inline void collect(const Word& w, std::vector<Net>& out) {
  out.insert(out.end(), w.nets().begin(), w.nets().end());
}
template <class T>
void collect(const std::vector<T>& items, std::vector<Net>& out) {
  for (const T& item : items) collect(item, out);
}

// The same field with the nets of a port, whose widths are those of `field`.
inline void rebind(Scope& s, Net& field, Net& from, PlaceId) {
  (void)s;
  field = from;
  ++from.index;
}
template <AnyWord W>
void rebind(Scope& s, W& field, Net& from, PlaceId at) {
  std::uint32_t w = field.width();
  field = W(s.run(from, w, at));
  from.index += w;
}
template <class T>
void rebind(Scope& s, std::vector<T>& items, Net& from, PlaceId at) {
  for (T& item : items) rebind(s, item, from, at);
}

template <class S>
std::vector<Net> collect_all(const S& ports) {
  std::vector<Net> nets;
  for_each_port<S>([&](const auto& p) { collect(ports.*p.member, nets); });
  return nets;
}

template <class S>
std::vector<std::uint32_t> widths_of(const S& ports) {
  std::vector<std::uint32_t> widths;
  auto field = [&](auto& self, const auto& f) -> void {
    if constexpr (is_vector<std::remove_cvref_t<decltype(f)>>::value) {
      widths.push_back(~static_cast<std::uint32_t>(f.size()));  // a length, not a width
      for (const auto& item : f) self(self, item);
    } else {
      widths.push_back(bit_count(f));
    }
  };
  for_each_port<S>([&](const auto& p) { field(field, ports.*p.member); });
  return widths;
}

// A list without elements is no port.
template <class T>
bool is_no_port(const T& field) {
  return is_vector<T>::value && bit_count(field) == 0;
}

// Makes the input ports of a module after `shape` and returns the struct with their nets.
template <class S>
S make_inputs(Scope& s, S shape, SourceLocation here) {
  for_each_port<S>([&](const auto& p) {
    auto& field = shape.*p.member;
    using T = std::remove_cvref_t<decltype(field)>;
    std::uint32_t width = bit_count(field);
    if (is_no_port(field)) return;
    if (width == 0) refuse(here, code::no_bits, std::string("port ") + p.name + " has no bits");
    Net first = s.module().add_input(p.name, width, is_signed_field<T>(), s.at(here));
    rebind(s, field, first, s.at(here));
  });
  return shape;
}

template <class S>
void make_outputs(Scope& s, const S& out, SourceLocation here) {
  for_each_port<S>([&](const auto& p) {
    using T = std::remove_cvref_t<decltype(out.*p.member)>;
    std::vector<Net> nets;
    collect(out.*p.member, nets);
    if (is_no_port(out.*p.member)) return;
    if (nets.empty()) refuse(here, code::no_bits, std::string("port ") + p.name + " has no bits");
    s.module().add_output(p.name, nets, is_signed_field<T>(), s.at(here));
  });
}

}  // namespace kumiki::gen
