// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/constant/machine.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"

namespace kumiki::gen::pipeline {
namespace {

// Nothing where the number of the stream passes, 0 past the last channel.
std::optional<std::uint64_t> number_at(const ConstantPlan& p, std::int64_t lane, std::int64_t k) {
  const Stream& s = p.stream;
  const std::int64_t pixel = k / s.blocks(), channel = k % s.blocks() * s.lanes + lane;
  if (channel >= s.channels) return 0;
  if (!p.passing.empty() && p.passing[static_cast<std::size_t>(channel)]) return {};
  return arith::raw_of(p.values[static_cast<std::size_t>(channel * s.pixels() + pixel)], p.format);
}

}  // namespace

Moving ConstantPlan::schedule() const {
  Moving frame = Stages::schedule(stream, 1, 1);
  frame.beats = stream.beats();
  frame.pieces = 1;
  return frame;
}

std::string ConstantPlan::text() const {
  return fmt::format("{} constants of {} in {} lanes", values.size(), to_string(format),
                     stream.lanes);
}

std::string ConstantPlan::module_name() const {
  return fmt::format("constant{}_l{}", values.size(), stream.lanes);
}

MachineOut<Hardware> build(Scope& s, const ConstantPlan& p, const MachineIn<Hardware>& in) {
  s.module().set_about(p.text());
  Stages stages(s, in, p.stream.lanes, p.schedule());
  const Net takes = s.net(in.in_valid[0] & stages.takes(0, 0));
  const Cycle place(s, p.stream.beats(), takes, in.rst);
  std::vector<UInt> results;
  for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane) {
    std::vector<std::optional<std::uint64_t>> numbers;
    for (std::int64_t k = 0; k < p.stream.beats(); ++k) numbers.push_back(number_at(p, lane, k));
    const auto bits = static_cast<std::uint32_t>(p.format.bits);
    const auto number = [&] {
      return reg(s, in.in_data[static_cast<std::size_t>(lane)], {.enable = stages.takes(lane, 0)});
    };
    if (std::ranges::adjacent_find(numbers, std::not_equal_to<>()) == numbers.end()) {
      results.push_back(numbers[0] ? s.constant(*numbers[0], bits)
                                   : reg(s, number(), {.enable = stages.moves(lane)}));
      continue;
    }
    const bool passes = !std::ranges::all_of(numbers, [](const auto& n) { return n.has_value(); });
    // The bit above a number says that it passes.
    std::vector<std::uint64_t> contents;
    for (const auto& n : numbers) contents.push_back(n.value_or(std::uint64_t{1} << bits));
    UInt word = Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                       .width = bits + (passes ? 1 : 0),
                       .contents = contents,
                       .read_enable = stages.takes(lane, 0),
                       .read_address = place.at()}
                    .add_to(s);
    if (passes)
      word = lut(
          s, [](bool one, bool other, bool pass) { return pass ? other : one; },
          word.slice(0, bits), number(), word.msb());
    results.push_back(reg(s, word, {.enable = stages.moves(lane)}));
  }
  return stages.leave(results);
}

Lanes beat(const ConstantPlan& p, std::int64_t k, const Taken& in) {
  const auto come = in.at(0, k);
  Lanes all;
  for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane)
    all.push_back(number_at(p, lane, k).value_or(come[static_cast<std::size_t>(lane)]));
  return all;
}

const graph::Constant* constant_of(const graph::Graph& g, graph::TensorId id) {
  const auto maker = std::ranges::find(g.nodes, id, &graph::Node::output);
  return maker == g.nodes.end() ? nullptr : std::get_if<graph::Constant>(&maker->op);
}

Source constant_beside(Lowering& l, graph::TensorId id, const Source& other) {
  return l.add(l.graph().tensors[id].name,
               machine(ConstantPlan{.stream = other.stream,
                                    .format = l.format_of(id),
                                    .values = constant_of(l.graph(), id)->values}),
               {other});
}

}  // namespace kumiki::gen::pipeline
