// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/global_average/machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"
#include "gen/hdl/hdl.h"
#include "gen/layers/pipeline/machines/earlier.h"
#include "gen/layers/pipeline/machines/lanes.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr int of_a_part = 15;  // bits added in a clock; the chain is one longer
constexpr int most_sum_bits = 32;
constexpr std::size_t lanes_of_a_flag = 8;

int parts_of(const AveragePlan& p) { return (p.sum().bits + of_a_part - 1) / of_a_part; }

// All lanes of a beat in one clock of a pipeline without enables. Each part of the sums comes one
// clock after the part below and takes its carry.
struct Summing {
  Net valid;
  Flag adds;  // adds to the sum so far; otherwise a channel begins
  std::vector<UInt> numbers;
  std::vector<Net> carries;
};

// term + sum, or term alone. If another part follows, the result has one bit more.
UInt add_lane(Scope& s, const UInt& term, const UInt& sum, Net adds, Net carry_in, bool goes_on) {
  const UInt a = zext(s, term, term.width() + goes_on), b = zext(s, sum, a.width());
  if (adds == ir::net_zero) return a;
  const UInt propagate = lut_o6(
      s, [](bool x, bool y, bool use) { return x != (y && use); }, SourceLocation::current(), a, b,
      adds);
  return carry_chain(s, propagate, a, carry_in).sum;
}

// One part of the bits of all lanes, one clock after the earlier sums.
std::vector<UInt> add_part(Scope& s, const AveragePlan& p, Summing& now, int part, Net reset) {
  const auto low = static_cast<std::uint32_t>(part * of_a_part);
  const auto width = std::min(static_cast<std::uint32_t>(p.sum().bits) - low,
                              static_cast<std::uint32_t>(of_a_part));
  const int late = 1 + part + Earlier::clocks(p.stream.blocks());
  Earlier earlier(s, p.stream.blocks(), width * static_cast<std::uint32_t>(p.stream.lanes), true,
                  now.valid, reset);
  const std::vector<UInt> sums = lanes_of(earlier.word(), p.stream.lanes);
  std::vector<UInt> found;
  std::vector<Word> kept;
  std::vector<Net> carries;
  Net adds = ir::net_zero;
  for (std::size_t lane = 0; lane < sums.size(); ++lane) {
    const UInt& x = now.numbers[lane];
    std::vector<Net> number;
    for (std::uint32_t i = low; i < low + width; ++i)
      number.push_back(i < x.width() ? x[i] : p.stream.format.is_signed ? x.msb() : ir::net_zero);
    const UInt term = bits(s, number);
    if (lane % lanes_of_a_flag == 0) adds = now.adds.copy(s, late);
    const bool goes_on = part + 1 < parts_of(p);
    const UInt sum = add_lane(s, term, sums[lane], adds,
                              now.carries.empty() ? ir::net_zero : now.carries[lane], goes_on);
    found.push_back(reg(s, sum.slice(0, width)));
    kept.insert(kept.begin(), earlier.is_memory() ? found.back() : sum.slice(0, width));
    if (goes_on) carries.push_back(reg(s, sum[width]));
  }
  now.carries = std::move(carries);
  earlier.keep(cat(s, kept));
  return found;
}

}  // namespace

std::optional<std::string> AveragePlan::why_not() const {
  if (stream.format.bits < 1 || (!by_lines && stream.format.bits > 16))
    return fmt::format("its numbers have {} bits; they must have 1 to 16", stream.format.bits);
  if (sum().bits > most_sum_bits)
    return fmt::format("its sums have {} bits; they must have at most {}", sum().bits,
                       most_sum_bits);
  return std::nullopt;
}

arith::Format AveragePlan::sum() const {
  if (numbers) return *numbers;
  return {.bits = arith::signed_bits(stream.format.range() * arith::Exact{terms()}),
          .is_signed = true};
}

