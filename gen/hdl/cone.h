// SPDX-License-Identifier: Apache-2.0
// A function of at most six nets, which fits a LUT, before it becomes one.
#pragma once
#include <array>
#include <optional>
#include <span>

#include "gen/hdl/table.h"
#include "ir/net.h"
#include "ir/primitive.h"

namespace kumiki::gen::detail {

using ir::Net;

// A cone is folded: its nets differ, none is constant, and every one matters.
struct Cone {
  Table table;
  std::array<Net, 6> in = {};

  std::span<const Net> inputs() const { return std::span(in).first(table.inputs); }
  bool is_constant() const { return table.inputs == 0; }
  bool is_wire() const { return table.inputs == 1 && table.bits == 0b10; }
  // The net of a constant or a wire.
  Net net() const { return is_wire() ? in[0] : ir::constant(table.at(0)); }
};

std::uint64_t full_mask(unsigned inputs);
ir::Kind lut_kind(unsigned inputs);

bool is_folded(const Table& t, std::span<const Net> in);
Cone folded(const Table& t, std::span<const Net> in);
Cone cone_of(Net net);
Cone inverse(Cone cone);

// A gate with cones as operands, as one cone; empty if it has more than six inputs.
std::optional<Cone> composed(const Table& gate, std::span<const Cone> operands);

}  // namespace kumiki::gen::detail
