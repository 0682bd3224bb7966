// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumiki::gen::matrix {
namespace {

// The convolution over frames that are stored whole. The plan defines the contract of the ports:
// the order of words and results, the words that the line buffer holds, and the clocks from a word
// to its result.
class MatrixText {
 public:
  explicit MatrixText(const MatrixPlan& plan)
      : p_(plan),
        word_bits_(p_.rows * p_.activations.bits),
        frame_words_(p_.shape.padded_height() * p_.line_words()),
        frames_(ceil_div(std::int64_t{1} << p_.ring_bits, frame_words_) + 2) {}

  int latency() const { return p_.latency(); }
  std::string text() const {
    return fmt::format("module gold({});\n{}{}{}{}{}endmodule\n", ports(), loader(), sequence(),
                       weights(), results(), exit());
  }

 private:
  // Bits of counts and of indices into the stored words, sign included.
  int count_bits() const {
    return arith::bits_for_count(
               std::max({frames_ * frame_words_, weight_words(), p_.need * 2, p_.next_frame * 2,
                         std::int64_t{2} << p_.ring_bits, p_.exit().sets})) +
           2;
  }
  int result_bits(std::int64_t channel, std::int64_t pixel) const {
    return p_.result_format(channel, pixel).bits;
  }
  int out_bits() const {
    int sum = 0;
    for (std::int64_t c = 0; c < p_.tile_channels(); ++c)
      for (std::int64_t x = 0; x < p_.pixels; ++x) sum += result_bits(c, x);
    return sum;
  }
  std::int64_t weight_words() const { return p_.tiles * p_.words * p_.rows; }
  std::int64_t weight_word_bits() const { return p_.tile_channels() * p_.weights.bits; }

  std::string ports() const {
    auto all = fmt::format(
        "input clk, input rst, input in_valid, input [{}:0] in_data, input out_ready, "
        "output in_ready, output out_valid, output out_last, output [{}:0] out_data",
        word_bits_ * p_.beat - 1, out_bits() - 1);
    if (!p_.embedded())
      all += fmt::format(", input w_valid, input [{}:0] w_data, output w_ready",
                         weight_word_bits() - 1);
    return all;
  }

  // Beats come in line by line with the border around them; the ring bounds those not yet released.
  std::string loader() const {
    const ConvShape& s = p_.shape;
    return fmt::format(
               "  localparam N = {12};\n"
               "  reg [N-1:0] load_x = 0, load_y = 0, load_frame = 0;\n"
               "  reg signed [N-1:0] held = 0, level = 0;\n"
               "  reg [{10}-1:0] kept [0:{0}];\n"
               "  integer n;\n  initial for (n = 0; n <= {0}; n = n + 1) kept[n] = 0;\n"
               "  wire outside = load_y < {2} || load_y >= {4};\n"
               "  wire border = outside || load_x < {1} || load_x >= {3};\n"
               "  wire full = held > {5};\n"
               "  assign in_ready = !full && !border;\n"
               "  wire loads = !full && (border || in_valid);\n"
               "  wire line_in = load_x == {6}, frame_in = line_in && load_y == {7};\n"
               "  wire [N-1:0] place = load_frame * {8} + load_y * {9} + load_x;\n"
               "  always @(posedge clk)\n"
               "    if (rst) begin load_x <= 0; load_y <= 0; load_frame <= 0; end\n"
               "    else if (loads) begin\n"
               "      load_x <= line_in ? 0 : load_x + {13};\n"
               "      if (line_in) load_y <= frame_in ? 0 : load_y + 1;\n"
               "      if (frame_in) load_frame <= load_frame == {11} ? 0 : load_frame + 1;\n"
               "    end\n",
               frames_ * frame_words_ - 1, p_.stream_from(), s.padding.top, p_.stream_to(),
               s.padding.top + s.height, (std::int64_t{1} << p_.ring_bits) - p_.beat,
               p_.line_words() - p_.beat, s.padded_height() - 1, frame_words_, p_.line_words(),
               word_bits_, frames_ - 1, count_bits(), p_.beat) +
           words_in();
  }
  // Words past the end of a line are border too.
  std::string words_in() const {
    const std::string pad = p_.pad == 0
                                ? "0"
                                : fmt::format("{{{}{{{}'d{}}}}}", p_.rows, p_.activations.bits,
                                              arith::raw_of(p_.pad, p_.activations.bits));
    std::string text;
    for (std::int64_t k = 0; k < p_.beat; ++k)
      text += fmt::format(
          "  wire border{0} = border || load_x + {0} >= {1};\n"
          "  always @(posedge clk) if (loads) kept[place + {0}] <= border{0} ? {4} : in_data[{2} "
          "+: "
          "{3}];\n",
          k, p_.stream_from() + p_.frame_line_words(), k * word_bits_, word_bits_, pad);
    return text;
  }

