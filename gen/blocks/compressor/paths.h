// SPDX-License-Identifier: Apache-2.0
// Delays of paths through the LUTs and carry chains of one combinational module, by a table of
// delays. They are computed as if registers stood in front of one cell and behind another. The
// final delays come from backends/timing.
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
  // The module has LUTs and carry blocks, drivers before readers. Outputs of other cells count as
  // inputs. `part` and `walk` allow no other cells.
  Paths(const ir::Module& module, const ir::timing::Delays& delays);
  // Arrivals only, through the cells added since the module had these numbers of cells and nets.
  // Everything older counts as an input.
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

  // Groups of cells that no register can separate: the blocks of a carry chain and the LUTs that
  // make its S. Numbered from 0.
  std::uint32_t part(std::uint32_t cell) const { return part_[cell]; }
  std::uint32_t part_count() const { return part_count_; }

  // Visits every cell that is reached from registers in front of `cell`, drivers before readers.
  // `action` receives the period that registers directly behind the reached cell would require (0:
  // none can stand there). It returns whether to continue behind that cell.
  using Action = std::function<bool(std::uint32_t reached, Picoseconds period)>;
  void walk(std::uint32_t cell, const Action& action);

  // Follows all cells from the inputs, which all arrive at once. `at`: arrival at a net; for a
  // carry, outside the chain. `longest`: arrival at the last output.
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
  std::vector<std::uint32_t> driver_, readers_, part_;  // indexed by net less since_.nets
  std::map<std::uint32_t, std::uint32_t> before_;       // readers of older nets
  std::vector<std::vector<std::uint32_t>> reading_;     // cells, of every net
  std::uint32_t part_count_ = 0;

  // State of one walk.
  std::uint32_t first_ = none;   // none: from the inputs
  std::vector<Picoseconds> at_;  // of every net; never: not reached
  std::vector<std::uint32_t> reached_;
};

}  // namespace kumiki::gen::compressor