Walk AveragePlan::schedule() const {
  const auto numbers_of_sum = static_cast<std::size_t>(terms()),
             lines = static_cast<std::size_t>(stream.pixels()) / numbers_of_sum;
  Walk walk{.around = {.blocks = stream.blocks(),
                       .lines = std::vector<bool>(lines, true),
                       .columns = std::vector<bool>(numbers_of_sum, true)},
            .lines = std::vector<bool>(lines, true),
            .columns = std::vector<bool>(numbers_of_sum, false),
            // The beat in a register, the sums so far, and one clock for each part.
            .results = {.clocks = 1 + Earlier::clocks(stream.blocks()) + parts_of(*this)}};
  walk.columns.back() = true;
  return walk;
}

Stream AveragePlan::output() const {
  if (seen_as) return seen_as->with(sum());
  return {.height = by_lines ? stream.height : 1,
          .channels = stream.channels,
          .lanes = stream.lanes,
          .format = sum()};
}

std::string AveragePlan::text() const {
  return fmt::format("{} sums of {} numbers, {} bits",
                     stream.channels * (by_lines ? stream.height : 1), terms(), sum().bits);
}

std::string AveragePlan::module_name() const {
  return by_lines ? fmt::format("line_sums{}x{}_l{}", stream.channels, stream.width, stream.lanes)
                  : fmt::format("average{}x{}_l{}", stream.channels, stream.pixels(), stream.lanes);
}

MachineOut<Hardware> build(Scope& s, const AveragePlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  const Net reset = in.rst;
  const Walk walk = p.schedule();
  Reg<Net> ready(s, {.init = 1, .reset = reset});
  const Net takes = s.net(ready & in.in_valid[0]);
  const Cycle block(s, walk.around.blocks, takes, reset);
  const Cycle pixel(s, std::ssize(walk.columns), block.ends(), reset);
  std::vector<bool> is_later(walk.columns.size(), true);
  is_later[0] = false;
  const Net adds = pixel.look_up(is_later);
  Summing now{.valid = reg(s, takes, {.reset = reset}),
              .adds = Flag(s, adds),
              .numbers = {},
              .carries = {}};
  Flag is_last(s, pixel.last());
  for (const UInt& lane : in.in_data) now.numbers.push_back(reg(s, lane));
  const int late = Earlier::clocks(p.stream.blocks());
  for (UInt& lane : now.numbers) lane = delay(s, lane, static_cast<std::uint32_t>(late));
  // The parts; earlier results wait until the last part is there.
  std::vector<std::vector<UInt>> found;
  const int parts = parts_of(p);
  for (int part = 0; part < parts; ++part) {
    found.push_back(add_part(s, p, now, part, reset));
    now.valid = reg(s, now.valid, {.reset = reset});
    if (part + 1 < parts)
      for (UInt& lane : now.numbers) lane = reg(s, lane);
    for (auto& before : found)
      if (&before != &found.back())
        for (UInt& lane : before) lane = reg(s, lane);
  }
  // `valid` is still early by the clocks of the memory.
  const Net valid = later(s, now.valid, late, reset);
  const Net arrives = s.net(valid & is_last.after(1 + late + parts));
  std::vector<Word> high_to_low;
  for (std::size_t lane = found[0].size(); lane-- > 0;)
    for (auto part = found.rbegin(); part != found.rend(); ++part)
      high_to_low.push_back((*part)[lane]);
  const Results results(s, walk.results, arrives, cat(s, high_to_low), in.out_ready, reset);
  ready.next(results.room_next());
  return {.in_ready = {ready.q()},
          .out_valid = results.valid(),
          .out_data = lanes_of(results.word(), p.stream.lanes)};
}

Lanes beat(const AveragePlan& p, std::int64_t k, const Taken& in) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(p.stream.lanes), 0);
  // A result is that of a line and a block of its channels.
  const std::int64_t blocks = p.stream.blocks(), first = k / blocks * p.terms();
  for (std::int64_t pixel = first; pixel < first + p.terms(); ++pixel) {
    const auto numbers = in.at(0, pixel * blocks + k % blocks);
    for (std::size_t lane = 0; lane < sums.size(); ++lane)
      sums[lane] += arith::value_of(numbers[lane], p.stream.format);
  }
  Lanes all;
  for (const std::int64_t sum : sums) all.push_back(arith::raw_of(sum, in.output().format));
  return all;
}

}  // namespace kumiki::gen::pipeline
