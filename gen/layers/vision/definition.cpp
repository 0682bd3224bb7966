// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/vision/definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/hdl/ports.h"
#include "gen/layers/vision/ports.h"
#include "gen/layers/vision/stage_text.h"
#include "gen/layers/vision/stages.h"

namespace kumiki::gen::vision {
namespace {

std::uint64_t bits_of(const std::vector<Format>& channels) {
  std::uint64_t sum = 0;
  for (const Format& f : channels) sum += static_cast<std::uint64_t>(f.bits);
  return sum;
}

// A stage of a group, with the formats of its results.
struct Step {
  StageRequest stage;
  std::vector<Format> results;
};
std::vector<std::vector<Step>> steps_of(const Request& request, const Pipeline& pipeline,
                                        const packing::Limits& limits) {
  std::vector<std::vector<Step>> groups;
  std::vector<Format> channels = pipeline.inputs;
  bool halved = false;
  for (const StageRequest& stage : request.stages) {
    const StagePlan plan = plan_stage(stage, request, channels, limits);
    if (plan.window || !plan.after.empty()) {
      if (plan.window || groups.empty() || halved) groups.emplace_back();
      channels = !plan.after.empty()
                     ? plan.after.back()->outputs()
                     : Group{.inputs = channels, .window = plan.window}.window_outputs();
      groups.back().push_back({plan.halves ? smoothing(stage, channels.front()) : stage, channels});
    }
    halved = plan.halves;
    if (halved) groups.emplace_back();
  }
  return groups;
}

// The arithmetic of a group on the pixels it sees, as a module without a clock.
std::string pixel_module(std::size_t which, const Group& group, const std::vector<Step>& steps) {
  const auto seen = group.window ? static_cast<std::uint64_t>(group.window->operation->size()) *
                                       static_cast<std::uint64_t>(group.window->operation->size())
                                 : 1;
  const auto pixel = bits_of(group.inputs), result = bits_of(group.outputs);
  std::string body, coefficients;
  if (group.loadable() > 0)
    coefficients = fmt::format(", input [{}:0] coefficients",
                               group.loadable() * group.window->operation->coefficient().bits - 1);
  std::vector<std::vector<Channel>> window(group.inputs.size());
  std::uint64_t low = 0;
  for (std::size_t c = 0; c < group.inputs.size(); ++c) {
    const Format& f = group.inputs[c];
    const auto bits = static_cast<std::uint64_t>(f.bits);
    for (std::uint64_t i = 0; i < seen; ++i) {
      const auto name = fmt::format("x{}_{}", c, i);
      body += fmt::format(
          "  wire signed [WIDE-1:0] {} = {};\n", name,
          proof::number(fmt::format("in[{} +: {}]", i * pixel + low, bits), f.is_signed));
      window[c].push_back({name, f});
    }
    low += bits;
  }
  int wide = 0;
  for (const Step& step : steps) {
    std::vector<Format> in;
    for (const auto& c : window) in.push_back(c.front().format);
    wide = std::max(wide, bits_wanted(step.stage, in));
    const auto results = stage_text(step.stage, window, step.results, body);
    window.clear();
    for (const Channel& c : results) window.push_back({c});
  }
  low = 0;
  for (const auto& c : window) {
    body +=
        fmt::format("  assign out[{} +: {}] = {};\n", low, c.front().format.bits, c.front().name);
    low += static_cast<std::uint64_t>(c.front().format.bits);
  }
  return fmt::format(
      "module gold_pixel{}(input [{}:0] in{}, output [{}:0] out);\n"
      "  localparam WIDE = {};\n{}endmodule\n\n",
      which, seen * pixel - 1, coefficients, result - 1, wide, body);
}

// The coefficients in use: taken from the list when a frame begins and the list is complete.
// `first` is the group's first coefficient in the list; each has `bits` bits.
std::string coefficients_text(std::size_t which, const Group& g, int first, int bits) {
  const int own = g.window->operation->coefficient().bits;
  std::string values, listed;
  const auto at_first = g.window->operation->loadable();
  for (std::size_t i = at_first.size(); i-- > 0;) {
    const auto* comma = i ? ", " : "";
    values += fmt::format("{}'h{:x}{}", own, packing::raw_of(at_first[i], own), comma);
    listed += fmt::format("list[{} +: {}]{}", (static_cast<int>(i) + first) * bits, own, comma);
  }
  return fmt::format(
      "  reg [{1}:0] used{0} = {{{2}}};\n"
      "  always @(posedge clk) if (begins{0} && whole) used{0} <= {{{3}}};\n",
      which, g.loadable() * own - 1, values, listed);
}

// A skid and the group after it. Beats are {bottom, tail, eof, eol, data}.
class GroupText {
 public:
  GroupText(std::size_t which, const Group& group, std::uint64_t size)
      : which_(which),
        g_(group),
        size_(size),
        pixels_(static_cast<std::uint64_t>(group.geometry.pixels)),
        in_(pixels_ * bits_of(group.inputs)),
        out_(pixels_ * bits_of(group.outputs)) {}

