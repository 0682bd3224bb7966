// SPDX-License-Identifier: Apache-2.0
// Golden vectors of a trained network: every clock of an array while it processes an image.
#pragma once
#include <string>

#include "backends/emit/project/vectors.h"
#include "gen/cli/options.h"

namespace kumiki::cli {

// Records the first image of a file, read as in `run`, from power-up to its last result on the
// array's model. UsageError: no array of the configuration runs a graph, or it takes too long.
backends::Vectors image_vectors(const Project& project, const std::string& config,
                                const std::string& image);

}  // namespace kumiki::cli
