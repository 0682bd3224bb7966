// SPDX-License-Identifier: Apache-2.0
// A pipeline: machines and their connections. If several machines read a result, all of them take
// it in the same clock; queues in front of the readers keep one from delaying the others.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layer/host.h"
#include "gen/layers/pipeline/counters.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct Box {
  // Stands for the stream that comes from outside, in place of a box.
  static constexpr std::size_t from_outside = ~std::size_t{0};

  std::string name;  // an identifier, unique in the pipeline
  std::shared_ptr<const Machine> machine;
  std::vector<std::size_t> sources;             // for each input
  bool operator==(const Box&) const = default;  // with the identical machine object
};

// Nodes that take no slice: one name, several names, `all_nodes` for every node with products, or
// `binarised_nodes` (only for trees) for every node whose factors are all -1 and 1.
using NodeNames = std::variant<std::string, std::vector<std::string>>;
inline constexpr const char *all_nodes = "all", *binarised_nodes = "binarised";
// The names of a list as they are written: a list of one is a single name.
std::optional<NodeNames> node_names_of(const std::vector<std::string>& names);

// What the pipeline counts while it runs.
enum class Counted { nothing, edges, machines };

struct PipelinePlan {
  std::shared_ptr<const graph::Graph> graph;
  Stream input;             // from outside
  std::vector<Box> boxes;   // each one after those that it reads; the last one gives the result
  bool input_last = false;  // the input marks the ends of its frames, and the pipeline checks them
  Counted counted = Counted::nothing;
  std::optional<NodeNames> in_luts = {}, in_trees = {};  // as requested
  // The output stream. Several outputs leave map after map in one stream, which is one line of all
  // their beats.
  Stream output() const { return boxes.back().machine->output(); }
  // Each output of the graph as it leaves in that stream.
  std::vector<Stream> results() const;
  std::int64_t interval() const;  // clocks from frame to frame; the slowest machine sets it
  std::int64_t slices() const;
  int levels() const;
  std::int64_t products() const;  // in a frame
  std::string module_name() const;
  bool operator==(const PipelinePlan&) const = default;
};

// Checks that every machine takes the stream that its source gives: map, channels, lanes and
// format. A violation is a bug of the program: std::logic_error names both machines. Planning,
// building and models check every pipeline.
void require_contracts(const PipelinePlan& plan);

// A reader of a result: a box and one of its inputs.
struct Reader {
  std::size_t box = 0, input = 0;
  bool operator==(const Reader&) const = default;
};
std::vector<Reader> readers_of(const PipelinePlan& plan, std::size_t source);

// The registers of the counters, one each; none if nothing is counted.
HostRegisters registers_of(const PipelinePlan& plan);
std::optional<CountersPlan> counters_of(const PipelinePlan& plan);

template <class R>
struct PipelineIn {
  typename R::Bit rst;
  typename R::Bit in_valid;
  std::vector<typename R::UInt> in_data;
  typename R::Bit out_ready;
  // Ports that the plan does not request are empty.
  std::vector<typename R::Bit> in_last = {};
  std::vector<typename R::UInt> araddr = {};  // for the counters
  std::vector<typename R::Bit> arvalid = {}, rready = {};
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &PipelineIn::rst), port("in_valid", &PipelineIn::in_valid),
        port("in_data", &PipelineIn::in_data), port("out_ready", &PipelineIn::out_ready),
        port("in_last", &PipelineIn::in_last), port("s_axi_araddr", &PipelineIn::araddr),
        port("s_axi_arvalid", &PipelineIn::arvalid), port("s_axi_rready", &PipelineIn::rready));
  }
};

template <class R>
struct PipelineOut {
  typename R::Bit in_ready, out_valid;
  typename R::Bit out_last;  // the last beat of a frame
  std::vector<typename R::UInt> out_data;
  std::vector<typename R::Bit> in_error = {};  // in_last missed the end of a frame; stays until a
                                               // reset
  std::vector<typename R::Bit> arready = {}, rvalid = {};
  std::vector<typename R::UInt> rresp = {}, rdata = {};
  static constexpr auto ports() {
    return std::tuple(
        port("in_ready", &PipelineOut::in_ready), port("out_valid", &PipelineOut::out_valid),
        port("out_last", &PipelineOut::out_last, &PipelineOut::out_valid),
        port("out_data", &PipelineOut::out_data, &PipelineOut::out_valid),
        port("in_error", &PipelineOut::in_error), port("s_axi_arready", &PipelineOut::arready),
        port("s_axi_rvalid", &PipelineOut::rvalid), port("s_axi_rresp", &PipelineOut::rresp),
        port("s_axi_rdata", &PipelineOut::rdata));
  }
};
PipelineIn<Hardware> input_shape(const PipelinePlan& plan);
PipelineOut<Hardware> output_shape(const PipelinePlan& plan);
PipelineIn<Values> no_input(const PipelinePlan& plan);  // all zeros

}  // namespace kumiki::gen::pipeline
