// SPDX-License-Identifier: Apache-2.0
// What the steps of a program do, without clocks: the definition that the hardware is compared
// with.
#pragma once
#include <functional>

#include "gen/layers/engine/run.h"

namespace kumiki::gen::engine {

// The numbers of every output, in order. `seen` is called after every step with its number.
std::vector<std::vector<std::int32_t>> run(
    const Program& program, std::span<const std::int32_t> image,
    const std::function<void(std::size_t, const Machine&)>& seen = {});

}  // namespace kumiki::gen::engine
