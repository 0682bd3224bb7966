// SPDX-License-Identifier: Apache-2.0
// An operation on single pixels: channels of known formats in, channels of derived formats out, a
// pipeline of fixed latency with one enable.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gen/blocks/packing/format.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::vision {

class PixelOperation {
 public:
  using Pixels = std::vector<std::vector<UInt>>;  // [pixel][channel]
  virtual ~PixelOperation() = default;
  virtual const std::vector<packing::OperandFormat>& inputs() const = 0;
  virtual const std::vector<packing::OperandFormat>& outputs() const = 0;
  virtual int latency() const = 0;
  // The definition, for the channels of one pixel; the values have the formats of the inputs.
  virtual std::vector<std::int64_t> apply(std::span<const std::int64_t> in) const = 0;
  // Builds any number of pixels at once, so that they share slices.
  virtual Pixels build(Scope& s, const Pixels& in, Net enable) const = 0;
  virtual std::string name() const = 0;  // part of a module's name, unique apart from the formats
  virtual std::string text() const = 0;  // for people
};

}  // namespace kumiki::gen::vision
