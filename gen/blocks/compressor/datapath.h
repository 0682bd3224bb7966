// SPDX-License-Identifier: Apache-2.0
// A function of words as a module: combinational, or pipelined with a new set of operands every
// clock. Ports are words side by side. Pipelined modules also have rst, en, in_valid and out_valid
// (rst clears the valid bits, en 0 holds everything).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gen/blocks/compressor/registers.h"
#include "gen/hdl/scope.h"
#include "ir/machine.h"

namespace kumiki::gen::compressor {

struct PortShape {
  std::string name;
  std::uint32_t count = 1, width = 1;  // `count` words, the first one in the lowest bits
  bool is_signed = false;
  bool operator==(const PortShape&) const = default;
};

struct Datapath {
  std::string module, about;
  std::vector<PortShape> in;
  PortShape out;
  unsigned latency = 0;  // clocks; 0: combinational
  // Registers placed in the build's combinational netlist; empty: the build has its own registers.
  std::shared_ptr<const Placement> placement = {};
};

// Builds the inside: one word for all of `out`, registered at the end if there is a latency.
using BuildWords =
    std::function<UInt(Scope&, const std::vector<UInt>& in /* all of all ports */, Net enable)>;

// Places registers in the combinational netlist that `build` makes.
std::shared_ptr<const Placement> place_registers(const Datapath& path, ir::Family family,
                                                 const BuildWords& build, const Between& between,
                                                 const std::function<bool()>& pulse = {});

ir::Module& build_datapath(Builder& builder, ir::OriginId origin, const Datapath& path,
                           const BuildWords& build);

// The same function in integers: words of up to 64 bits, sign-extended.
using WordValues = std::vector<std::int64_t>;
using Compute = std::function<WordValues(const WordValues& in)>;
std::unique_ptr<ir::Machine> datapath_model(const Datapath& path, const Compute& compute);

}  // namespace kumiki::gen::compressor
