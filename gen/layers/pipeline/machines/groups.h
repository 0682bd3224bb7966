// SPDX-License-Identifier: Apache-2.0
// Groups of the channels of each pixel, of which a machine makes one result each. The lanes divide
// the numbers of a group; of a single group they may be any number.
#pragma once
#include "gen/hdl/cycle.h"
#include "gen/hdl/dsp.h"
#include "gen/layers/pipeline/machine.h"

namespace kumiki::gen::pipeline {

struct GroupedStream {
  Stream stream;
  std::int64_t groups = 1;  // of a pixel
  std::int64_t size() const { return stream.channels / groups; }
  std::int64_t beats() const { return (size() + stream.lanes - 1) / stream.lanes; }  // of a group
  std::int64_t count() const { return stream.pixels() * groups; }                    // of a frame
  // Whether no beat has numbers of two groups.
  bool is_whole() const { return groups == 1 || size() % stream.lanes == 0; }
  // Whether the lane means nothing in the last beat of a group.
  bool is_past(std::int64_t lane) const { return lane >= size() - (beats() - 1) * stream.lanes; }
  // A number for each group, and one for each beat.
  Stream by_group(const arith::Format& format) const;
  Stream by_beat(const arith::Format& format) const;
  Walk schedule(std::int64_t clocks) const;  // results at the end of each group
  bool operator==(const GroupedStream&) const = default;
};

// The beats of groups, taken by a machine that never stops.
class GroupBeats {
 public:
  GroupBeats(Scope& s, const GroupedStream& groups, const MachineIn<Hardware>& in);
  Net takes() const { return takes_; }
  Net is_first() const { return beat_.is_one_of({0}); }  // of its group
  Net is_last() const { return beat_.last(); }
  const UInt& place() const { return beat_.at(); }  // in its group
  // Lets a slice add up what it gets from the beats of a group. Its sums are in P so many clocks
  // after the beats.
  void add_up(Scope& s, Dsp48e2& slice, std::int64_t clocks, Net reset) const;
  // Sends the result of each group, which arrives as the schedule says.
  MachineOut<Hardware> leave(Scope& s, const Walk& walk, const UInt& result,
                             const MachineIn<Hardware>& in);

 private:
  Reg<Net> ready_;
  Net takes_;
  Cycle beat_;
};

// The largest of several numbers, a clock later for each time that their count is halved.
UInt largest_of(Scope& s, std::vector<UInt> numbers, bool is_signed);
// The largest of the valid numbers since the first one.
struct Largest {
  Net is_less;  // than the number of this clock
  UInt number;
};
Largest largest_so_far(Scope& s, const UInt& number, bool is_signed, Net is_first, Net valid);

}  // namespace kumiki::gen::pipeline
