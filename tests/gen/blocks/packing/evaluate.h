// SPDX-License-Identifier: Apache-2.0
// Proof by execution: computes a plan slice by slice, like the silicon. It decodes OPMODE, RND and
// every wiring from the plan, wraps words at 27, 18 and 48 bits, and cuts carries at SIMD lanes.
// The model of the hardware is the plain dot product instead; tests compare the two.
#pragma once
#include <cstdint>
#include <vector>

#include "gen/blocks/packing/plan.h"

namespace kumiki::gen::packing {

struct Operands {
  std::vector<std::vector<std::int64_t>> packed;  // [operand][term]
  std::vector<std::vector<std::int64_t>> shared;
};

struct Evaluation {
  std::vector<std::int64_t>
      results;  // as PackingPlan::results, plus what the plan leaves to the consumer
  std::vector<std::int64_t> words;  // P of every slice in the last cycle, as a signed 48-bit number
};

// Reusable: brute-force tests run millions of operand sets through one plan.
class Evaluator {
 public:
  explicit Evaluator(const PackingPlan& plan);
  const Evaluation& run(
      const Operands& operands);  // throws DesignError on an operand outside its format

 private:
  void check(const Operands& operands) const;
  void step(std::int64_t round, std::int64_t word);
  void count(std::int64_t word);
  void carry(std::int64_t round);
  std::uint64_t multiplied(const Lane& lane, std::int64_t term) const;
  std::uint64_t alu(const SliceKind& kind, const Slice& slice, std::uint64_t own, bool load,
                    std::int64_t term) const;
  std::uint64_t product(std::int64_t term) const;
  std::uint64_t wire(const Wiring& wiring, const Slice* slice, std::int64_t term) const;
  std::uint64_t wire(const Piece& piece, const Slice* slice, std::int64_t term) const;
  std::int64_t operand(OperandRef ref, std::int64_t term) const;
  std::int64_t value(const Signal& signal) const;

  const PackingPlan& plan_;
  const Operands* operands_ = nullptr;
  std::vector<std::uint64_t> p_;
  std::vector<std::uint64_t> before_;
  std::vector<std::int64_t> counters_;
  std::vector<std::int64_t> carries_;
  std::vector<std::int64_t> totals_;
  Evaluation result_;
};

Evaluation evaluate(const PackingPlan& plan, const Operands& operands);

}  // namespace kumiki::gen::packing
