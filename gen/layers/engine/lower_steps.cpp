// SPDX-License-Identifier: Apache-2.0
// Jobs as steps: operations, and strips that come and leave.
#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "gen/layers/engine/lowerer.h"
#include "gen/layers/engine/messages.h"
#include "ir/error.h"

namespace kumiki::gen::engine {
namespace {

using graph::Node;
using graph::Tensor;
using graph::TensorId;
using graph::Window;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return -ceil_div(-a, b); }

// Some tiles of an operation.
Op part_of(const Op& op, std::int64_t first, std::int64_t count, std::int64_t lanes) {
  Op part = op;
  const std::int64_t skipped = first - op.first_tile;
  part.first_tile = first;
  part.tiles = count;
  part.walk.from += skipped * op.walk.tile_step;
  part.first_channel = std::max(op.first_channel, first * lanes);
  part.channels =
      std::min(op.first_channel + op.channels, (first + count) * lanes) - part.first_channel;
  const auto cut = [&](auto& list) {
    const std::int64_t each = std::ssize(list) / op.tiles;
    list = {list.begin() + skipped * each, list.begin() + (skipped + count) * each};
  };
  cut(part.parameters);
  cut(part.weights);
  cut(part.fills);
  return part;
}

}  // namespace

void has_no_unit(const Node& n, const std::string& why) {
  throw DesignError(code::no_unit, fmt::format("the engine has no unit for {}, {}: {}", n.name,
                                               graph::with_article(n.op), why));
}

void Lowerer::walks(const Job& j, const std::function<void(Part)>& f) {
  const graph::Shape& s = tensor(node(j).output).shape;
  walks(window_of(node(j)), walked(j), {s[1], s[2]}, f);
}

void Lowerer::walks(const Window& w, TensorId input, std::array<std::int64_t, 2> size,
                    const std::function<void(Part)>& f) {
  const Location at = location(input);
  const Map& in = at.map;
  const std::int64_t first = strip_ ? strip_->first : 0, lines = strip_ ? strip_->lines : size[0],
                     width = size[1], all_lines = tensor(input).shape[1];
  std::array<std::int64_t, 2> q{};
  for (const std::size_t a : {0, 1}) q[a] = in.phases[a] / w.stride[a];
  for (std::int64_t ry = 0; ry < std::min(q[0], lines); ++ry)
    for (std::int64_t rx = 0; rx < std::min(q[1], width); ++rx) {
      Walk walk{.block_step = in.block(),
                .height = ceil_div(lines - ry, q[0]),
                .width = ceil_div(width - rx, q[1]),
                .pitch = in.pitch,
                .taps = {},
                .pad = stored_zero(tensor(input))};
      if (walk.height == 1) walk.pitch = walk.width;
      // A window that is too large for the taps of a walk, if it is there once: line by line.
      std::int64_t tap_lines = w.kernel[0];
      if (w.taps() > EngineShape::most_taps && walk.height == 1 && in.phases[0] == 1 &&
          w.dilation[0] == 1) {
        walk.repeats = std::exchange(tap_lines, 1);
        walk.repeat_step = in.pitch;
      }
      for (std::int64_t ky = 0; ky < tap_lines; ++ky)
        for (std::int64_t kx = 0; kx < w.kernel[1]; ++kx) {
          const std::int64_t y = w.stride[0] * (first + ry) + ky * w.dilation[0] - w.before[0] -
                                 at.first_line,
                             x = w.stride[1] * rx + kx * w.dilation[1] - w.before[1];
          const std::int64_t dy = floor_div(y, in.phases[0]), dx = floor_div(x, in.phases[1]);
          const std::int64_t py = y - dy * in.phases[0], px = x - dx * in.phases[1];
          walk.taps.push_back({.offset = in.phase(py, px) + dy * in.pitch + dx,
                               .from = {-at.first_line / in.phases[0] - dy, -dx},
                               .to = {ceil_div(all_lines - at.first_line - py, in.phases[0]) - dy,
                                      ceil_div(in.width - px, in.phases[1]) - dx}});
        }
      f(Part{walk, {first + ry, rx}, q});
    }
}

Target Lowerer::target(TensorId output, const Part& p) const {
  const Location at = location(output);
  return {.block_step = storage_.by_block[output] ? 0 : at.map.block(),
          .lines = at.map.lines_from(p.first[0] - at.first_line, p.step[0]),
          .columns = at.map.columns_from(p.first[1], p.step[1])};
}

std::vector<Parameter> Lowerer::unchanged(std::int64_t lanes) const {
  return std::vector<Parameter>(static_cast<std::size_t>(lanes),
                                {.bias = 0, .factor = arith::float_factor(1)});
}

