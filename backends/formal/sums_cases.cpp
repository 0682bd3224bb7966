// SPDX-License-Identifier: Apache-2.0
// Cases in which a sum takes every value. The inputs of a port change one by one, so that the sum
// climbs from its lowest to its highest value, whatever the other ports hold.
#include <algorithm>
#include <numeric>

#include "backends/formal/sums.h"

namespace kumiki::backends::proof {
namespace {

constexpr unsigned rounds = 6;  // for every port

using Words = std::vector<std::uint64_t>;

std::int64_t number(const Words& nodes, const std::vector<Literal>& word, unsigned lane) {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < word.size(); ++i)
    n |= static_cast<std::int64_t>(value(nodes, word[i]) >> lane & 1) << i;
  return n;
}

void put(std::uint64_t& word, unsigned lane, bool bit) {
  word = (word & ~(std::uint64_t{1} << lane)) | std::uint64_t{bit} << lane;
}

}  // namespace

std::optional<std::vector<bool>> Sums::run_cases(Cut& cut, Literal gold, Literal gate,
                                                 Clock::time_point deadline) {
  for (unsigned round = 0; round < rounds; ++round)
    for (const auto& port : ports_) {
      if (Clock::now() > deadline) return std::nullopt;
      if (auto found = run_path(cut, port, gold, gate)) return found;
    }
  return std::nullopt;
}

// Moves all bits of a port from their low side to their high side, in random order.
std::optional<std::vector<bool>> Sums::run_path(Cut& cut, const std::vector<std::size_t>& port,
                                                Literal gold, Literal gate) {
  const auto& word = *cut.sum.word;
  Words inputs(aig_.inputs().size()), nodes;
  std::vector<bool> base(inputs.size());
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = random_() & 1;
  const auto spread = [&] {
    for (std::size_t i = 0; i < base.size(); ++i) inputs[i] = base[i] ? ~std::uint64_t{0} : 0;
  };
  std::vector<bool> high(port.size());
  bool counts = false;
  for (std::size_t first = 0; first < port.size(); first += 63) {
    spread();
    const auto end = std::min(first + 63, port.size());
    for (std::size_t k = first; k < end; ++k)
      inputs[port[k]] ^= std::uint64_t{1} << (k - first + 1);
    aig_.simulate(inputs, nodes);
    const auto before = number(nodes, word, 0);
    for (std::size_t k = first; k < end; ++k) {
      const auto after = number(nodes, word, static_cast<unsigned>(k - first + 1));
      counts |= after != before;
      high[k] = base[port[k]] == (after < before);
    }
  }
  if (!counts) return std::nullopt;  // this port does not move the sum
  std::vector<std::size_t> order(port.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random_);
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (std::size_t first = 0; first <= port.size(); first += 64) {
    spread();
    const auto lanes = static_cast<unsigned>(std::min<std::size_t>(64, port.size() + 1 - first));
    for (std::size_t k = 0; k < port.size(); ++k)
      for (unsigned lane = 0; lane < lanes; ++lane)
        put(inputs[port[k]], lane, high[k] == (place[k] < first + lane));
    for (const auto n : cut.sum.beside)
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (aig_.inputs()[i] == n) inputs[i] = random_();
    aig_.simulate(inputs, nodes);
    std::vector<std::uint64_t> trace;
    for (const auto n : gates_) trace.push_back(nodes[n]);
    cut.traces.push_back(std::move(trace));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((value(nodes, gold) ^ value(nodes, gate)) >> lane & 1) {
        std::vector<bool> found;
        for (const auto w : inputs) found.push_back(w >> lane & 1);
        return found;
      }
      Case c{.bits = {}, .group = cut.traces.size() - 1, .number = number(nodes, word, lane)};
      for (const auto n : cut.bits) c.bits.push_back(nodes[n] >> lane & 1);
      for (const auto n : cut.sum.beside) c.bits.push_back(nodes[n] >> lane & 1);
      for (const auto& [a, b] : cut.pairs) c.bits.push_back((nodes[a] & nodes[b]) >> lane & 1);
      cut.cases.push_back(std::move(c));
    }
  }
  return std::nullopt;
}

// Looks for the gate that is bit `which` of this number: the sum plus a constant, minus the number
// it is compared with. Adds the gate to the bits.
bool Sums::add_low_bit(Cut& cut, unsigned which) const {
  const std::size_t bits = cut.bits.size();
  for (std::size_t g = 0; g < gates_.size(); ++g) {
    if (std::find(cut.bits.begin(), cut.bits.end(), gates_[g]) != cut.bits.end()) continue;
    std::vector<bool> here;
    std::size_t group = 0;
    unsigned lane = 0;
    for (const Case& c : cut.cases) {
      if (c.group != group) group = c.group, lane = 0;
      here.push_back(cut.traces[group][g] >> lane++ & 1);
    }
    for (std::int64_t constant = 0; constant < std::int64_t{2} << which; ++constant) {
      const bool fits = std::equal(cut.cases.begin(), cut.cases.end(), here.begin(),
                                   [&](const Case& c, bool bit) {
                                     std::int64_t n = c.number + constant;
                                     for (std::size_t i = 0; i < cut.sum.beside.size(); ++i)
                                       n -= static_cast<std::int64_t>(c.bits[bits + i]) << i;
                                     return (n >> which & 1) == bit;
                                   });
      if (!fits) continue;
      cut.bits.push_back(gates_[g]);
      for (std::size_t i = 0; i < here.size(); ++i)
        cut.cases[i].bits.insert(cut.cases[i].bits.begin() + static_cast<std::ptrdiff_t>(bits),
                                 here[i]);
      return true;
    }
  }
  return false;
}

}  // namespace kumiki::backends::proof
