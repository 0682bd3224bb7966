// SPDX-License-Identifier: Apache-2.0
// The plan of a dot product as a module: a packing plan, and who aligns the operands.
#pragma once
#include <string>

#include "gen/layer/layer.h"
#include "gen/layers/dot/ports.h"
#include "gen/layers/dot/request.h"

namespace kumiki::gen::dot {

struct DotPlan {
  packing::PackingPlan packing;
  packing::Skew skew = packing::Skew::Internal;
  Sharing sharing = Sharing::weight;
  Clocking clocking = Clocking::single;

  std::string module_name() const;
  bool operator==(const DotPlan&) const = default;

  // Operands at a port in one clock; 0 for known values.
  std::int64_t slots() const { return packing.terms_per_cycle; }
  bool is_double() const { return clocking == Clocking::twice; }
  int halves() const { return is_double() ? 2 : 1; }  // of a clock, each with its own operands
  // Shared operands of a slice in one clock of the ports, and the results of all of them.
  int shared_count() const { return packing.shared_count * halves(); }
  std::vector<packing::Result> results() const;
  // Enabled clocks from the last operands of a set to its results.
  std::uint32_t latency() const;
  // Products of one slice in a clock of the ports.
  double macs_per_slice() const;
  // With external skew: the skew of every slot's operands in enabled clocks.
  std::vector<std::uint32_t> lateness() const;
  DotIn<Hardware> input_shape() const;
  DotOut<Hardware> output_shape() const;
};

// Where the operands of a term are.
class Terms {
 public:
  explicit Terms(const DotPlan& plan);
  // The element of the port for operand `which` of a side.
  std::size_t element(std::int64_t which, std::int64_t term) const {
    return static_cast<std::size_t>(which * slots_ + slot(term));
  }
  // Enabled clocks from the operands to the results of their set.
  std::size_t age(std::int64_t term) const {
    const std::int64_t cycle = term / terms_per_round_ * words_ + term % terms_per_round_ / slots_;
    return static_cast<std::size_t>(oldest_ - cycle) - late_[slot(term)];
  }

 private:
  std::int64_t slot(std::int64_t term) const { return term % terms_per_round_ % slots_; }
  std::int64_t slots_, words_, terms_per_round_, oldest_;
  std::vector<std::uint32_t> late_;  // of every slot
};

// The plan, or what is wrong at the key nearest to the cause.
Expected<DotPlan, config::Violation> plan(const Request& request,
                                          const packing::Limits& limits = {});

std::vector<Beat> beats(const DotPlan& plan);
std::string to_text(const DotPlan& plan);
HostFacts host_facts(const DotPlan& plan);
void write(config::Writer& w, const DotPlan& plan);

}  // namespace kumiki::gen::dot
