// SPDX-License-Identifier: Apache-2.0
// And-inverter graphs: the form in which Yosys writes a module and which proofs use.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kumiki::backends::proof {

// 2 * node + inverted; node 0 is the constant 0.
using Literal = std::uint32_t;
inline constexpr Literal zero = 0, one = 1;
constexpr Literal inverted(Literal l) { return l ^ 1; }

// Equal gates are one gate; a gate comes after its inputs.
class Aig {
 public:
  struct Node {
    Literal a = 0, b = 0;  // both `zero`: an input, and node 0
  };
  Literal add_input();
  Literal both(Literal a, Literal b);
  Literal either(Literal a, Literal b) { return inverted(both(inverted(a), inverted(b))); }
  Literal differ(Literal a, Literal b) {
    return either(both(a, inverted(b)), both(inverted(a), b));
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Node& node(std::uint32_t n) const { return nodes_[n]; }
  bool is_input(std::uint32_t n) const { return n != 0 && nodes_[n].b == zero; }
  const std::vector<std::uint32_t>& inputs() const { return inputs_; }

  // Simulates 64 cases at once: takes a word for every input and fills a word for every node.
  void simulate(const std::vector<std::uint64_t>& inputs, std::vector<std::uint64_t>& nodes) const;

 private:
  std::vector<Node> nodes_ = {{}};
  std::vector<std::uint32_t> inputs_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

inline std::uint64_t value(const std::vector<std::uint64_t>& nodes, Literal l) {
  return nodes[l >> 1] ^ (l & 1 ? ~std::uint64_t{0} : 0);
}

// The part of a graph on which some literals depend, and these literals in it. All inputs stay, in
// order. `instead[n]` is the literal that replaces node n (2 * n: itself).
struct Part {
  Aig aig;
  std::vector<Literal> outputs;
};
Part part_of(const Aig& aig, const std::vector<Literal>& outputs,
             const std::vector<Literal>& instead = {});

// `copied` copies the gates of `from` into `to`, with `inputs` as the inputs of `from`. It returns
// the literals of its nodes there. `these` looks up the literals wanted.
std::vector<Literal> copied(Aig& to, const Aig& from, const std::vector<Literal>& inputs);
std::vector<Literal> these(const std::vector<Literal>& is, const std::vector<Literal>& wanted);

// A module with its registers: `latches` are inputs of the graph after those of the module.
struct Circuit {
  struct Bit {
    std::string port;
    std::uint32_t index = 0;
  };
  Aig aig;
  std::vector<Bit> inputs;
  std::vector<Bit> outputs;
  std::vector<Literal> output_values, next;  // of every latch; all are 0 at power-up
  // Internal nets, if requested: their names contain a dot ("u3.CO").
  std::vector<Bit> nets = {};
  std::vector<Literal> net_values = {};
  std::size_t latches() const { return next.size(); }
};

// Reads the output of Yosys' `write_aiger -ascii -symbols -zinit`; outputs with a dot in their
// names are nets. ToolError if the text has another form.
Circuit read_circuit(std::string_view aag);

}  // namespace kumiki::backends::proof
