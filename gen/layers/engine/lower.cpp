// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/lower.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "gen/layers/engine/messages.h"
#include "gen/layers/pipeline/streamed.h"
#include "ir/error.h"

namespace kumiki::gen::engine {
namespace {

using graph::Graph;
using graph::Node;
using graph::Tensor;
using graph::TensorId;
using graph::Window;

constexpr std::size_t none = ~std::size_t{0};

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return -ceil_div(-a, b); }

[[noreturn]] void refuse(const Node& n, const std::string& why) {
  throw DesignError(code::no_unit, fmt::format("the engine has no unit for {}, {}: {}", n.name,
                                               graph::with_article(n.op), why));
}

// A node that computes a map, and those that follow it in the same operation.
struct Job {
  std::size_t node = 0;
  std::optional<std::size_t> table, second;
  bool copies = false;  // the node is the table or the second: its first input is read as it is
  TensorId output = 0;
};

class Lowerer {
 public:
  Lowerer(const Graph& g, const EngineShape& shape)
      : g_(g),
        shape_(shape),
        readers_(g.tensors.size()),
        maker_(g.tensors.size(), none),
        root_(g.tensors.size()),
        first_channel_(g.tensors.size(), 0),
        maps_(g.tensors.size()),
        is_operand_only_(g.tensors.size(), false) {
    std::iota(root_.begin(), root_.end(), std::size_t{0});
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      for (const TensorId id : g.nodes[n].inputs) readers_[id].push_back(n);
      maker_[g.nodes[n].output] = n;
    }
  }

  Program run() {
    for (const Node& n : g_.nodes) require_unit(n);
    join();
    share();
    unfold();
    arrange();
    for (const TensorId id : graph::all_inputs(g_)) load(id);
    for (const Job& job : jobs_) emit(job);
    for (const TensorId id : g_.outputs) {
      touch(id);
      add(Store{id, maps_[id]});
    }
    allocate();
    Program p{.shape = shape_,
              .graph = std::make_shared<Graph>(g_),
              .steps = std::move(steps_),
              .maps = maps_,
              .places = used_};
    return p;
  }

 private:
  const Tensor& tensor(TensorId id) const { return g_.tensors[id]; }
  bool is_output(TensorId id) const { return std::ranges::count(g_.outputs, id) > 0; }
  bool has_one_reader(TensorId id) const { return readers_[id].size() == 1 && !is_output(id); }

  void require_unit(const Node& n) const {
    const auto few_bits = [&](TensorId id) {
      if (tensor(id).format.bits > 8)
        refuse(n, fmt::format("{} has numbers of {} bits; they must have at most 8",
                              tensor(id).name, tensor(id).format.bits));
    };
    for (const TensorId id : n.inputs) few_bits(id);
    few_bits(n.output);
    std::visit(
        [&]<class Op>(const Op& op) {
          if constexpr (std::is_same_v<Op, graph::Conv>) {
            for (const std::int16_t w : op.weights)
              if (w < -128 || w > 127)
                refuse(n, fmt::format("a weight is {}; it must have 8 bits", w));
            require_exact(n);
          } else if constexpr (std::is_same_v<Op, graph::GlobalAverage>) {
            require_exact(n);
          } else if constexpr (std::is_same_v<Op, graph::Lookup>) {
            if (op.values.size() != std::size_t{1} << tensor(n.inputs[0]).format.bits)
              refuse(n, "it has a table for every channel");
          } else if constexpr (std::is_same_v<Op, graph::Add>) {
            if (!op.table.empty()) refuse(n, "it is a table of two numbers");
          } else if constexpr (std::is_same_v<Op, graph::MaxPool> ||
                               std::is_same_v<Op, graph::Concat>) {
            for (const TensorId id : n.inputs)
              if (stored_less(tensor(id)) != stored_less(tensor(n.output)))
                refuse(n, "its result has another sign than its input");
          } else if constexpr (!std::is_same_v<Op, graph::Mul> &&
                               !std::is_same_v<Op, graph::Resize>) {
            refuse(n, "it is none of the operators that the units know");
          }
        },
        n.op);
  }

