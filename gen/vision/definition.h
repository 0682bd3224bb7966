// SPDX-License-Identifier: Apache-2.0
// A pipeline of filters as plain Verilog: its stages from the keys of the configuration, its
// handshakes from the parts of templates/proof/video.v, which the proof has beside it.
#pragma once
#include "gen/proof/reference.h"
#include "gen/vision/request.h"

namespace kumiki::gen::vision {

proof::Reference reference(const Request& request, const packing::Limits& limits);

}  // namespace kumiki::gen::vision