  std::string text() const {
    std::string text = fmt::format(
        "  wire valid{0}s, ready{0}s, valid{1}, ready{1};\n"
        "  wire [{2}:0] beat{0}s;\n"
        "  wire [{3}:0] beat{1};\n"
        "  gold_skid #(.BITS({4})) skid{0}(clk, rst, valid{0}, beat{0}, ready{0}, valid{0}s, "
        "beat{0}s, ready{0}s);\n",
        which_, which_ + 1, in_ + size_ + 3, out_ + size_ + 3, in_ + size_ + 4);
    return text + (g_.halves ? halving() : (g_.window ? window() : delay()) + operated());
  }

 private:
  // Names of the parts of a beat, data last.
  std::string parts(const std::string& beat, std::uint64_t data) const {
    return flags(beat, data) + fmt::format("{}[{}:0]", beat, data - 1);
  }
  std::string flags(const std::string& beat, std::uint64_t data) const {
    return fmt::format("{0}[{1}], {0}[{1} + 1], {0}[{1} + 3:{1} + 2], {0}[{1} + 4 +: {2}], ", beat,
                       data, size_);
  }
  std::string offered() const { return parts(fmt::format("beat{}s", which_), in_); }
  std::string left() const { return fmt::format("beat{}", which_ + 1); }

