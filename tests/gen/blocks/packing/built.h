// SPDX-License-Identifier: Apache-2.0
// The cells of a plan, its operands as ports.
#pragma once
#include <string>

#include "gen/arith/format.h"
#include "gen/blocks/packing/hardware/build.h"
#include "ir/resources.h"

namespace kumiki::gen::packing {

inline ir::Cost built(const PackingPlan& plan) {
  Builder builder;
  Scope s(builder, builder.design().add_module("dot"));
  const auto slots = static_cast<std::size_t>(plan.terms_per_cycle);
  OperandNets operands;
  const auto fill = [&](const OperandFormat& format, int count, const std::string& name,
                        auto& rows) {
    for (int k = 0; k < count; ++k) {
      rows.emplace_back();
      for (std::size_t j = 0; j < slots; ++j) {
        const auto width = static_cast<std::uint32_t>(format.bits);
        const auto in = name + std::to_string(k) + "_" + std::to_string(j);
        rows.back().push_back(
            format.known()
                ? Word(s.constant(arith::raw_of(format.values[k][j], format.bits), width))
                : Word(s.input<UInt>(in, width)));
      }
    }
  };
  fill(plan.packed, plan.packed_count, "x", operands.packed);
  fill(plan.shared, plan.shared_count, "y", operands.shared);
  const UInt controls = s.input<UInt>("controls", 3);
  const auto sequence = build_sequence(s, plan, controls[0], controls[1], controls[2]);
  const auto dot = build_dot(s, plan, operands, sequence, Skew::External, controls[1]);
  for (std::size_t k = 0; k < dot.results.size(); ++k)
    s.output("sum" + std::to_string(k), UInt(dot.results[k]));
  return ir::own_cost(s.module());
}

}  // namespace kumiki::gen::packing
