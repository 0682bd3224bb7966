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
#include "gen/layers/pipeline/weight_reader.h"

namespace kumiki::gen::pipeline {

struct Box {
  // Stand for streams that come from outside, in place of a box: the images, and weights.
  static constexpr std::size_t from_outside = ~std::size_t{0};
  static constexpr std::size_t weights(std::size_t stream) { return from_outside - 1 - stream; }
  static constexpr bool is_outside(std::size_t source) { return outside(source) < 256; }
  // 0: the images; i + 1: stream i of weights.
  static constexpr std::size_t outside(std::size_t source) { return from_outside - source; }

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

struct WeightStream {
  std::string node;  // of the graph
  Stream stream;     // words of the memory
  // Of a frame, in the order of the stream; null in a sketch.
  std::shared_ptr<const std::vector<std::int16_t>> numbers = {};
  bool operator==(const WeightStream&) const = default;
};

struct PipelinePlan {
  std::shared_ptr<const graph::Graph> graph;
  std::vector<Stream> inputs;  // from outside, one for each input of the graph
  // Weights that are read from a memory outside, a frame of them for every frame of images.
  std::vector<WeightStream> weights = {};
  std::vector<Box> boxes;   // each one after those that it reads; the last one gives the result
  bool input_last = false;  // the input marks the ends of its frames, and the pipeline checks them
  Counted counted = Counted::nothing;
  std::optional<NodeNames> in_luts = {}, in_trees = {};  // as requested
  std::int64_t urams = 0;  // that memories written at run time may take (ultra_ram.h)
  // The input stream. The maps of several inputs come one after the other, as one line of all their
  // beats. If their formats differ, numbers are the lowest bits of a lane.
  Stream input() const;
  // The output stream. Several outputs leave map after map in one stream, which is one line of all
  // their beats.
  Stream output() const { return boxes.back().machine->output(); }
  // A stream from outside or of a box.
  Stream outside(std::size_t source) const {
    const std::size_t i = Box::outside(source);
    return i == 0 ? input() : weights.at(i - 1).stream;
  }
  Stream given_by(std::size_t source) const {
    return Box::is_outside(source) ? outside(source) : boxes.at(source).machine->output();
  }
  std::string name_of(std::size_t source) const;  // "in_data", a node of weights, or a box
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

// The reader of weights; empty: all of them are on the chip.
std::optional<WeightReaderPlan> weight_reader_of(const PipelinePlan& plan);
std::int64_t weight_bytes(const PipelinePlan& plan);  // read for a frame
// The bytes of the memory outside, from weights_base on.
std::vector<std::uint8_t> weight_image(const PipelinePlan& plan);

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
  // For weights in a memory outside.
  std::vector<typename R::UInt> weights_base = {};
  std::vector<typename R::Bit> m_arready = {}, m_rvalid = {}, m_rlast = {};
  std::vector<typename R::UInt> m_rresp = {}, m_rdata = {};
  static constexpr auto ports() {
    return std::tuple(
        port("rst", &PipelineIn::rst), port("in_valid", &PipelineIn::in_valid),
        port("in_data", &PipelineIn::in_data), port("out_ready", &PipelineIn::out_ready),
        port("in_last", &PipelineIn::in_last), port("s_axi_araddr", &PipelineIn::araddr),
        port("s_axi_arvalid", &PipelineIn::arvalid), port("s_axi_rready", &PipelineIn::rready),
        port("weights_base", &PipelineIn::weights_base),
        port("m_axi_arready", &PipelineIn::m_arready), port("m_axi_rvalid", &PipelineIn::m_rvalid),
        port("m_axi_rlast", &PipelineIn::m_rlast), port("m_axi_rresp", &PipelineIn::m_rresp),
        port("m_axi_rdata", &PipelineIn::m_rdata));
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
  std::vector<typename R::UInt> m_araddr = {}, m_arlen = {}, m_arsize = {}, m_arburst = {};
  std::vector<typename R::Bit> m_arvalid = {}, m_rready = {};
  std::vector<typename R::Bit> weights_error = {};  // stays until a reset
  static constexpr auto ports() {
    return std::tuple(
        port("in_ready", &PipelineOut::in_ready), port("out_valid", &PipelineOut::out_valid),
        port("out_last", &PipelineOut::out_last, &PipelineOut::out_valid),
        port("out_data", &PipelineOut::out_data, &PipelineOut::out_valid),
        port("in_error", &PipelineOut::in_error), port("s_axi_arready", &PipelineOut::arready),
        port("s_axi_rvalid", &PipelineOut::rvalid), port("s_axi_rresp", &PipelineOut::rresp),
        port("s_axi_rdata", &PipelineOut::rdata), port("m_axi_araddr", &PipelineOut::m_araddr),
        port("m_axi_arlen", &PipelineOut::m_arlen), port("m_axi_arsize", &PipelineOut::m_arsize),
        port("m_axi_arburst", &PipelineOut::m_arburst),
        port("m_axi_arvalid", &PipelineOut::m_arvalid),
        port("m_axi_rready", &PipelineOut::m_rready),
        port("weights_error", &PipelineOut::weights_error));
  }
};
PipelineIn<Hardware> input_shape(const PipelinePlan& plan);
PipelineOut<Hardware> output_shape(const PipelinePlan& plan);
PipelineIn<Values> no_input(const PipelinePlan& plan);  // all zeros

}  // namespace kumiki::gen::pipeline
