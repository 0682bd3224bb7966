// SPDX-License-Identifier: Apache-2.0
// Sorting networks as values. Every wire has one driver, so a result may be used several times, and
// unused results are easy to find. Sorters order two or three wires. A sorter of three makes three
// comparisons at the same time, and every output bit is one LUT6. So a median of three costs half
// the LUTs and a third of the time of three exchanges.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kumiki::gen::sort {

inline constexpr int unused = -1;

struct Sorter {
  std::vector<int> in;   // two or three wires, ascending
  std::vector<int> out;  // as many: the smallest first; `unused` if it has no reader
  friend bool operator==(const Sorter&, const Sorter&) = default;
};

struct Network {
  // Sizes of the groups of inputs. The inputs are wires 0, 1, …, and each group is known to be in
  // ascending order: {1, 1, 1} are three values, {3, 3} two sorted columns.
  std::vector<int> groups;
  std::vector<Sorter> sorters;  // no wire is read before it is driven
  std::vector<int> outputs;     // wires
  int wires = 0;

  int inputs() const;
  friend bool operator==(const Network&, const Network&) = default;
};

// Makes networks: wires in, wires out. Equal sorters of the same wires are made once.
class Wiring {
 public:
  explicit Wiring(std::vector<int> groups);
  // The wire of an input: `rank` of `group`.
  int input(int group, int rank = 0) const;

  std::pair<int, int> order(int a, int b);  // low, high
  int low(int a, int b) { return order(a, b).first; }
  int high(int a, int b) { return order(a, b).second; }
  std::vector<int> order(std::vector<int> three);
  int middle(int a, int b, int c) { return order({a, b, c})[1]; }

  // The network without the sorters that no output needs. Throws DesignError for unknown wires.
  Network finish(std::vector<int> outputs) const;

 private:
  Network network_;
  std::map<std::vector<int>, std::size_t> known_;  // sorters by their inputs
};

// Exchanges in place, as networks are published: the smaller value goes to wire `low`. Outputs are
// wires, numbered like the inputs.
struct Exchange {
  int low, high;
};
Network in_place(std::vector<int> groups, const std::vector<Exchange>& exchanges,
                 const std::vector<int>& outputs);

// Drops sorters that no output needs; sorter outputs without a reader become `unused`.
Network pruned(Network network);
// Replaces exchanges of three wires by one sorter of three if that costs no more LUTs.
Network fused(Network network);

// Half LUTs a bit: each output of a sorter of two takes one, of a sorter of three two.
int half_luts(const Sorter& sorter);
// Sorters on the longest path.
int depth(const Network& network);

// The values of the outputs, computed by following the network.
std::vector<std::int64_t> sorted(const Network& network, const std::vector<std::int64_t>& inputs);

}  // namespace kumiki::gen::sort
