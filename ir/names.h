// SPDX-License-Identifier: Apache-2.0
// Names, fixed once before any backend. They depend only on the module and the ports of its
// instances, so the text of one module does not change when another is edited.
//
//  - Every name is valid in Verilog, SystemVerilog and VHDL, is no keyword of these, and differs
//    from its neighbours in more than case.
//  - Ports come first, then hints in their order, then names of cells. A name that is taken gets
//    _2, _3, …; a keyword of a language gets _1.
//  - A hint claims those of its nets that a cell of this module drives and that nothing has claimed
//    yet, at the bit positions they have in the hint. If only some are free, each run of
//    neighbours becomes a signal of its own: "x" from bit 0, "x_12" from bit 12.
//  - A signal without a name is called after the nearest name that it serves, its role there, and
//    the number of its first net: "acc_next_n45" is the input of register acc, "acc_half_n46" the S
//    of its carry chain, "acc_term_n47" an input of LUTs before them; "n48" serves no named signal.
//    Each output pin is one signal; one that nobody reads gets none. Outputs of a named instance
//    are called instance_port.
//  - A cell is called after the first named signal that it drives: "acc_reg", "acc_4_reg"
//    if it drives a part of the signal that begins at bit 4, else "acc_term_n47_lut".
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/design.h"
#include "ir/name_pool.h"

namespace kumiki::ir {

// A name in parts, which a backend prints without making a string.
struct Name {
  std::string_view text;
  std::uint32_t number = 0;
  bool numbered = false;
  std::string_view suffix;
};
std::string to_string(const Name& name);

// What a module declares: bits [lsb + width - 1 : lsb] of one name; a scalar when width is 1.
struct Signal {
  enum class Origin : std::uint8_t { input, output, hint, cell };
  std::uint32_t name;  // which text; of a numbered signal its first net
  std::uint32_t width;
  std::uint32_t lsb;
  Origin origin;
  bool numbered;
  std::uint32_t stem = 0;  // of a numbered signal: the text before its number, 0: none
};

struct SignalBit {
  static constexpr std::uint32_t none = ~0u;
  std::uint32_t signal = none;
  std::uint32_t bit = 0;  // lsb of the signal included
  friend constexpr bool operator==(SignalBit, SignalBit) = default;
  bool exists() const { return signal != none; }
};

class ModuleNames {
 public:
  explicit ModuleNames(const Module& module);

  // Ports first (signal i is port i), then hints, then the rest in the order of the cells.
  const std::vector<Signal>& signals() const { return signals_; }
  // Constants, open, and nets that nobody drives or reads have no name.
  SignalBit of(Net net) const { return bits_[net.index]; }
  Name name(const Signal& s) const {
    if (s.numbered) return {stem(s), s.name, true, {}};
    return {texts_[s.name], 0, false, {}};
  }
  Name name(std::uint32_t signal) const { return name(signals_[signal]); }
  Name cell(CellId id) const;

 private:
  // Marks in bits_, used while naming.
  static constexpr std::uint32_t undriven = SignalBit::none, driven = SignalBit::none - 1;

  void choose_prefix();
  void mark_drivers();
  void mark_readers();
  void name_ports();
  void name_hints();
  void name_hint(const NameHint& hint);
  void name_cells_as_wished();
  void serve_names();
  void name_outputs();
  void name_pin(Net first, std::uint32_t width, const std::string* name);
  void name_cells();
  void name_after_output(CellId id, std::uint32_t outputs);

  std::string_view stem(const Signal& s) const { return s.stem ? texts_[s.stem] : prefix_; }
  std::size_t numbered_at(std::string_view name) const;
  std::uint32_t take(std::string_view wish, std::string_view otherwise);
  void set_cell_text(CellId id, std::uint32_t text);
  std::uint32_t cell_text(CellId id) const { return cells_.empty() ? 0 : cells_[id.value]; }
  bool is_free(Net net) const { return bits_[net.index].signal == driven; }
  bool is_read(Net net) const { return read_[net.index / 64] >> (net.index % 64) & 1; }

  const Module& module_;
  std::string prefix_;  // of numbers; no other name has it and a digit, at the front or behind _
  NamePool pool_;
  std::vector<std::string> texts_{std::string()};
  std::vector<Signal> signals_;
  std::vector<SignalBit> bits_;        // of every net
  std::vector<std::uint32_t> cells_;   // the text of every cell, 0 for numbered; empty: all are
  std::vector<std::uint64_t> read_;    // nets that a cell or an output reads
  std::vector<std::uint32_t> serves_;  // while naming: the stem of every net that has one
};

// The valid name that a top gets in every output if it asks for `wish`.
std::string name_of_top(std::string_view wish);

// The names of all modules that the top contains.
class Names {
 public:
  explicit Names(const Design& design);

  const Design& design() const { return design_; }
  std::span<const ModuleId> bottom_up() const { return order_; }  // children before parents
  std::string_view module(ModuleId id) const { return module_names_[id.value]; }
  const ModuleNames& in(ModuleId id) const { return *modules_[id.value]; }
  bool has_module(std::string_view name) const { return pool_.contains(name); }

 private:
  const Design& design_;
  std::vector<ModuleId> order_;
  NamePool pool_;
  std::vector<std::string> module_names_;
  std::vector<std::unique_ptr<ModuleNames>> modules_;
};

}  // namespace kumiki::ir
