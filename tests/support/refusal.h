// SPDX-License-Identifier: Apache-2.0
// What an action is refused for.
#pragma once
#include <functional>
#include <string>

namespace kumiki::test {

template <class Refused>
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Refused& e) {
    return e.what();
  }
  return "not refused";
}

}  // namespace kumiki::test
