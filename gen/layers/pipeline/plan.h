// SPDX-License-Identifier: Apache-2.0
// A pipeline: machines and who reads whom. A result that several machines read goes to all of them
// in the same clock; queues in front of the readers keep that from holding one up.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct Box {
  // In place of a box: the stream that comes from outside.
  static constexpr std::size_t from_outside = ~std::size_t{0};

  std::string name;  // an identifier, its own in the pipeline
  std::shared_ptr<const Machine> machine;
  std::vector<std::size_t> sources;             // of each input
  bool operator==(const Box&) const = default;  // with the very same machine
};

struct PipelinePlan {
  std::shared_ptr<const graph::Graph> graph;
  Stream input;            // from outside
  std::vector<Box> boxes;  // each behind those that it reads; the last one gives the result
  Stream output() const { return boxes.back().machine->output(); }
  std::int64_t interval() const;  // clocks from frame to frame: of the slowest machine
  std::int64_t slices() const;
  int levels() const;
  std::int64_t products() const;  // of a frame
  std::string module_name() const;
  bool operator==(const PipelinePlan&) const = default;
};

// Who reads a result: boxes and which of their inputs.
struct Reader {
  std::size_t box = 0, input = 0;
  bool operator==(const Reader&) const = default;
};
std::vector<Reader> readers_of(const PipelinePlan& plan, std::size_t source);

template <class R>
struct PipelineIn {
  typename R::Bit rst;
  typename R::Bit in_valid;
  std::vector<typename R::UInt> in_data;
  typename R::Bit out_ready;
  static constexpr auto ports() {
    return std::tuple(port("rst", &PipelineIn::rst), port("in_valid", &PipelineIn::in_valid),
                      port("in_data", &PipelineIn::in_data),
                      port("out_ready", &PipelineIn::out_ready));
  }
};

template <class R>
struct PipelineOut {
  typename R::Bit in_ready, out_valid;
  typename R::Bit out_last;  // the last beat of a frame
  std::vector<typename R::UInt> out_data;
  static constexpr auto ports() {
    return std::tuple(port("in_ready", &PipelineOut::in_ready),
                      port("out_valid", &PipelineOut::out_valid),
                      port("out_last", &PipelineOut::out_last, &PipelineOut::out_valid),
                      port("out_data", &PipelineOut::out_data, &PipelineOut::out_valid));
  }
};
PipelineIn<Hardware> input_shape(const PipelinePlan& plan);
PipelineOut<Hardware> output_shape(const PipelinePlan& plan);

}  // namespace kumiki::gen::pipeline
