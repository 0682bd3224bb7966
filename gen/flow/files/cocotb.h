// SPDX-License-Identifier: Apache-2.0
// What a testbench for cocotb is told of the layers.
#pragma once
#include "backends/emit/project/vectors.h"
#include "backends/support/files.h"
#include "gen/flow/project.h"
#include "ir/names.h"

namespace kumiki::flow {

// DesignError: an output of a layer means nothing in any cycle of these vectors.
void add_cocotb(const Project& project, const ir::Names& names, const backends::Vectors& vectors,
                backends::OutputSet& files);

}  // namespace kumiki::flow
