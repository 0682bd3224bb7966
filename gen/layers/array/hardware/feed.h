// SPDX-License-Identifier: Apache-2.0
// The path of the individual operands: loader, banks, feeder.
#pragma once
#include "gen/layers/array/hardware/walk.h"
#include "gen/layers/array/ports.h"

namespace kumiki::gen::array {

// Which operands the elements take. The compute engine, which is built later, drives these nets.
struct Taken {
  Net shadow, direct;
};

struct Feed {
  Net ind_ready;
  Net direct_full;
  std::vector<UInt> direct;  // a beat of a fully connected layer
  Net shadow_full;
  Net shift_in;                           // a chunk enters every row's shadow
  std::vector<std::vector<UInt>> pixels;  // [row][position of the chunk]
};
Feed build_feed(Scope& s, const ArrayPlan& plan, const Config& config, const ArrayIn<Hardware>& in,
                const Taken& taken);

}  // namespace kumiki::gen::array
