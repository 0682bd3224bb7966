// SPDX-License-Identifier: Apache-2.0
// `bench requant`: what requantising the layers of trained networks costs a lane, counted on the
// netlists of the lanes.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "gen/flow/messages.h"
#include "gen/flow/trained/network_source.h"
#include "gen/hdl/hierarchy.h"
#include "gen/layers/pipeline/machines/requantise.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "ir/resources.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {
namespace requant_table {
namespace {

using gen::graph::Graph;
using gen::requant::ChannelPlan;

struct Options {
  std::vector<std::string> files;
  std::uint32_t lanes = 8;
  bool json = false;
};

// Sums over lanes.
struct Total {
  std::int64_t channels = 0, lanes = 0, slices = 0;
  std::array<std::int64_t, 4> machines{};
  ir::Cost cost;

  void add(const Total& more) {
    channels += more.channels, lanes += more.lanes, slices += more.slices;
    for (std::size_t i = 0; i < machines.size(); ++i) machines[i] += more.machines[i];
    cost += more.cost;
  }
  void add(const ChannelPlan& lane) {
    namespace requant = gen::requant;
    gen::Builder builder;
    requant::LaneIn<gen::Hardware> in{.acc = gen::SInt::shape(lane.accumulator_bits)};
    if (lane.channel_bits > 0) in.channel = {gen::UInt::shape(lane.channel_bits)};
    gen::build_top(builder, requant::build_lane, lane, in);
    cost += ir::count_resources(builder.design()).total;
    channels += static_cast<std::int64_t>(lane.channels());
    lanes += 1;
    slices += lane.slices();
    machines[static_cast<std::size_t>(lane.machine)] += 1;
  }
  Result row(const std::string& network, const std::string& node) const {
    const auto a_lane = [&](std::int64_t n) {
      return static_cast<double>(n) / static_cast<double>(lanes);
    };
    return {{"network", network},
            {"node", node},
            {"channels", channels},
            {"lanes", lanes},
            {"one_slice", machines[0]},
            {"two_slices", machines[1]},
            {"four_slices", machines[2]},
            {"float_lanes", machines[3]},
            {"slices_a_lane", a_lane(slices)},
            {"luts_a_lane", a_lane(cost.luts)},
            {"lutmem_a_lane", a_lane(cost.lut_rams)},
            {"ffs_a_lane", a_lane(cost.ffs)},
            {"bram18", cost.brams_18k}};
  }
};

Total of_node(const Graph& g, const gen::graph::Node& node, std::uint32_t lanes) {
  gen::arith::Interval sums{};
  const auto channels = gen::pipeline::channels_of(g, node);
  for (const auto& channel : channels) sums = hull(sums, channel.accumulators);
  const gen::pipeline::Stream stream{
      .channels = std::ssize(channels), .lanes = lanes, .format = {gen::arith::signed_bits(sums)}};
  Total total;
  for (const ChannelPlan& lane : gen::pipeline::requantise(g, node, stream, {}).lanes)
    total.add(lane);
  return total;
}

int run(const Options& options, flow::Context&) {
  Results rows;
  for (const std::string& file : options.files) {
    const std::string name = std::filesystem::path(file).stem().string();
    const Graph g = flow::load_network(file).graph;
    Total all;
    for (const auto& node : g.nodes) {
      const bool sums = std::holds_alternative<gen::graph::Conv>(node.op) ||
                        std::holds_alternative<gen::graph::GlobalAverage>(node.op);
      if (!sums || gen::pipeline::offsets_of(g, node)) continue;
      const Total total = of_node(g, node, options.lanes);
      rows.push_back(total.row(name, node.name));
      all.add(total);
    }
    if (all.lanes > 0) rows.push_back(all.row(name, "all"));
  }
  rows.print(
      {"network", "node", "channels", "lanes", "one_slice", "two_slices", "four_slices",
       "float_lanes", "slices_a_lane", "luts_a_lane", "lutmem_a_lane", "ffs_a_lane", "bram18"},
      options.json);
  return ok;
}

Run declare(CLI::App& app, Settings&) {
  const auto o = std::make_shared<Options>();
  app.add_option("FILE", o->files, "networks, as models or graphs")->required();
  number(app, "--lanes", o->lanes, {1, 4096}, "lanes of a layer that has as many channels")
      ->capture_default_str();
  add_json(app, o->json);
  return runs(run, o);
}

}  // namespace
}  // namespace requant_table

Command bench_requant() {
  return {"requant", "what requantising the sums of trained networks costs a lane",
          requant_table::declare};
}

}  // namespace kumiki::cli
