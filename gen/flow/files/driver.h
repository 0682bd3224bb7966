// SPDX-License-Identifier: Apache-2.0
// What a host needs to send frames to the streams of a netlist, or to run networks on its engine.
#pragma once
#include "backends/support/files.h"
#include "gen/flow/project.h"
#include "ir/names.h"

namespace kumiki::flow {

// False: the netlist has neither a stream with frames nor an engine with memory ports.
bool add_driver(const Project& project, const ir::Names& names, backends::OutputSet& files);

}  // namespace kumiki::flow
