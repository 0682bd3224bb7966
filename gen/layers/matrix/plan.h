// SPDX-License-Identifier: Apache-2.0
// The plan of a systolic matrix of chains for a convolution: rows of terms times columns of chains.
//
// Every column is a packed dot product (gen/blocks/packing) of `rows` terms a clock. It runs over
// `words` clocks: the kernel's positions and the blocks of input channels. Row j holds the input
// channels j, j + rows, ... in memories, one for every pixel of a group, and the weights of all
// columns. Addresses travel from row to row with the skew of the chain's operands; rows may share
// memories (row_memories.h). All columns see the same pixels; a tile is the output channels that
// the columns compute at once. Columns may also be trees (tree_column.h).
#pragma once
#include <bit>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/blocks/packing/planner.h"
#include "gen/layer/layer.h"
#include "gen/layers/matrix/pace.h"
#include "gen/layers/matrix/shape.h"
#include "gen/layers/matrix/tree_column.h"
#include "ir/ceil_div.h"
#include "ir/expected.h"

namespace kumiki::gen::matrix {

enum class Sharing : std::uint8_t {
  Weight,  // a slice multiplies several pixels with one weight: pixels are packed
  Input,   // several weights (output channels) with one pixel: weights are packed
};

inline constexpr std::int64_t usual_slices = 256;

struct MatrixRequest {
  ConvShape shape;
  packing::OperandFormat activations, weights;
  Sharing sharing = Sharing::Weight;
  std::optional<packing::Scheme> scheme;
  packing::Objective objective = packing::Objective::NoLut;
  std::optional<std::int64_t> rows, columns;
  std::int64_t slices = usual_slices;  // the budget if rows or columns are open
  std::optional<std::int64_t> beat{};  // words that come in one clock, a power of two
  bool is_double = false;              // the core runs on clk2x
  // Embedded weights [out][in of its group][ky][kx]; empty: loaded at run time.
  std::vector<std::int64_t> values;
  // Weights come again for every frame, into the half of their memories that is not read. Requires
  // one clock, one group, chains, one tile and a set of at least three clocks.
  bool reloads = false;
  packing::Limits limits;
  std::int64_t pad = 0;                // the activation in the border of the map
  std::optional<std::int64_t> pixels;  // computed at once
  // Positions of the kernel at once: one, a line of it, or all. `rows` must be given and holds the
  // channels of each position in turn. More than one position requires one pixel, one group, one
  // clock and embedded weights.
  std::int64_t positions = 1;
  // All sums fit into this many bits, sign included, and nobody reads more bits of a result. Only
  // for weights that are known: embedded ones, or those that are loaded for every frame.
  std::optional<int> sum_bits{};
  // Columns of trees instead of slices. Requires embedded weights, `rows` and `sum_bits`, one word
  // a beat, and one group.
  struct Trees {
    bool pixels_are_signs = false, weights_are_signs = false;
    bool is_sketch = false;  // skip the search for a tree
    ir::Context context = {};
  };
  std::optional<Trees> trees = {};
};

// A set that reads weights of its frame alone takes so many clocks: its end is known in time.
inline constexpr std::int64_t least_words_of_reload = 3;

// Small line buffers and few weights are built from LUTs. `address_bits`: address width in words.
inline constexpr bool ring_is_distributed(int address_bits) { return address_bits <= 6; }
inline constexpr std::int64_t most_distributed_weights = 64;
// The most words that come in one clock.
inline constexpr std::int64_t most_beat = 16;

// Holds results until they are taken. A set begins only if there is room for its results, so the
// columns need no enable. `sets`: as many as are under way when nothing ever waits.
struct ExitPlan {
  std::int64_t sets = 1;
  bool is_chain = true;  // a chain of registers with one set in each, or a memory
  // Clocks from a result's entry to the output.
  int latency() const { return is_chain ? static_cast<int>(sets) : 2; }
  bool operator==(const ExitPlan&) const = default;
};

struct MatrixPlan {
  ConvShape shape;
  packing::OperandFormat activations, weights;
  Sharing sharing = Sharing::Weight;
  std::int64_t pad = 0;  // the activation in the border of the map
  std::vector<std::int64_t> values;
  bool reloads = false;  // weights come for every frame
  // The most bits of a result that columns produce; the bits above repeat its sign.
  std::optional<int> sum_bits;
  std::variant<packing::PackingPlan, TreeColumn> column;
  // Chains of half the rows, and their memories, run on clk2x: the first half of the rows in one
  // half of a clock, the others in the next.
  bool is_double = false;

