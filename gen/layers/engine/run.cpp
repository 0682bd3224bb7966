// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/engine/run.h"

#include <algorithm>

#include "gen/operators/add/meaning.h"

namespace kumiki::gen::engine {

Machine::Machine(const EngineShape& shape)
    : shape_(shape),
      bytes_(static_cast<std::size_t>(shape.places * shape.rows)),
      padding_(static_cast<std::size_t>(shape.rows)) {}

std::span<std::int8_t> Machine::word(std::int64_t place) {
  return std::span(bytes_).subspan(static_cast<std::size_t>(place * shape_.rows),
                                   static_cast<std::size_t>(shape_.rows));
}

std::int32_t Machine::written(const Op& op, std::int64_t channel, std::int64_t sum,
                              std::int8_t other) const {
  std::int64_t number = sum;
  if (op.unit != Unit::maximum) {
    const Parameter& p = op.parameters[static_cast<std::size_t>(channel)];
    number = arith::requantised(p.factor, op.zero_point, {op.lowest, op.highest}, sum + p.bias);
  }
  if (op.table) number = (*op.table)[static_cast<std::size_t>(number + 128)];
  if (!op.second) return static_cast<std::int32_t>(number);
  return stored_result(*op.second, static_cast<std::int8_t>(number), other);
}

std::int8_t stored_result(const Second& s, std::int8_t fresh, std::int8_t other) {
  const std::int32_t a = fresh + stored_less(s.fresh), b = other + stored_less(s.other);
  return static_cast<std::int8_t>((s.is_first ? graph::added(s.fresh, s.other, s.result, a, b)
                                              : graph::added(s.other, s.fresh, s.result, b, a)) -
                                  stored_less(s.result));
}

void Machine::run(const Op& op) {
  const Walk& w = op.walk;
  std::vector<std::int64_t> sums(static_cast<std::size_t>(lanes(op.unit)));
  std::ranges::fill(padding_, w.pad);
  std::vector<std::int8_t> weights;
  for (std::int64_t i = 0; op.gate && i < op.gate->words; ++i) {
    const auto gate = word(op.gate->place);
    weights.insert(weights.end(), gate.begin(), gate.end());
  }
  weights.insert(weights.end(), op.weights.begin(), op.weights.end());
  const auto weights_of_tile = std::ssize(weights) / op.tiles;
  for (std::int64_t tile = 0; tile < op.tiles; ++tile)
    for (std::int64_t p = 0; p < w.pixels(); ++p) {
      const std::int64_t y = p / w.pitch, x = p % w.pitch;
      if (x >= w.width) continue;
      sum(op, w.from + tile * w.tile_step + p, y, x, weights.data() + tile * weights_of_tile, sums);
      write(op, op.first_tile + tile, y, x, sums);
    }
}

void Machine::sum(const Op& op, std::int64_t place, std::int64_t y, std::int64_t x,
                  const std::int8_t* weights, std::vector<std::int64_t>& sums) {
  const Walk& w = op.walk;
  std::ranges::fill(sums, op.unit == Unit::maximum ? -128 : 0);
  const std::int8_t* const of_tile = weights;
  for (std::int64_t repeat = 0; repeat < w.repeats; ++repeat) {
    if (w.repeats_weights) weights = of_tile;
    for (const Tap& tap : w.taps) {
      const std::int64_t line = y + repeat;
      const bool is_inside =
          tap.from[0] <= line && line < tap.to[0] && tap.from[1] <= x && x < tap.to[1];
      for (std::int64_t block = 0; block < w.blocks; ++block) {
        const std::int64_t from =
            place + tap.offset + repeat * w.repeat_step + block * w.block_step;
        const std::int8_t* numbers = is_inside ? word(from).data() : padding_.data();
        switch (op.unit) {
          case Unit::products:
            for (std::int64_t row = 0; row < shape_.rows; ++row) {
              const std::int64_t number = *numbers++;
              for (std::int64_t& s : sums) s += number * *weights++;
            }
            break;
          case Unit::depthwise:
            for (std::int64_t& s : sums) s += std::int64_t{*numbers++} * *weights++;
            break;
          case Unit::maximum:
            for (std::int64_t& s : sums) s = std::max<std::int64_t>(s, *numbers++);
        }
      }
    }
  }
}

void Machine::write(const Op& op, std::int64_t tile, std::int64_t y, std::int64_t x,
                    const std::vector<std::int64_t>& sums) {
  const std::int64_t count = lanes(op.unit), tiles_of_block = shape_.rows / count,
                     block = tile / tiles_of_block, first = tile % tiles_of_block * count;
  const auto to = word(op.target.at(block, y, x));
  for (std::int64_t lane = 0; lane < count; ++lane) {
    const std::int64_t channel = tile * count + lane;
    if (channel < op.first_channel || channel >= op.first_channel + op.channels) continue;
    const auto at = static_cast<std::size_t>(first + lane);
    const std::int8_t other =
        op.second ? word(op.second->from.at(block, y, x))[at] : std::int8_t{0};
    to[at] = static_cast<std::int8_t>(
        written(op, channel - op.first_tile * count, sums[static_cast<std::size_t>(lane)], other));
  }
}

void Machine::load(const Load& l, const graph::Tensor& t,
                   const std::vector<std::int32_t>& numbers) {
  const std::int64_t height = t.shape[1], width = t.shape[2], channels = t.shape[0];
  for (std::int64_t line = 0; line < l.lines; ++line)
    for (std::int64_t x = 0; x < l.to.width; ++x)
      for (std::int64_t c = 0; c < l.to.channels; ++c) {
        const std::int64_t column = x * l.stride + c / channels * l.dilation - l.before;
        const std::int32_t number =
            column < 0 || column >= width
                ? t.zero_point
                : numbers[static_cast<std::size_t>(
                      ((l.first_channel + c % channels) * height + l.first_line + line) * width +
                      column)];
        word(l.to.place(c / shape_.rows, line, x))[static_cast<std::size_t>(c % shape_.rows)] =
            static_cast<std::int8_t>(number - stored_less(t));
      }
}

std::vector<std::int32_t> Machine::numbers(const Map& map, const graph::Tensor& t) const {
  std::vector<std::int32_t> all;
  for (std::int64_t c = 0; c < map.channels; ++c)
    for (std::int64_t y = 0; y < map.height; ++y)
      for (std::int64_t x = 0; x < map.width; ++x)
        all.push_back(bytes_[static_cast<std::size_t>(
                          map.place(c / shape_.rows, y, x) * shape_.rows + c % shape_.rows)] +
                      stored_less(t));
  return all;
}

void Machine::store(const Store& s, const graph::Tensor& t,
                    std::vector<std::int32_t>& numbers) const {
  numbers.resize(graph::count(t.shape));
  const std::vector<std::int32_t> lines = Machine::numbers(s.from, t);
  const auto length = static_cast<std::ptrdiff_t>(s.from.height * s.from.width);
  for (std::int64_t c = 0; c < s.from.channels; ++c)
    std::copy_n(lines.begin() + c * length, length,
                numbers.begin() + ((s.first_channel + c) * t.shape[1] + s.first_line) * t.shape[2]);
}

std::vector<graph::Numbers> outside_of(const Program& p, std::span<const std::int32_t> image) {
  std::vector<graph::Numbers> outside(p.graph->tensors.size());
  for (const graph::TensorId id : graph::all_inputs(*p.graph)) {
    const std::size_t count = graph::count(p.graph->tensors[id].shape);
    outside[id].assign(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(count));
    image = image.subspan(count);
  }
  return outside;
}

std::vector<std::vector<std::int32_t>> run(
    const Program& p, std::span<const std::int32_t> image,
    const std::function<void(std::size_t, const Machine&)>& seen) {
  const graph::Graph& g = *p.graph;
  std::vector<graph::Numbers> outside = outside_of(p, image), outputs;
  Machine machine(p.shape);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (const auto* load = std::get_if<Load>(&p.steps[i]))
      machine.load(*load, g.tensors[load->tensor], outside[load->tensor]);
    else if (const auto* op = std::get_if<Op>(&p.steps[i]))
      machine.run(*op);
    else if (const auto* store = std::get_if<Store>(&p.steps[i]))
      machine.store(*store, g.tensors[store->tensor], outside[store->tensor]);
    if (seen) seen(i, machine);
  }
  for (const graph::TensorId id : g.outputs) outputs.push_back(outside[id]);
  return outputs;
}

}  // namespace kumiki::gen::engine
