// SPDX-License-Identifier: Apache-2.0
// The expression in a connection's parentheses: nets as the shortest concatenation of signals,
// slices, replications and sized constants.
#pragma once
#include <span>

#include "backends/support/text.h"
#include "ir/names.h"

namespace kumiki::backends::verilog {

class Expressions {
 public:
  explicit Expressions(const ir::ModuleNames& names) : names_(names) {}

  // Writes nets that are all constants or have a signal; the least significant comes first.
  void write(Text& out, std::span<const ir::Net> nets) const;
  void write(Text& out, ir::Net net) const;
  // Whether every net has a value that can be written.
  bool can_write(std::span<const ir::Net> nets) const;

 private:
  struct Piece {
    enum class Form { constant, repetition, slice } form;
    std::uint32_t count;
  };
  Piece highest_piece(std::span<const ir::Net> nets) const;
  void write(Text& out, std::span<const ir::Net> nets, Piece::Form form) const;

  const ir::ModuleNames& names_;
};

// 1'b0, 4'b0110, 48'h1f. Least significant limb first.
void write_constant(Text& out, std::uint32_t width, std::span<const std::uint64_t> limbs);

// " [7:0]" for declarations; nothing for one bit.
void write_range(Text& out, std::uint32_t width, std::uint32_t lsb = 0);

}  // namespace kumiki::backends::verilog
