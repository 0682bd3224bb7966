// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/constant/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/hdl/cycle.h"

namespace kumiki::gen::pipeline {
namespace {

// Of one lane, beat by beat; 0 past the last channel.
std::vector<std::uint64_t> numbers_of_lane(const ConstantPlan& p, std::int64_t lane) {
  const Stream& s = p.stream;
  std::vector<std::uint64_t> all;
  for (std::int64_t pixel = 0; pixel < s.pixels(); ++pixel)
    for (std::int64_t block = 0; block < s.blocks(); ++block) {
      const std::int64_t channel = block * s.lanes + lane;
      all.push_back(
          channel >= s.channels
              ? 0
              : arith::raw_of(p.values[static_cast<std::size_t>(channel * s.pixels() + pixel)],
                              p.format));
    }
  return all;
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
    const std::vector<std::uint64_t> contents = numbers_of_lane(p, lane);
    const auto bits = static_cast<std::uint32_t>(p.format.bits);
    if (std::ranges::adjacent_find(contents, std::not_equal_to<>()) == contents.end()) {
      results.push_back(s.constant(contents[0], bits));
      continue;
    }
    const UInt word = Memory{.depth = static_cast<std::uint32_t>(contents.size()),
                             .width = bits,
                             .contents = contents,
                             .read_enable = stages.takes(lane, 0),
                             .read_address = place.at()}
                          .add_to(s);
    results.push_back(reg(s, word, {.enable = stages.moves(lane)}));
  }
  return stages.leave(results);
}

Lanes beat(const ConstantPlan& p, std::int64_t k, const Taken& in) {
  (void)in.at(0, k);  // has come
  Lanes all;
  for (std::int64_t lane = 0; lane < p.stream.lanes; ++lane)
    all.push_back(numbers_of_lane(p, lane)[static_cast<std::size_t>(k)]);
  return all;
}

bool reads_constant(const graph::Graph& g, const graph::Node& node, std::size_t input) {
  const auto maker = std::ranges::find(g.nodes, node.inputs[input], &graph::Node::output);
  return maker != g.nodes.end() && std::holds_alternative<graph::Constant>(maker->op);
}

Source constant_beside(Lowering& l, const graph::Node& node, std::size_t input,
                       const Source& other) {
  const graph::Graph& g = l.graph();
  const auto maker = std::ranges::find(g.nodes, node.inputs[input], &graph::Node::output);
  return l.add(maker->name,
               machine(ConstantPlan{.stream = other.stream,
                                    .format = l.format_of(node.inputs[input]),
                                    .values = std::get<graph::Constant>(maker->op).values}),
               {other});
}

}  // namespace kumiki::gen::pipeline
