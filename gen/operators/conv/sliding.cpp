// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/sliding.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/layers/pipeline/machines/earlier.h"
#include "gen/operators/conv/kernel_rom.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::pipeline {
namespace {

// The positions of the raster that complete a window.
std::vector<bool> completes(const graph::Window& w, std::size_t axis, std::int64_t windows,
                            std::size_t positions) {
  std::vector<bool> all(positions, false);
  const std::int64_t last = w.reach(static_cast<int>(axis)) - 1;
  for (std::int64_t window = 0; window < windows; ++window)
    all[static_cast<std::size_t>(window * w.stride[axis] + last)] = true;
  return all;
}

}  // namespace

std::optional<std::string> SlidingPlan::why_not() const {
  if (auto why = DepthwiseKernels::why_not()) return why;
  if (const std::int64_t clocks = schedule().results.clocks; clocks > ResultsPlan::most_clocks)
    return fmt::format("a lane has {} slices; it must have at most {}", positions(),
                       positions() + ResultsPlan::most_clocks - clocks);
  return std::nullopt;
}

std::int64_t SlidingPlan::down() const {
  return window.dilation[0] * std::ssize(raster().columns) * stream.blocks();
}

std::int64_t SlidingPlan::late() const {
  // A line's numbers come some clocks after those of the line below it, and its slices start as
  // many clocks later as the kernel has columns.
  const std::int64_t behind = Earlier::clocks(down()) - window.kernel[1];
  // Weights of several blocks are read by a counter.
  return std::max<std::int64_t>(stream.blocks() > 1 ? 1 : 0, (window.kernel[0] - 1) * behind);
}

std::int64_t SlidingPlan::brams_18k() const {
  std::int64_t all =
      stream.lanes * KernelRom::brams_18k(static_cast<std::size_t>(stream.blocks()),
                                          static_cast<std::size_t>(positions()), weight_range());
  if (Earlier::is_block_memory(down()))
    all +=
        (window.kernel[0] - 1) * ir::memory::brams_18k(static_cast<std::uint64_t>(down()),
                                                       static_cast<std::uint64_t>(stream.bits()));
  return all;
}

Walk SlidingPlan::schedule() const {
  const Stream out = output();
  Walk all{.around = raster(), .lines = {}, .columns = {}, .results = {}};
  all.lines = completes(window, 0, out.height, all.around.lines.size());
  all.columns = completes(window, 1, out.width, all.around.columns.size());
  // A clock for the beat's register, three in the last slice.
  all.results.clocks = 3 + late() + positions();
  return all;
}

std::string SlidingPlan::text() const {
  return fmt::format("{}, {} slices a lane, {} lines of {} beats", size(), positions(),
                     window.kernel[0] - 1, down());
}

std::string SlidingPlan::module_name() const {
  return fmt::format("sliding{}x{}_{}x{}x{}_l{}", window.kernel[0], window.kernel[1],
                     stream.channels, stream.height, stream.width, stream.lanes);
}

}  // namespace kumiki::gen::pipeline
