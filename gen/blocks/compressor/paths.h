// SPDX-License-Identifier: Apache-2.0
// Paths through the LUTs and carry chains of one combinational module, by a table of delays, as if
// there were registers in front of a cell and behind another one. backends/timing is the judge of
// what comes out.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
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
  Paths(const ir::Module& module, const ir::timing::Delays& delays);
  // Arrivals alone, through the cells that a module has got since it had so many cells and nets:
  // what was there before counts as inputs.
  struct Since {
    std::uint32_t cells = 0, nets = 0;
  };
  Paths(const ir::Module& module, const ir::timing::Delays& delays, Since since);

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  // none: an input
  std::uint32_t driver(Net net) const {
    return net.index < since_.nets ? none : driver_[net.index - since_.nets];
  }
  std::uint32_t readers(Net net) const {
    return net.index < since_.nets ? before_.at(net.index) : readers_[net.index - since_.nets];
  }

  // Cells between which no register can stand: the blocks of a carry chain, and the LUTs that make
  // its S. Numbers from 0 on.
  std::uint32_t part(std::uint32_t cell) const { return part_[cell]; }
  std::uint32_t part_count() const { return part_count_; }

  // Every cell that is reached from registers in front of `cell`, drivers before readers: `action`
  // is told the period that registers right behind it would ask for (0: none can stand there), and
  // says whether to go on behind it.
  using Action = std::function<bool(std::uint32_t reached, Picoseconds period)>;
  void walk(std::uint32_t cell, const Action& action);

  // From the inputs, all there at once, through all cells; `at`: to a net, and out of the chain
  // where it is a carry; `longest`: to the last of the outputs.
  void follow();
  Picoseconds at(Net net) const;
  Picoseconds longest();

 private:
  Picoseconds wire(Net net, std::uint32_t cell, std::uint32_t pin, bool from_register) const;
  Picoseconds arrival(std::uint32_t cell, std::uint32_t pin) const;
  void pass(std::uint32_t cell);
  void pass_lut(std::uint32_t cell);
  void pass_carry(std::uint32_t cell);
  Picoseconds period(std::uint32_t cell) const;
  void set(std::uint32_t net, Picoseconds at);
  Picoseconds exit(Net net) const;
  bool is_zero(Net net) const;
  ir::CarryShape shape(const ir::Cell& cell) const { return {cell.kind, module_.view(cell)}; }
  bool is_carry_out(Net net) const;
  bool is_cascade(Net net) const;
  bool leads_to(std::uint32_t lut, const std::set<std::uint32_t>& chain) const;
  void join_parts();

  const ir::Module& module_;
  const ir::timing::Delays delays_;
  const Since since_;
  std::vector<std::uint32_t> driver_, readers_, part_;  // nets by their number less since_.nets
  std::map<std::uint32_t, std::uint32_t> before_;       // readers of nets that were there before
  std::vector<std::vector<std::uint32_t>> reading_;     // cells, of every net
  std::uint32_t part_count_ = 0;

  // Of one walk.
  std::uint32_t first_ = none;   // none: from the inputs
  std::vector<Picoseconds> at_;  // of every net; never: not reached
  std::vector<std::uint32_t> reached_;
};

}  // namespace kumiki::gen::compressor
