// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/plan.h"

#include <algorithm>

namespace kumiki::gen::pipeline {

std::int64_t PipelinePlan::interval() const {
  std::int64_t slowest = input.beats();
  for (const Box& b : boxes) slowest = std::max(slowest, b.machine->interval());
  return slowest;
}

std::int64_t PipelinePlan::slices() const {
  std::int64_t sum = 0;
  for (const Box& b : boxes) sum += b.machine->slices();
  return sum;
}

int PipelinePlan::levels() const {
  int most = 0;
  for (const Box& b : boxes) most = std::max(most, b.machine->levels());
  return most;
}

std::int64_t PipelinePlan::products() const {
  std::int64_t sum = 0;
  for (const graph::Node& n : graph->nodes)
    if (const auto* conv = std::get_if<graph::Conv>(&n.op)) {
      const graph::Shape& shape = graph->tensors[n.output].shape;
      sum += static_cast<std::int64_t>(conv->weights.size()) * shape[1] * shape[2];
    }
  return sum;
}

std::string PipelinePlan::module_name() const { return "pipeline"; }

std::vector<Reader> readers_of(const PipelinePlan& plan, std::size_t source) {
  std::vector<Reader> all;
  for (std::size_t b = 0; b < plan.boxes.size(); ++b)
    for (std::size_t i = 0; i < plan.boxes[b].sources.size(); ++i)
      if (plan.boxes[b].sources[i] == source) all.push_back({b, i});
  return all;
}

PipelineIn<Hardware> input_shape(const PipelinePlan& p) {
  PipelineIn<Hardware> in{};
  in.in_data.assign(static_cast<std::size_t>(p.input.lanes),
                    UInt::shape(static_cast<std::uint32_t>(p.input.format.bits)));
  return in;
}

PipelineOut<Hardware> output_shape(const PipelinePlan& p) {
  PipelineOut<Hardware> out{};
  const Stream stream = p.output();
  out.out_data.assign(static_cast<std::size_t>(stream.lanes),
                      UInt::shape(static_cast<std::uint32_t>(stream.format.bits)));
  return out;
}

}  // namespace kumiki::gen::pipeline
