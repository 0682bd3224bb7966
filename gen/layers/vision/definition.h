// SPDX-License-Identifier: Apache-2.0
// A pipeline of filters as plain Verilog. Its stages come from the keys of the configuration, its
// handshakes from the modules of templates/proof/video.v, which the proof includes.
#pragma once
#include "gen/layer/reference.h"
#include "gen/layers/vision/plan.h"
#include "gen/layers/vision/request.h"

namespace kumiki::gen::vision {

// The definition reads windows from a frame that it stores whole. These are the bits of the largest
// frame. Yosys needs minutes for thousands of bits and refuses a camera's frame.
std::uint64_t frame_bits(const Pipeline& pipeline);
inline constexpr std::uint64_t most_frame_bits = 16384;

// `pipeline` is the plan of the request within the limits.
proof::Reference reference(const Request& request, const Pipeline& pipeline,
                           const packing::Limits& limits);

}  // namespace kumiki::gen::vision
