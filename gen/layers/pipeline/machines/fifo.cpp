// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machines/fifo.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gen/hdl/hdl.h"
#include "gen/hdl/memory_queue.h"
#include "gen/layers/pipeline/machines/lanes.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::pipeline {
namespace {

constexpr std::int64_t most_in_luts = 64, depth_of_a_row = 1024;  // beats

}  // namespace

std::int64_t FifoPlan::depth_for(std::int64_t beats) {
  if (beats > depth_of_a_row) return ceil_div(beats, depth_of_a_row) * depth_of_a_row;
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(beats, 2))));
}

// A LUT in front if other machines read the same source, a LUT, and the carries of a signed number
// of beats, eight bits each.
int FifoPlan::levels() const {
  return 2 + static_cast<int>(address_width(static_cast<std::uint64_t>(depth)) + 8) / 8;
}

std::string FifoPlan::text() const {
  return fmt::format("{} beats of {} bits", room(), stream.bits());
}

std::string FifoPlan::module_name() const {
  return fmt::format("fifo{}x{}_d{}", stream.lanes, stream.format.bits, depth);
}

MachineOut<Hardware> build(Scope& s, const FifoPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(fmt::format("up to {} beats that wait", p.room()));
  const auto depth = static_cast<std::uint32_t>(p.depth);
  const RoomQueue queue(s, depth,
                        p.depth <= most_in_luts ? ir::memory::distributed : ir::memory::block,
                        in.in_valid[0], in.out_ready, in.rst);
  return {.in_ready = {queue.has_room()},
          .out_valid = queue.valid(),
          .out_data = lanes_of(queue.pass(joined(s, in.in_data)), p.stream.lanes)};
}

Lanes beat(const FifoPlan&, std::int64_t k, const Taken& in) {
  const auto same = in.at(0, k);
  return {same.begin(), same.end()};
}

}  // namespace kumiki::gen::pipeline
