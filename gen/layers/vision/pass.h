// SPDX-License-Identifier: Apache-2.0
// One or more dot products of every lane, packed two to a slice: either two lanes share a
// coefficient, or two kernels share a lane. The pass takes whichever needs fewer slices.
#pragma once
#include <string>
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/layers/vision/operation.h"

namespace kumiki::gen::vision {

// Kernel k is the sum of kernels[k][i] times input i. With `loadable` the coefficients come through
// a port, and the given ones are their initial values.
struct PassRequest {
  std::string name;            // of its modules
  std::vector<Format> inputs;  // of a lane
  std::vector<std::vector<std::int64_t>> kernels;
  bool loadable = false;
  Format coefficient;  // of loadable ones
  packing::Limits limits;
};

// A chain of slices as a module. Operands come with the skew of their slices.
struct ChainPlan {
  packing::PackingPlan packing;
  std::string name;
  int results = 0;  // results in use; for a single lane the other half of the slices is idle
  std::string module_name() const { return name; }
  bool operator==(const ChainPlan&) const = default;
};

class Pass {
 public:
  Pass() = default;
  Pass(const PassRequest& request, int lanes);

  // An operand of the chains: the input and its skew.
  struct Operand {
    int input = 0, late = 0;
  };
  const std::vector<Operand>& operands() const { return operands_; }
  const std::vector<Format>& outputs() const { return outputs_; }
  int latency() const { return latency_; }
  int slices() const;
  std::int64_t macs() const;
  std::string text() const;
  std::vector<std::pair<std::string, const packing::PackingPlan*>> chains() const;

  // operands[lane][k] follow operands(); coefficients[kernel * inputs + input]. Returns
  // [lane][kernel].
  Lanes build(Scope& s, const Lanes& operands, std::span<const UInt> coefficients,
              Net enable) const;

 private:
  // An instance of a chain and its packed operands: lanes, or kernels.
  struct Place {
    std::size_t plan = 0;
    std::vector<int> lanes, kernels;
    std::size_t first_operand = 0;  // its slots in operands_
  };
  void share_coefficients(const PassRequest& request, int lanes);
  bool share_pixels(const PassRequest& request, int lanes);

  std::vector<ChainPlan> plans_;
  std::vector<std::vector<int>> terms_;  // [plan]: the input of each slot
  std::vector<Place> places_;
  std::vector<Operand> operands_;
  std::vector<Format> outputs_;
  int latency_ = 0, lanes_ = 0, inputs_ = 0;
  bool loadable_ = false;
};

}  // namespace kumiki::gen::vision
