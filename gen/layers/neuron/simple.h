// SPDX-License-Identifier: Apache-2.0
// Neurons that need no tree. y is a constant, one LUT of all nets, the AND of all agreements (T =
// N) or their OR (T = 1). Or one LUT compares T with a few agreements, or with their number if that
// takes one level of LUTs.
#pragma once
#include <optional>
#include <string>

#include "gen/blocks/compressor/build.h"

namespace kumiki::gen::neuron {

enum class Simple { no, constant, lut, counted, all, any };

struct SimplePlan {
  Simple kind = Simple::no;
  unsigned luts = 0, levels = 0;
  explicit operator bool() const { return kind != Simple::no; }
  std::string text() const;
};

// `nets`: nets of an agreement, 2 if the weight is an input. `threshold_bits`: bits of T if T is an
// input.
SimplePlan plan_simple(std::uint32_t inputs, unsigned nets, std::optional<std::uint32_t> threshold,
                       unsigned threshold_bits);

// `t`: only if the threshold is an input.
Net build_simple(Scope& s, const SimplePlan& plan, std::vector<compressor::Bit> agreements,
                 std::optional<std::uint32_t> threshold, const UInt& t,
                 const compressor::Pipeline& pipeline);

unsigned latency(const SimplePlan& plan, unsigned every);

}  // namespace kumiki::gen::neuron