  // Sets in order: words, tiles, groups of pixels, lines, frames. A set waits for room in the exit,
  // and the first set of a group for its words. Words that the next group does not share are
  // released `hold` clocks later.
  std::string sequence() const {
    return fmt::format(
        "  reg [N-1:0] word = 0, tile = 0, group = 0, line = 0, frame = 0, room = {12};\n"
        "  reg [{0}:0] freed = 0;\n"
        "  reg [{1}:0] valid = 0, last = 0;\n"
        "  reg loaded_beat = 0, taken = 0;\n"
        "  wire arrives = valid[{1}], last_arrives = last[{1}];\n"
        "  wire line_ends = group == {2}, frame_ends = line_ends && line == {3};\n"
        "  wire lacks = tile == 0 && level < (line_ends ? {4} : {5});\n"
        "  wire begins = word == 0 && loaded && room != 0 && !lacks;\n"
        "  wire goes = begins || word != 0;\n"
        "  wire set_ends = goes && word == {6}, moves = set_ends && tile == {7};\n"
        "  wire signed [N-1:0] steps = frame_ends ? {8} : line_ends ? {9} : {10};\n"
        "  wire signed [N-1:0] leaving = moves ? steps : 0;\n"
        "  wire signed [N-1:0] back = freed[{11} +: N];\n"
        "  always @(posedge clk)\n"
        "    if (rst) begin\n"
        "      word <= 0; tile <= 0; group <= 0; line <= 0; frame <= 0; room <= {12};\n"
        "      level <= 0; held <= 0; freed <= 0; valid <= 0; loaded_beat <= 0; taken <= 0;\n"
        "    end else begin\n"
        "      loaded_beat <= loads; taken <= out_valid && out_ready;\n"
        "      room <= room + taken - begins;\n"
        "      level <= level + (loaded_beat ? {14} : 0) - leaving;\n"
        "      held <= held + (loads ? {14} : 0) - back;\n"
        "      freed <= {{freed, leaving}}; valid <= {{valid, set_ends}};\n"
        "      if (goes) word <= set_ends ? 0 : word + 1;\n"
        "      if (set_ends) tile <= moves ? 0 : tile + 1;\n"
        "      if (moves) group <= line_ends ? 0 : group + 1;\n"
        "      if (moves && line_ends) line <= frame_ends ? 0 : line + 1;\n"
        "      if (moves && frame_ends) frame <= frame == {13} ? 0 : frame + 1;\n"
        "    end\n"
        "  always @(posedge clk) last <= {{last, frame_ends && tile == {7}}};\n",
        p_.hold * count_bits() - 1, p_.core_latency() - 1, p_.pixel_groups - 1,
        p_.shape.out_height() - 1, signed_number(p_.need_last), signed_number(p_.need),
        p_.words - 1, p_.tiles - 1, signed_number(p_.next_frame), signed_number(p_.next_line),
        signed_number(p_.next_group), (p_.hold - 1) * count_bits(), p_.exit().sets, frames_ - 1,
        p_.beat);
  }
  static std::string signed_number(std::int64_t n) {
    return n < 0 ? fmt::format("-{}", -n) : fmt::format("{}", n);
  }

