// SPDX-License-Identifier: Apache-2.0
// Collects values into JSON; keeps nlohmann's header out of tables and plans.
//
//   void write(config::Writer& w, const Plan& p) {   // the members of an object already begun
//     w.member("slices", p.slices());
//     w.member("proofs", p.certificate.statements());  // a list of what has write() of its own
//     w.object("window", [&] { w.member("size", p.size); });
//   }
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

#include "gen/config/kind.h"

namespace kumiki::gen::config {

class Writer {
 public:
  Writer();
  ~Writer();
  Writer(const Writer&) = delete;

  void integer(std::int64_t value);
  void number(double value);
  void boolean(bool value);
  void text(std::string_view value);
  void null();
  void begin_list();
  void end_list();
  void begin_object();
  void key(std::string_view name);  // of the next value; a repeated key replaces
  void end_object();

  // Numbers, texts, optionals (null when empty), lists, and what has write() for the members of an
  // object or write_value() for something else.
  template <class T>
  void value(const T& v);

  template <class T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }
  template <std::invocable Members>
  void object(Members&& members) {
    begin_object();
    members();
    end_object();
  }
  template <std::invocable Members>
  void object(std::string_view name, Members&& members) {
    key(name);
    object(members);
  }
  // `each` writes the members of an object for every entry.
  template <std::ranges::input_range L, class Each>
  void objects(std::string_view name, L&& list, Each&& each) {
    key(name);
    begin_list();
    for (const auto& entry : list) object([&] { each(entry); });
    end_list();
  }
  // `text_of` names every entry.
  template <std::ranges::input_range L, class TextOf>
  void texts(std::string_view name, L&& list, TextOf&& text_of) {
    key(name);
    begin_list();
    for (const auto& entry : list) text(text_of(entry));
    end_list();
  }

  Json take();
  std::string printed();  // the same as text, two blanks a level; invalid UTF-8 becomes U+FFFD

 private:
  struct State;
  std::unique_ptr<State> state_;
};

template <class T>
void Writer::value(const T& v) {
  if constexpr (std::same_as<T, bool>) {
    boolean(v);
  } else if constexpr (std::integral<T>) {
    integer(static_cast<std::int64_t>(v));
  } else if constexpr (std::floating_point<T>) {
    number(v);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    text(v);
  } else if constexpr (requires { write_value(*this, v); }) {
    write_value(*this, v);
  } else if constexpr (requires { write(*this, v); }) {
    object([&] { write(*this, v); });
  } else if constexpr (requires { v.has_value(); }) {
    if (v.has_value())
      value(*v);
    else
      null();
  } else {
    static_assert(std::ranges::input_range<const T>);
    begin_list();
    for (const auto& entry : v) value(entry);
    end_list();
  }
}

// The text of a JSON value: two blanks a level, lists of plain values in lines of up to 100
// characters, a line feed at the end.
std::string print(const Json& value);

}  // namespace kumiki::gen::config
