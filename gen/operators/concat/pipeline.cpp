// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>

#include "gen/layers/pipeline/behind.h"
#include "gen/layers/pipeline/lowering.h"
#include "gen/layers/pipeline/machines/pad.h"
#include "gen/operators/concat/machine.h"
#include "gen/operators/constant/machine.h"

namespace kumiki::gen::pipeline {

namespace {

// Of the inputs that are no constants.
Source joined(Lowering& l, const graph::Node& n, Along along,
              const std::vector<std::size_t>& results) {
  const auto& tensors = l.graph().tensors;
  if (results.size() == 1) return l.read(n, results[0]);
  std::int64_t common = 0, channels = 0;
  for (const std::size_t k : results) {
    common = std::gcd(common, tensors[n.inputs[k]].shape[0]);
    channels += tensors[n.inputs[k]].shape[0];
  }
  Stream whole = stream_of(tensors[n.output], common);
  if (along == Along::channels) whole.channels = channels;
  const std::int64_t lanes = dividing_lanes(whole, l.clocks()).front();
  std::vector<Source> all;
  ConcatPlan plan{.streams = {}, .along = along};
  for (const std::size_t k : results) {
    all.push_back(l.with_lanes(l.read(n, k), lanes, n.name));
    plan.streams.push_back(all.back().stream);
  }
  return l.add(n.name, machine(plan), all);
}

// The constants among the results of the other inputs: zeros make room for them.
Source with_constants(Lowering& l, const graph::Node& n, const Source& part) {
  Border border;
  ConstantPlan constants{.stream = {}, .format = l.format_of(n.output), .values = {}};
  for (const graph::TensorId id : n.inputs) {
    const graph::Shape& shape = l.graph().tensors[id].shape;
    const graph::Constant* constant = constant_of(l.graph(), id);
    border.channels.insert(border.channels.end(), static_cast<std::size_t>(shape[0]),
                           constant == nullptr);
    if (constant != nullptr)
      constants.values.insert(constants.values.end(), constant->values.begin(),
                              constant->values.end());
    else
      constants.values.resize(constants.values.size() + graph::count(shape));
  }
  border.lines.assign(static_cast<std::size_t>(part.stream.height), true);
  border.columns.assign(static_cast<std::size_t>(part.stream.width), true);
  border.fill = l.graph().tensors[n.output].zero_point;
  const PadPlan around = padded(part.stream, border, l.clocks());
  if (const auto why = around.why_not()) throw NoMachine(n, *why);
  const Source whole =
      l.add(n.name + "_room", machine(around), {l.with_lanes(part, around.stream.lanes, n.name)});
  constants.stream = whole.stream;
  constants.passing = border.channels;
  return l.add(n.name + "_constants", machine(constants), {whole});
}

}  // namespace

Source machines(Lowering& l, std::size_t i, const graph::Concat& op) {
  const graph::Node& n = l.node(i);
  const Along along =
      std::array{Along::channels, Along::lines, Along::columns}[static_cast<std::size_t>(op.axis)];
  std::vector<std::size_t> results;
  for (std::size_t k = 0; k < n.inputs.size(); ++k)
    if (constant_of(l.graph(), n.inputs[k]) == nullptr) results.push_back(k);
  const bool has_constants = results.size() < n.inputs.size();
  if (has_constants && along != Along::channels)
    throw NoMachine(n, "it joins a constant with lines or columns; join it with channels");
  const Source part = joined(l, n, along, results);
  return has_constants ? with_constants(l, n, part) : part;
}

// Concat sets its own lanes.
std::int64_t slices_behind(const Behind&, std::size_t, std::size_t, std::int64_t,
                           const graph::Concat&) {
  return 0;
}

}  // namespace kumiki::gen::pipeline
