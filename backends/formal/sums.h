// SPDX-License-Identifier: Apache-2.0
// Proves sums and comparisons of sums. It uses that adders and counters move a sum from one column
// to the next and preserve it.
//
// A port that is a sum: both sides become polynomials in the inputs (`rewriting.h`), modulo
// 2^width. A function has only one polynomial, so they are equal, or their difference gives a
// counterexample.
//
// A bit that compares a sum, y = [S >= T]: S is a word of the reference. The bits that the last
// chain of the netlist compares have a total value of S plus a constant. Cases show their weights,
// and polynomials prove them. Two comparisons of a few bits remain; SAT proves them equal.
#pragma once
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/formal/relation.h"
#include "backends/formal/rewriting.h"
#include "backends/formal/unroll.h"

namespace kumiki::backends::proof {

class Sums {
 public:
  // Takes circuits with internal nets (`circuit.h`); `both` has every frame that will be asked
  // about.
  Sums(const Unrolled& both, const Circuit& gold, const Circuit& gate);

  using Word = std::vector<Literal>;
  // Whether these words can differ. Lowest bit first.
  Solution differ(const Word& gold, const Word& gate, Clock::time_point deadline);
  // Whether these bits, which compare a sum, can differ.
  Solution differ(Literal gold, Literal gate, Clock::time_point deadline);

 private:
  struct Pins {
    std::vector<Literal> s, di, co;
    Literal carry_in = zero;
  };
  struct Place {
    const Pins* chain;
    std::size_t position;
  };
  struct Sum {
    const Word* word = nullptr;
    std::vector<std::uint32_t> beside;  // other nodes that the comparison reads
  };
  // The sum, the bits that represent it, and the cases seen.
  struct Cut {
    Sum sum;
    std::vector<std::uint32_t> bits;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        pairs;  // values of bits, of what the comparison reads besides, and of products
    std::vector<Case> cases;  // of bits, of nodes beside the sum, and of products
    // For every gate of the netlist: a word for up to 64 cases.
    std::vector<std::vector<std::uint64_t>> traces;
  };

  void read_pins(const Circuit& gate, const std::vector<Literal>& values, std::size_t frame);
  std::optional<Sum> compared_sum(Literal y) const;
  std::optional<std::vector<std::uint32_t>> compared_bits(Literal y, unsigned chains) const;
  bool collect(Literal l, const std::vector<std::uint32_t>& beside,
               std::vector<std::uint32_t>& bits) const;
  Solution differ_behind(const Sum& sum, std::vector<std::uint32_t> bits, Literal gold,
                         Literal gate, Clock::time_point deadline);
  std::optional<std::vector<bool>> run_cases(Cut& cut, Literal gold, Literal gate,
                                             Clock::time_point deadline);
  std::optional<std::vector<bool>> run_path(Cut& cut, const std::vector<std::size_t>& port,
                                            Literal gold, Literal gate);
  bool add_low_bit(Cut& cut, unsigned which) const;
  std::optional<Polynomial> less_sum(const Cut& cut, const Relation& weights, unsigned modulus,
                                     const Polynomial& sum, std::int64_t shift,
                                     Clock::time_point deadline);
  Answer compare(const Cut& cut, const std::vector<Relation>& relations, Literal gold, Literal gate,
                 Clock::time_point deadline);

  const Aig& aig_;
  Rewriting rewriting_;
  std::vector<Word> words_;                      // of the reference
  std::vector<std::vector<std::size_t>> ports_;  // inputs of the graph, by clock and port
  std::vector<bool> idle_;                       // a value of the inputs that has no effect
  std::vector<std::unordered_map<std::string, Pins>> chains_;
  std::unordered_map<std::uint32_t, Place> carries_;  // by the node of a carry
  std::vector<bool> is_sum_;                          // nodes that are a bit of a chain
  std::vector<std::uint32_t> gates_;                  // outputs of the netlist's LUTs and chains
  std::mt19937_64 random_{1};
};

}  // namespace kumiki::backends::proof
