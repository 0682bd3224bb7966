// SPDX-License-Identifier: Apache-2.0
// The plan of a packed dot product, with every constant decided.
//
// A plan lists its slices in the order in which a wave of operands passes through them. Every slice
// names its kind (OPMODE, RND, wiring of C and A:B, attributes) and the sources of its cascade and
// its C. Every result names the bits of each P that are added to make it. The builder of the
// hardware decides nothing.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gen/arith/certificate.h"
#include "gen/blocks/packing/format.h"
#include "gen/blocks/packing/word.h"

namespace kumiki::gen::packing {

enum class Scheme : std::uint8_t {
  Wp487Int8,
  Wp487Int8Dsp,
  Wp487Int8Lut,
  Wp487Uint8,
  Wp487Uint8Dsp,
  Wp486Macc,
  OffsetBinary,
  SharedDrain,
  WeightAware,
  WrapCounter,
  CarryLane,
  CarryLaneDrain,
  Canary,
  CarryLooks,
  FourLane,
  Single,
};

// How the lanes of the last P become results.
enum class Separation : std::uint8_t { Increment, Wires, WrapCounter, Canary, CarryLane, Looks };
// How the words of several chains or several cycles are added.
enum class Drain : std::uint8_t { None, Lut, One48, Two24, Four12 };

struct Limits {
  std::string family = "ultrascale+";
  int wide_bits = ir::arch::dsp48e2.multiplier_a;    // A and D of the multiplier
  int narrow_bits = ir::arch::dsp48e2.multiplier_b;  // B
  bool w_multiplexer = ir::arch::dsp48e2.w;          // W = RND, C or P
  int column_height = ir::arch::dsp48e2.chain;       // slices one cascade can pass
  int luts = ir::arch::dsp48e2.luts;                 // of the area of a slice
  bool preadds_b = ir::arch::dsp48e2.preadds_b;      // the pre-adder's sum may be on B
  static Limits of(ir::Family family) {
    const ir::arch::DspSlice& s = ir::arch::of(family).dsp;
    return {.family = std::string(ir::family_name(family)),
            .wide_bits = s.multiplier_a,
            .narrow_bits = s.multiplier_b,
            .w_multiplexer = s.w,
            .column_height = s.chain,
            .luts = s.luts,
            .preadds_b = s.preadds_b};
  }
  bool operator==(const Limits&) const = default;
};

// OPMODE as the nine pins read: W[8:7] Z[6:4] Y[3:2] X[1:0].
struct Opmode {
  enum W : std::uint16_t { W0 = 0, WP = 1, WRnd = 2, WC = 3 };
  enum Z : std::uint16_t { Z0 = 0, ZPcin = 1, ZP = 2, ZC = 3 };
  enum XY : std::uint16_t {
    None = 0b0000,
    M = 0b0101,
    P = 0b0010,
    AB = 0b0011,
    C = 0b1100,
    AB_C = 0b1111
  };
  std::uint16_t bits = 0;

