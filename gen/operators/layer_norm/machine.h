// SPDX-License-Identifier: Apache-2.0
// LayerNorm in integers (integers.h) as a chain of machines:
//
//   q --+--> moments of a pixel --> root --> repeated --> normal --> y
//       +---------------------------------------------------^
#pragma once
#include <string>

#include "gen/graph/graph.h"
#include "gen/layers/pipeline/machines/groups.h"
#include "ir/arch.h"

namespace kumiki::gen::pipeline {

// The sum of a pixel's numbers and that of their squares in one word: 2^25 times the first, plus
// the second. A slice for each lane multiplies a number by itself and 2^25, and adds the slices
// below.
struct MomentsPlan {
  static constexpr int squares_bits = 25;  // 1024 squares are at most 2^24
  Stream stream;
  std::int64_t center = 0;
  static constexpr std::int64_t most_lanes = 40;  // a slice is a clock later than the one below
  GroupedStream groups() const { return {stream}; }
  static arith::Format word();
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return groups().by_group(word()); }
  Walk schedule() const;
  std::int64_t slices() const { return stream.lanes; }
  int levels() const { return 3; }
  std::string kind() const { return "moments"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const MomentsPlan&) const = default;
};

// What all numbers of a pixel need, in one word: the reciprocal root of its variance, then the
// shift, then the sum of its numbers. A word goes in and out in every clock.
struct RootPlan {
  Stream stream;  // of moments
  graph::NormIntegers integers;
  static constexpr int sum_bits = ir::arch::dsp48e2.multiplier_b;  // it is squared
  // Steps that shift out pairs of zeros: 2^i pairs in step i.
  int steps() const;
  arith::Format word() const;
  std::vector<Stream> inputs() const { return {stream}; }
  Stream output() const { return stream.with(word()); }
  Walk schedule() const;
  std::int64_t slices() const { return 8; }
  int levels() const { return 3; }
  std::string kind() const { return "root"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const RootPlan&) const = default;
};

// The numbers of a pixel less their mean, times the reciprocal root, times the factor of their
// channel, plus its bias: five slices for each lane.
struct NormalPlan {
  Stream stream;
  graph::NormIntegers integers;
  arith::Format root;    // a word of RootPlan
  arith::Format format;  // of a result
  std::vector<Stream> inputs() const;
  Stream output() const { return stream.with(format); }
  Moving schedule() const;
  std::int64_t slices() const { return 5 * stream.lanes; }
  int levels() const { return 3; }
  std::string kind() const { return "normal"; }
  std::string text() const;
  std::string module_name() const;
  bool operator==(const NormalPlan&) const = default;
};

MachineOut<Hardware> build(Scope& s, const MomentsPlan& plan, const MachineIn<Hardware>& in);
MachineOut<Hardware> build(Scope& s, const RootPlan& plan, const MachineIn<Hardware>& in);
MachineOut<Hardware> build(Scope& s, const NormalPlan& plan, const MachineIn<Hardware>& in);
Lanes beat(const MomentsPlan& plan, std::int64_t k, const Taken& in);
Lanes beat(const RootPlan& plan, std::int64_t k, const Taken& in);
Lanes beat(const NormalPlan& plan, std::int64_t k, const Taken& in);

}  // namespace kumiki::gen::pipeline
