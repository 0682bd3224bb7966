// SPDX-License-Identifier: Apache-2.0
// Binary decision diagrams of a combinational netlist: two functions are the same when their
// numbers are. For proofs that are too hard for SAT, because functions that count bits have small
// diagrams.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/design.h"

namespace kumiki::test {

class Bdd {
 public:
  using Function = std::uint32_t;
  static constexpr Function zero = 0, one = 1;

  explicit Bdd(std::size_t most_nodes = 20'000'000);
  Function variable(std::uint32_t index);
  Function mux(Function select, Function high, Function low);
  Function not_(Function a) { return mux(a, zero, one); }
  Function and_(Function a, Function b) { return mux(a, b, zero); }
  Function or_(Function a, Function b) { return mux(a, one, b); }
  Function xor_(Function a, Function b) { return mux(a, not_(b), b); }
  std::size_t size() const { return nodes_.size(); }

  // Bits of the sum of words of one column each: weight 2^column[i] for function[i], modulo
  // 2^width. Built input by input, as the definition says.
  std::vector<Function> sum(const std::vector<Function>& bits, const std::vector<unsigned>& column,
                            unsigned width);

 private:
  struct Node {
    std::uint32_t variable;
    Function low, high;
    bool operator==(const Node&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Node& n) const {
      return (n.variable * 0x9e3779b97f4a7c15u ^ n.low) * 0xff51afd7ed558ccdu ^
             n.high * 0xc4ceb9fe1a85ec53u;
    }
  };
  Function node(std::uint32_t variable, Function low, Function high);

  std::size_t most_nodes_;
  std::vector<Node> nodes_;
  std::unordered_map<Node, Function, Hash> unique_, muxes_;
};

// The functions of a flat module of LUTs and carry chains.
class NetlistBdd {
 public:
  explicit NetlistBdd(const ir::Module& module);
  Bdd& bdd() { return bdd_; }
  // Of every bit of a port.
  std::vector<Bdd::Function> port(std::string_view name) const;

 private:
  void order_inputs();
  void visit(ir::Net net, std::vector<bool>& seen);
  void add_cell(const ir::Cell& cell);
  void set(ir::Net net, Bdd::Function f);
  Bdd::Function get(ir::Net net) const;

  const ir::Module& module_;
  Bdd bdd_;
  std::uint32_t variables_ = 0;
  std::vector<Bdd::Function> of_net_;
  std::vector<const ir::Cell*> driver_;
};

}  // namespace kumiki::test
