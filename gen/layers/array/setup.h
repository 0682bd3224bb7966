// SPDX-License-Identifier: Apache-2.0
// From a configuration to the hardware of an array and to layers with their numbers.
#pragma once
#include <optional>

#include "gen/layers/array/program.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// What the configuration does not say follows from the network: no layer waits for the loader or
// the drain where that can be had, coefficients of T channels stay on chip.
ArrayRequest hardware_of(const Request& request);

// Layers without numbers or input, at their keys.
config::Violations check_numbers(const Request& request);
// The array and what it runs. config::Refusal at the key of what cannot.
Program program_of(const Request& request);

// A layer's numbers: those given, others random with its seed. Refusal where the hardware has no
// multiplier and shift near enough to a scale.
LayerJob job_of(const NetworkLayer& layer, const ArrayPlan& plan, std::int64_t fc_batch = 1);
std::vector<LayerJob> jobs_of(const Request& request, const ArrayPlan& plan);

// Random inputs for layers that the host feeds: the first one, those that say so, and those that
// the layer before does not fit. None for others.
std::vector<std::optional<Tensor>> inputs_of(const Program& program, std::uint64_t seed);

// multiplier / 2^shift next to a scale; without a multiplier the next power of two.
struct Scaling {
  std::uint32_t multiplier = 1;
  int shift = 1;
  double error(double scale) const;  // relative: 0.01 is a hundredth too much
};
Scaling scaling(double scale, bool multiplies);

}  // namespace kumiki::gen::array
