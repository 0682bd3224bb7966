// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/layer_norm/machine.h"

#include <bit>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/requantise_lanes.h"
#include "gen/layers/pipeline/machines/stages.h"
#include "ir/arch.h"

namespace kumiki::gen::pipeline {

arith::Format MomentsPlan::word() { return {squares_bits + RootPlan::sum_bits, true}; }

// The operands, the sum with 2^25, the product and the sum; each further slice is a clock later.
Walk MomentsPlan::schedule() const { return groups().schedule(3 + stream.lanes); }

std::string MomentsPlan::text() const {
  return fmt::format("sums of {} numbers and of their squares, {} lanes", stream.channels,
                     stream.lanes);
}

std::string MomentsPlan::module_name() const {
  return fmt::format("moments{}_l{}", stream.channels, stream.lanes);
}

int RootPlan::steps() const {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(integers.most_shift)));
}

arith::Format RootPlan::word() const {
  return {graph::NormIntegers::root_bits + steps() + sum_bits, false};
}

// Six clocks until the variance is there, one for each step, and 15 for the root.
Walk RootPlan::schedule() const { return GroupedStream{stream}.schedule(21 + steps()); }

std::string RootPlan::text() const {
  return fmt::format("reciprocal roots of {} variances", stream.pixels());
}

std::string RootPlan::module_name() const { return fmt::format("root{}", integers.size); }

std::vector<Stream> NormalPlan::inputs() const {
  return {stream, GroupedStream{stream}.by_beat(root)};
}

Moving NormalPlan::schedule() const { return Stages::schedule(stream, 2, 12); }

std::string NormalPlan::text() const {
  return fmt::format("{} numbers less their mean, over their deviation, {} lanes", stream.channels,
                     stream.lanes);
}

std::string NormalPlan::module_name() const {
  return fmt::format("normal{}_l{}", stream.channels, stream.lanes);
}

Lanes beat(const MomentsPlan& p, std::int64_t k, const Taken& in) {
  std::int64_t word = 0;
  for (std::int64_t c = 0; c < p.stream.channels; ++c) {
    const std::uint64_t raw =
        in.at(0, k * p.stream.blocks() +
                     c / p.stream.lanes)[static_cast<std::size_t>(c % p.stream.lanes)];
    const std::int64_t number = arith::value_of(raw, p.stream.format) - p.center;
    word += number * ((std::int64_t{1} << MomentsPlan::squares_bits) + number);
  }
  return {arith::raw_of(word, p.output().format)};
}

Lanes beat(const RootPlan& p, std::int64_t k, const Taken& in) {
  const graph::NormIntegers& n = p.integers;
  const std::uint64_t word = in.at(0, k)[0];
  const std::int64_t sum =
      arith::value_of(word >> MomentsPlan::squares_bits, {RootPlan::sum_bits, true});
  const auto squares = static_cast<std::int64_t>(
      arith::raw_of(static_cast<std::int64_t>(word), MomentsPlan::squares_bits));
  // What no pixel has is cut off.
  const std::int64_t total =
      (n.size * squares - sum * sum) * (std::int64_t{1} << n.point) + n.epsilon;
  const graph::NormIntegers::Root root =
      n.root_of(static_cast<std::int64_t>(arith::raw_of(total, graph::NormIntegers::sum_bits)));
  constexpr int root_bits = graph::NormIntegers::root_bits;
  return {static_cast<std::uint64_t>(root.root) |
          static_cast<std::uint64_t>(root.shift) << root_bits |
          arith::raw_of(sum, RootPlan::sum_bits) << (root_bits + p.steps())};
}

Lanes beat(const NormalPlan& p, std::int64_t k, const Taken& in) {
  const graph::NormIntegers& n = p.integers;
  constexpr int root_bits = graph::NormIntegers::root_bits;
  const std::uint64_t word = in.at(1, k)[0];
  const int steps = p.root.bits - root_bits - RootPlan::sum_bits;
  const graph::NormIntegers::Root root{
      .shift = static_cast<std::int64_t>(word >> root_bits & ((std::uint64_t{1} << steps) - 1)),
      .root = static_cast<std::int64_t>(word & ((std::uint64_t{1} << root_bits) - 1))};
  const std::int64_t sum = arith::value_of(word >> (root_bits + steps), {RootPlan::sum_bits, true});
  const auto numbers = in.at(0, k);
  Lanes all;
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    const std::int64_t channel = channel_of(p.stream, lane, k % p.stream.blocks());
    const std::int64_t number = arith::value_of(numbers[lane], p.stream.format) - n.center;
    all.push_back(
        arith::raw_of(n.result(static_cast<std::size_t>(channel), number, sum, root), p.format));
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
