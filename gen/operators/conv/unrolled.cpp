// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/unrolled.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/const_matrix/stages.h"
#include "gen/blocks/packing/hardware/control.h"

namespace kumiki::gen::pipeline {
namespace {

// Flip-flops of one enable; with more of them the farthest is out of reach of a clock.
constexpr std::int64_t enabled_together = 256;

Stream stream_of(const UnrolledPlan& p, std::int64_t channels, const arith::Format& format) {
  return {.height = p.height,
          .width = p.width,
          .channels = channels,
          .lanes = channels,
          .format = format};
}

// A sum in the format of its unscaled result: the bits above are copies of the sign or always 0.
UInt recast(Scope& s, const UInt& sum, const arith::Format& from, const arith::Format& to) {
  const auto width = static_cast<std::uint32_t>(to.bits);
  if (sum.width() >= width) return sum.slice(0, width);
  return from.is_signed ? UInt(sext(s, as_signed(sum), width)) : zext(s, sum, width);
}

std::size_t enables_of(const UnrolledPlan::Layer& layer) {
  std::int64_t flip_flops = 1 + const_matrix::flip_flops(layer.matrix.network);
  if (layer.numbers) flip_flops += const_matrix::flip_flops(layer.numbers->network);
  return static_cast<std::size_t>((flip_flops + enabled_together - 1) / enabled_together);
}

}  // namespace

std::vector<Stream> UnrolledPlan::inputs() const {
  const LutMatrix& first = layers.front().matrix;
  return {stream_of(*this, first.inputs(), first.numbers)};
}

Stream UnrolledPlan::output() const {
  return stream_of(*this, layers.back().matrix.outputs(), layers.back().result());
}

int UnrolledPlan::latency() const {
  int clocks = 0;
  for (const Layer& layer : layers) clocks += layer.latency();
  return clocks;
}

int UnrolledPlan::levels() const {
  int most = 0;
  for (const Layer& layer : layers)
    most = std::max({most, layer.matrix.levels(), layer.numbers ? layer.numbers->levels() : 0});
  return most;
}

std::string UnrolledPlan::text() const {
  std::string text = fmt::format("{} numbers", layers.front().matrix.inputs());
  for (const Layer& layer : layers)
    text += fmt::format("{} {} of {}", &layer == &layers.front() ? " to" : ",",
                        layer.matrix.outputs(), layer.name);
  std::int64_t chains = 0, tables = 0;
  for (const Layer& layer : layers) {
    chains += layer.matrix.chains() + (layer.numbers ? layer.numbers->chains() : 0);
    tables += layer.matrix.tables();
  }
  return fmt::format("{}: {} chains, {} tables, latency {}", text, chains, tables, latency());
}

std::string UnrolledPlan::module_name() const {
  return fmt::format("unrolled{}to{}", layers.front().matrix.inputs(),
                     layers.back().matrix.outputs());
}

MachineOut<Hardware> build(Scope& s, const UnrolledPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Wire<Net> moves(s);
  const Net valid = packing::delayed_valid(s, in.in_valid[0], p.schedule().stages, moves, in.rst);
  std::size_t groups = 1;
  for (const UnrolledPlan::Layer& layer : p.layers) groups += enables_of(layer);
  const std::int64_t outputs = p.layers.back().matrix.outputs();
  Exits exits(s, std::max(outputs, static_cast<std::int64_t>(groups) * Exits::lanes_of_group),
              valid, in.out_ready, in.rst);
  moves.drive(exits.moves(0));
  std::vector<UInt> numbers = in.in_data;
  std::int64_t group = 1;
  for (const UnrolledPlan::Layer& layer : p.layers) {
    std::vector<Net> enables;
    for (std::size_t i = 0; i < enables_of(layer); ++i)
      enables.push_back(exits.moves(group++ * Exits::lanes_of_group));
    s.remark(fmt::format("layer {}: {}", layer.name, layer.matrix.text()));
    numbers = build(s, layer.matrix, numbers, enables);
    if (layer.as_numbers)
      for (UInt& number : numbers)
        number = recast(s, number, layer.matrix.sums(), *layer.as_numbers);
    if (!layer.numbers) continue;
    s.remark(fmt::format("layer {}: {}", layer.name, layer.numbers->text()));
    numbers = build(s, *layer.numbers, numbers, enables);
  }
  return {
      .in_ready = {exits.moves(0)}, .out_valid = exits.valid(), .out_data = exits.pass(numbers)};
}

Lanes beat(const UnrolledPlan& p, std::int64_t k, const Taken& in) {
  const auto numbers = in.at(0, k);
  Lanes all(numbers.begin(), numbers.end());
  for (const UnrolledPlan::Layer& layer : p.layers) {
    all = results(layer.matrix, all);
    if (layer.as_numbers)
      for (std::uint64_t& raw : all)
        raw = arith::raw_of(arith::value_of(raw, layer.matrix.sums()), *layer.as_numbers);
    if (layer.numbers) all = results(*layer.numbers, all);
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
