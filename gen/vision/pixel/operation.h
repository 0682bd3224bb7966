// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gen/dsl/dsl.h"
#include "gen/packing/format.h"

namespace kumiki::gen::vision {

class PixelOperation {
 public:
  using Pixels = std::vector<std::vector<UInt>>;  // [pixel][channel]
  virtual ~PixelOperation() = default;
  virtual const std::vector<packing::OperandFormat>& inputs() const = 0;
  virtual const std::vector<packing::OperandFormat>& outputs() const = 0;
  virtual int latency() const = 0;
  virtual std::vector<std::int64_t> apply(std::span<const std::int64_t> in) const = 0;
  virtual Pixels build(Scope& s, const Pixels& in, Net enable) const = 0;
  virtual std::string name() const = 0;
  virtual std::string text() const = 0;
};

}  // namespace kumiki::gen::vision