  std::int64_t rows = 1, columns = 1;
  std::int64_t positions = 1;  // of the kernel at once; rows hold the channels of each in turn
  std::int64_t pixels = 1;     // computed at once, neighbours in a line
  std::int64_t column_channels = 1;  // output channels of a column
  std::int64_t blocks = 1;           // words of a pixel's channels, in one group of the convolution
  std::int64_t words = 1;            // clocks of a set: kernel positions x blocks
  std::int64_t tiles = 1;            // sets of a pixel group, over all groups of the convolution
  std::int64_t pixel_groups = 1;     // of a line of outputs
  std::int64_t beat = 1;             // words that come in one clock, neighbours in a line
  int ring_bits = 1;                 // the line buffer has 2^ring_bits words in every row
  std::int64_t need = 1,
               need_last = 1;  // words that a group needs; the last group of a line
  std::int64_t next_group = 1, next_line = 1, next_frame = 1;  // words from one group to the next
  int hold = 1;                   // clocks from a group's last issue to the release of its words
  std::int64_t frame_clocks = 1;  // from frame to frame, if words always come and results are
                                  // always taken

  bool embedded() const { return !values.empty(); }
  bool in_trees() const { return std::holds_alternative<TreeColumn>(column); }
  const packing::PackingPlan& chain() const { return std::get<packing::PackingPlan>(column); }
  const TreeColumn& tree() const { return std::get<TreeColumn>(column); }
  // What layers in trees are compared by, about as many LUTs: the bits that trees add in a clock,
  // and those that come from the line buffer for them.
  std::int64_t bits_of_trees() const {
    return in_trees() ? columns * tree().added_bits() + rows * tree().pixels.bits() : 0;
  }
  std::int64_t tile_channels() const { return columns * column_channels; }
  std::int64_t pixel_words() const { return blocks * shape.groups; }
  // A line of the frame with its borders. Each part begins and ends on a beat of the line buffer.
  std::int64_t frame_line_words() const { return shape.width * pixel_words(); }
  std::int64_t left_words() const { return shape.padding.left * pixel_words(); }
  std::int64_t right_words() const { return shape.padding.right * pixel_words(); }
  std::int64_t stream_from() const { return whole_beats(left_words()); }
  std::int64_t stream_to() const { return stream_from() + whole_beats(frame_line_words()); }
  std::int64_t first_word() const { return stream_from() - left_words(); }  // of the left border
  std::int64_t line_words() const {
    return stream_from() + whole_beats(frame_line_words() + right_words());
  }
  int beat_bits() const { return std::bit_width(static_cast<std::uint64_t>(beat)) - 1; }
  std::int64_t whole_beats(std::int64_t n) const { return ceil_div(n, beat) * beat; }
  std::int64_t last_pixels() const { return shape.out_width() - (pixel_groups - 1) * pixels; }
  // Channels of a word: the rows of each position.
  std::int64_t word_rows() const { return rows / positions; }
  std::int64_t offset_of(std::int64_t tile, std::int64_t word) const;
  // Words of the ring from the first of the simultaneous positions to another one.
  std::int64_t distance(std::int64_t position) const;
  // The weight of row `row` for output channel `channel` of a tile. If there is none it is
  // weight_of_nothing(): 0, or 1 if weights are signs.
  std::int64_t weight(std::int64_t tile, std::int64_t word, std::int64_t row,
                      std::int64_t channel) const;
  std::int64_t weight_of_nothing() const { return in_trees() && tree().weights.is_sign ? 1 : 0; }
  std::int64_t output_channel(std::int64_t tile, std::int64_t channel) const;  // -1: none
  std::int64_t slices() const {
    return in_trees() ? 0 : columns * static_cast<std::int64_t>(chain().slices.size());
  }
  // The format of channel `channel` of a tile for pixel `pixel`, as the columns give it.
  arith::Format result_format(std::int64_t channel, std::int64_t pixel) const;
  std::int64_t in_beats() const {  // in a frame
    return shape.height * whole_beats(frame_line_words()) / beat;
  }
  std::int64_t out_beats() const { return shape.out_height() * pixel_groups * tiles; }
  std::int64_t weight_beats() const { return tiles * words * rows; }
  Pace pace() const;
  std::int64_t cycles_a_frame() const { return frame_clocks; }
  // The index of the column's result for channel `channel` of pixel `pixel`; packed operands come
  // first.
  std::size_t result(std::int64_t channel, std::int64_t pixel) const {
    return static_cast<std::size_t>(sharing == Sharing::Weight ? channel * pixels + pixel
                                                               : pixel * column_channels + channel);
  }
  std::int64_t ring_beats() const { return (std::int64_t{1} << ring_bits) / beat; }
  std::int64_t first_need() const { return pixel_groups == 1 ? need_last : need; }
  std::int64_t first_need_beats() const { return ceil_div(first_need(), beat); }
  // No step from group to group, or from need to need, has more beats.
  std::int64_t longest_step() const;
  std::int64_t group_clocks() const { return tiles * words; }
  // Rows that have slices, and how many rows of a word each of them processes in turn. A memory
  // holds the words of all of these.
  std::int64_t chain_rows() const { return rows / halves(); }
  std::int64_t halves() const { return is_double ? 2 : 1; }
  // Rows of the ring: every position has its own copy.
  std::int64_t ring_rows() const { return chain_rows() / positions; }
  int half_bits() const { return is_double ? 1 : 0; }
  // Words of a row's memory of weights. If they come for every frame, it holds those of two frames;
  // the highest bit of the address tells them apart.
  std::int64_t weight_depth() const {
    const std::int64_t once = group_clocks() * halves();
    if (!reloads) return once;
    return once + static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(once)));
  }
  // Clocks from the issue of a frame's last word until its weights may be overwritten.
  int weight_hold() const { return hold + 2; }
  bool weights_are_distributed() const { return weight_depth() <= most_distributed_weights; }
  // Bits of a number in the line buffer.
  int pixel_bits() const { return in_trees() ? tree().pixels.bits() : activations.bits; }
  // The number that `raw` stands for.
  std::int64_t pixel_value(std::uint64_t raw) const;
  // How many rows store their words in one memory, or share its enable and address if addresses are
  // skewed.
  std::size_t rows_of_a_copy() const;
  // Clocks from the issue of a word to the start of its group, and to row 0's addresses. Then
  // clocks of the core from these to the answer of the memories; a block memory has an output
  // register.
  int lanes_after() const { return group_clocks() == 1 ? 1 : 2; }
  int address_after() const { return lanes_after() + 1; }
  int memory_clocks() const {
    return ring_is_distributed(ring_bits + half_bits()) && weights_are_distributed() ? 1 : 2;
  }
  // From an address to the operands, in clocks of the core; one more if one of several adjacent
  // words is selected.
  int operand_clocks() const { return memory_clocks() + (beat > 1 ? 1 : 0); }
  // Clocks from the issue of an address to row 0's operands at their slices. On two clocks an
  // address and the start of a set cross half a clock later.
  int issue_latency() const {
    return address_after() + operand_clocks() / static_cast<int>(halves());
  }
  // Clocks from a set's last operands at the first row to its results.
  int column_latency() const;
  // Clocks from a set's last address to its results at the exit, and to the output if nothing
  // waits.
  int core_latency() const;
  int latency() const { return core_latency() + exit().latency(); }
  // The same from a set's first address.
  int set_latency() const { return latency() + static_cast<int>(words - 1); }
  ExitPlan exit() const;
  std::int64_t macs_per_clock() const { return rows * columns * pixels * column_channels; }
  double peak() const;       // MAC per slice and clock, while a set runs
  double sustained() const;  // useful MAC of a frame over its cycles and all slices

  std::string module_name() const;
  bool operator==(const MatrixPlan&) const = default;
};

// The plan, or what is wrong at the key nearest to the cause.
Expected<MatrixPlan, config::Violation> planned(const MatrixRequest& request);
// For a request without keys: throws DesignError.
MatrixPlan plan(const MatrixRequest& request);

// For a search over many numbers of columns. column_of gives the column that `plan` takes for so
// many rows, or none if no column can be proved; sketch gives the plan with it. A sketch chooses
// neither a ring nor a tree; its frame takes the clocks of its bound.
using Column = decltype(MatrixPlan::column);
std::int64_t words_of(const MatrixRequest& request, std::int64_t rows);  // clocks of a set
std::optional<Column> column_of(const MatrixRequest& request, std::int64_t rows);
std::int64_t channels_of(const MatrixRequest& request, const Column& column);
MatrixPlan sketch(const MatrixRequest& request, std::int64_t rows, std::int64_t columns,
                  const Column& column);

std::vector<Beat> beats(const MatrixPlan& plan);
std::string to_text(const MatrixPlan& plan);
HostFacts host_facts(const MatrixPlan& plan);
void write(config::Writer& w, const MatrixPlan& plan);

}  // namespace kumiki::gen::matrix
