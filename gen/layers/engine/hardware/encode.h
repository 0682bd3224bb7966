// SPDX-License-Identifier: Apache-2.0
// An operation as the words that the core reads: registers, taps, weights, parameters.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/layers/engine/hardware/core.h"
#include "gen/layers/engine/hardware/normaliser.h"
#include "gen/layers/engine/op.h"

namespace kumiki::gen::engine {

struct Encoded {
  CoreIn<Values> registers;  // without the ports of taps, weights, parameters and movers
  struct Tap {
    std::uint64_t offset = 0;
    std::vector<std::uint64_t> bounds;
  };
  std::vector<Tap> taps;
  // By the bits of a result of the lanes; then by those of a second number. Empty: none.
  std::vector<std::uint64_t> table;
  // Of each tile: its weights, and behind them the places of the maps that are weights.
  std::vector<std::vector<std::uint64_t>> weights;  // bytes of a beat
  std::vector<std::vector<Fill>> fills;
  std::vector<std::vector<std::uint64_t>> parameters;  // [tile][lane]
};

// What a lane does with a sum as the word that it reads.
std::uint64_t word_of(const Parameter& parameter);
Parameter parameter_of(std::uint64_t word);

// Empty: the core runs it. Otherwise what it lacks.
std::string why_not(const CorePlan& plan, const Op& op);
Encoded encode(const CorePlan& plan, const Op& op);

struct EncodedNormalise {
  NormaliserIn<Values> registers;  // without the other ports
  std::vector<std::uint64_t> entries;
};
EncodedNormalise encode(const NormaliserPlan& plan, const Normalise& step);
inline std::int64_t entries_of(const Normalise& step) {
  return std::holds_alternative<graph::SoftmaxIntegers>(step.integers)
             ? NormaliserPlan::softmax_entries
             : step.channels;
}

// Entries of the tables that an operation brings.
inline std::int64_t entries_of(const Op& op) { return op.second ? 512 : op.table ? 256 : 0; }

// All ports of the core, with lists of their lengths.
CoreIn<Values> quiet(const CorePlan& plan);

}  // namespace kumiki::gen::engine
