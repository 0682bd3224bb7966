// SPDX-License-Identifier: Apache-2.0
// A program and an image as the stream of an engine; results of its other stream.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "gen/layers/engine/hardware/engine.h"
#include "gen/layers/engine/program.h"

namespace kumiki::gen::engine {

using Beat = std::vector<std::uint64_t>;  // a byte for every column

// Empty: the engine runs it. Otherwise the first operation that it lacks, and what that is.
std::string why_not(const EnginePlan& plan, const Program& program);
std::vector<Beat> stream_of(const EnginePlan& plan, const Program& program,
                            std::span<const std::int32_t> image);
// The beats that leave for an image; and the numbers of every output from them.
std::size_t beats_of_results(const EnginePlan& plan, const Program& program);
std::vector<std::vector<std::int32_t>> results_of(const EnginePlan& plan, const Program& program,
                                                  const std::vector<Beat>& beats);

}  // namespace kumiki::gen::engine
