// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>

#include "gen/blocks/packing/picture.h"
#include "gen/layer/host.h"
#include "gen/layers/common/write.h"
#include "gen/layers/matrix/plan.h"

namespace kumiki::gen::matrix {

namespace {

// The bottleneck of a frame.
std::string bound_name(const MatrixPlan& p) {
  const Pace pace = p.pace();
  if (p.cycles_a_frame() > pace.bound()) return "ring";
  if (pace.of_columns() == pace.of_input()) return "columns and input";
  return pace.of_columns() > pace.of_input() ? "columns" : "input";
}
bool is_same(const std::vector<std::int64_t>& all) {
  return std::ranges::count(all, all.front()) == std::ssize(all);
}

std::string text_of(const std::vector<std::int64_t>& all) {
  return is_same(all) ? fmt::format("{}", all.front()) : fmt::format("{}", fmt::join(all, "x"));
}

// Groups follow each other, and a row or column beyond a group's channels has nothing to do.
std::optional<std::string> note(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  if (s.groups == 1 || p.rows < s.group_in() || p.tile_channels() < s.group_out())
    return std::nullopt;
  const std::string bound = fmt::format(
      "a group has {} input and {} output channel{}, so more `slices` do not make it faster",
      s.group_in(), s.group_out(), s.group_out() == 1 ? "" : "s");
  if (s.group_in() > 1) return bound;
  return bound +
         "; a layer of type dataflow has a depthwise machine, which takes several channels and "
         "kernel positions a clock";
}

std::string reason(const MatrixPlan& p) {
  const std::string name = bound_name(p);
  if (name == "ring")
    return fmt::format("{} more than it needs: the line buffer is full when a new frame begins",
                       p.cycles_a_frame() - p.pace().bound());
  return "bound by the " + name;
}

}  // namespace

std::string to_string(const Axes& axes) { return text_of(axes.all()); }
std::string to_string(const Padding& padding) { return text_of(padding.all()); }

HostFacts host_facts(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  const auto each = [](std::int64_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const std::string groups = s.groups > 1 ? " of a group" : "";
  HostFacts facts;
  facts.push_back(
      {"in_data",
       fmt::format(
           "a word is {} of a pixel, channel {}b + j{} in element j of block b; blocks of a "
           "pixel{}, pixels of a line, lines, frames without a gap or a mark; what is past "
           "the last channel is multiplied by its weights{}",
           each(p.rows, "channel"), p.rows, groups, s.groups > 1 ? ", group by group" : "",
           p.embedded() ? ", which are 0" : "")});
  if (p.beat > 1)
    facts.push_back(
        {"beat of in_data",
         fmt::format("{0} words that follow each other, element {1}k + j is element j of word k; a "
                     "line takes {2} beats, what its last one has past the line's end is not "
                     "looked at",
                     p.beat, p.rows, p.whole_beats(p.frame_line_words()) / p.beat)});
  facts.push_back({"in_ready", "may be 1 while rst is 1; what comes then is lost"});
  if (!p.embedded()) {
    facts.push_back(
        {"w_data",
         fmt::format(
             "{} beats after every reset, counted, the last one has no mark: for each of {} "
             "tiles, kernel lines, columns, blocks of channels, the {} of a block; element "
             "c is the weight of output channel {}t + c{}",
             p.weight_beats(), p.tiles, each(p.rows, "row"), p.tile_channels(),
             s.groups > 1 ? fmt::format(" of the group, {} tiles a group", p.tiles / s.groups)
                          : std::string())});
    facts.push_back(
        {"padding of w_data",
         fmt::format("rows past the last of {} input channels{} take 0, or what in_data "
                     "has there is in the sums; elements past the last of {} output "
                     "channels{} take anything and give results that nobody wants",
                     s.group_in(), groups, s.group_out(), groups)});
    facts.push_back({"w_ready",
                     "0 when all weights have come, until a reset discards them; "
                     "results wait for the last one"});
  }
  facts.push_back(
      {"out_data",
       fmt::format("{} a frame: lines, {} of {}, {}; element {}c + x is output channel {}t + c of "
                   "pixel x of the group; pixels past the end of a line repeat the group's first",
                   each(p.out_beats(), "beat"), each(p.pixel_groups, "group"),
                   each(p.pixels, "pixel"), each(p.tiles, "tile"), p.pixels, p.tile_channels())});
  facts.push_back({"out_last", "with the last beat of a frame"});
  facts.push_back(
      {"rst", fmt::format("discards frames{} and results, whether or not they are taken",
                          p.embedded() ? "" : ", weights")});
  return facts;
}

std::string to_text(const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  const Pace pace = p.pace();
  std::string text = fmt::format(
      "convolution  {}x{}x{} to {}x{}x{}, kernel {}x{}, stride {}, padding {}, dilation {}, groups "
      "{}\n",
      s.in_channels, s.height, s.width, s.out_channels, s.out_height(), s.out_width(),
      s.kernel_height, s.kernel_width, to_string(s.stride), to_string(s.padding),
      to_string(s.dilation), s.groups);
  if (s.padding.any() && p.pad != 0) text += fmt::format("border       of numbers {}\n", p.pad);
  text += fmt::format(
      "matrix       {} rows x {} columns, {} sharing: {} pixels and {} output channels at once\n",
      p.rows, p.columns, p.sharing == Sharing::Weight ? "weight" : "input", p.pixels,
      p.tile_channels());
  text += fmt::format("slices       {} ({} a column)\n", p.slices(), p.chain().slices.size());
  if (p.is_double)
    text += fmt::format(
        "clocking     double: chains and memories on clk2x, rows j and j + {} share slices in the "
        "two halves of a clock of the fabric\n",
        p.chain_rows());
  text += fmt::format(
      "sequence     {} words ({} kernel positions x {} channel blocks) x {} tiles x {} pixel "
      "groups x {} lines = {} cycles of the columns\n",
      p.words, s.kernel_height * s.kernel_width, p.blocks, p.tiles, p.pixel_groups, s.out_height(),
      pace.of_columns());
  text += fmt::format("input        {} words of the frame and its border, {} a clock: {} cycles\n",
                      pace.frame_words, p.beat, pace.of_input());
  text += fmt::format("frame        {} cycles from frame to frame, {}\n", p.cycles_a_frame(),
                      reason(p));
  if (const auto said = note(p)) text += fmt::format("note         {}\n", *said);
  text += fmt::format("MAC/slice    {:.3f} a cycle peak, {:.3f} sustained ({} MAC a frame)\n",
                      p.peak(), p.sustained(), s.macs());
  text += fmt::format(
      "line buffer  {} words of {} x {} bits, {} copies; a word is {} channels of a pixel, {} "
      "words a pixel\n",
      std::int64_t{1} << p.ring_bits, p.rows, p.activations.bits, p.pixels, p.rows,
      p.pixel_words());
  text += fmt::format("weights      {} words of {} x {} bits, {}\n", p.tiles * p.words,
                      p.rows * p.tile_channels(), p.weights.bits,
                      p.embedded() ? "embedded" : "loaded through w_data, row by row");
  return text + "column\n" + packing::picture_text(p.chain()) + packing::to_text(p.chain()) +
         to_text(host_facts(p));
}

namespace {

void once_or_all(config::Writer& w, const char* key, const std::vector<std::int64_t>& all) {
  if (is_same(all))
    w.member(key, all.front());
  else
    w.member(key, all);
}

}  // namespace

void write(config::Writer& w, const MatrixPlan& p) {
  const ConvShape& s = p.shape;
  const Pace pace = p.pace();
  if (const auto said = note(p)) w.member("note", *said);
  w.member("in", std::array{s.in_channels, s.height, s.width});
  w.member("out", std::array{s.out_channels, s.out_height(), s.out_width()});
  w.member("kernel", std::array{s.kernel_height, s.kernel_width});
  once_or_all(w, "stride", s.stride.all());
  once_or_all(w, "padding", s.padding.all());
  once_or_all(w, "dilation", s.dilation.all());
  w.member("groups", s.groups);
  w.member("sharing", p.sharing == Sharing::Weight ? "weight" : "input");
  w.member("rows", p.rows);
  w.member("columns", p.columns);
  w.member("pixels", p.pixels);
  w.member("tile_channels", p.tile_channels());
  w.member("slices", p.slices());
  w.member("macs", s.macs());
  w.member("words_a_clock", p.beat);
  w.member("cycles_a_frame", p.cycles_a_frame());
  w.member("cycles_of_columns", pace.of_columns());
  w.member("cycles_of_input", pace.of_input());
  w.member("bound_by", bound_name(p));
  w.member("mac_per_slice_peak", p.peak());
  w.member("mac_per_slice_sustained", p.sustained());
  w.member("latency", p.set_latency());
  if (p.is_double) w.member("clocking", "double");
  w.member("line_buffer_words", std::int64_t{1} << p.ring_bits);
  w.member("weight_words", p.tiles * p.words);
  w.member("embedded", p.embedded());
  w.member("in_beats_a_frame", p.in_beats());
  w.member("out_beats_a_frame", p.out_beats());
  w.member("weight_beats", p.embedded() ? 0 : p.weight_beats());
  w.object("host", [&] { write(w, host_facts(p)); });
  w.member("column", p.chain());
}

}  // namespace kumiki::gen::matrix
