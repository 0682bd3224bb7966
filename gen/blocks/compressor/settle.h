// SPDX-License-Identifier: Apache-2.0
// The values that the nets of a module settle at if all its inputs are 0. Registers inside a
// datapath power up with these values. So after configuration it behaves as if it had always seen
// zeros. With zeros in the registers, inverted bits and constants would give other results.
#pragma once
#include <vector>

#include "gen/hdl/state.h"

namespace kumiki::gen::compressor {

class Settled {
 public:
  explicit Settled(const ir::Module& module) : module_(module) {}
  bool operator()(Net n);  // the net must be driven already

 private:
  const ir::Module& module_;
  std::size_t done_ = 0;  // cells evaluated so far
  std::vector<ir::Lanes> value_;
};

// A register whose every bit powers up with the settled value of its input.
UInt settled_register(Scope& s, Settled& settled, std::span<const Net> d, Net enable,
                      SourceLocation here = SourceLocation::current());

}  // namespace kumiki::gen::compressor
