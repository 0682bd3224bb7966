// SPDX-License-Identifier: Apache-2.0
// Dot diagrams: a dot for each bit, columns from high to low like digits of a number, stage by
// stage.
#pragma once
#include <string>

#include "gen/blocks/compressor/plan.h"

namespace kumiki::gen::compressor {

// As text: the height of every column before every stage, and the elements of the stage.
std::string picture(const TreePlan& plan);

// As SVG: every bit a dot, counters outlined, the columns of a chain joined by a line.
std::string picture_svg(const TreePlan& plan);

}  // namespace kumiki::gen::compressor
