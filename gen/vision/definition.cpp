// SPDX-License-Identifier: Apache-2.0
#include "gen/vision/definition.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/dsl/ports.h"
#include "gen/vision/ports.h"
#include "gen/vision/stage_text.h"
#include "gen/vision/stages.h"

namespace kumiki::gen::vision {
namespace {

std::uint64_t bits_of(const std::vector<Format>& channels) {
  std::uint64_t sum = 0;
  for (const Format& f : channels) sum += static_cast<std::uint64_t>(f.bits);
  return sum;
}

// The stages of a group, with what goes in and comes out of each as its ports promise.
struct Step {
  const StageRequest* stage;
  std::vector<Format> results;
};
std::vector<std::vector<Step>> steps_of(const Request& request, const Pipeline& pipeline,
                                        const packing::Limits& limits) {
  std::vector<std::vector<Step>> groups;
  std::vector<Format> channels = pipeline.inputs;
  for (const StageRequest& stage : request.stages) {
    const StagePlan plan = plan_stage(stage, request, channels, limits);
    if (plan.window || groups.empty()) groups.emplace_back();
    channels = !plan.after.empty()
                   ? plan.after.back()->outputs()
                   : Group{.inputs = channels, .window = plan.window}.window_outputs();
    groups.back().push_back({&stage, channels});
  }
  return groups;
}

// What a group makes of the pixels it sees, as a module without a clock.
std::string pixel_module(std::size_t which, const Group& group, const std::vector<Step>& steps) {
  const auto seen = group.window ? static_cast<std::uint64_t>(group.window->operation->size()) *
                                       static_cast<std::uint64_t>(group.window->operation->size())
                                 : 1;
  const auto pixel = bits_of(group.inputs), result = bits_of(group.outputs);
  std::string body;
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
    wide = std::max(wide, bits_wanted(*step.stage, in));
    const auto results = stage_text(*step.stage, window, step.results, body);
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
      "module gold_pixel{}(input [{}:0] in, output [{}:0] out);\n"
      "  localparam WIDE = {};\n{}endmodule\n\n",
      which, seen * pixel - 1, result - 1, wide, body);
}

// A skid, and the group behind it. Beats are {tail, eof, eol, data}.
std::string group_text(std::size_t which, const Group& g) {
  const auto pixels = static_cast<std::uint64_t>(g.geometry.pixels);
  const auto in = pixels * bits_of(g.inputs), out = pixels * bits_of(g.outputs);
  const auto seen = g.window ? static_cast<std::uint64_t>(g.window->operation->size()) *
                                   static_cast<std::uint64_t>(g.window->operation->size()) *
                                   bits_of(g.inputs)
                             : bits_of(g.inputs);
  std::string text = fmt::format(
      "  wire valid{0}s, ready{0}s, valid{1}, ready{1};\n"
      "  wire [{2}:0] beat{0}s;\n"
      "  wire [{3}:0] beat{1};\n"
      "  gold_skid #(.BITS({4})) skid{0}(clk, rst, valid{0}, beat{0}, ready{0}, valid{0}s, "
      "beat{0}s, "
      "ready{0}s);\n"
      "  wire [{5}:0] seen{0};\n  wire [{6}:0] inside{0};\n  wire [{7}:0] result{0};\n",
      which, which + 1, in + 3, out + 3, in + 4, pixels * seen - 1, pixels - 1, out - 1);
  if (g.window)
    text += fmt::format(
        "  gold_window #(.BEAT({1}), .PIXELS({2}), .BEATS({3}), .LINES({4}), .RADIUS({5}), "
        ".LATENCY({6}), .BORDER({7}), .OUTSIDE({8})) window{0}(clk, rst, valid{0}s, beat{0}s[{1}], "
        "beat{0}s[{1} + 1], beat{0}s[{1} + 3:{1} + 2], beat{0}s[{1} - 1:0], ready{0}s, valid{9}, "
        "beat{9}[{10}], beat{9}[{10} + 1], beat{9}[{10} + 3:{10} + 2], seen{0}, inside{0}, "
        "ready{9});\n",
        which, in, pixels, g.geometry.beats(), g.geometry.max_height, g.window->radius(),
        g.latency(), static_cast<int>(g.window->border),
        proof::constant(g.window->border == Border::constant ? g.window->outside : 0), which + 1,
        out);
  else
    text += fmt::format(
        "  wire [{1}:0] past{0};\n"
        "  gold_delay #(.BITS({2}), .LATENCY({3})) delay{0}(clk, rst, valid{0}s, beat{0}s, "
        "ready{0}s, valid{4}, past{0}, ready{4});\n"
        "  assign seen{0} = past{0}, inside{0} = -1, beat{4}[{5} + 3:{5}] = past{0}[{1}:{6}];\n",
        which, in + 3, in + 4, g.latency(), which + 1, out, in);
  for (std::uint64_t p = 0; p < pixels; ++p)
    text += fmt::format(
        "  gold_pixel{0} pixel{0}_{1}(seen{0}[{2} +: {3}], result{0}[{4} +: {5}]);\n"
        "  assign beat{6}[{4} +: {5}] = inside{0}[{1}] ? result{0}[{4} +: {5}] : 0;\n",
        which, p, p * seen, seen, p * (out / pixels), out / pixels, which + 1);
  return text;
}

}  // namespace

