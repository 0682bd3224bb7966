// SPDX-License-Identifier: Apache-2.0
// A user's request for a pipeline of filters.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gen/config/document.h"
#include "gen/layers/vision/border.h"
#include "gen/layers/vision/convolution.h"
#include "gen/layers/vision/pixel/requests.h"
#include "gen/layers/vision/plan.h"

namespace kumiki::gen::vision {

enum class Halving { mean, gaussian, nearest };

enum class StageKind {
  convolve,
  box,
  gaussian,
  sharpen,
  emboss,
  laplacian,
  sobel_x,
  sobel_y,
  sobel,
  scharr_x,
  scharr_y,
  scharr,
  median,
  erode,
  dilate,
  rank,
  half,
  add,
  subtract,
  abs_diff,
  minimum,
  maximum,
  and_,
  or_,
  xor_,
  not_,
  accumulate,
  accumulate_weighted,
  threshold,
  abs,
  magnitude,
  scale,
  channels,
};

// Keys of all kinds; each kind takes some of them (stage_keys).
struct StageRequest {
  StageKind kernel = StageKind::gaussian;
  // Windows.
  std::optional<std::int64_t> size;
  std::optional<Border> border;
  std::optional<std::int64_t> outside;
  std::optional<bool> keep;
  std::optional<std::vector<std::vector<std::int64_t>>> coefficients;
  std::optional<bool> loadable;
  std::optional<std::int64_t> coefficient_bits;
  std::optional<Passes> passes;
  std::optional<std::int64_t> rank;
  std::optional<Halving> by;
  // Results.
  std::optional<std::int64_t> divide;
  std::optional<Rounding> rounding;
  std::optional<bool> absolute;
  std::optional<std::int64_t> bits;
  std::optional<bool> is_signed;
  std::optional<Overflow> overflow;
  // Pixel by pixel.
  std::optional<std::int64_t> constant;
  std::optional<std::int64_t> value, low, high, true_value, false_value;
  std::optional<std::int64_t> multiply, shift, offset;
  std::optional<std::int64_t> alpha;
  std::optional<Norm> norm;
  std::optional<std::vector<std::int64_t>> channels;
  std::optional<Style> style;
  bool operator==(const StageRequest&) const = default;
};

struct Request {
  std::int64_t width = 0, height = 0;
  std::int64_t pixels = 1, channels = 1, bits = 8;
  bool is_signed = false;
  Border border = Border::replicate;
  std::int64_t outside = 0;
  std::vector<StageRequest> stages;
  bool operator==(const Request&) const = default;
};

const config::Table& request_table();

// Throws DesignError that says what is required.
Pipeline make_pipeline(const Request& request, const packing::Limits& limits);

}  // namespace kumiki::gen::vision
