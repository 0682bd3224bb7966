// SPDX-License-Identifier: Apache-2.0
// A layer's definition as what a proof is asked.
#pragma once
#include "backends/formal/prove.h"
#include "gen/layer/reference.h"

namespace kumiki::cli {

inline backends::proof::Question question_of(const gen::proof::Reference& r) {
  return {r.verilog, r.depth, r.flushes, r.while_one, r.parts, {r.sum_ports, r.sum_words}};
}

}  // namespace kumiki::cli
