// SPDX-License-Identifier: Apache-2.0
// A layer's model run for some clocks, and what its beats say was on its ports.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gen/layer/layer.h"
#include "gen/layers/catalog.h"

namespace kumiki::gen::beats::test {

struct Recording {
  ir::PortLayout ports;
  std::vector<ir::Frame> in, out;
  std::vector<Beat> beats;

  // What stands on a port in a clock, from bit `low` on.
  std::int64_t at(std::size_t clock, const std::string& port, std::uint32_t low,
                  const arith::Format& format) const;
  bool is_one(std::size_t clock, const std::string& port) const {
    return at(clock, port, 0, {1, false}) != 0;
  }
  const Beat& beat(const std::string& port, const std::string& part = {}) const;
};

// The only layer of a configuration; with streams around it where that is asked for.
std::shared_ptr<const Layer> layer_of(const std::string& json, bool axi_stream = false);

// Random data, controls that stall, no reset. `drive` has the last word on a clock's inputs,
// `watch` sees them with the outputs.
using Steer = std::function<void(const ir::PortLayout&, ir::Frame& in)>;
using Watch = std::function<void(const ir::PortLayout&, const ir::Frame& in, const ir::Frame& out)>;
Recording record(const Layer& layer, std::size_t clocks, const Steer& drive = {},
                 const Watch& watch = {});

void put(const ir::PortLayout& ports, ir::Frame& in, const std::string& port, std::uint64_t value);
bool is_one(const std::vector<ir::PortSlot>& slots, const ir::Frame& frame,
            const std::string& port);

// Element by element, what `of` says it is; one map a set, complete ones only.
using Set = std::map<Coordinates, std::int64_t>;
std::vector<Set> decoded(const Recording& r, const Beat& beat, const GivenCounts& given = {});
inline std::vector<Set> decoded(const Recording& r, const std::string& port,
                                const std::string& part = {}, const GivenCounts& given = {}) {
  return decoded(r, r.beat(port, part), given);
}

}  // namespace kumiki::gen::beats::test
