// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/hardware/registered_functions.h"

#include <algorithm>
#include <stdexcept>

namespace kumiki::gen::packing {
namespace {

constexpr std::size_t whole_lut = 6, half_lut = 5;

std::vector<Net> together(const std::vector<Net>& a, const std::vector<Net>& b) {
  std::vector<Net> all = a;
  for (const Net n : b)
    if (std::ranges::find(all, n) == all.end()) all.push_back(n);
  return all;
}

// The table of a function over more nets, or over the same nets in another order.
std::uint64_t over(const std::vector<Net>& all, const std::vector<Net>& in, std::uint64_t bits) {
  std::uint64_t wider = 0;
  for (unsigned index = 0; index < 1u << all.size(); ++index) {
    unsigned own = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto at = std::ranges::find(all, in[i]) - all.begin();
      own |= (index >> at & 1) << i;
    }
    wider |= (bits >> own & 1) << index;
  }
  return wider;
}

}  // namespace

RegisteredFunctions::Function RegisteredFunctions::reduced(
    const std::vector<Net>& nets, const std::function<bool(unsigned)>& value) {
  Function f;
  for (const Net n : nets)
    if (!n.is_constant()) f.in = together(f.in, {n});
  const auto indexed = [&](unsigned own) {
    unsigned index = 0;
    for (std::size_t i = 0; i < nets.size(); ++i) {
      const bool bit = nets[i].is_constant()
                           ? nets[i] == ir::net_one
                           : (own >> (std::ranges::find(f.in, nets[i]) - f.in.begin()) & 1) != 0;
      index |= unsigned{bit} << i;
    }
    return index;
  };
  const auto matters = [&](std::size_t i) {
    for (unsigned own = 0; own < 1u << f.in.size(); ++own)
      if (value(indexed(own)) != value(indexed(own ^ 1u << i))) return true;
    return false;
  };
  std::vector<Net> needed;
  for (std::size_t i = 0; i < f.in.size(); ++i)
    if (matters(i)) needed.push_back(f.in[i]);
  if (needed.size() > whole_lut) throw std::logic_error("a function of more nets than a LUT has");
  std::uint64_t bits = 0;
  for (unsigned index = 0; index < 1u << needed.size(); ++index) {
    unsigned own = 0;
    for (std::size_t i = 0; i < needed.size(); ++i)
      own |= (index >> i & 1) << (std::ranges::find(f.in, needed[i]) - f.in.begin());
    bits |= std::uint64_t{value(indexed(own))} << index;
  }
  return {needed, bits};
}

Net RegisteredFunctions::add(const std::vector<Net>& nets,
                             const std::function<bool(unsigned)>& value) {
  Function f = reduced(nets, value);
  if (f.in.empty()) return ir::constant((f.bits & 1) != 0);
  functions_.push_back(std::move(f));
  registers_.emplace_back(s_, RegOptions{.enable = enable_});
  return registers_.back().q();
}

void RegisteredFunctions::finish() {
  constexpr unsigned half_table = 32;
  std::vector<bool> done(functions_.size());
  const auto plain = [](const Function& f) { return f.in.size() == 1 && f.bits == 0b10; };
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const Function& f = functions_[i];
    if (done[i]) continue;
    if (plain(f)) {
      registers_[i].next(f.in[0]);
      continue;
    }
    // Choose the partner with which it has the fewest inputs.
    std::size_t partner = i, fewest = half_lut + 1;
    for (std::size_t j = i + 1; j < functions_.size(); ++j) {
      const std::size_t inputs = together(f.in, functions_[j].in).size();
      if (!done[j] && !plain(functions_[j]) && inputs < fewest) partner = j, fewest = inputs;
    }
    if (partner == i) {
      const Table table{.bits = f.bits, .inputs = static_cast<unsigned>(f.in.size())};
      registers_[i].next(Lut{.init = table, .in = f.in}.add_to(s_));
      continue;
    }
    const Function& g = functions_[partner];
    const auto in = together(f.in, g.in);
    Table table{.inputs = static_cast<unsigned>(in.size()), .both = true};
    table.bits = over(in, f.in, f.bits) << half_table | over(in, g.in, g.bits);
    const auto out = Lut6_2{.init = table, .in = in}.add_to(s_);
    registers_[i].next(out.o6);
    registers_[partner].next(out.o5);
    done[partner] = true;
  }
  functions_.clear();
  registers_.clear();
}

}  // namespace kumiki::gen::packing
