// SPDX-License-Identifier: Apache-2.0
// A map of another size, every number a mean of four numbers of the map, with weights that are
// multiples of a power of two. Four memories hold four lines, those of even and odd lines and
// columns apart, so that four neighbours are read at once.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gen/layers/pipeline/machine.h"
#include "gen/layers/pipeline/machines/results.h"

namespace kumiki::gen::pipeline {

// Place i of an axis of the result lies between place from[i] of the map and the next one, which
// has weights[i] of 2^bits parts.
struct BetweenAxis {
  std::vector<std::int32_t> from, weights;
  int bits = 0;
  // Empty: a part is no multiple of 1/128. The last place of the map becomes the next one of the
  // place before it.
  static std::optional<BetweenAxis> of(const std::vector<std::int32_t>& from,
                                       const std::vector<float>& parts, std::int64_t length);
  std::int64_t size() const { return std::ssize(from); }
  bool operator==(const BetweenAxis&) const = default;
};

struct InterpolatePlan {
  Stream stream;
  BetweenAxis rows, columns;
  // Cuts off the fraction. Otherwise rounds the distance from the zero point to the nearest, ties
  // to the even one.
  bool truncates = false;
  std::int64_t zero_point = 0;

  std::optional<std::string> why_not() const;  // empty: it can be built
  std::int64_t needs() const { return std::min<std::int64_t>(stream.height, 2); }  // lines
  int fraction() const { return rows.bits + columns.bits; }  // bits of the sums
  std::int64_t words_of_a_line() const;  // in one of the memories, a power of two
  bool in_luts() const;
  int clocks_of_a_memory() const { return in_luts() ? 1 : 2; }  // from an address to its word
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const;
  Lines schedule() const;
  std::int64_t slices() const { return 0; }
  int levels() const { return 3; }
  std::string kind() const { return "interpolate"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const InterpolatePlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const InterpolatePlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const InterpolatePlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
