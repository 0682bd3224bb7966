// SPDX-License-Identifier: Apache-2.0
// The text of an operator. The operator names its fields once; the text of a graph is written and
// read by these names:
//
//     struct Conv {
//       template <class Self, class Fields>
//       static void fields(Self& self, Fields& f) {
//         window_fields(f, self.window);
//         f.number("groups", self.groups, 1);  // not written if it is 1
//         f.list("scales", self.scales);       // in lines of its own
//       }
//     };
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "gen/operators/tensor.h"

namespace kumiki::gen::graph {

// The words of a window; `pair` gets each with its default.
template <class Fields, class AnyWindow>
void window_fields(Fields& f, AnyWindow& window) {
  static const Window plain;
  f.pair("kernel", window.kernel, plain.kernel);
  f.pair("stride", window.stride, plain.stride);
  f.pair("dilation", window.dilation, plain.dilation);
  f.pair("before", window.before, plain.before);
  f.pair("after", window.after, plain.after);
}

// Ignores all fields; visitors override what they want.
struct NoFields {
  template <class... T>
  void pair(T&&...) {}
  template <class... T>
  void number(T&&...) {}
  template <class... T>
  void real(T&&...) {}
  template <class... T>
  void sizes(T&&...) {}
  template <class... T>
  void list(T&&...) {}
};

}  // namespace kumiki::gen::graph
