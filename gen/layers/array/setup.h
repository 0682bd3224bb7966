// SPDX-License-Identifier: Apache-2.0
// Turns a configuration into the hardware of an array and into layers with their numbers.
#pragma once
#include <optional>

#include "gen/layers/array/program.h"
#include "gen/layers/array/request.h"

namespace kumiki::gen::array {

// The hardware of a request. Omitted parameters follow from the network: if possible, no layer
// waits for the loader or the drain, and the coefficients of T channels stay on the chip.
ArrayRequest hardware_of(const Request& request);

// Reports layers without numbers or input, at their keys.
config::Violations check_numbers(const Request& request);
// The array and its network. Throws config::Refusal at the key of whatever is impossible.
Program program_of(const Request& request);

// The inputs and outputs of a layer, without its numbers.
LayerJob laid_out(const NetworkLayer& layer, std::int64_t fc_batch = 1);
// A layer with its numbers: those given, and others random from its seed. Throws Refusal if no
// multiplier and shift of the hardware is near enough to the scale.
LayerJob job_of(const NetworkLayer& layer, const ArrayPlan& plan, std::int64_t fc_batch = 1);
std::vector<LayerJob> jobs_of(const Request& request, const ArrayPlan& plan);

// Random inputs for layers that the host feeds: the first one, those that request it, and those
// that do not fit the previous layer. Empty for others.
std::vector<std::optional<Tensor>> inputs_of(const Program& program, std::uint64_t seed);

// The multiplier / 2^shift nearest to a scale; without a multiplier the nearest power of two.
struct Scaling {
  std::uint32_t multiplier = 1;
  int shift = 1;
  double error(double scale) const;  // relative: 0.01 is 1 % too much
};
Scaling scaling(double scale, bool multiplies);

}  // namespace kumiki::gen::array