  // [tile][word][row][channel of the tile]
  std::string weights() const {
    if (!p_.embedded())
      return fmt::format(
          "  reg [N-1:0] count = 0;\n  reg [{2}-1:0] weights [0:{0}];\n"
          "  integer m;\n  initial for (m = 0; m <= {0}; m = m + 1) weights[m] = 0;\n"
          "  wire loaded = count == {1};\n  assign w_ready = !loaded;\n"
          "  always @(posedge clk)\n"
          "    if (rst) count <= 0; else if (w_valid && !loaded) count <= count + 1;\n"
          "  always @(posedge clk)\n"
          "    if (w_valid && !loaded) weights[count] <= w_data;\n",
          weight_words() - 1, weight_words(), weight_word_bits());
    std::string text = fmt::format("  wire loaded = 1;\n  wire [{}:0] weights [0:{}];\n",
                                   weight_word_bits() - 1, weight_words() - 1);
    for (std::int64_t i = 0; i < weight_words(); ++i) {
      std::string digits;
      for (std::int64_t c = 0; c < p_.tile_channels(); ++c)
        for (int bit = 0; bit < p_.weights.bits; ++bit)
          digits.insert(
              digits.begin(),
              p_.weight(i / p_.rows / p_.words, i / p_.rows % p_.words, i % p_.rows, c) >> bit & 1
                  ? '1'
                  : '0');
      text += fmt::format("  assign weights[{}] = {}'b{};\n", i, weight_word_bits(), digits);
    }
    return text;
  }

  // The sums of a set, on its last word; factors are extended to the width of the sum.
  std::string results() const {
    const ConvShape& s = p_.shape;
    std::string text = fmt::format(
        "  wire [N-1:0] conv_group = tile / {};\n  wire [{}:0] sums;\n"
        "  reg [{}:0] sums_past = 0;\n"
        "  always @(posedge clk) sums_past <= {{sums_past, sums}};\n"
        "  wire [{}:0] result = {{last_arrives, sums_past[{} +: {}]}};\n",
        p_.tiles / s.groups, out_bits() - 1, out_bits() * p_.core_latency() - 1, out_bits(),
        out_bits() * (p_.core_latency() - 1), out_bits());
    for (std::int64_t x = 0; x < p_.pixels; ++x)
      text += fmt::format(
          "  wire [N-1:0] x{0} = group * {1} + {0} < {2} ? group * {1} + {0} : group * {1};\n", x,
          p_.pixels, s.out_width());
    std::int64_t low = 0;
    for (std::int64_t c = 0; c < p_.tile_channels(); ++c)
      for (std::int64_t x = 0; x < p_.pixels; ++x) {
        text += sum(c, x, low, result_bits(c, x));
        low += result_bits(c, x);
      }
    return text;
  }

