// SPDX-License-Identifier: Apache-2.0
// Tells a testbench for cocotb about the layers.
#pragma once
#include "backends/emit/project/vectors.h"
#include "backends/support/files.h"
#include "gen/flow/project.h"
#include "ir/names.h"

namespace kumiki::flow {

// DesignError: an output of a layer is never valid in these vectors.
void add_cocotb(const Project& project, const ir::Names& names, const backends::Vectors& vectors,
                backends::OutputSet& files);

}  // namespace kumiki::flow
