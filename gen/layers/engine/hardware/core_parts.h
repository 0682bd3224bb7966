// SPDX-License-Identifier: Apache-2.0
// The parts of the core's netlist, in the order in which a word passes them.
#pragma once
#include <vector>

#include "gen/layers/engine/hardware/core.h"

namespace kumiki::gen::engine {

using Ports = CoreIn<Hardware>;

inline UInt masked(Scope& s, Net keep, const UInt& a,
                   SourceLocation here = SourceLocation::current()) {
  return lut(
      s, [](bool k, bool bit) { return k && bit; }, keep, a, here);
}

// A loop with its bound in a register: counts from the bound down to 0, and knows its last turn.
// `restarts` sets it back, in the clock in which it moves or at any other time.
class Loop {
 public:
  Loop(Scope& s, const UInt& bound, Net moves, Net restarts);
  Net last() const { return last_; }
  // Where it moves: whether its next turn is the last one.
  Net before_last() const { return before_last_; }

 private:
  Reg<UInt> left_;
  Reg<Net> last_;
  Net before_last_;
};

// What the walk issues in a clock. Flags are of that clock.
struct Issued {
  Net begins;      // the first word of a set
  Net ends;        // the last word of a set
  Net ends_tile;   // and of a tile
  Net ends_first;  // the last word of the first set of a tile
  Net ends_all;    // of the operation
  Net claims;      // the first word of a tile
  Net second;      // the word of second numbers, behind those of a set
  Net reads;       // a word of `read_waits` clocks ago has the banks
  UInt part;       // and which part of it
  UInt weight;     // place in the ring
  // `address_clocks` later: the row of every bank, and the bank of the first pixel.
  std::vector<UInt> rows;
  UInt rotation;
};

// `has_weights`: all weights of the next tile are in the ring, and its parameters in the lanes.
Issued build_walk(Scope& s, const CorePlan& plan, const Ports& in, Net has_weights);

// A word on its way into the banks.
struct MapWrite {
  std::vector<Net> enable;  // [bank * parts + part]
  UInt row;                 // of every bank
  std::vector<UInt> data;   // [channel of a word]
};
// The words of the banks: [bank][channel], a clock before `feed_clocks`.
std::vector<std::vector<UInt>> build_maps(Scope& s, const CorePlan& plan, const Issued& issued,
                                          const MapWrite& write);

// The weights of a column on their way into the ring, part by part, from registers.
struct WeightWrite {
  std::vector<Net> part;        // [beat of a place]: it comes
  std::vector<Net> ends_group;  // [group of columns]: this column is its last one
  UInt word;
  std::vector<UInt> data;  // [row of a part]
};

// The results of a set in registers. `word`: that of the first pixel, for the movers.
struct Results {
  std::vector<UInt> word;                    // [channel]
  std::vector<std::vector<UInt>> products;   // [column][pixel]
  std::vector<std::vector<UInt>> depthwise;  // [channel][pixel]
  std::vector<std::vector<UInt>> maximum;    // [channel][pixel]
};
// `takes`: of products and of the depthwise unit, in the clock before they are held. The maximum of
// a word of second numbers is the word.
Results build_units(Scope& s, const CorePlan& plan, const Ports& in, const Issued& issued,
                    const std::vector<std::vector<UInt>>& banks, const WeightWrite& write,
                    Net takes_products, Net takes_depthwise);

// The ring as its writer and the walk see it. `claims`: a clock after the first word of a tile.
struct Ring {
  Net has_room, has_tile;
  WeightWrite write;
};
Ring build_ring(Scope& s, const CorePlan& plan, const Ports& in, Net claims, Net ends_tile);
// [row of slices][column], in the clock of the slices, each row as late as its slices. Weights of
// the depthwise unit are not late. `address`: on clk2x with the half behind it, which is `half`.
std::vector<std::vector<UInt>> read_weights(Scope& s, const CorePlan& plan,
                                            const WeightWrite& write, const UInt& address,
                                            Net depthwise, const UInt& half);

// The memories of the lanes' parameters as their writer and the walk see them.
struct Parameters {
  Net has_room, has_tile;
  std::vector<Net> enable;  // [lane]
  UInt write_tile, write_part;
  UInt tile;  // whose sums are in the lanes
};
// `claims`: a clock after the first word of a tile with lanes. `switches`: its first sums are held.
Parameters build_parameters(Scope& s, const CorePlan& plan, const Ports& in, Net claims,
                            Net switches);

// What leaves in a clock: pixels of a set follow each other; of the depthwise unit, all parts of a
// pixel. Begins a clock after `held`.
struct Slot {
  UInt pixel, part;
};
Slot slot_of(Scope& s, const CorePlan& plan, const Ports& in, Net held);

// The maxima, or second numbers, of a pixel: [channel].
std::vector<UInt> build_maxima(Scope& s, const Slot& slot, const Results& sums);
// The second numbers of a pixel and a part: [column]. `slot`: that of the maxima. `part`: of
// products, from when they are held.
std::vector<UInt> build_seconds(Scope& s, const CorePlan& plan, const Ports& in, const Slot& slot,
                                const std::vector<UInt>& maxima, const UInt& part);
// The results of a pixel and a part: [column].
std::vector<UInt> build_lanes(Scope& s, const CorePlan& plan, const Ports& in, const Slot& slot,
                              const Results& sums, const Parameters& parameters,
                              const std::vector<UInt>& seconds);

// Where the results of a pixel go.
struct Written {
  Net writes;             // a pixel of the target, from a register
  Net is_busy;            // results come, whether they are written or not
  Net rests;              // neither results nor padding come
  Net second_choice;      // results: those of the maximum; otherwise: no padding
  UInt place;             // from registers
  std::vector<Net> part;  // one of them, or all
};
// `begins`: in the clock before the first pixel of a set; `ends_tile`: with the last pixel of a
// tile.
Written build_writing(Scope& s, const CorePlan& plan, const Ports& in, Net begins, Net ends_tile);

}  // namespace kumiki::gen::engine
