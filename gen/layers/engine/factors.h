// SPDX-License-Identifier: Apache-2.0
// Products of numbers of two maps. Numbers are stored less 128 or 0, so those less their zero
// points are a + d and b + e with the same d and e for all. Of the four products a * b and d * b
// take the weight b, where d is what pads; a * e takes the weight e; d * e is the bias. What is no
// byte, like 128, takes several words.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "gen/layers/engine/op.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::engine {

// The words of a set, in this order: `constants`, each by the map; so many times the map by the
// weights of the other one; what pads by these.
struct Factors {
  std::vector<std::int8_t> constants;
  std::int64_t numbers = 1;
  std::int64_t pads = 0;
  std::int8_t pad = 0;
  std::int64_t bias = 0;  // of one product

  // The factor is one of each product.
  Factors(const graph::Tensor& map, const graph::Tensor& other, std::int64_t factor = 1)
      : numbers(factor) {
    constexpr std::int64_t most = 127;
    const std::int64_t d = added_to(map), e = added_to(other);
    bias = factor * d * e;
    for (std::int64_t left = factor * e; left != 0; left -= constants.back())
      constants.push_back(static_cast<std::int8_t>(std::clamp(left, -most, most)));
    // The fewest equal bytes.
    const std::int64_t sum = factor * d;
    for (pads = ceil_div(std::abs(sum), most); pads > 0 && sum % pads != 0;) ++pads;
    if (pads > 0) pad = static_cast<std::int8_t>(sum / pads);
  }
  std::int64_t of_weights() const { return numbers + pads; }
  std::int64_t count() const { return std::ssize(constants) + of_weights(); }

  // A walk that reads `tap`: with all words.
  void put_into(Walk& walk, const Tap& tap) const {
    walk.taps.assign(static_cast<std::size_t>(count()), tap);
    std::fill_n(walk.taps.rbegin(), pads, Tap{});
    walk.pad = pad;
  }

 private:
  static std::int64_t added_to(const graph::Tensor& t) { return stored_less(t) - t.zero_point; }
};

}  // namespace kumiki::gen::engine
