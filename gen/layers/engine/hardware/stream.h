// SPDX-License-Identifier: Apache-2.0
// A program as beats of an engine's streams, step by step.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/program.h"
#include "gen/operators/operator.h"

namespace kumiki::gen::engine {

using Beat = std::vector<std::uint64_t>;  // a byte for every column

// Empty: the engine runs it. Otherwise the first operation that it lacks, and what that is.
std::string why_not(const EnginePlan& plan, const Program& program);
// The beats that bring a step; `outside`: by tensor, the numbers in the memory outside. Only loads
// look at them.
std::vector<Beat> beats_of(const EnginePlan& plan, const Program& program, std::size_t step,
                           const std::vector<graph::Numbers>& outside);
// The beats that begin a load or a store of so many places. `beside`: how many operations before it
// may not have ended yet.
std::vector<Beat> head_of(const EnginePlan& plan, Packet kind, std::int64_t place,
                          std::int64_t count, std::size_t beside);
// How many beats an operation has before its tables, weights and parameters.
std::int64_t beats_before_tables(const EnginePlan& plan, const Op& op);
// How many beats bring a step, and leave for it; what those say of its tensor.
std::int64_t beats_that_come(const EnginePlan& plan, const Step& step);
std::int64_t beats_that_leave(const EnginePlan& plan, const Step& step);
void take(const EnginePlan& plan, const Program& program, const Store& store,
          std::span<const Beat> beats, graph::Numbers& numbers);

}  // namespace kumiki::gen::engine
