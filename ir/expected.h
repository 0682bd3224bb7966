// SPDX-License-Identifier: Apache-2.0
// What was asked for, or the reason why it is not possible. Planning tries candidates with it;
// whoever talks to the user throws the reason.
#pragma once
#include <utility>
#include <variant>

namespace kumiki {

template <class T, class Reason>
class Expected {
 public:
  Expected(T value) : found_(std::in_place_index<0>, std::move(value)) {}
  Expected(Reason reason) : found_(std::in_place_index<1>, std::move(reason)) {}

  explicit operator bool() const { return found_.index() == 0; }
  // Throws std::bad_variant_access for the one that it is not.
  T& operator*() { return std::get<0>(found_); }
  const T& operator*() const { return std::get<0>(found_); }
  T* operator->() { return &std::get<0>(found_); }
  const T* operator->() const { return &std::get<0>(found_); }
  const Reason& reason() const { return std::get<1>(found_); }

 private:
  std::variant<T, Reason> found_;
};

}  // namespace kumiki
