// SPDX-License-Identifier: Apache-2.0
// From a configuration to the hardware of an array and to layers with their numbers.
#pragma once
#include <optional>

#include "gen/layers/array/program.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// The hardware of a request. What the configuration leaves out follows from the network: where
// possible, no layer waits for the loader or the drain, and coefficients of T channels stay on
// chip.
ArrayRequest hardware_of(const Request& request);

// What is wrong with layers without numbers or input, at their keys.
config::Violations check_numbers(const Request& request);
// The array and the network it runs. Throws config::Refusal at the key of what is not possible.
Program program_of(const Request& request);

// What a layer reads and leaves, without its numbers.
LayerJob laid_out(const NetworkLayer& layer, std::int64_t fc_batch = 1);
// A layer with its numbers: those given, the others random from its seed. Throws Refusal when the
// hardware has no multiplier and shift near enough to the scale.
LayerJob job_of(const NetworkLayer& layer, const ArrayPlan& plan, std::int64_t fc_batch = 1);
std::vector<LayerJob> jobs_of(const Request& request, const ArrayPlan& plan);

// Random inputs for layers that the host feeds: the first one, those that say so, and those that
// the layer before does not fit. None for others.
std::vector<std::optional<Tensor>> inputs_of(const Program& program, std::uint64_t seed);

// The multiplier / 2^shift next to a scale; without a multiplier the next power of two.
struct Scaling {
  std::uint32_t multiplier = 1;
  int shift = 1;
  double error(double scale) const;  // relative: 0.01 is a hundredth too much
};
Scaling scaling(double scale, bool multiplies);

}  // namespace kumiki::gen::array