  // No sum that the node reaches is rounded otherwise by a lane.
  void require_exact(const Node& n) const {
    const auto rules = graph::rules_of(g_, n);
    const auto sums = graph::reachable_of(g_, n);
    for (std::size_t c = 0; c < rules.size(); ++c)
      if (const auto differs = arith::difference(rules[c], sums[c]))
        refuse(n, fmt::format("float32 rounds a sum of channel {} beyond 2^24", c));
  }

  // Nodes that follow the maker of their input in its lanes.
  void join() {
    std::vector<bool> is_joined(g_.nodes.size(), false);
    std::vector<std::size_t> job_of(g_.tensors.size(), none);  // the job that makes it, from 1 on
    for (const TensorId id : graph::all_inputs(g_)) job_of[id] = 0;
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      const Node& node = g_.nodes[n];
      if (is_joined[n]) continue;
      if (std::holds_alternative<graph::Concat>(node.op)) {
        jobs_.push_back({.node = n, .output = node.output});
        job_of[node.output] = jobs_.size();
        continue;
      }
      Job job{.node = n, .output = node.output};
      if (std::holds_alternative<graph::Lookup>(node.op)) {
        job.copies = true;
        job.table = n;
      } else if (is_of_two(node)) {
        job.copies = true;
        job.second = n;
      }
      while (has_one_reader(job.output)) {
        const std::size_t next = readers_[job.output][0];
        if (std::holds_alternative<graph::Resize>(node.op)) break;
        if (std::holds_alternative<graph::Lookup>(g_.nodes[next].op)) {
          if (job.table || job.second) break;
          job.table = next;
        } else if (is_of_two(g_.nodes[next])) {
          const TensorId other = other_of(g_.nodes[next], job.output);
          if (job.second || job_of[source_of(other)] == none) break;
          job.second = next;
        } else {
          break;
        }
        is_joined[next] = true;
        job.output = g_.nodes[next].output;
      }
      jobs_.push_back(job);
      job_of[job.output] = jobs_.size();
    }
    // An enlarged map that is only ever a second number is read where its source is.
    for (const Node& n : g_.nodes) {
      if (!std::holds_alternative<graph::Resize>(n.op) || is_output(n.output)) continue;
      is_operand_only_[n.output] = std::ranges::all_of(readers_[n.output], [&](std::size_t r) {
        return std::ranges::any_of(
            jobs_, [&](const Job& j) { return j.second == r && fresh_of(j) != n.output; });
      });
    }
    std::erase_if(jobs_, [&](const Job& j) { return is_operand_only_[j.output]; });
  }

  static bool is_of_two(const Node& n) {
    return std::holds_alternative<graph::Add>(n.op) || std::holds_alternative<graph::Mul>(n.op);
  }
  static TensorId other_of(const Node& n, TensorId one) {
    return n.inputs[0] == one ? n.inputs[1] : n.inputs[0];
  }
  // The tensor that the second of a job gets from the lanes.
  TensorId fresh_of(const Job& j) const {
    if (j.copies && j.second == j.node) return g_.nodes[j.node].inputs[0];
    return j.table ? g_.nodes[*j.table].output : g_.nodes[j.node].output;
  }
  // The tensor whose map holds the numbers of an operand.
  TensorId source_of(TensorId id) const {
    if (maker_[id] != none)
      if (const Node& n = g_.nodes[maker_[id]]; std::holds_alternative<graph::Resize>(n.op))
        return n.inputs[0];
    return id;
  }

  // Maps that are made where a concat needs them.
  void share() {
    for (const Node& n : g_.nodes) {
      if (!std::holds_alternative<graph::Concat>(n.op)) continue;
      std::int64_t channel = 0;
      for (const TensorId id : n.inputs) {
        const bool once = std::ranges::count(n.inputs, id) == 1;
        if (once && root_[id] == id && channel % shape_.rows == 0 && maker_[id] != none) {
          root_[id] = n.output;
          first_channel_[id] = channel;
        }
        channel += tensor(id).shape[0];
      }
    }
  }
  // The map that has the numbers of a tensor, and the first of its channels there.
  std::pair<TensorId, std::int64_t> whole(TensorId id) const {
    std::int64_t channel = 0;
    while (root_[id] != id) {
      channel += first_channel_[id];
      id = root_[id];
    }
    return {id, channel};
  }

  struct Unfolded {
    std::int64_t columns = 1, stride = 1, dilation = 1, before = 0;
  };

  // A window over few channels of an input: its columns become channels.
  void unfold() {
    unfolded_.resize(g_.tensors.size());
    for (const TensorId id : graph::all_inputs(g_)) {
      if (!has_one_reader(id)) continue;
      const auto* conv = std::get_if<graph::Conv>(&g_.nodes[readers_[id][0]].op);
      if (!conv || conv->groups != 1) continue;
      const Window& w = conv->window;
      if (w.kernel[1] == 1 || std::int64_t{tensor(id).shape[0]} * w.kernel[1] > shape_.rows)
        continue;
      unfolded_[id] = {w.kernel[1], w.stride[1], w.dilation[1], w.before[1]};
    }
  }
  // The window of a node as it reads its map.
  Window window_of(const Node& n) const {
    const Window* found = graph::window_of(n.op);
    Window w = found ? *found : Window{};
    if (unfolded_[n.inputs[0]].columns > 1) {
      w.kernel[1] = w.stride[1] = w.dilation[1] = 1;
      w.before[1] = 0;
    }
    return w;
  }

  // How every map is stored: phases for all strides with which it is read, lines as long as those
  // of all that read it.
  void arrange() {
    for (TensorId id = 0; id < g_.tensors.size(); ++id) {
      const graph::Shape& s = tensor(id).shape;
      maps_[id] = {.channels = s[0], .height = s[1], .width = s[2], .rows = shape_.rows};
      if (const Unfolded& u = unfolded_[id]; u.columns > 1) {
        maps_[id].channels *= u.columns;
        maps_[id].width = tensor(g_.nodes[readers_[id][0]].output).shape[2];
      }
    }
    for (const Job& j : jobs_) {
      if (!reads_windows(j)) continue;
      Map& in = maps_[whole(g_.nodes[j.node].inputs[0]).first];
      const Window w = window_of(g_.nodes[j.node]);
      for (const std::size_t a : {0, 1})
        in.phases[a] = std::lcm(in.phases[a], std::int64_t{w.stride[a]});
    }
    for (Map& m : maps_) m.pitch = ceil_div(m.width, m.phases[1]);
    for (const Job& j : jobs_) {
      if (!reads_windows(j)) continue;
      Map& in = maps_[whole(g_.nodes[j.node].inputs[0]).first];
      const std::int64_t width = tensor(g_.nodes[j.node].output).shape[2];
      const std::int64_t q = in.phases[1] / window_of(g_.nodes[j.node]).stride[1];
      in.pitch = std::max(in.pitch, ceil_div(width, q));
    }
    for (TensorId id = 0; id < g_.tensors.size(); ++id) {
      const auto [root, channel] = whole(id);
      if (root == id) continue;
      const std::int64_t channels = maps_[id].channels;
      maps_[id] = maps_[root];
      maps_[id].channels = channels;
    }
  }
  bool reads_windows(const Job& j) const {
    const Operator& op = g_.nodes[j.node].op;
    return !std::holds_alternative<graph::Concat>(op) &&
           !std::holds_alternative<graph::GlobalAverage>(op);
  }
  using Operator = graph::Operator;

  // Steps, and the first and the last one that needs each map.
  void add(Step step) { steps_.push_back(std::move(step)); }
  void touch(TensorId id) {
    const TensorId root = whole(id).first;
    if (life_.empty()) life_.resize(g_.tensors.size(), {none, 0});
    auto& [first, last] = life_[root];
    first = std::min(first, steps_.size());
    last = std::max(last, steps_.size());
  }

  void load(TensorId id) {
    const Unfolded& u = unfolded_[id];
    touch(id);
    add(Load{.tensor = id,
             .first_line = 0,
             .lines = tensor(id).shape[1],
             .unfolded = u.columns,
             .stride = u.stride,
             .dilation = u.dilation,
             .before = u.before,
             .to = maps_[id]});
  }

  // Pixels that one walk makes: every step-th line and column of a map.
  struct Part {
    Walk walk;
    std::array<std::int64_t, 2> first{0, 0}, step{1, 1};
  };
  static Target target(const Map& out, const Part& p) {
    return {.block_step = out.block(),
            .lines = out.lines_from(p.first[0], p.step[0]),
            .columns = out.columns_from(p.first[1], p.step[1])};
  }

  // Calls f with each part of the result of a node that a walk can make at once.
  template <class F>
  void walks(const Node& n, TensorId input, F&& f) {
    const Map& in = maps_[input];
    const Window w = window_of(n);
    const std::int64_t height = tensor(n.output).shape[1], width = tensor(n.output).shape[2];
    std::array<std::int64_t, 2> q{};
    for (const std::size_t a : {0, 1}) q[a] = in.phases[a] / w.stride[a];
    for (std::int64_t ry = 0; ry < std::min(q[0], height); ++ry)
      for (std::int64_t rx = 0; rx < std::min(q[1], width); ++rx) {
        Walk walk{
            .block_step = in.block(),
            .height = ceil_div(height - ry, q[0]),
            .width = ceil_div(width - rx, q[1]),
            .pitch = in.pitch,
            .taps = {},
            .pad = static_cast<std::int8_t>(tensor(input).zero_point - stored_less(tensor(input)))};
        if (walk.height == 1) walk.pitch = walk.width;
        for (std::int64_t ky = 0; ky < w.kernel[0]; ++ky)
          for (std::int64_t kx = 0; kx < w.kernel[1]; ++kx) {
            const std::int64_t y = w.stride[0] * ry + ky * w.dilation[0] - w.before[0],
                               x = w.stride[1] * rx + kx * w.dilation[1] - w.before[1];
            const std::int64_t py = y - floor_div(y, in.phases[0]) * in.phases[0],
                               px = x - floor_div(x, in.phases[1]) * in.phases[1];
            const std::int64_t dy = floor_div(y, in.phases[0]), dx = floor_div(x, in.phases[1]);
            walk.taps.push_back({.offset = in.phase(py, px) + dy * in.pitch + dx,
                                 .from = {-dy, -dx},
                                 .to = {ceil_div(in.height - py, in.phases[0]) - dy,
                                        ceil_div(in.width - px, in.phases[1]) - dx}});
          }
        f(Part{walk, {ry, rx}, q});
      }
  }

  void emit(const Job& j) {
    const Node& n = g_.nodes[j.node];
    std::visit(
        [&]<class Op_>(const Op_& op) {
          if constexpr (std::is_same_v<Op_, graph::Conv>)
            emit_conv(j, n, op);
          else if constexpr (std::is_same_v<Op_, graph::GlobalAverage>)
            emit_mean(j, n);
          else if constexpr (std::is_same_v<Op_, graph::MaxPool>)
            emit_walks(j, n, n.inputs[0], Unit::maximum);
          else if constexpr (std::is_same_v<Op_, graph::Concat>)
            emit_concat(j, n);
          else if constexpr (std::is_same_v<Op_, graph::Resize>)
            emit_resize(j, n, op);
          else
            emit_walks(j, n, n.inputs[0], Unit::depthwise);
        },
        n.op);
  }

  // An operation without weights, or with a weight of 1 for every tap.
  Op plain(const Part& part, const Map& out, Unit unit) const {
    const Walk& walk = part.walk;
    Op op{.unit = unit, .walk = walk, .channels = out.channels, .target = target(out, part)};
    op.tiles = ceil_div(out.channels, shape_.rows);
    op.walk.tile_step = walk.block_step;
    if (unit == Unit::depthwise) {
      op.parameters.assign(static_cast<std::size_t>(op.tiles * shape_.rows),
                           {.bias = 0, .factor = arith::float_factor(1)});
      op.weights.assign(static_cast<std::size_t>(op.tiles * shape_.rows * walk.words()), 1);
    }
    return op;
  }

  void emit_walks(const Job& j, const Node& n, TensorId input, Unit unit) {
    walks(n, input, [&](Part part) {
      if (unit == Unit::maximum) part.walk.pad = -128;
      finish(j, {input}, part, plain(part, maps_[j.output], unit));
    });
  }

  // Factors and biases of a node's channels; `sum_of` are the weights of a channel.
  std::vector<Parameter> parameters_of(const Node& n, std::int64_t channels,
                                       const std::function<std::int64_t(std::int64_t)>& sum_of,
                                       const std::vector<std::int32_t>& bias) const {
    const Tensor& in = tensor(n.inputs[0]);
    const auto rules = graph::rules_of(g_, n);
    std::vector<Parameter> all(static_cast<std::size_t>(channels));
    for (std::size_t c = 0; c < rules.size(); ++c)
      all[c] = {.bias = static_cast<std::int32_t>((bias.empty() ? 0 : bias[c]) +
                                                  sum_of(static_cast<std::int64_t>(c)) *
                                                      (stored_less(in) - in.zero_point)),
                .factor = arith::float_factor(rules[c].scale)};
    return all;
  }
  void set_range(Op& op, const Node& n) const {
    const Tensor& out = tensor(n.output);
    const int less = stored_less(out);
    op.zero_point = out.zero_point - less;
    op.lowest = static_cast<std::int64_t>(out.format.range().lo) - less;
    op.highest = static_cast<std::int64_t>(out.format.range().hi) - less;
  }

  // The weights of a convolution by channel of the result, of the input as it is stored, and tap.
  struct Kernel {
    const graph::Conv& conv;
    std::int64_t columns;  // that are channels
    std::int64_t channels_in, group_in, group_out;
    std::int64_t at(std::int64_t out, std::int64_t in, std::int64_t tap) const {
      const std::int64_t taps = conv.window.taps(), channel = in % channels_in;
      if (out >= std::ssize(conv.bias) || in >= channels_in * columns ||
          channel / group_in != out / group_out)
        return 0;
      if (columns > 1) tap = tap * columns + in / channels_in;
      return conv
          .weights[static_cast<std::size_t>((out * group_in + channel % group_in) * taps + tap)];
    }
  };

  void emit_conv(const Job& j, const Node& n, const graph::Conv& conv) {
    const TensorId input = n.inputs[0];
    const std::int64_t channels_in = tensor(input).shape[0], channels = std::ssize(conv.bias);
    const Kernel kernel{.conv = conv,
                        .columns = unfolded_[input].columns,
                        .channels_in = channels_in,
                        .group_in = channels_in / conv.groups,
                        .group_out = channels / conv.groups};
    const std::int64_t terms = std::ssize(conv.weights) / channels;
    const auto sum_of = [&](std::int64_t c) {
      return std::accumulate(conv.weights.begin() + c * terms,
                             conv.weights.begin() + (c + 1) * terms, std::int64_t{0});
    };
    walks(n, input, [&](const Part& part) {
      const Walk& walk = part.walk;
      if (kernel.group_in == 1 && kernel.group_out == 1 && conv.groups > 1) {
        Op op = plain(part, maps_[j.output], Unit::depthwise);
        op.weights.clear();
        for (std::int64_t tile = 0; tile < op.tiles; ++tile)
          for (std::int64_t tap = 0; tap < walk.words(); ++tap)
            for (std::int64_t row = 0; row < shape_.rows; ++row) {
              const std::int64_t c = tile * shape_.rows + row;
              op.weights.push_back(static_cast<std::int8_t>(
                  c < channels ? conv.weights[static_cast<std::size_t>(c * terms + tap)] : 0));
            }
        op.parameters = parameters_of(n, op.tiles * shape_.rows, sum_of, conv.bias);
        set_range(op, n);
        return finish(j, {input}, part, std::move(op));
      }
      const std::int64_t lanes = shape_.columns, tiles = ceil_div(channels, lanes);
      const auto parameters = parameters_of(n, tiles * lanes, sum_of, conv.bias);
      // Tiles whose groups lie in the same blocks are one operation.
      const auto blocks_of = [&](std::int64_t tile) {
        if (conv.groups == 1)
          return std::pair<std::int64_t, std::int64_t>{0, maps_[input].blocks()};
        const std::int64_t last = std::min((tile + 1) * lanes, channels) - 1,
                           from = tile * lanes / kernel.group_out * kernel.group_in,
                           to = (last / kernel.group_out + 1) * kernel.group_in;
        return std::pair{from / shape_.rows, ceil_div(to, shape_.rows)};
      };
      for (std::int64_t tile = 0; tile < tiles;) {
        const auto blocks = blocks_of(tile);
        const std::int64_t first = tile;
        while (tile < tiles && blocks_of(tile) == blocks) ++tile;
        Op op{
            .unit = Unit::products,
            .walk = walk,
            .first_tile = first,
            .tiles = tile - first,
            .first_channel = first * lanes,
            .channels = std::min(tile * lanes, channels) - first * lanes,
            .target = target(maps_[j.output], part),
            .parameters = {parameters.begin() + first * lanes, parameters.begin() + tile * lanes}};
        op.walk.from = blocks.first * walk.block_step;
        op.walk.blocks = blocks.second - blocks.first;
        for (std::int64_t t = first; t < tile; ++t)
          for (std::int64_t tap = 0; tap < std::ssize(walk.taps); ++tap)
            for (std::int64_t in = blocks.first * shape_.rows; in < blocks.second * shape_.rows;
                 ++in)
              for (std::int64_t lane = 0; lane < lanes; ++lane)
                op.weights.push_back(
                    static_cast<std::int8_t>(kernel.at(t * lanes + lane, in, tap)));
        set_range(op, n);
        finish(j, {input}, part, std::move(op));
      }
    });
  }

  // Every number of a channel, with the weight 1: a line of each phase, line after line.
  void emit_mean(const Job& j, const Node& n) {
    const TensorId input = n.inputs[0];
    const Map& in = maps_[input];
    Walk walk{
        .block_step = in.block(),
        .taps = {},
        .repeats = in.lines(),
        .repeat_step = in.pitch,
        .pad = static_cast<std::int8_t>(tensor(input).zero_point - stored_less(tensor(input)))};
    for (std::int64_t py = 0; py < in.phases[0]; ++py)
      for (std::int64_t px = 0; px < in.phases[1]; ++px)
        for (std::int64_t x = 0; x < ceil_div(in.width - px, in.phases[1]); ++x)
          walk.taps.push_back({.offset = in.phase(py, px) + x,
                               .from = {0, 0},
                               .to = {ceil_div(in.height - py, in.phases[0]), 1}});
    if (std::ssize(walk.taps) > EngineShape::most_taps)
      refuse(n, fmt::format("a line of its map has {} pixels; it must have at most {}",
                            walk.taps.size(), EngineShape::most_taps));
    const Part part{walk};
    Op op = plain(part, maps_[j.output], Unit::depthwise);
    const std::int64_t words = walk.words();
    op.parameters =
        parameters_of(n, op.tiles * shape_.rows, [&](std::int64_t) { return words; }, {});
    set_range(op, n);
    finish(j, {input}, part, std::move(op));
  }

  // Every number once for each of its places.
  void emit_resize(const Job& j, const Node& n, const graph::Resize& resize) {
    const TensorId input = n.inputs[0];
    Node small = n;
    small.output = input;
    for (int dy = 0; dy < resize.factor[0]; ++dy)
      for (int dx = 0; dx < resize.factor[1]; ++dx)
        walks(small, input, [&](Part part) {
          const std::array<int, 2> place{dy, dx};
          for (const std::size_t a : {0, 1}) {
            part.first[a] = part.first[a] * resize.factor[a] + place[a];
            part.step[a] *= resize.factor[a];
          }
          finish(j, {input}, part, plain(part, maps_[j.output], Unit::depthwise));
        });
  }

  // The inputs that were not made where they are needed. Blocks that begin in the middle of one
  // are moved by products with a weight of 1.
  void emit_concat(const Job& j, const Node& n) {
    std::int64_t channel = 0;
    for (const TensorId id : n.inputs) {
      const std::int64_t channels = tensor(id).shape[0];
      if (root_[id] != n.output || first_channel_[id] != channel) {
        Node copy = n;
        copy.inputs = {id};
        const Map& in = maps_[id];
        walks(copy, id, [&](const Part& part) {
          const std::int64_t lanes = shape_.columns, first = channel / lanes,
                             tiles = ceil_div(channel + channels, lanes) - first;
          Op op{.unit = Unit::products,
                .walk = part.walk,
                .first_tile = first,
                .tiles = tiles,
                .first_channel = channel,
                .channels = channels,
                .target = target(maps_[j.output], part)};
          op.walk.blocks = in.blocks();
          op.parameters.assign(static_cast<std::size_t>(tiles * lanes),
                               {.bias = 0, .factor = arith::float_factor(1)});
          for (std::int64_t t = first; t < first + tiles; ++t)
            for (std::int64_t row = 0; row < in.blocks() * shape_.rows; ++row)
              for (std::int64_t lane = 0; lane < lanes; ++lane)
                op.weights.push_back(t * lanes + lane - channel == row && row < channels ? 1 : 0);
          finish(j, {id}, part, std::move(op));
        });
      }
      channel += channels;
    }
  }

  // What follows in the lanes.
  void finish(const Job& j, std::vector<TensorId> read, const Part& part, Op op) {
    op.nodes = {j.node};
    op.result = j.output;
    if (j.table) {
      if (*j.table != j.node) op.nodes.push_back(*j.table);
      const Node& n = g_.nodes[*j.table];
      const auto& values = std::get<graph::Lookup>(n.op).values;
      const Tensor &in = tensor(n.inputs[0]), &out = tensor(n.output);
      const std::int32_t lowest = graph::lowest(in);
      op.table.emplace();
      op.table->fill(0);
      for (std::size_t i = 0; i < values.size(); ++i)
        (*op.table)[static_cast<std::size_t>(lowest + static_cast<std::int32_t>(i) -
                                             stored_less(in) + 128)] =
            static_cast<std::int8_t>(values[i] - stored_less(out));
    }
    if (j.second) {
      if (*j.second != j.node) op.nodes.push_back(*j.second);
      const Node& n = g_.nodes[*j.second];
      const TensorId fresh = fresh_of(j), other = other_of(n, fresh), source = source_of(other);
      const auto bare = [&](TensorId id) {
        Tensor t = tensor(id);
        t.name.clear();
        t.shape.clear();
        return t;
      };
      op.second = {.multiplies = std::holds_alternative<graph::Mul>(n.op),
                   .is_first = n.inputs[0] == fresh,
                   .fresh = bare(fresh),
                   .other = bare(other),
                   .result = bare(n.output),
                   .from = operand(other, source, part)};
      read.push_back(source);
    }
    const std::size_t number = steps_.size();
    inputs_of_.resize(number + 1);
    inputs_of_[number] = {read[0], j.output, read.size() > 1 ? read[1] : none};
    for (const TensorId id : read) touch(id);
    touch(j.output);
    add(std::move(op));
  }

  // The places of the second numbers. Of an enlarged map they are those of the map before it.
  Target operand(TensorId other, TensorId source, const Part& p) const {
    std::array<int, 2> factor{1, 1};
    if (other != source) factor = std::get<graph::Resize>(g_.nodes[maker_[other]].op).factor;
    const Map& m = maps_[source];
    return {.block_step = m.block(),
            .lines = m.lines_from(p.first[0], p.step[0], factor[0]),
            .columns = m.columns_from(p.first[1], p.step[1], factor[1])};
  }

  // Places for all maps, while steps need them; then the bases into every step.
  void allocate() {
    struct Kept {
      std::int64_t from, to;
      std::size_t last;
    };
    std::vector<TensorId> order;
    for (TensorId id = 0; id < g_.tensors.size(); ++id)
      if (whole(id).first == id && !life_.empty() && life_[id].first != none) order.push_back(id);
    std::ranges::stable_sort(order, {}, [&](TensorId id) { return life_[id].first; });
    std::vector<Kept> kept;
    for (const TensorId id : order) {
      std::erase_if(kept, [&](const Kept& k) { return k.last < life_[id].first; });
      std::ranges::sort(kept, {}, &Kept::from);
      std::int64_t at = 0;
      for (const Kept& k : kept) {
        if (k.from - at >= maps_[id].places()) break;
        at = std::max(at, k.to);
      }
      const std::int64_t size =
          ceil_div(maps_[id].places(), EngineShape::pixels) * EngineShape::pixels;
      maps_[id].base = at;
      kept.push_back({at, at + size, life_[id].second});
      used_ = std::max(used_, at + size);
    }
    if (used_ > shape_.places)
      throw DesignError(
          code::engine_too_small,
          fmt::format("the maps need {} places at once; the engine has {}", used_, shape_.places));
    for (TensorId id = 0; id < g_.tensors.size(); ++id)
      if (const auto [root, channel] = whole(id); root != id)
        maps_[id].base = maps_[root].base + channel / shape_.rows * maps_[root].block();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (auto* load = std::get_if<Load>(&steps_[i])) load->to.base = maps_[load->tensor].base;
      if (auto* store = std::get_if<Store>(&steps_[i]))
        store->from.base = maps_[store->tensor].base;
      if (auto* op = std::get_if<Op>(&steps_[i])) {
        op->walk.from += maps_[inputs_of_[i][0]].base;
        op->target.first += maps_[inputs_of_[i][1]].base;
        if (op->second) op->second->from.first += maps_[inputs_of_[i][2]].base;
      }
    }
  }

  const Graph& g_;
  EngineShape shape_;
  std::vector<std::vector<std::size_t>> readers_;  // by tensor
  std::vector<std::size_t> maker_;                 // by tensor
  std::vector<TensorId> root_;               // the concat that a tensor is a part of, or itself
  std::vector<std::int64_t> first_channel_;  // there
  std::vector<Map> maps_;
  std::vector<bool> is_operand_only_;
  std::vector<Unfolded> unfolded_;
  std::vector<Job> jobs_;
  std::vector<Step> steps_;
  std::vector<std::array<std::size_t, 3>> inputs_of_;  // of a step: tensors read, written, added
  std::vector<std::pair<std::size_t, std::size_t>> life_;
  std::int64_t used_ = 0;
};

}  // namespace

Program lower(const Graph& graph, const EngineShape& shape) {
  const Graph streamed = pipeline::streamed(graph);
  return Lowerer(streamed, shape).run();
}

}  // namespace kumiki::gen::engine
