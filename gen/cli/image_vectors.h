// SPDX-License-Identifier: Apache-2.0
// Golden vectors of a trained network: every clock of an array while an image runs through it.
#pragma once
#include <string>

#include "backends/emit/project/vectors.h"
#include "gen/cli/options.h"

namespace kumiki::cli {

// The first image of a file as `run` reads it, from power-up to its last result on the array, as
// its model answers. UsageError: no array of the configuration runs a graph, or it takes too long.
backends::Vectors image_vectors(const Project& project, const std::string& config,
                                const std::string& image);

}  // namespace kumiki::cli
