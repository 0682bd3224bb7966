// SPDX-License-Identifier: Apache-2.0
#include "tests/support/engine_run.h"

#include <algorithm>
#include <stdexcept>

namespace kumiki::gen::engine {
namespace {

class Executor {
 public:
  Executor(Machine& machine, const EngineShape& shape)
      : machine_(machine), shape_(shape), padding_(static_cast<std::size_t>(shape.rows)) {}
  void run(const Op& op);

 private:
  // The sums of a pixel of the walk, or its maxima; `place` is that of the pixel.
  void sum(const Op& op, std::int64_t place, std::int64_t y, std::int64_t x,
           const std::int8_t* weights, std::vector<std::int64_t>& sums);
  void write(const Op& op, std::int64_t tile, std::int64_t y, std::int64_t x,
             const std::vector<std::int64_t>& sums);
  // Words of weights that are numbers of maps, behind others.
  void fill(const Op& op, const std::vector<Fill>& fills, std::vector<std::int8_t>& weights);
  std::int64_t lanes(Unit unit) const {
    return unit == Unit::products ? shape_.columns : shape_.rows;
  }
  std::int32_t written(const Op& op, std::int64_t channel, std::int64_t sum,
                       std::int8_t other) const;
  Machine& machine_;
  EngineShape shape_;
  std::vector<std::int8_t> padding_;  // a word of it
};

std::int32_t Executor::written(const Op& op, std::int64_t channel, std::int64_t sum,
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

void Executor::run(const Op& op) {
  const Walk& w = op.walk;
  std::vector<std::int64_t> sums(static_cast<std::size_t>(lanes(op.unit)));
  std::ranges::fill(padding_, w.pad);
  const auto given = std::ssize(op.weights) / op.tiles;
  for (std::int64_t tile = 0; tile < op.tiles; ++tile) {
    std::vector<std::int8_t> weights(op.weights.begin() + tile * given,
                                     op.weights.begin() + (tile + 1) * given);
    if (!op.fills.empty()) fill(op, op.fills[static_cast<std::size_t>(tile)], weights);
    for (std::int64_t p = 0; p < w.pixels(); ++p) {
      const std::int64_t y = p / w.pitch, x = p % w.pitch;
      if (x >= w.width) continue;
      sum(op, w.from + tile * w.tile_step + p, y, x, weights.data(), sums);
      write(op, op.first_tile + tile, y, x, sums);
    }
  }
}

// A place is the weights of a column; words are row by row.
void Executor::fill(const Op& op, const std::vector<Fill>& fills,
                    std::vector<std::int8_t>& weights) {
  const auto columns = static_cast<std::size_t>(op.unit == Unit::products ? shape_.columns : 1),
             rows = static_cast<std::size_t>(shape_.rows);
  std::size_t column = 0;
  for (const Fill& of_maps : fills)
    for (std::int64_t place = of_maps.place; place < of_maps.place + of_maps.places; ++place) {
      if (column == 0) weights.resize(weights.size() + rows * columns);
      const auto word = machine_.word(place);
      for (std::size_t row = 0; row < rows; ++row)
        weights[weights.size() - (rows - row) * columns + column] = word[row];
      column = (column + 1) % columns;
    }
  if (column != 0) throw std::logic_error("a word of weights is not complete");
}

void Executor::sum(const Op& op, std::int64_t place, std::int64_t y, std::int64_t x,
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
        const std::int8_t* numbers = is_inside ? machine_.word(from).data() : padding_.data();
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

void Executor::write(const Op& op, std::int64_t tile, std::int64_t y, std::int64_t x,
                     const std::vector<std::int64_t>& sums) {
  const std::int64_t count = lanes(op.unit), tiles_of_block = shape_.rows / count,
                     block = tile / tiles_of_block, first = tile % tiles_of_block * count;
  const auto to = machine_.word(op.target.at(block, y, x));
  for (std::int64_t lane = 0; lane < count; ++lane) {
    const std::int64_t channel = tile * count + lane;
    if (channel < op.first_channel || channel >= op.first_channel + op.channels) continue;
    const auto at = static_cast<std::size_t>(first + lane);
    const std::int8_t other =
        op.second ? machine_.word(op.second->from.at(block, y, x))[at] : std::int8_t{0};
    to[at] = static_cast<std::int8_t>(
        written(op, channel - op.first_tile * count, sums[static_cast<std::size_t>(lane)], other));
  }
}

// Pixel by pixel, with the integers of the definition.
void normalise(Machine& machine, const Normalise& n, std::int64_t rows) {
  const auto channel = [&](std::int64_t from, std::int64_t step, std::int64_t pixel,
                           std::int64_t c) -> std::int8_t& {
    return machine.word(from + pixel + c / rows * step)[static_cast<std::size_t>(c % rows)];
  };
  for (std::int64_t pixel = 0; pixel < n.pixels; ++pixel) {
    std::vector<std::int64_t> q, y;
    for (std::int64_t c = 0; c < n.channels; ++c)
      q.push_back(channel(n.from, n.from_step, pixel, c));
    if (const auto* softmax = std::get_if<graph::SoftmaxIntegers>(&n.integers)) {
      const std::int64_t largest = *std::ranges::max_element(q);
      const auto entry = [&](std::int64_t number) {
        return std::int64_t{softmax->entries[static_cast<std::size_t>(largest - number)]};
      };
      std::int64_t sum = 0;
      for (const std::int64_t number : q) sum += entry(number);
      for (const std::int64_t number : q)
        y.push_back(softmax->result(entry(number), softmax->reciprocal(sum)));
    } else {
      const auto& norm = std::get<graph::NormIntegers>(n.integers);
      std::int64_t sum = 0, squares = 0;
      for (const std::int64_t number : q) sum += number, squares += number * number;
      const graph::NormIntegers::Root root = norm.root(sum, squares);
      for (std::size_t c = 0; c < q.size(); ++c) y.push_back(norm.result(c, q[c], sum, root));
    }
    for (std::int64_t c = 0; c < n.channels; ++c)
      channel(n.to, n.to_step, pixel, c) = static_cast<std::int8_t>(y[static_cast<std::size_t>(c)]);
  }
}

}  // namespace

std::vector<std::vector<std::int32_t>> run(
    const Program& p, std::span<const std::int32_t> image,
    const std::function<void(std::size_t, const Machine&)>& seen) {
  const graph::Graph& g = *p.graph;
  std::vector<graph::Numbers> outside = outside_of(p, image);
  Machine machine(p.shape);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (const auto* load = std::get_if<Load>(&p.steps[i]))
      machine.load(*load, g.tensors[load->tensor], outside[load->tensor]);
    else if (const auto* op = std::get_if<Op>(&p.steps[i]))
      Executor(machine, p.shape).run(*op);
    else if (const auto* store = std::get_if<Store>(&p.steps[i]))
      machine.store(*store, g.tensors[store->tensor], outside[store->tensor]);
    else
      normalise(machine, std::get<Normalise>(p.steps[i]), p.shape.rows);
    if (seen) seen(i, machine);
  }
  return results_of(p, outside);
}

}  // namespace kumiki::gen::engine
