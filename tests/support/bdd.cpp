// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bdd.h"

#include <algorithm>
#include <stdexcept>

namespace kumiki::test {

Bdd::Bdd(std::size_t most_nodes) : most_nodes_(most_nodes) {
  nodes_ = {{UINT32_MAX, 0, 0}, {UINT32_MAX, 1, 1}};
}

Bdd::Function Bdd::node(std::uint32_t variable, Function low, Function high) {
  if (low == high) return low;
  auto [at, is_new] =
      unique_.emplace(Node{variable, low, high}, static_cast<Function>(nodes_.size()));
  if (is_new) {
    if (nodes_.size() >= most_nodes_) throw std::length_error("the decision diagram is too large");
    nodes_.push_back({variable, low, high});
  }
  return at->second;
}

Bdd::Function Bdd::variable(std::uint32_t index) { return node(index, zero, one); }

Bdd::Function Bdd::mux(Function select, Function high, Function low) {
  if (select == one) return high;
  if (select == zero) return low;
  if (high == low) return high;
  if (high == one && low == zero) return select;
  const Node key{select, low, high};
  if (auto at = muxes_.find(key); at != muxes_.end()) return at->second;
  const std::uint32_t top =
      std::min({nodes_[select].variable, nodes_[high].variable, nodes_[low].variable});
  auto side = [&](Function f, bool is_high) {
    const Node& n = nodes_[f];
    return n.variable != top ? f : is_high ? n.high : n.low;
  };
  const Function when_low = mux(side(select, false), side(high, false), side(low, false));
  const Function when_high = mux(side(select, true), side(high, true), side(low, true));
  const Function result = node(top, when_low, when_high);
  muxes_.emplace(key, result);
  return result;
}

std::vector<Bdd::Function> Bdd::sum(const std::vector<Function>& bits,
                                    const std::vector<unsigned>& column, unsigned width) {
  std::vector<Function> total(width, zero);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    Function carry = bits[i];
    for (unsigned c = column[i]; c < width && carry != zero; ++c) {
      const Function before = total[c];
      total[c] = xor_(before, carry);
      carry = and_(before, carry);
    }
  }
  return total;
}

NetlistBdd::NetlistBdd(const ir::Module& module)
    : module_(module), of_net_(module.net_count(), UINT32_MAX), driver_(module.net_count()) {
  of_net_[ir::net_zero.index] = Bdd::zero;
  of_net_[ir::net_one.index] = Bdd::one;
  for (const ir::Cell& c : module.cells()) {
    const auto n = ir::output_width(c.kind, module.view(c));
    for (std::uint32_t i = 0; i < n; ++i) driver_[c.out.index + i] = &c;
  }
  order_inputs();
  // Cells come after those that drive them.
  for (const ir::Cell& c : module.cells()) add_cell(c);
}

void NetlistBdd::set(ir::Net net, Bdd::Function f) { of_net_[net.index] = f; }

Bdd::Function NetlistBdd::get(ir::Net net) const {
  const Bdd::Function f = of_net_[net.index];
  if (f == UINT32_MAX) throw std::logic_error("a cell stands before one that drives it");
  return f;
}

// Orders the inputs as a walk from the outputs meets them: inputs that meet early are neighbours.
void NetlistBdd::order_inputs() {
  std::vector<bool> seen(module_.net_count());
  for (const ir::Port& p : module_.ports())
    if (p.direction == ir::Direction::output)
      for (ir::Net n : module_.port_nets(p)) visit(n, seen);
  for (const ir::Port& p : module_.ports())
    if (p.direction == ir::Direction::input)
      for (ir::Net n : module_.port_nets(p)) visit(n, seen);
}

void NetlistBdd::visit(ir::Net net, std::vector<bool>& seen) {
  if (net.is_constant() || seen[net.index]) return;
  seen[net.index] = true;
  const ir::Cell* c = driver_[net.index];
  if (!c) {
    set(net, bdd_.variable(variables_++));
    return;
  }
  auto in = module_.inputs(*c);
  if (c->kind != ir::Kind::carry4 && c->kind != ir::Kind::carry8) {
    for (ir::Net n : in) visit(n, seen);
    return;
  }
  // A position: S, then what is below it.
  const std::uint32_t n = c->kind == ir::Kind::carry4 ? 4 : 8;
  const std::uint32_t at = (net.index - c->out.index) % n;
  visit(in[2 + n + at], seen);
  if (net.index - c->out.index < n) visit(in[2 + at], seen);
  if (at > 0) {
    visit({c->out.index + at - 1}, seen);
  } else {
    visit(in[0], seen);
    visit(in[1], seen);
  }
}

void NetlistBdd::add_cell(const ir::Cell& c) {
  auto in = module_.inputs(c);
  if (c.kind == ir::Kind::carry4 || c.kind == ir::Kind::carry8) {
    const std::uint32_t n = c.kind == ir::Kind::carry4 ? 4 : 8;
    Bdd::Function carry = bdd_.or_(get(in[0]), get(in[1]));
    for (std::uint32_t i = 0; i < n; ++i) {
      const Bdd::Function s = get(in[2 + n + i]);
      set({c.out.index + n + i}, bdd_.xor_(s, carry));
      carry = bdd_.mux(s, carry, get(in[2 + i]));
      set({c.out.index + i}, carry);
    }
    return;
  }
  const bool both = c.kind == ir::Kind::lut6_2;
  const auto inputs = static_cast<std::uint32_t>(in.size()) / c.width;
  const std::uint64_t table = module_.view(c).params[0];
  for (std::uint32_t e = 0; e < c.width; ++e) {
    auto look_up = [&](auto&& self, std::uint32_t input, std::uint32_t index) -> Bdd::Function {
      if (input == 0) return table >> index & 1 ? Bdd::one : Bdd::zero;
      const std::uint32_t i = input - 1;
      return bdd_.mux(get(in[i * c.width + e]), self(self, i, index | 1u << i),
                      self(self, i, index));
    };
    set({c.out.index + e}, look_up(look_up, inputs, 0));
    if (both) set({c.out.index + c.width + e}, look_up(look_up, 5, 0));
  }
}

std::vector<Bdd::Function> NetlistBdd::port(std::string_view name) const {
  std::vector<Bdd::Function> all;
  for (ir::Net n : module_.port_nets(*module_.find_port(name))) all.push_back(get(n));
  return all;
}

}  // namespace kumiki::test
