// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {
namespace {

void append(std::vector<UInt>& lanes, const Stream& stream) {
  lanes.insert(lanes.end(), static_cast<std::size_t>(stream.lanes),
               UInt::shape(static_cast<std::uint32_t>(stream.format.bits)));
}

}  // namespace

MachineIn<Hardware> Machine::input_shape() const {
  MachineIn<Hardware> in{};
  for (const Stream& stream : inputs()) {
    in.in_valid.emplace_back();
    append(in.in_data, stream);
  }
  return in;
}

MachineOut<Hardware> Machine::output_shape() const {
  MachineOut<Hardware> out{};
  out.in_ready.resize(inputs().size());
  append(out.out_data, output());
  return out;
}

}  // namespace kumiki::gen::pipeline
