// SPDX-License-Identifier: Apache-2.0
// The plan of a packed dot product after WP487: one column of DSP48E2, two INT8 products in every
// slice.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gen/dot/ports.h"
#include "gen/layer.h"

namespace kumiki::gen::dot {

enum class Scheme { wp487_int8 };
enum class Sharing { weight, input };
enum class Skew { internal, external };

// What the user asks for.
struct Request {
  Scheme scheme = Scheme::wp487_int8;
  Sharing sharing = Sharing::weight;
  Skew skew = Skew::internal;
  std::uint32_t terms = 7;
};

// A bound that was proved by interval arithmetic: printed with the plan and kept in the report.
struct Proof {
  std::string what;
  std::int64_t low, high;  // where the value can be
  std::int64_t legal_low, legal_high;
  bool holds() const { return legal_low <= low && high <= legal_high; }
};

struct DotPlan {
  Request request;
  std::uint32_t operand_bits = 8;
  std::uint32_t shift = 18;        // G: the word is a * 2^G + d
  std::uint32_t result_bits = 18;  // both lanes
  std::uint32_t slices = 0;
  std::uint32_t latency = 0;                 // enabled clocks from operands to results
  std::vector<std::uint32_t> operand_delay;  // of each term, in front of its slice
  std::uint32_t slice_latency = 4;           // A/B to P inside a slice
  std::uint16_t opmode_first = 0, opmode_next = 0;
  std::vector<Proof> proofs;

  std::string module_name() const;
  bool operator==(const DotPlan& other) const { return module_name() == other.module_name(); }
  DotIn<Hardware> input_shape() const;
  DotOut<Hardware> output_shape() const;
};

// The most terms for which the low lane stays inside its bits: floor((2^(G-1) - 1) /
// 2^(2(bits-1))).
std::uint32_t term_limit(std::uint32_t operand_bits, std::uint32_t shift);

// Every bound that the scheme needs, as intervals.
std::vector<Proof> prove(const Request& request);

// Throws DesignError naming the bound that breaks.
DotPlan plan(const Request& request);

std::string to_text(const DotPlan& plan);
Json to_json(const DotPlan& plan);
const char* name(Scheme scheme);
const char* name(Sharing sharing);
const char* name(Skew skew);

}  // namespace kumiki::gen::dot
