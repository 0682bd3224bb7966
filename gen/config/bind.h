// SPDX-License-Identifier: Apache-2.0
// Which C++ type holds which kind of value, and how it gets there and back. Loading relies on the
// earlier check against the kind. A new kind of member is one more specialisation here.
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gen/config/kind.h"
#include "gen/config/source.h"
#include "gen/config/writer.h"

namespace kumiki::gen::config {

inline constexpr std::size_t longest_list = 16'000'000;

template <class T>
struct Bind;  // leaf: the innermost type, to which range(), choices() … apply

template <std::integral T>
struct Bind<T> {
  static_assert(std::in_range<std::int64_t>(std::numeric_limits<T>::max()),
                "64 bits without a sign do not fit: use std::int64_t");
  using leaf = T;
  static Kind kind() {
    return {.form = Kind::Form::integer,
            .low = std::numeric_limits<T>::min(),
            .high = std::numeric_limits<T>::max()};
  }
  static void load(const Kind&, Node node, T& out) { out = static_cast<T>(node.integer()); }
  static void save(const Kind&, const T& value, Writer& to) { to.integer(value); }
};

template <>
struct Bind<bool> {
  using leaf = bool;
  static Kind kind() { return {.form = Kind::Form::boolean}; }
  static void load(const Kind&, Node node, bool& out) { out = node.boolean(); }
  static void save(const Kind&, const bool& value, Writer& to) { to.boolean(value); }
};

template <std::floating_point T>
struct Bind<T> {
  using leaf = T;
  static Kind kind() {
    return {.form = Kind::Form::number,
            .lowest = std::numeric_limits<T>::lowest(),
            .highest = std::numeric_limits<T>::max()};
  }
  static void load(const Kind&, Node node, T& out) { out = static_cast<T>(node.number()); }
  static void save(const Kind&, const T& value, Writer& to) { to.number(value); }
};

template <>
struct Bind<std::string> {
  using leaf = std::string;
  static Kind kind() { return {.form = Kind::Form::text, .rule = &any_text()}; }
  static void load(const Kind&, Node node, std::string& out) { out = node.text(); }
  static void save(const Kind&, const std::string& value, Writer& to) { to.text(value); }
};

template <class E>
requires std::is_enum_v<E>
struct Bind<E> {
  using leaf = E;
  static Kind kind() { return {.form = Kind::Form::choice}; }
  static void load(const Kind& kind, Node node, E& out) {
    for (const Word& w : kind.words) {
      if (w.word == node.text()) out = static_cast<E>(w.value);
    }
  }
  static void save(const Kind& kind, const E& value, Writer& to) {
    for (const Word& w : kind.words) {
      if (w.value == static_cast<std::int64_t>(value)) return to.text(w.word);
    }
    to.text("");  // an enumerator without a word: no check accepts it
  }
};

// Lists: vectors, arrays (of fixed length), and both within each other.
template <class L, class T>
struct BindList {
  using leaf = typename Bind<T>::leaf;
  static Kind kind(std::size_t shortest, std::size_t longest) {
    return {.form = Kind::Form::list,
            .shortest = shortest,
            .longest = longest,
            .element = {Bind<T>::kind()}};
  }
  static void save(const Kind& kind, const L& list, Writer& to) {
    to.begin_list();
    for (const T& entry : list) Bind<T>::save(kind.element.front(), entry, to);
    to.end_list();
  }
};

template <class T>
struct Bind<std::vector<T>> : BindList<std::vector<T>, T> {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements to bind");
  static Kind kind() { return BindList<std::vector<T>, T>::kind(0, longest_list); }
  static void load(const Kind& kind, Node node, std::vector<T>& out) {
    out.clear();
    node = node.list();
    out.reserve(node.size());
    for (const Node entry : node.entries()) {
      Bind<T>::load(kind.element.front(), entry, out.emplace_back());
    }
  }
};

template <class T, std::size_t N>
struct Bind<std::array<T, N>> : BindList<std::array<T, N>, T> {
  static Kind kind() { return BindList<std::array<T, N>, T>::kind(N, N); }
  static void load(const Kind& kind, Node node, std::array<T, N>& out) {
    std::size_t i = 0;
    for (const Node entry : node.entries()) Bind<T>::load(kind.element.front(), entry, out[i++]);
  }
};

// One value or a list of values: for example one stride for both directions, or one for each.
template <class T>
struct Bind<std::variant<T, std::vector<T>>> {
  using leaf = typename Bind<T>::leaf;
  using Either = std::variant<T, std::vector<T>>;
  static Kind kind() {
    Kind kind = Bind<std::vector<T>>::kind();
    kind.form = Kind::Form::one_or_list;
    return kind;
  }
  static void load(const Kind& kind, Node node, Either& out) {
    if (node.list().form() == Form::list) {
      Bind<std::vector<T>>::load(kind, node, out.template emplace<1>());
    } else {
      Bind<T>::load(kind.element.front(), node, out.template emplace<0>());
    }
  }
  static void save(const Kind& kind, const Either& value, Writer& to) {
    if (value.index() == 0) {
      Bind<T>::save(kind.element.front(), std::get<0>(value), to);
    } else {
      Bind<std::vector<T>>::save(kind, std::get<1>(value), to);
    }
  }
};

void load_object(const Table& table, Node node, void* out);
void save_object(const Table& table, const void* value, Writer& to);

// A struct with a table of its own. Absent keys take the defaults of that table.
template <class S>
requires std::is_class_v<S>
struct Bind<S> {
  using leaf = S;
  static Kind kind() { return {.form = Kind::Form::object}; }
  static void load(const Kind& kind, Node node, S& out) {
    out = S{};
    load_object(*kind.table, node, &out);
  }
  static void save(const Kind& kind, const S& value, Writer& to) {
    save_object(*kind.table, &value, to);
  }
};

}  // namespace kumiki::gen::config
