// SPDX-License-Identifier: Apache-2.0
// One key of a configuration object: what is valid, what it means, where its value goes.
//
//   field("terms", &DotConfig::terms).range(1, 65536).help("products summed")
//
// The member's type gives the kind (bind.h), and its initial value in the struct the default. A
// std::optional member has none; a required() key must be given.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gen/config/bind.h"
#include "gen/config/kind.h"
#include "gen/config/messages.h"
#include "ir/error.h"

namespace kumiki::gen::config {

enum class Presence { fallback, required, optional };

struct Attribute {
  std::string key;
  Kind kind;
  Presence presence = Presence::fallback;
  std::string help;    // a sentence or two
  std::string unit;    // "bits"
  std::string absent;  // of an optional key: what its absence means
  int since = 1;       // first version of the format that has it
  std::function<void(const Kind&, Node, void*)> load;
  std::function<bool(const Kind&, const void*, Writer&)> save;  // false: there is nothing to write
};

// An attribute of S, whatever the type of its member.
template <class S>
struct FieldOf {
  Attribute attribute;
};

template <class E>
struct Choice {
  std::string word;
  E value;
  std::string help = {};
};

template <class S>
class TableOf;

template <class S, class T>
class Field : public FieldOf<S> {
 public:
  using Leaf = typename Bind<T>::leaf;
  Field() = default;
  explicit Field(T S::*member) : member_(member) {}

  Field& help(std::string sentence) { return set(self().help, std::move(sentence)); }
  Field& unit(std::string name) { return set(self().unit, std::move(name)); }
  Field& since(int version) { return set(self().since, version); }
  Field& absent(std::string meaning) { return set(self().absent, std::move(meaning)); }
  // For a list: an empty list means the same as a missing key.
  Field& absent_when_empty(std::string meaning) requires requires(const T& t) { t.empty(); }
  {
    self().presence = Presence::optional;
    self().save = [member = member_](const Kind& kind, const void* from, Writer& to) {
      const T& value = static_cast<const S*>(from)->*member;
      if (!value.empty()) Bind<T>::save(kind, value, to);
      return !value.empty();
    };
    return absent(std::move(meaning));
  }
  Field& required() { return set(self().presence, Presence::required); }

  // Bounds of the number, or of every number of the list.
  Field& range(std::int64_t low,
               std::int64_t high) requires(std::integral<Leaf> && !std::same_as<Leaf, bool>) {
    if (!std::in_range<Leaf>(low) || !std::in_range<Leaf>(high)) {
      throw DesignError(code::attribute_mismatch,
                        self().key + ": its range is larger than the type of its member");
    }
    leaf().low = low;
    return set(leaf().high, high);
  }
  Field& range(double low, double high) requires std::floating_point<Leaf> {
    leaf().lowest = low;
    return set(leaf().highest, high);
  }
  Field& rule(const TextRule& which) requires std::same_as<Leaf, std::string> {
    return set(leaf().rule, &which);
  }
  Field& choices(const std::vector<Choice<Leaf>>& all) requires std::is_enum_v<Leaf> {
    for (const auto& c : all) {
      leaf().words.push_back({c.word, static_cast<std::int64_t>(c.value), c.help});
    }
    return *this;
  }
  // The table of a struct member; it must live as long as this one.
  Field& object(const TableOf<Leaf>& table) requires std::is_class_v<Leaf> {
    return set(leaf().table, &table);
  }
  Field& object(TableOf<Leaf>&&) = delete;

  // A list of integers, or of such lists, that may also be read from a file.
  Field& or_file() requires(std::integral<Leaf> && !std::same_as<Leaf, bool>) {
    return set(self().kind.from_file, true);
  }

  // Lengths of a list. rows() and columns() are for a list of lists; its rows then have one
  // length.
  Field& length(std::size_t shortest, std::size_t longest) { return limit(0, shortest, longest); }
  Field& rows(std::size_t least, std::size_t most) { return limit(0, least, most); }
  Field& columns(std::size_t least, std::size_t most) {
    self().kind.rectangular = true;
    return limit(1, least, most);
  }

 private:
  T S::*member_ = nullptr;  // of one that is no std::optional
  Attribute& self() { return this->attribute; }
  Kind& leaf() {
    Kind* kind = &self().kind;
    while (!kind->element.empty()) kind = &kind->element.front();
    return *kind;
  }
  Field& limit(std::size_t depth, std::size_t shortest, std::size_t longest) {
    Kind* kind = &self().kind;
    for (std::size_t i = 0; i < depth; ++i) kind = &kind->element.at(0);
    if (kind->shortest == kind->longest) {
      throw DesignError(code::attribute_mismatch,
                        self().key + ": is not a list of variable length");
    }
    kind->shortest = shortest;
    return set(kind->longest, longest);
  }
  template <class M, class V>
  Field& set(M& member, V&& value) {
    member = std::forward<V>(value);
    return *this;
  }
};

template <class S, class T>
Field<S, T> field(std::string key, T S::*member) {
  Field<S, T> f(member);
  f.attribute.key = std::move(key);
  f.attribute.kind = Bind<T>::kind();
  f.attribute.load = [member](const Kind& kind, Node node, void* out) {
    Bind<T>::load(kind, node, static_cast<S*>(out)->*member);
  };
  f.attribute.save = [member](const Kind& kind, const void* from, Writer& to) {
    return Bind<T>::save(kind, static_cast<const S*>(from)->*member, to), true;
  };
  return f;
}

template <class S, class T>
Field<S, T> field(std::string key, std::optional<T> S::*member) {
  Field<S, T> f;
  f.attribute.key = std::move(key);
  f.attribute.kind = Bind<T>::kind();
  f.attribute.presence = Presence::optional;
  f.attribute.load = [member](const Kind& kind, Node node, void* out) {
    Bind<T>::load(kind, node, (static_cast<S*>(out)->*member).emplace());
  };
  f.attribute.save = [member](const Kind& kind, const void* from, Writer& to) {
    const std::optional<T>& value = static_cast<const S*>(from)->*member;
    if (value) Bind<T>::save(kind, *value, to);
    return value.has_value();
  };
  return f;
}

}  // namespace kumiki::gen::config
