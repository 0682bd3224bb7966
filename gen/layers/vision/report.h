// SPDX-License-Identifier: Apache-2.0
// A pipeline as text, JSON and pictures.
#pragma once
#include "gen/layer/layer.h"
#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {

std::vector<Beat> beats(const Pipeline& pipeline);
std::string to_text(const Pipeline& pipeline);
// Pieces of the text: "reflect", "2 x U8, S10", "9 slices, 18 products a beat".
std::string word(Border border);
std::string channels(const std::vector<Format>& formats);
std::string slices_text(const Pipeline& pipeline);
void write(config::Writer& w, const Pipeline& pipeline);
// Groups from left to right: line memories, window, operations, formats and latency.
std::string picture_svg(const Pipeline& pipeline);
// The same, and the packed word of every chain.
std::vector<Picture> pictures(const Pipeline& pipeline);

}  // namespace kumiki::gen::vision
