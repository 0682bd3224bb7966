// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/softmax/machine.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/stages.h"
#include "ir/arch.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr int distance_bits = 8;

std::string of_groups(const GroupedStream& g) {
  return fmt::format("{} groups of {} numbers, {} lanes", g.count(), g.size(), g.stream.lanes);
}

// Stages that take a beat of the stream and a number that belongs to it.
Moving with_numbers(const GroupedStream& g, int stages) {
  return Stages::schedule(g.stream, 2, stages);
}

std::int64_t entry_of(const graph::SoftmaxIntegers& integers, std::uint64_t distance) {
  return distance >> distance_bits != 0 ? 0 : std::int64_t{integers.entries[distance]};
}

}  // namespace

// The numbers in registers, a clock for each level of a tree, and the largest one so far.
Walk LargestPlan::schedule() const {
  return groups.schedule(2 + arith::bits_for_count(groups.stream.lanes));
}

std::string LargestPlan::text() const { return "the largest of " + of_groups(groups); }

std::string LargestPlan::module_name() const {
  return fmt::format("largest{}_l{}", groups.size(), groups.stream.lanes);
}

std::vector<Stream> DistancesPlan::inputs() const {
  return {groups.stream, groups.by_beat(groups.stream.format)};
}

Stream DistancesPlan::output() const {
  return groups.stream.with({distance_bits + (has_past() ? 1 : 0), false});
}

Moving DistancesPlan::schedule() const { return with_numbers(groups, 1); }

std::string DistancesPlan::text() const { return "distances in " + of_groups(groups); }

std::string DistancesPlan::module_name() const {
  return fmt::format("distances{}_l{}", groups.size(), groups.stream.lanes);
}

Stream ExponentialsPlan::output() const {
  const auto most = static_cast<std::uint64_t>(groups.size())
                    << (graph::SoftmaxIntegers::entry_bits - 1);
  return groups.by_group({static_cast<int>(std::bit_width(most)), false});
}

// Two clocks of a table, the operands and the sum; each further slice is a clock later.
Walk ExponentialsPlan::schedule() const { return groups.schedule(3 + slices()); }

std::string ExponentialsPlan::text() const {
  return "sums of exponentials in " + of_groups(groups);
}

std::string ExponentialsPlan::module_name() const {
  return fmt::format("exponentials{}_l{}", groups.size(), groups.stream.lanes);
}

std::int64_t DivisionPlan::first_rest() const {
  return (integers.factor << graph::SoftmaxIntegers::shift) >> steps();
}

// The sum in a register, a clock for each bit, and the quotient in a register.
Walk DivisionPlan::schedule() const {
  const auto sums = static_cast<std::size_t>(stream.pixels());
  std::vector<bool> first(static_cast<std::size_t>(pace), false);
  first[0] = true;
  return {.around = {.lines = std::vector(sums, true), .columns = first},
          .lines = std::vector(sums, true),
          .columns = first,
          .results = {.clocks = steps() + 2}};
}

std::string DivisionPlan::text() const {
  return fmt::format("{} * 2^{} over {} sums, {} bits in {} units", integers.factor,
                     graph::SoftmaxIntegers::shift, stream.pixels(), steps(), units());
}

std::string DivisionPlan::module_name() const {
  return fmt::format("division{}_{}", stream.format.bits, units());
}

std::vector<Stream> SharesPlan::inputs() const {
  return {groups.stream, groups.by_beat({integers.reciprocal_bits(), false})};
}

Moving SharesPlan::schedule() const { return with_numbers(groups, 4); }

std::string SharesPlan::text() const { return "shares of " + of_groups(groups); }

std::string SharesPlan::module_name() const {
  return fmt::format("shares{}_l{}", groups.size(), groups.stream.lanes);
}

Lanes beat(const LargestPlan& p, std::int64_t k, const Taken& in) {
  const std::int64_t beats = p.groups.beats(), lanes = p.groups.stream.lanes;
  std::int64_t largest = static_cast<std::int64_t>(p.groups.stream.format.range().lo);
  for (std::int64_t i = 0; i < p.groups.size(); ++i)
    largest = std::max(
        largest,
        arith::value_of(in.at(0, k * beats + i / lanes)[static_cast<std::size_t>(i % lanes)],
                        p.groups.stream.format));
  return {arith::raw_of(largest, p.groups.stream.format)};
}

Lanes beat(const DistancesPlan& p, std::int64_t k, const Taken& in) {
  const auto numbers = in.at(0, k);
  const std::uint64_t largest = in.at(1, k)[0];
  const bool is_last = k % p.groups.beats() == p.groups.beats() - 1;
  Lanes all;
  for (std::int64_t lane = 0; lane < p.groups.stream.lanes; ++lane) {
    const std::uint64_t distance = (largest - numbers[static_cast<std::size_t>(lane)]) & 255;
    const bool is_past = is_last && p.groups.is_past(lane);
    all.push_back(distance + (is_past ? std::uint64_t{1} << distance_bits : 0));
  }
  return all;
}

Lanes beat(const ExponentialsPlan& p, std::int64_t k, const Taken& in) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < p.groups.beats(); ++i)
    for (const std::uint64_t distance : in.at(0, k * p.groups.beats() + i))
      sum += entry_of(p.integers, distance);
  return {static_cast<std::uint64_t>(sum)};
}

Lanes beat(const DivisionPlan& p, std::int64_t k, const Taken& in) {
  const auto sum = static_cast<std::int64_t>(in.at(0, k)[0]);
  // The sum of a group has 2^23 in it.
  if (sum >> (graph::SoftmaxIntegers::entry_bits - 1) != 0)
    return {static_cast<std::uint64_t>(p.integers.reciprocal(sum))};
  // Other words of an input give what the bits of a slice make of them.
  std::uint64_t quotient = 0;
  std::int64_t rest = p.first_rest();
  for (std::int64_t step = 0; step < p.steps(); ++step) {
    rest = arith::value_of(static_cast<std::uint64_t>(rest < 0 ? 2 * rest + sum : 2 * rest - sum),
                           {ir::arch::dsp48e2.p, true});
    quotient = 2 * quotient + (rest < 0 ? 0 : 1);
  }
  return {quotient};
}

Lanes beat(const SharesPlan& p, std::int64_t k, const Taken& in) {
  const auto reciprocal = static_cast<std::int64_t>(in.at(1, k)[0]);
  Lanes all;
  for (const std::uint64_t distance : in.at(0, k))
    all.push_back(
        arith::raw_of(p.integers.result(entry_of(p.integers, distance), reciprocal), p.format));
  return all;
}

}  // namespace kumiki::gen::pipeline