  // Results on their way out: from register to register as each becomes empty, or through a queue.
  std::string exit() const {
    const ExitPlan exit = p_.exit();
    const std::string width = fmt::format("{}", out_bits() + 1);
    const auto waiting = fmt::format(
        "  reg [{1}-1:0] waiting [0:{0}];\n"
        "  integer w;\n  initial for (w = 0; w <= {0}; w = w + 1) waiting[w] = 0;\n",
        exit.sets - 1, width);
    std::string text;
    if (exit.is_chain) {
      text = fmt::format(
          "  reg [{0}:0] occupied = 0;\n{2}"
          "  wire [{0}:0] filled = ~occupied & {{occupied, arrives}};\n"
          "  wire [{0}:0] left = occupied & {{out_ready, ~occupied[{0}:1]}};\n"
          "  always @(posedge clk) if (rst) occupied <= 0; else occupied <= occupied & ~left | "
          "filled;\n"
          "  assign out_valid = occupied[{0}], {{out_last, out_data}} = waiting[{0}];\n",
          exit.sets - 1, width, waiting);
      for (std::int64_t k = 0; k < exit.sets; ++k)
        text += fmt::format("  always @(posedge clk) if (!occupied[{0}]) waiting[{0}] <= {1};\n", k,
                            k == 0 ? "result" : fmt::format("waiting[{}]", k - 1));
      return text;
    }
    return fmt::format(
        "  reg [N-1:0] queued = 0, first = 0, behind = 0;\n  reg present = 0;\n"
        "  reg [{1}-1:0] shown = 0;\n{2}"
        "  wire pops = queued != 0 && (!present || out_ready);\n"
        "  always @(posedge clk)\n"
        "    if (rst) begin queued <= 0; first <= 0; behind <= 0; present <= 0; end\n"
        "    else begin\n"
        "      queued <= queued + arrives - pops;\n"
        "      if (arrives) behind <= behind == {0} ? 0 : behind + 1;\n"
        "      if (pops) first <= first == {0} ? 0 : first + 1;\n"
        "      present <= pops || present && !out_ready;\n"
        "    end\n"
        "  always @(posedge clk) if (arrives) waiting[behind] <= result;\n"
        "  always @(posedge clk) if (pops) shown <= waiting[first];\n"
        "  assign out_valid = present, {{out_last, out_data}} = shown;\n",
        exit.sets - 1, width, waiting);
  }

  std::string sum(std::int64_t channel, std::int64_t x, std::int64_t low, int bits) const {
    const ConvShape& s = p_.shape;
    std::string text, sum;
    for (std::int64_t word = 0; word < p_.words; ++word) {
      const std::int64_t ky = word / p_.blocks / s.kernel_width,
                         kx = word / p_.blocks % s.kernel_width;
      for (std::int64_t row = 0; row < p_.rows; ++row) {
        const auto pixel = fmt::format(
            "(frame * {} + line * {} + {}) * {} + {} + (x{} * {} + {}) * {} + conv_group * {} + {}",
            s.padded_height(), s.stride.y, ky * s.dilation.y, p_.line_words(), p_.first_word(), x,
            s.stride.x, kx * s.dilation.x, p_.pixel_words(), p_.blocks, word % p_.blocks);
        const auto weight = fmt::format("(tile * {} + {}) * {} + {}", p_.words, word, p_.rows, row);
        const auto name = fmt::format("{}_{}_{}", low, word, row);
        text += fmt::format(
            "  wire [N-1:0] at_x{0} = {1}, at_w{0} = {2};\n"
            "  wire [{6}:0] word_x{0} = kept[at_x{0}];\n"
            "  wire [{7}:0] word_w{0} = weights[at_w{0}];\n"
            "  wire [{3}:0] a{0} = {4}, b{0} = {5};\n",
            name, pixel, weight, bits - 1,
            proof::number(fmt::format("word_x{}[{} +: {}]", name, row * p_.activations.bits,
                                      p_.activations.bits),
                          p_.activations.is_signed),
            proof::number(
                fmt::format("word_w{}[{} +: {}]", name, channel * p_.weights.bits, p_.weights.bits),
                p_.weights.is_signed),
            word_bits_ - 1, weight_word_bits() - 1);
        sum += fmt::format("{}a{} * b{}", sum.empty() ? "" : " + ", name, name);
      }
    }
    return text + fmt::format("  assign sums[{} +: {}] = {};\n", low, bits, sum);
  }

  const MatrixPlan& p_;
  std::int64_t word_bits_, frame_words_, frames_;
};

}  // namespace

proof::Reference reference(const MatrixPlan& p) {
  const MatrixText text(p);
  return {text.text(),
          static_cast<unsigned>(text.latency() + p.words),
          false,
          {{"out_last", "out_valid"}, {"out_data", "out_valid"}}};
}

}  // namespace kumiki::gen::matrix
