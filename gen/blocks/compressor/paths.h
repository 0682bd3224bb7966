// SPDX-License-Identifier: Apache-2.0
// Paths through the LUTs and carry chains of one combinational module, by a table of delays, as if
// there were registers in front of a cell and behind another one. backends/timing is the judge of
// what comes out.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "ir/delays.h"
#include "ir/design.h"
#include "ir/primitives/carry.h"

namespace kumiki::gen::compressor {

using ir::Net;
using ir::timing::Picoseconds;

class Paths {
 public:
  // The module has LUTs and carry blocks, drivers before readers; what comes out of other cells
  // counts as an input. For `part` and `walk` there are no others.
  enum class For { registers, arrivals };
  Paths(const ir::Module& module, const ir::timing::Delays& delays, For use = For::registers);

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t driver(Net net) const { return driver_[net.index]; }  // none: an input
  std::uint32_t readers(Net net) const { return readers_[net.index]; }

  // Cells between which no register can stand: the blocks of a carry chain, and the LUTs that make
  // its S. Numbers from 0 on.
  std::uint32_t part(std::uint32_t cell) const { return part_[cell]; }
  std::uint32_t part_count() const { return part_count_; }

  // Every cell that is reached from registers in front of `cell`, drivers before readers: `action`
  // is told the period that registers right behind it would ask for (0: none can stand there), and
  // says whether to go on behind it.
  using Action = std::function<bool(std::uint32_t reached, Picoseconds period)>;
  void walk(std::uint32_t cell, const Action& action);

  // From the inputs, all there at once, to the last of the outputs.
  Picoseconds longest();
  // The same to every net, and out of the chain where it is a carry.
  std::vector<Picoseconds> arrivals();

 private:
  Picoseconds wire(Net net, std::uint32_t cell, std::uint32_t pin, bool from_register) const;
  Picoseconds arrival(std::uint32_t cell, std::uint32_t pin) const;
  void pass(std::uint32_t cell);
  void pass_lut(std::uint32_t cell);
  void pass_carry(std::uint32_t cell);
  Picoseconds period(std::uint32_t cell) const;
  void set(std::uint32_t net, Picoseconds at);
  Picoseconds exit(Net net) const;
  void forget();
  bool is_zero(Net net) const;
  ir::CarryShape shape(const ir::Cell& cell) const { return {cell.kind, module_.view(cell)}; }
  bool is_carry_out(Net net) const;
  bool is_cascade(Net net) const;
  bool leads_to(std::uint32_t lut, const std::set<std::uint32_t>& chain) const;
  void join_parts();

  const ir::Module& module_;
  const ir::timing::Delays delays_;
  std::vector<std::uint32_t> driver_, readers_, part_;
  std::vector<std::vector<std::uint32_t>> reading_;  // cells, of every net
  std::uint32_t part_count_ = 0;

  // Of one walk.
  std::uint32_t first_ = none;   // none: from the inputs
  std::vector<Picoseconds> at_;  // of every net; never: not reached
  std::vector<std::uint32_t> reached_;
};

}  // namespace kumiki::gen::compressor
