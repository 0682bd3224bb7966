// SPDX-License-Identifier: Apache-2.0
// A compressor tree as a plain value: its heap, its elements by stage and column, its final adder.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/blocks/compressor/elements.h"

namespace kumiki::gen::compressor {

// A heap without its nets: bits and raw pairs in every column. Sums are modulo 2^width.
struct Shape {
  std::vector<unsigned> bits, pairs;
  unsigned width() const { return static_cast<unsigned>(bits.size()); }
  unsigned total() const;
  unsigned height() const;  // of the highest column
  unsigned nets() const;    // a pair has two
  bool has_pairs() const;
  bool operator==(const Shape&) const = default;
};
Shape popcount_shape(unsigned n);         // n bits, as many columns as n needs
std::string to_text(const Shape& shape);  // "64" or "8 16 8 +4p", columns from low to high

struct Counter {
  std::size_t element;  // index in elements()
  unsigned column;
  bool operator==(const Counter&) const = default;
};

// How a bit of the first column enters a chain as its carry. pin: on a pin of the carry primitive.
// exit: as DI of the position through which the previous chain leaves. lead: as DI of a position of
// its own.
enum class Entry { none, pin, exit, lead };

// Joined atoms.
struct Chain {
  unsigned column;
  std::vector<std::size_t> atoms;
  Entry entry = Entry::none;
  bool is_open = false;  // its carry leaves as three nets, without a position of its own
  unsigned width() const;
  bool operator==(const Chain&) const = default;
};

struct Stage {
  std::vector<Counter> counters;
  std::vector<Chain> chains;
  bool operator==(const Stage&) const = default;
};

enum class Finish {
  row,      // two rows added on a carry chain
  ternary,  // three rows on one, in front of flip-flops
  carry,    // the top column alone: a comparison
};

enum class Objective { stages, area, delay, paper, luts };

struct TreePlan {
  Shape shape;
  Finish finish = Finish::row;
  // Every output of a stage has a register, so a carry may leave beside the sum bit at no cost.
  bool free_exits = false;
  std::vector<Stage> stages;

  // Results of the search.
  Objective objective = Objective::stages;
  double bound = 0;  // no tree with this number of stages and these elements has fewer LUTs
  bool is_proven = false;
  bool is_stopped = false;  // the user stopped the search for a better tree
  bool operator==(const TreePlan&) const = default;
};

// Follows a plan column by column with arithmetic only. Throws DesignError with stage and column if
// a pair is left over, a carry enters where it cannot, or the rows do not fit.
struct Audit {
  struct Level {
    std::vector<unsigned> bits, pairs, opens;  // what a stage finds; opens: open carries
    std::vector<unsigned> all() const;         // bits and open carries
  };
  std::vector<Level> levels;  // one more than stages: the last is the heap of the final adder
  unsigned tree_luts = 0, finish_luts = 0;
  unsigned finish_positions = 0;  // of finish_luts, those on a carry chain
  unsigned gpcs = 0;              // counters and chains: the paper's metric
  unsigned longest_chain = 0;
  unsigned luts() const { return tree_luts + finish_luts; }
};
Audit audit(const TreePlan& plan);
// The LUTs of a plan that may be wrong; empty: it is.
std::optional<unsigned> luts_if_valid(const TreePlan& plan);
// Rows that the final adder takes; the column where its carry chain begins may have one more.
unsigned final_rows(const TreePlan& plan);

// The heap behind a stage of a plan, given the heap in front of it.
Shape next_shape(const Shape& before, const TreePlan& plan, unsigned stage);

// First column of the final adder; shape.width() when there is none.
unsigned finish_from(const TreePlan& plan, const std::vector<unsigned>& last);

// Whether a tree is chosen by its delay; if so, it may end in LUTs.
constexpr bool is_timed(Objective o) { return o == Objective::delay || o == Objective::area; }
// Whether the remaining bits are so few that every bit of the sum, or the result of a comparison,
// is one LUT. If so, there is no final adder and no chain.
bool ends_in_luts(const TreePlan& plan, const Audit::Level& last);
const char* name(Objective objective);
const char* name(Finish finish);

// A readable form, and back. parse_tree() throws DesignError with the line if the text is no tree,
// or not one for `wanted`. The text is not trusted: columns, bits and elements are bounded.
std::string to_text(const TreePlan& plan);
TreePlan parse_tree(std::string_view text, const Shape* wanted = nullptr);

}  // namespace kumiki::gen::compressor
