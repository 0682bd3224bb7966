// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/depthwise.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "gen/operators/conv/kernel_rom.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t words_of_a_lut = 32, most_ring_in_luts = 64;
constexpr std::int64_t most_ring = std::int64_t{1} << 16;  // words: limited by the carry chain of
                                                           // an address

// How many positions the loader may be ahead of the room it reports, while slices still read.
std::int64_t late_positions(const DepthwisePlan& p) {
  return 4 + (p.parallel + p.stream.blocks() - 1) / p.stream.blocks();
}

// Positions up to the last one of the first window.
std::int64_t first_window(const DepthwisePlan& p) {
  return (p.window.reach(0) - 1) * std::ssize(p.raster().columns) + p.window.reach(1);
}

}  // namespace

std::optional<std::string> DepthwisePlan::why_not() const {
  if (auto why = DepthwiseKernels::why_not()) return why;
  if (parallel != 1 && parallel != window.kernel[0] && parallel != window.kernel[1])
    return fmt::format("a lane has {} slices; it must have 1, {} or {}", parallel, window.kernel[0],
                       window.kernel[1]);
  if (results().clocks > ResultsPlan::most_clocks)
    return fmt::format("a lane has {} slices; it must have at most {}", parallel,
                       parallel + ResultsPlan::most_clocks - results().clocks);
  if (ring != 0 && (ring < least_ring() || !std::has_single_bit(static_cast<std::uint64_t>(ring))))
    return fmt::format("the memory has {} words; it must have at least {}, and a power of two",
                       ring, least_ring());
  if (words() > most_ring)
    return fmt::format("the memory has {} words; it must have at most {}", words(), most_ring);
  return std::nullopt;
}

DepthwiseSteps DepthwisePlan::steps() const {
  DepthwiseSteps all{.lines = window.kernel[0], .columns = window.kernel[1], .of_slices = {}};
  const bool has_lines = parallel != 1 && parallel == all.lines;
  if (has_lines)
    all.lines = 1;
  else if (parallel != 1)
    all.columns = 1;
  for (std::int64_t slice = 0; slice < parallel; ++slice)
    all.of_slices.push_back({has_lines ? slice : 0, has_lines ? 0 : slice});
  return all;
}

std::int64_t DepthwisePlan::least_ring() const {
  const std::int64_t least = (first_window(*this) + late_positions(*this)) * stream.blocks();
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(least, words_of_a_lut))));
}

Ring DepthwisePlan::schedule() const {
  const Stream out = output();
  Ring all{.around = raster(),
           .steps = steps().count(),
           .out_lines = out.height,
           .out_columns = out.width,
           .needed = first_window(*this),
           .next_column = window.stride[1],
           .room = words() / stream.blocks() - late_positions(*this),
           .results = results()};
  const std::int64_t line = std::ssize(all.around.columns),
                     back = (out.width - 1) * window.stride[1];
  all.next_line = window.stride[0] * line - back;
  all.next_frame =
      std::ssize(all.around.lines) * line - (out.height - 1) * window.stride[0] * line - back;
  return all;
}

bool DepthwisePlan::is_in_luts() const { return words() <= most_ring_in_luts; }

std::int64_t DepthwisePlan::brams_18k() const {
  const auto kernels = static_cast<std::size_t>(stream.blocks() * steps().count());
  std::int64_t of_slice = 0;
  if (!is_in_luts())
    of_slice = ir::memory::brams_18k(static_cast<std::uint64_t>(words()),
                                     static_cast<std::uint64_t>(stream.bits()));
  for (auto lanes = static_cast<std::size_t>(stream.lanes), some = lanes; lanes > 0;
       lanes -= some) {
    some = std::min(lanes, lanes_of_a_copy);
    of_slice += KernelRom::brams_18k(kernels, some, weight_range());
  }
  return parallel * of_slice;
}

std::string DepthwisePlan::text() const {
  return fmt::format("{}, {} slices a lane, {} words of the map", size(), parallel, words());
}

std::string DepthwisePlan::module_name() const {
  return fmt::format("depthwise{}x{}_{}x{}x{}_l{}", window.kernel[0], window.kernel[1],
                     stream.channels, stream.height, stream.width, stream.lanes);
}

std::vector<DepthwisePlan> with_rings(DepthwisePlan plan) {
  const std::int64_t least = plan.least_ring();
  if (least > most_ring) return {plan};  // why_not() reports it
  plan.ring = std::min(4 * least, most_ring);
  const std::int64_t best = plan.schedule().interval();
  for (plan.ring = least; plan.ring < most_ring && 100 * plan.schedule().interval() > 101 * best;)
    plan.ring *= 2;
  std::vector<DepthwisePlan> all{plan};
  while (plan.ring > least) {
    plan.ring /= 2;
    if (plan.brams_18k() + 2 * plan.parallel <= all.back().brams_18k()) all.push_back(plan);
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
