// SPDX-License-Identifier: Apache-2.0
// Parts that all engines share: the walk over the layers with the descriptors of an engine.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/layers/array/plan.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {

// Set beats clear, reset beats both.
Net latch(Scope& s, Net set, Net clear, Net rst);
// Selects one of two halves; changes to the other one after every `done`.
Net half_at_work(Scope& s, Net done, Net rst);
// A counter from 0 to 2: up, down, or both at once.
UInt up_down(Scope& s, Net up, Net down, Net rst);

// The register port and what all engines see of it.
struct Config {
  Net valid, start, rst;
  std::array<Net, 6> to;  // by engine: this write is one to its descriptors
  UInt address, data, last_layer;
};
Config config(Scope& s, const ArrayPlan& plan, Net rst, Net valid, const UInt& address,
              const UInt& data);

// A word of the descriptors, read in the clock before; the host's writes go in beside it.
UInt descriptor_word(Scope& s, const ArrayPlan& plan, const Config& config, Engine engine, int word,
                     const UInt& layer);

// The walk of an engine over the layers. After `fetch` the descriptor of a layer is there in the
// next clock. `over` ends a layer.
class Walk {
 public:
  Walk(Scope& s, const ArrayPlan& plan, const Config& config, Engine engine);
  Net fetch() const { return fetch_; }
  Net is_last() const { return is_last_; }  // the layer it is at is the last one
  UInt field(const Field& f);
  const UInt& layer() const { return layer_; }
  void over(Net done);

 private:
  Scope& s_;
  const ArrayPlan& plan_;
  const Config& config_;
  Engine engine_;
  Wire<Net> over_;
  Net fetch_, is_last_;
  UInt layer_;
  std::map<int, UInt> words_;
};

}  // namespace kumiki::gen::array