  std::string halving() const {
    return fmt::format(
        "  gold_halving #(.BEAT({1}), .PIXELS({2}), .SIZE({3})) halving{0}(clk, rst, valid{0}s, "
        "{4}, ready{0}s, valid{5}, {6}, ready{5});\n",
        which_, in_, pixels_, size_, offered(), which_ + 1, parts(left(), out_));
  }
  // Bits of all input pixels that one result pixel depends on.
  std::uint64_t seen() const {
    const auto side =
        g_.window ? static_cast<std::uint64_t>(g_.window->operation->size()) : std::uint64_t{1};
    return side * side * bits_of(g_.inputs);
  }
  std::string window() const {
    const auto outside = g_.window->border == Border::constant ? g_.window->outside : 0;
    return fmt::format(
               "  wire begins{0};\n"
               "  gold_window #(.BEAT({1}), .PIXELS({2}), .SIZE({3}), .BEATS({4}), .LINES({5}), "
               ".RADIUS({6}), .LATENCY({7}), .BORDER({8}), .OUTSIDE({9})) ",
               which_, in_, pixels_, size_, g_.geometry.beats(), g_.geometry.max_height,
               g_.window->radius(), g_.latency(), static_cast<int>(g_.window->border),
               outside_text(outside)) +
           fmt::format(
               "window{0}(clk, rst, valid{0}s, {1}, ready{0}s, begins{0}, valid{2}, {3}seen{0}, "
               "inside{0}, ready{2});\n",
               which_, offered(), which_ + 1, flags(left(), out_));
  }
  // The value of the border in every channel.
  std::string outside_text(std::int64_t value) const {
    std::string channels;
    for (const Format& f : g_.inputs)
      channels = fmt::format("{}'h{:x}{}{}", f.bits, packing::raw_of(value, f.bits),
                             channels.empty() ? "" : ", ", channels);
    return "{" + channels + "}";
  }
  std::string delay() const {
    return fmt::format(
        "  wire [{1}:0] past{0};\n"
        "  gold_delay #(.BITS({2}), .LATENCY({3})) delay{0}(clk, rst, valid{0}s, beat{0}s, "
        "ready{0}s, valid{4}, past{0}, ready{4});\n"
        "  assign seen{0} = past{0}, inside{0} = -1, beat{4}[{5} + {7}:{5}] = "
        "past{0}[{1}:{6}];\n",
        which_, in_ + size_ + 3, in_ + size_ + 4, g_.latency(), which_ + 1, out_, in_, size_ + 3);
  }
  std::string operated() const {
    const auto seen_bits = seen(), each = out_ / pixels_;
    std::string text = fmt::format(
        "  wire [{1}:0] seen{0};\n  wire [{2}:0] inside{0};\n  wire [{3}:0] result{0};\n", which_,
        pixels_ * seen_bits - 1, pixels_ - 1, out_ - 1);
    for (std::uint64_t p = 0; p < pixels_; ++p)
      text += fmt::format(
          "  gold_pixel{0} pixel{0}_{1}(seen{0}[{2} +: {3}]{7}, result{0}[{4} +: {5}]);\n"
          "  assign beat{6}[{4} +: {5}] = inside{0}[{1}] ? result{0}[{4} +: {5}] : 0;\n",
          which_, p, p * seen_bits, seen_bits, p * each, each, which_ + 1,
          g_.loadable() > 0 ? fmt::format(", used{}", which_) : "");
    return text;
  }