Op Lowerer::plain(const Part& part, TensorId output, Unit unit) const {
  const Walk& walk = part.walk;
  const std::int64_t channels = tensor(output).shape[0];
  Op op{.unit = unit, .walk = walk, .channels = channels, .target = target(output, part)};
  op.tiles = ceil_div(channels, shape_.rows);
  op.walk.tile_step = walk.block_step;
  if (unit == Unit::depthwise) {
    op.parameters = unchanged(op.tiles * shape_.rows);
    if (has_weights())
      op.weights.assign(static_cast<std::size_t>(op.tiles * shape_.rows * walk.weight_words()), 1);
  }
  return op;
}

void Lowerer::copy(const Job& job) {
  walks(job, [&](const Part& part) {
    add(job, walked(job), part, plain(part, job.output, Unit::depthwise));
  });
}

std::vector<Parameter> Lowerer::parameters_of(
    const Node& n, std::int64_t channels, const std::function<std::int64_t(std::int64_t)>& sum_of,
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

void Lowerer::set_range(Op& op, const Node& n) const {
  const Tensor& out = tensor(n.output);
  const int less = stored_less(out);
  op.zero_point = out.zero_point - less;
  op.lowest = static_cast<std::int64_t>(out.format.range().lo) - less;
  op.highest = static_cast<std::int64_t>(out.format.range().hi) - less;
}

void Lowerer::add(const Job& j, TensorId read, const Part& part, Op op) {
  if (std::ssize(op.walk.taps) > EngineShape::most_taps)
    has_no_unit(node(j), fmt::format("its window has {} taps; it must have at most {}",
                                     op.walk.taps.size(), EngineShape::most_taps));
  op.nodes = {j.node};
  op.result = j.output;
  Uses uses{.read = location(read), .written = location(j.output), .second = {}, .weights = {}};
  if (j.product)
    uses.weights = location(j.product->gate);
  else if (!op.fills.empty())
    uses.weights = location(node(j).inputs[1]);
  if (j.steps) op.nodes.push_back(*j.steps);
  if (j.table) {
    if (*j.table != j.node) op.nodes.push_back(*j.table);
    const Node& n = g_.nodes[*j.table];
    const auto& values = std::get<graph::Lookup>(n.op).values;
    const Tensor &in = tensor(n.inputs[0]), &out = tensor(n.output);
    const std::int32_t lowest = graph::lowest(in);
    op.table.emplace();
    op.table->fill(0);
    for (std::size_t i = 0; i < values.size(); ++i)
      (*op.table)[static_cast<std::size_t>(lowest + static_cast<std::int32_t>(i) - stored_less(in) +
                                           128)] =
          static_cast<std::int8_t>(values[i] - stored_less(out));
  }
  if (j.second && !j.product) {
    if (*j.second != j.node) op.nodes.push_back(*j.second);
    const Node& n = g_.nodes[*j.second];
    const TensorId fresh = fresh_of(j), other = *second_of(j);
    uses.second = location(other);
    const auto bare = [&](TensorId id) {
      Tensor t = tensor(id);
      t.name.clear();
      t.shape.clear();
      return t;
    };
    op.second = {.is_first = n.inputs[0] == fresh,
                 .fresh = bare(fresh),
                 .other = bare(other),
                 .result = bare(n.output),
                 .from = operand(other, part)};
  }
  put(std::move(op), uses);
}

void Lowerer::add(const Job& j, Normalise step) {
  put(std::move(step), {.read = location(node(j).inputs[0]),
                        .written = location(j.output),
                        .second = {},
                        .weights = {}});
}

// The places of the second numbers.
Target Lowerer::operand(TensorId other, const Part& p) const {
  const Location at = location(other);
  return {.block_step = at.map.block(),
          .lines = at.map.lines_from(p.first[0] - at.first_line, p.step[0]),
          .columns = at.map.columns_from(p.first[1], p.step[1])};
}

// The first and the last step that needs each buffer.
void Lowerer::note(const Uses& uses, std::size_t step) {
  for (const auto* h : {&uses.read, &uses.written, &uses.second, &uses.weights}) {
    if (!*h) continue;
    Buffer& b = buffers_[(*h)->buffer];
    b.first = std::min(b.first, step);
    b.last = std::max(b.last, step);
  }
}

void Lowerer::put(Step step, const Uses& uses) {
  // What the operations of a block need comes before the first of them.
  if (auto* op = std::get_if<Op>(&step); op && taken_) {
    taken_->emplace_back(std::move(*op), uses);
    return;
  }
  note(uses, steps_.size());
  steps_.push_back(std::move(step));
  uses_.push_back(uses);
  job_of_step_.push_back(current_ ? static_cast<std::size_t>(current_ - jobs_.data()) : none);
}

// The tensor in the memory outside that has the channels of this one, and the first of them there:
// a concat that is outside has those of its parts.
std::pair<TensorId, std::int64_t> Lowerer::home(TensorId id) const {
  for (const std::size_t r : readers_[id]) {
    const Node& n = g_.nodes[r];
    if (!joins_channels(n) || !storage_.outside[n.output]) continue;
    auto [tensor_id, channel] = home(n.output);
    for (const TensorId part : n.inputs) {
      if (part == id) return {tensor_id, channel};
      channel += tensor(part).shape[0];
    }
  }
  return {id, 0};
}

void Lowerer::load(TensorId id, const Location& to) {
  const Unfolded& u = unfolded_[id];
  const auto [from, channel] = home(id);
  put(Load{.tensor = from,
           .first_channel = channel,
           .first_line = to.first_line,
           .lines = to.map.height,
           .unfolded = u.columns,
           .stride = u.stride,
           .dilation = u.dilation,
           .before = u.before,
           .to = to.map},
      {.read = {}, .written = to, .second = {}, .weights = {}});
}

void Lowerer::load_into(TensorId part, TensorId whole, std::int64_t first_channel) {
  Location to = location(whole);
  to.map.channels = tensor(part).shape[0];
  to.offset += first_channel / shape_.rows * to.map.block();
  load(part, to);
}

void Lowerer::store_into(TensorId part, TensorId whole, std::int64_t first_channel) {
  const auto [to, channel] = home(whole);
  const Location from = location(part);
  put(Store{.tensor = to, .first_channel = channel + first_channel, .from = from.map},
      {.read = from, .written = {}, .second = {}, .weights = {}});
}

void Lowerer::store(TensorId id, const Location& from) {
  const auto [to, channel] = storage_.outside[id] ? home(id) : std::pair{id, std::int64_t{0}};
  put(
      Store{
          .tensor = to, .first_channel = channel, .first_line = from.first_line, .from = from.map},
      {.read = from, .written = {}, .second = {}, .weights = {}});
}

// Lines of a map outside, in a buffer of their own.
Location Lowerer::lines_of(TensorId id, Map layout, std::int64_t first, std::int64_t lines) {
  layout.height = lines;
  layout.base = 0;
  buffers_.push_back({.places = whole_sets(layout.places()), .tensor = id});
  return {.map = layout, .first_line = first, .buffer = buffers_.size() - 1, .offset = 0};
}

// The strips of a job that reads or writes maps outside; without any, nothing.
std::vector<Lowerer::Strip> Lowerer::strips_of(const Job& j) {
  if (!reads_windows(j)) return {};
  const TensorId input = walked(j);
  const auto second = second_of(j);
  const bool reads = storage_.outside[input], adds = second && storage_.outside[*second],
             writes = storage_.outside[j.output];
  if (!reads && !adds && !writes) return {};
  const Window w = window_of(node(j));
  const Map plain_out{
      .channels = tensor(j.output).shape[0],
      .height = 1,
      .width = tensor(j.output).shape[2],
      .pitch = std::max<std::int64_t>(tensor(j.output).shape[2], EngineShape::pixels),
      .rows = shape_.rows};
  Map in = maps_[input];
  if (reads) {
    in.phases = {w.stride[0], w.stride[1]};
    in.pitch = std::max(in.least_pitch(), plain_out.width);
  }
  // The lines of the input that some lines of the result need.
  const std::int64_t in_height = tensor(input).shape[1], height = tensor(j.output).shape[1];
  const auto needed = [&](std::int64_t first, std::int64_t lines) {
    std::int64_t from = std::max<std::int64_t>(first * w.stride[0] - w.before[0], 0);
    from = std::min(from, in_height - 1) / in.phases[0] * in.phases[0];
    const std::int64_t last =
        std::min((first + lines - 1) * w.stride[0] + w.reach(0) - 1 - w.before[0], in_height - 1);
    return std::pair{from, std::max<std::int64_t>(last - from + 1, 1)};
  };
  const auto places = [&](std::int64_t lines) {
    Map held_in = in, held_out = plain_out;
    held_in.height = std::min(in_height, (lines - 1) * w.stride[0] + w.reach(0) + in.phases[0]);
    held_out.height = lines;
    return std::max(reads ? held_in.places() : 0, adds || writes ? held_out.places() : 0);
  };
  std::int64_t unit = reads ? 1 : in.phases[0] / w.stride[0];
  if (!writes) unit = std::lcm(unit, maps_[j.output].phases[0]);
  std::int64_t lines = unit;
  while (lines < height && places(lines + unit) <= storage_.strip) lines += unit;
  const std::int64_t count = ceil_div(height, lines);
  lines = ceil_div(ceil_div(height, count), unit) * unit;
  std::vector<Strip> strips;
  for (std::int64_t first = 0; first < height; first += lines) {
    Strip s{.first = first, .lines = std::min(lines, height - first)};
    if (reads) {
      const auto [from, held_lines] = needed(first, s.lines);
      s.read = lines_of(input, in, from, held_lines);
    }
    if (adds) s.second = lines_of(*second, plain_out, first, s.lines);
    if (writes) s.written = lines_of(j.output, plain_out, first, s.lines);
    strips.push_back(s);
  }
  return strips;
}

// Inputs that are not read in strips come before they are read first.
void Lowerer::need(TensorId id) {
  if (maker_[id] != none || storage_.outside[id] || is_loaded_[id]) return;
  is_loaded_[id] = true;
  load(id, location(id));
}

void Lowerer::emit(std::size_t number) {
  const Job& j = jobs_[number];
  current_ = &j;
  for (const TensorId id : node(j).inputs) need(id);
  if (const auto second = second_of(j)) need(*second);
  const auto operations = [&] {
    std::visit(
        [&](const auto& op) {
          if constexpr (requires { to_engine(*this, j, op); }) to_engine(*this, j, op);
        },
        node(j).op);
  };
  const std::vector<Strip> strips = strips_of(j);
  const auto come = [&](const Strip& s) {
    if (s.read) load(walked(j), *s.read);
    if (s.second) load(*second_of(j), *s.second);
  };
  if (strips.empty()) {
    operations();
  } else {
    come(strips[0]);
    for (std::size_t i = 0; i < strips.size(); ++i) {
      if (i + 1 < strips.size()) come(strips[i + 1]);  // while this strip is computed
      strip_ = strips[i];
      operations();
      strip_.reset();
      if (strips[i].written) store(j.output, *strips[i].written);
    }
  }
  current_ = nullptr;
}

// A job and the depthwise one that alone reads its result: block by block.
void Lowerer::emit_by_block(std::size_t maker) {
  std::array<std::vector<std::pair<Op, Uses>>, 2> taken;
  for (const std::size_t i : {0, 1}) {
    current_ = &jobs_[maker + i];
    for (const TensorId id : node(jobs_[maker + i]).inputs) need(id);
    taken_ = &taken[i];
    emit(maker + i);
  }
  taken_ = nullptr;
  const std::int64_t blocks = ceil_div(tensor(jobs_[maker].output).shape[0], shape_.rows);
  for (std::int64_t block = 0; block < blocks; ++block)
    for (const std::size_t i : {0, 1})
      for (const auto& [op, uses] : taken[i]) {
        current_ = &jobs_[maker + i];
        const std::int64_t lanes = op.unit == Unit::products ? shape_.columns : shape_.rows,
                           tiles = shape_.rows / lanes;
        const std::int64_t first = std::max(op.first_tile, block * tiles),
                           end = std::min(op.first_tile + op.tiles, (block + 1) * tiles);
        if (first >= end) continue;
        Op part = part_of(op, first, end - first, lanes);
        if (i == 1) part.walk.from = op.walk.from;  // its block is always in the same place
        put(std::move(part), uses);
      }
  current_ = nullptr;
}

Program Lowerer::run() {
  join();
  leave_out_gates();
  number_jobs();
  for (const TensorId id : graph::all_inputs(g_))
    storage_.outside[id] = readers_[id].size() == 1 && can_be_outside(id);
  share();
  overwrite();
  unfold();
  arrange();
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    if (storage_.by_block[jobs_[j].output])
      emit_by_block(j++);
    else
      emit(j);
  }
  for (const TensorId id : g_.outputs) {
    need(id);
    if (!storage_.outside[id]) store(id, location(id));
  }
  allocate();
  wait();
  if (!draft_) interleave();
  std::vector<std::optional<std::size_t>> nodes;
  for (std::size_t i = 0; i < steps_.size(); ++i) nodes.push_back(node_of_step(i));
  Program p{.shape = shape_,
            .graph = std::make_shared<graph::Graph>(g_),
            .steps = std::move(steps_),
            .waits = std::move(waits_),
            .nodes = std::move(nodes),
            .maps = maps_,
            .held = held(),
            .places = used_};
  for (TensorId id = 0; id < g_.tensors.size(); ++id)
    if (storage_.outside[id] || storage_.by_block[id]) p.maps[id].channels = 0;
  return p;
}

}  // namespace kumiki::gen::engine