std::optional<proof::Reference> reference(const Request& request, const packing::Limits& limits) {
  const Pipeline p = make_pipeline(request, limits);
  if (p.coefficients() > 0) return std::nullopt;
  for (const Group& g : p.groups)
    if (g.halves) return std::nullopt;
  const auto steps = steps_of(request, p, limits);
  const auto pixels = static_cast<std::uint64_t>(p.geometry.pixels);
  const auto in = pixels * bits_of(p.inputs), out = pixels * bits_of(p.outputs);
  const auto size = input_shape(p).width.width();
  std::string modules, body;
  for (std::size_t i = 0; i < p.groups.size(); ++i) {
    modules += pixel_module(i, p.groups[i], steps[i]);
    body += group_text(i, p.groups[i]);
  }
  const auto last = p.groups.size();
  const auto ports = fmt::format(
      "input clk, input rst, input [{0}:0] width, input [{0}:0] height, input clear_status, input "
      "s_axis_tvalid, input s_axis_tuser, input s_axis_tlast, input [{1}:0] s_axis_tdata, input "
      "m_axis_tready, output s_axis_tready, output m_axis_tvalid, output m_axis_tuser, output "
      "m_axis_tlast, output [{2}:0] m_axis_tdata, output [4:0] status",
      size - 1, in - 1, out - 1);
  body = fmt::format(
             "  wire valid0, ready0;\n  wire [{0}:0] beat0;\n"
             "  gold_guard #(.BEAT({1}), .PIXELS({2}), .SIZE({3}), .MOST_WIDTH({4}), "
             ".MOST_HEIGHT({5})) guard(clk, rst, clear_status, width, height, s_axis_tvalid, "
             "s_axis_tuser, s_axis_tlast, s_axis_tdata, s_axis_tready, status, valid0, "
             "beat0[{1}], beat0[{1} + 1], beat0[{1} + 3:{1} + 2], beat0[{1} - 1:0], ready0);\n",
             in + 3, in, pixels, size, p.geometry.max_width, p.geometry.max_height) +
         body;
  body += fmt::format(
      "  wire [{1}:0] left;\n"
      "  gold_skid #(.BITS({2})) skid{0}(clk, rst, valid{0}, beat{0}, ready{0}, m_axis_tvalid, "
      "left, "
      "m_axis_tready);\n"
      "  reg first = 1;\n"
      "  always @(posedge clk)\n"
      "    if (rst) first <= 1; else if (m_axis_tvalid && m_axis_tready) first <= left[{3}];\n"
      "  assign m_axis_tuser = first, m_axis_tlast = left[{4}];\n",
      last, out + 3, out + 4, out + 1, out);
  const auto each = out / pixels;
  for (std::uint64_t i = 0; i < pixels; ++i)
    body += fmt::format(
        "  assign m_axis_tdata[{0} +: {1}] = left[{2}] && {3} > left[{2} + 3:{2} + 2] ? 0 : "
        "left[{0} "
        "+: {1}];\n",
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