  std::size_t which_;
  const Group& g_;
  std::uint64_t size_, pixels_, in_, out_;
};

// The coefficients of all groups, in the order of loading.
std::string list_text(const Pipeline& p) {
  const int bits = p.coefficient_bits();
  std::string values;
  for (const Group& g : p.groups)
    if (g.window)
      for (const auto v : g.window->operation->loadable())
        values = fmt::format("{}'h{:x}{}{}", bits, packing::raw_of(v, bits),
                             values.empty() ? "" : ", ", values);
  return fmt::format(
      "  wire [{0}:0] list;\n  wire whole;\n"
      "  gold_list #(.BITS({1}), .COUNT({2}), .FIRST({{{3}}})) coefficients(clk, rst, "
      "coefficient_valid, coefficient_data, list, whole);\n",
      p.coefficients() * bits - 1, bits, p.coefficients(), values);
}

}  // namespace

std::uint64_t frame_bits(const Pipeline& pipeline) {
  std::uint64_t most = 0;
  for (const Group& g : pipeline.groups)
    if (g.window)
      most = std::max(most, static_cast<std::uint64_t>(g.geometry.beats() * g.geometry.pixels *
                                                       g.geometry.max_height) *
                                bits_of(g.inputs));
  return most;
}

proof::Reference reference(const Request& request, const Pipeline& p,
                           const packing::Limits& limits) {
  const auto steps = steps_of(request, p, limits);
  const auto pixels = static_cast<std::uint64_t>(p.geometry.pixels);
  const auto in = pixels * bits_of(p.inputs), out = pixels * bits_of(p.outputs);
  const VideoIn<Hardware> shape = input_shape(p);
  const std::uint64_t width = shape.width.width(), height = shape.height.width();
  const std::uint64_t size = std::max(width, height);
  std::string modules, body, coefficients;
  if (p.coefficients() > 0) {
    coefficients = fmt::format(", input coefficient_valid, input [{}:0] coefficient_data",
                               p.coefficient_bits() - 1);
    body = list_text(p);
  }
  int first = 0;
  for (std::size_t i = 0; i < p.groups.size(); ++i) {
    const Group& g = p.groups[i];
    if (!g.halves) modules += pixel_module(i, g, steps[i]);
    body += GroupText(i, g, size).text();
    if (g.loadable() > 0) body += coefficients_text(i, g, first, p.coefficient_bits());
    first += g.loadable();
  }
  const auto last = p.groups.size();
  const auto ports = fmt::format(
      "input clk, input rst, input [{0}:0] width, input [{1}:0] height, input clear_status, input "
      "s_axis_tvalid, input s_axis_tuser, input s_axis_tlast, input [{2}:0] s_axis_tdata, input "
      "m_axis_tready{4}, output s_axis_tready, output m_axis_tvalid, output m_axis_tuser, output "
      "m_axis_tlast, output [{3}:0] m_axis_tdata, output [4:0] status",
      width - 1, height - 1, in - 1, out - 1, coefficients);
  // Beats in front of the guard are {last, user, height, width, data}.
  body = fmt::format(
             "  wire valid0, ready0, entered, taken;\n  wire [{0}:0] beat0;\n"
             "  wire [{6}:0] first_beat;\n"
             "  gold_skid #(.BITS({6} + 1)) entry(clk, rst, s_axis_tvalid, {{s_axis_tlast, "
             "s_axis_tuser, height, width, s_axis_tdata}}, s_axis_tready, entered, first_beat, "
             "taken);\n"
             "  wire [{3}-1:0] columns = first_beat[{1} +: {7}], "
             "lines = first_beat[{1} + {7} +: {8}];\n"
             "  gold_guard #(.BEAT({1}), .PIXELS({2}), .SIZE({3}), .MOST_WIDTH({4}), "
             ".MOST_HEIGHT({5})) guard(clk, rst, clear_status, columns, lines, entered, "
             "first_beat[{6} - 1], first_beat[{6}], first_beat[{1} - 1:0], taken, status, valid0, "
             "beat0[{1}], beat0[{1} + 1], beat0[{1} + 3:{1} + 2], beat0[{1} + 4 +: {3}], "
             "beat0[{1} - 1:0], ready0);\n",
             in + size + 3, in, pixels, size, p.geometry.max_width, p.geometry.max_height,
             in + width + height + 1, width, height) +
         body;
  body += fmt::format(
      "  wire [{1}:0] left;\n"
      "  gold_skid #(.BITS({2})) skid{0}(clk, rst, valid{0}, beat{0}, ready{0}, m_axis_tvalid, "
      "left, m_axis_tready);\n"
      "  reg first = 1;\n"
      "  always @(posedge clk)\n"
      "    if (rst) first <= 1; else if (m_axis_tvalid && m_axis_tready) first <= left[{3}];\n"
      "  assign m_axis_tuser = first, m_axis_tlast = left[{4}];\n",
      last, out + size + 3, out + size + 4, out + 1, out);
  const auto each = out / pixels;
  for (std::uint64_t i = 0; i < pixels; ++i)
    body += fmt::format(
        "  assign m_axis_tdata[{0} +: {1}] = left[{2}] && {3} > left[{2} + 3:{2} + 2] ? 0 : "
        "left[{0} +: {1}];\n",
        i * each, each, out, i);
  return proof::Reference{fmt::format("{}module gold({});\n{}endmodule\n", modules, ports, body),
                          static_cast<unsigned>(p.latency()) + 4,
                          false,
                          {{"m_axis_tuser", "m_axis_tvalid"},
                           {"m_axis_tlast", "m_axis_tvalid"},
                           {"m_axis_tdata", "m_axis_tvalid"}},
                          "proof/video.v"};
}

}  // namespace kumiki::gen::vision