  static constexpr Opmode of(W w, Z z, XY xy) {
    return {static_cast<std::uint16_t>(w << 7 | z << 4 | xy)};
  }
  constexpr int w() const { return bits >> 7 & 3; }
  constexpr int z() const { return bits >> 4 & 7; }
  constexpr int y() const { return bits >> 2 & 3; }
  constexpr int x() const { return bits & 3; }
  friend bool operator==(const Opmode&, const Opmode&) = default;
};

enum class Simd : std::uint8_t { One48, Two24, Four12 };
int lane_bits(Simd simd);

// What slices have in common. Every pin has one register. OPMODE, C, A:B and CARRYIN reach their
// ports two clock edges before the P they make. A, D and B of a product arrive `multiply_latency`
// edges before it. Every slice has its own first cycle of a result, with the skew of its operands.
struct SliceKind {
  std::string name;  // "first", "middle", "re-entry", "drain"
  bool multiplies = true;
  Opmode load;  // in the first cycle of a result
  Opmode run;   // in the following cycles; differs if the slice accumulates
  int inmode = 0;
  Exact rnd = 0;  // 48 bits, two's complement
  Simd simd = Simd::One48;
  Wiring c;
  Wiring ab;
  bool has_carry_in = false;
  Piece carry_in;      // the CARRYIN pin
  bool gated = false;  // OPMODE[8:7] = {g, g} with g = bit `gate.lsb` of operand `gate.operand`
  Piece gate;
  int operand_c_delay = 0;  // delay in cycles of an operand on C or OPMODE against A, D and B
  bool operator==(const SliceKind&) const = default;
};

struct Slice {
  int kind = 0;
  int cycle = 0;                           // clock edges from the first operand at a port to this P
  std::int64_t term = -1;                  // which term of a cycle's terms it multiplies, -1: none
  int cascade = -1;                        // slice whose PCOUT is this PCIN
  std::array<int, 3> sources{-1, -1, -1};  // slices whose P is wired to C, A:B or CARRYIN
  bool operator==(const Slice&) const = default;
};

// A run of multiplying slices that add into one word.
struct Chain {
  int first = 0;  // slice
  int count = 0;
  int start = 0;  // cycle at which its first operand is at the port
  bool operator==(const Chain&) const = default;
};

// A state machine in the fabric. It steps once in every cycle of a result and compares the newest P
// with the previous one. The watched lane only moves upwards. So smaller top bits mean that the
// lane has wrapped round: count 1. In the first cycle of a result the counter restarts from 0, and
// the previous P counts as 0. Its value is valid one clock edge after the P it has seen.
struct Counter {
  int slice = 0;
  int lsb = 0;  // watched bits of P
  int width = 0;
  int bits = 0;  // of the counter; it may wrap round itself
  bool operator==(const Counter&) const = default;
};

// The planner builds no wider carry: the products alone would cost more than one LUT a bit.
constexpr int max_carry_bits = 3;

// Compares the top bits of a lane in the P of a slice with those at the look before. The lane moves
// up and down. As if a fixed amount were added between two looks, a constant is added to both
// numbers, modulo 2^watched bits; then the lane only moves up. So the newer number is smaller
// exactly if the lane has wrapped round.
struct Look {
  int slice = 0;
  int before = -1;  // slice of the look before; -1: the lane is 0 there
  int added = 0, added_before = 0;
  bool operator==(const Look&) const = default;
};

// The carries from below into a lane, over all chains of a cycle. With `looks` they are counted
// along a chain: each look that sees a wrap counts one, and the sum is reduced by `lowest`.
// Otherwise read the lane's lowest bits in the last P of a chain. Subtract the products of the
// chain and the bias of each of its slices. The difference is the carry of the chain. Each carry
// enters the sum minus `lowest`. Both neighbours use the sum.
struct CarrySum {
  int lane = 0;
  int width = 0;            // bits needed to tell the carries of one chain apart
  std::int64_t lowest = 0;  // the smallest carry of a chain
  std::int64_t highest = 0;
  std::int64_t bias = 0;  // added by RND in each slice of a chain
  std::vector<Look> looks = {};
  int bits = 0;   // of the sum
  int ready = 0;  // cycle in which the carries of all chains are valid
  int cycle = 0;  // cycle in which the sum is valid
  bool operator==(const CarrySum&) const = default;
};

// One addend of a result.
struct Signal {
  enum class Kind : std::uint8_t { Bits, Counter, Carries, OperandSum };
  Kind kind = Kind::Bits;
  std::int64_t coefficient = 1;
  int slice = 0;  // Bits
  int lsb = 0;
  int width = 0;
  bool is_signed = false;
  bool flip =
      false;  // top bit inverted: an offset-binary field with bias 2^(width-1), read as signed
  int counter = 0;  // Counter
  int carries = 0;  // Carries: a carry sum
  OperandRef
      operand;  // OperandSum: the sum of this operand over all terms (known with the weights)
  bool operator==(const Signal&) const = default;
};

// Addends are combined in stages: stage k adds its own to the total of stage k-1.
struct Stage {
  int first = 0;  // signal
  int count = 0;
  int ready = 0;  // cycle in which all its addends are valid; earlier ones wait
  int cycle = 0;  // cycle in which the whole total is valid: `ready` for wires, later with adders
  bool operator==(const Stage&) const = default;
};

struct Result {
  int packed = 0;
  int shared = 0;
  std::vector<Signal> signals;
  std::vector<Stage> stages;
  Exact constant = 0;        // added in the last stage
  Exact offset = 0;          // constant that the consumer must add (to its own bias) ...
  std::vector<Signal> left;  // ... and the operand sums that it must add
  int bits = 0;              // the total is taken modulo 2^bits
  bool is_signed = true;
  Interval range;  // of the true value

