// SPDX-License-Identifier: Apache-2.0
// A network on an engine as pictures. They are narrow, so that their text is readable on a small
// page as well. Steps of a layer are merged.
#pragma once
#include <string>

#include "gen/layers/engine/timeline.h"

namespace kumiki::gen::engine {

// When each part of the engine is busy, and when each layer keeps which part busy.
std::string timeline_svg(const Program& program, const Timeline& timeline);
// Which tensor has which places, from step to step.
std::string memory_svg(const Program& program, const Timeline& timeline);
// What the clocks go to, in all and by layer.
std::string clocks_svg(const Program& program, const Timeline& timeline);

}  // namespace kumiki::gen::engine
