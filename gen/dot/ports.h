// SPDX-License-Identifier: Apache-2.0
// Ports of a dot product: two results share the operand b, ab = sum a[i]*b[i] and db = sum
// d[i]*b[i]. Weight sharing: b is the weight, a and d two pixels of one map. Input sharing: b is
// the pixel, a and d the weights of two maps.
#pragma once
#include "gen/dsl/ports.h"

namespace kumiki::gen::dot {

template <class R>
struct DotIn {
  typename R::Bit rst;  // clears the valid bits
  typename R::Bit en;   // 0 holds everything
  typename R::Bit in_valid;
  std::vector<typename R::SInt> a, d, b;  // one a term
  static constexpr auto ports() {
    return std::tuple(port("rst", &DotIn::rst), port("en", &DotIn::en),
                      port("in_valid", &DotIn::in_valid), port("a", &DotIn::a),
                      port("d", &DotIn::d), port("b", &DotIn::b));
  }
};

template <class R>
struct DotOut {
  typename R::Bit out_valid;
  typename R::SInt ab, db;
  static constexpr auto ports() {
    return std::tuple(port("out_valid", &DotOut::out_valid), port("ab", &DotOut::ab),
                      port("db", &DotOut::db));
  }
};

}  // namespace kumiki::gen::dot
