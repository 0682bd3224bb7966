// SPDX-License-Identifier: Apache-2.0
// Any monotone function of one number, channel by channel, as a list of thresholds where the next
// result begins. The result is `lowest` plus the number of the channel's thresholds that are at
// most x, or above x if the channel falls. Results that never occur begin where the next one does.
#pragma once
#include "gen/operators/fields.h"
#include "gen/operators/operator.h"
#include "gen/operators/rooms.h"

namespace kumiki::gen::graph {

struct Thresholds {
  static constexpr std::string_view name = "thresholds";
  static constexpr std::string_view left_to_host = "thresholds of every channel";
  int lowest = 0;
  int levels = 1;                     // number of results - 1
  std::vector<std::int32_t> begins;   // [channel][level], or [level] for all channels
  std::vector<std::uint8_t> falling;  // [channel], 0 or 1; none: no channel falls
  friend bool operator==(const Thresholds&, const Thresholds&) = default;

  bool falls(std::size_t channel) const { return !falling.empty() && falling[channel] != 0; }
  std::int32_t at(std::size_t channel, std::int64_t x) const;

  template <class Self, class Fields>
  static void fields(Self& self, Fields& f) {
    f.number("lowest", self.lowest);
    f.number("levels", self.levels);
    f.list("begins", self.begins);
    f.list("falling", self.falling);
  }
};

void check(const Thresholds& op, NodeCheck& node);
Compute computer(const Thresholds& op, const Ends& ends);
arith::Interval reached(const Thresholds& op, const Ends& ends,
                        const std::vector<arith::Interval>& numbers);

}  // namespace kumiki::gen::graph

KUMIKI_ON_PIPELINE(Thresholds)
KUMIKI_ON_ENGINE(Thresholds)
KUMIKI_FROM_ONNX(Thresholds)
