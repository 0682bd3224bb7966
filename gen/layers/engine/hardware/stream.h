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
std::vector<Beat> beats_of(const EnginePlan& plan, const Program& program, const Step& step,
                           const std::vector<graph::Numbers>& outside);
// The beats that begin a load or a store of so many places.
std::vector<Beat> head_of(const EnginePlan& plan, Packet kind, std::int64_t place,
                          std::int64_t count);
// How many beats leave for a step, and what they say of its tensor.
std::size_t beats_that_leave(const EnginePlan& plan, const Step& step);
void take(const EnginePlan& plan, const Program& program, const Store& store,
          std::span<const Beat> beats, graph::Numbers& numbers);

}  // namespace kumiki::gen::engine
