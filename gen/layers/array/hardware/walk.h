// SPDX-License-Identifier: Apache-2.0
// Parts shared by all engines: the walk over the layers with an engine's descriptors.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "gen/hdl/hdl.h"
#include "gen/layers/array/plan.h"
#include "gen/layers/array/registers.h"

namespace kumiki::gen::array {

// Set overrides clear; reset overrides both.
Net latch(Scope& s, Net set, Net clear, Net rst);
// Selects one of two halves; switches after every `done`.
Net half_at_work(Scope& s, Net done, Net rst);
// A counter from 0 to 2: up, down, or both at once.
UInt up_down(Scope& s, Net up, Net down, Net rst);

// The register port as all engines see it.
struct Config {
  Net valid, start, rst;
  std::array<Net, 6> to;  // by engine: this write goes to its descriptors
  UInt address, data, last_layer;
};
Config config(Scope& s, const ArrayPlan& plan, Net rst, Net valid, const UInt& address,
              const UInt& data);

// A word of the descriptors, read one clock after its address; the host writes through the other
// port.
UInt descriptor_word(Scope& s, const ArrayPlan& plan, const Config& config, Engine engine, int word,
                     const UInt& layer);

// An engine's walk over the layers. The descriptor of a layer is available one clock after `fetch`.
// `over` ends a layer.
class Walk {
 public:
  Walk(Scope& s, const ArrayPlan& plan, const Config& config, Engine engine);
  Net fetch() const { return fetch_; }
  Net is_last() const { return is_last_; }  // the current layer is the last one
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
