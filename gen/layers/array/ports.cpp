// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/array/ports.h"

#include "gen/layers/array/plan.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {
namespace {

std::vector<UInt> words(int count, int bits) {
  return std::vector(static_cast<std::size_t>(count),
                     UInt::shape(static_cast<std::uint32_t>(bits)));
}

}  // namespace

ArrayIn<Hardware> input_shape(const ArrayPlan& p) {
  ArrayIn<Hardware> in{};
  in.cfg_addr = UInt::shape(address_bits);
  in.cfg_data = UInt::shape(32);
  in.ind_data = words(p.stream_words(), p.operand_bits());
  in.ind_keep.resize(static_cast<std::size_t>(p.pixel_lanes()));
  in.com_data = words(p.commons(), p.operand_bits());
  in.par_data = words(p.request.output_words, p.parameter_bits());
  return in;
}

ArrayOut<Hardware> output_shape(const ArrayPlan& p) {
  ArrayOut<Hardware> out{};
  out.out_data = words(p.request.output_words, p.operand_bits());
  out.out_keep.resize(static_cast<std::size_t>(p.request.output_words));
  return out;
}

}  // namespace kumiki::gen::array