  Format format() const { return {bits, is_signed}; }
  // One field of one P and nothing else: no adder.
  bool wires() const;
  bool operator==(const Result&) const = default;
};

struct PackingPlan {
  Scheme scheme = Scheme::Wp487Int8;
  OperandFormat packed;
  OperandFormat shared;
  int packed_count = 2;
  int shared_count = 1;
  std::int64_t terms = 1;
  Limits limits;

  Centres centres;
  Ports ports;
  std::vector<Lane> lanes;
  int guard = 0;             // G, the offset of the second lane (0 with one lane)
  std::int64_t segment = 0;  // N: terms a chain adds before its lanes are separated or relieved
  std::int64_t segments = 1;

  std::int64_t terms_per_cycle = 1;  // terms multiplied in one cycle, zero operands included
  std::int64_t words = 1;            // cycles that the slices accumulate
  std::int64_t rounds = 1;           // results of the slices that the fabric adds into one
  std::int64_t terms_per_round = 1;

  Separation separation = Separation::Wires;
  Drain drain = Drain::None;
  std::vector<SliceKind> kinds;
  std::vector<Slice> slices;
  std::vector<Chain> chains;
  std::vector<Counter> counters;
  std::vector<CarrySum> carry_sums;
  std::vector<Result> results;  // packed operand fastest: (0,0), (1,0), (0,1), ...
  int multiply_latency = 0;     // clock edges from an operand at the port to P
  int latency = 0;              // from the first operand to the last result
  Certificate certificate;

  std::int64_t cycles() const { return words * rounds; }  // per set of results
  std::int64_t macs() const;                              // useful ones per set of results
  bool lut_free() const;  // nothing but wires (and inverters at the operands) outside the slices
  bool operator==(const PackingPlan&) const = default;
};

// Whether a register follows the inverter of a field that ends in the first part of a sum. Without
// the register, its LUT, the LUT of an adder and two carry blocks would be one level too many.
bool flips_early(const PackingPlan& plan, const Result& result, const Signal& signal);
// The cycle in which a counter has seen the last P.
int counter_cycle(const PackingPlan& plan, const Counter& counter);
// Levels of two-input adders for this many addends; a single bit enters on a carry-in.
int adder_levels(int words, int single_bits);
// The time at which the sum of addends with these arrival times is ready. `fewest_together` or more
// addends of one time are added first, on one tree. Then the two earliest are added, again and
// again. An adder takes a clock.
constexpr int fewest_together = 3;
int time_of_sum(std::multiset<int> times);
// The bits that looks compare.
constexpr int watched_bits = 3;
// Clocks from the last P of a chain to its carry.
int carry_clocks(const PackingPlan& plan, const CarrySum& sum);
// Bits of the sum of an operand over all slices and the cycles that they accumulate.
int operand_sum_bits(const PackingPlan& plan, OperandRef operand);

// MACs per slice per cycle as an exact fraction in lowest terms.
struct Ratio {
  std::int64_t num = 0;
  std::int64_t den = 1;
  double value() const { return static_cast<double>(num) / static_cast<double>(den); }
  friend bool operator==(const Ratio&, const Ratio&) = default;
};
bool less(const Ratio& a, const Ratio& b);
Ratio mac_per_slice(const PackingPlan& plan);

// Whether a slice has nothing to multiply in some cycle of a set.
bool lacks_a_term(const PackingPlan& plan, const Slice& slice);
// Whether such a product is cleared behind the multiplier. Otherwise the operands are set to 0,
// which does not clear the product if an operand has a centre.
bool masks_products(const PackingPlan& plan);
// The term that a slice multiplies in this round and word. -1: none; its operands are 0.
std::int64_t term_of(const PackingPlan& plan, const Slice& slice, std::int64_t round,
                     std::int64_t word);

std::string to_string(Scheme scheme);  // "wp487-int8"
std::optional<Scheme> scheme_from(const std::string& name);
std::vector<Scheme> all_schemes();
std::string to_string(Separation separation);
std::string to_string(Drain drain);
std::string to_string(Simd simd);
std::string to_string(Opmode opmode);  // "10_001_01_01"
std::string to_text(const PackingPlan& plan);

}  // namespace kumiki::gen::packing
