// SPDX-License-Identifier: Apache-2.0
#include "backends/formal/sums.h"

#include <algorithm>
#include <map>

namespace kumiki::backends::proof {
namespace {

constexpr unsigned most_chains = 8;    // in sequence, that compare
constexpr unsigned most_low = 4;       // bits below a comparison
constexpr std::size_t most_bits = 96;  // read by a comparison

std::vector<Literal> all_nets(const Unrolled& both) {
  std::vector<Literal> all;
  for (std::size_t f = 0; f < both.frames(); ++f)
    for (const auto* nets : {&both.frame(f).gold_nets, &both.frame(f).gate_nets})
      all.insert(all.end(), nets->begin(), nets->end());
  return all;
}

}  // namespace

Sums::Sums(const Unrolled& both, const Circuit& gold, const Circuit& gate)
    : aig_(both.aig()), rewriting_(both.aig(), all_nets(both)), is_sum_(both.aig().size(), false) {
  std::unordered_map<std::uint32_t, std::size_t> input_at;
  for (std::size_t i = 0; i < aig_.inputs().size(); ++i) input_at[aig_.inputs()[i]] = i;
  idle_.assign(aig_.inputs().size(), true);
  chains_.resize(both.frames());
  for (std::size_t f = 0; f < both.frames(); ++f) {
    const auto& frame = both.frame(f);
    std::map<std::string, std::vector<std::size_t>> ports;
    for (std::size_t i = 0; i < gold.inputs.size(); ++i) {
      // Skip inputs that are held or depend on other inputs: en if there is no reset.
      if (frame.inputs[i] <= one || !aig_.is_input(frame.inputs[i] >> 1)) continue;
      const auto at = input_at.at(frame.inputs[i] >> 1);
      ports[gold.inputs[i].port].push_back(at);
      if (gold.inputs[i].port == "rst") idle_[at] = false;
    }
    for (auto& [name, inputs] : ports) ports_.push_back(std::move(inputs));
    std::map<std::string, Word> words;
    for (std::size_t i = 0; i < gold.nets.size(); ++i)
      if (gold.nets[i].port.starts_with("sum.")) {
        auto& word = words[gold.nets[i].port];
        word.resize(std::max<std::size_t>(word.size(), gold.nets[i].index + 1), zero);
        word[gold.nets[i].index] = frame.gold_nets[i];
      }
    for (auto& [name, word] : words) words_.push_back(std::move(word));
  }
  for (std::size_t f = 0; f < both.frames(); ++f) read_pins(gate, both.frame(f).gate_nets, f);
}

// Collects the chains by their pins, whose names are "INSTANCE.PIN".
void Sums::read_pins(const Circuit& gate, const std::vector<Literal>& values, std::size_t frame) {
  const auto parts = [](const std::string& name) {
    const auto dot = name.rfind('.');
    return std::pair(name.substr(0, dot), name.substr(dot + 1));
  };
  auto& chains = chains_[frame];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [instance, pin] = parts(gate.nets[i].port);
    Pins& pins = chains[instance];
    if ((pin == "CI" || pin == "CYINIT") && values[i] != zero) pins.carry_in = values[i];
    if (pin != "S" && pin != "DI" && pin != "CO") continue;
    auto& list = pin == "S" ? pins.s : pin == "DI" ? pins.di : pins.co;
    list.resize(std::max<std::size_t>(list.size(), gate.nets[i].index + 1), zero);
    list[gate.nets[i].index] = values[i];
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [instance, pin] = parts(gate.nets[i].port);
    const Pins& pins = chains.at(instance);
    const auto node = values[i] >> 1;
    if (node != 0 && !aig_.is_input(node) && pin != "S" && pin != "DI" && pin[0] != 'C')
      gates_.push_back(node);
    if (pins.co.empty() || node == 0 || aig_.is_input(node)) continue;
    if (pin == "CO") carries_[node] = {&pins, gate.nets[i].index};
    if (pin == "CO" || pin == "O") is_sum_[node] = true;
  }
}

Solution Sums::differ(const Word& gold, const Word& gate, Clock::time_point deadline) {
  if (gold == gate) return {Answer::never, {}};
  const auto bits = static_cast<unsigned>(gold.size());
  const auto a = rewriting_.of(weighted(gold), 0, bits, deadline);
  if (!a) return {};
  const auto b = rewriting_.of(weighted(gate), 0, bits, deadline);
  if (!b) return {};
  if (*a == *b) return {Answer::never, {}};
  // Setting only the factors of the shortest remaining product to 1 makes all other products 0.
  Polynomial between(bits);
  Solution s{Answer::sometimes, idle_};
  std::unordered_map<std::uint32_t, std::size_t> input_at;
  for (std::size_t i = 0; i < aig_.inputs().size(); ++i) input_at[aig_.inputs()[i]] = i;
  for (const auto* p : {&*a, &*b})
    for (const auto& t : p->terms()) {
      between.add(t.monomial,
                  static_cast<std::uint64_t>(p == &*a ? t.coefficient : -t.coefficient));
      for (const auto n : t.monomial) s.inputs[input_at.at(n)] = false;
    }
  const auto left = between.terms();
  for (const auto n : left.front().monomial) s.inputs[input_at.at(n)] = true;
  return s;
}

Solution Sums::differ(Literal gold, Literal gate, Clock::time_point deadline) {
  if (gold == gate) return {Answer::never, {}};
  const auto sum = compared_sum(gold);
  if (!sum) return {};
  for (unsigned chains = 1; chains <= most_chains && Clock::now() < deadline; ++chains) {
    auto bits = compared_bits(gate, chains);
    if (!bits) continue;
    const auto s = differ_behind(*sum, std::move(*bits), gold, gate, deadline);
    if (s.answer != Answer::unknown) return s;
  }
  return {};
}

Solution Sums::differ_behind(const Sum& sum, std::vector<std::uint32_t> bits, Literal gold,
                             Literal gate, Clock::time_point deadline) {
  Cut cut{.sum = sum, .bits = std::move(bits), .pairs = {}, .cases = {}, .traces = {}};
  std::vector<std::uint32_t> inputs;
  for (const auto n : cut.bits)
    if (aig_.is_input(n)) inputs.push_back(n);
  for (std::size_t i = 0; i < inputs.size() && inputs.size() <= 16; ++i)
    for (std::size_t k = 0; k < i; ++k) cut.pairs.emplace_back(inputs[i], inputs[k]);
  if (auto found = run_cases(cut, gold, gate, deadline))
    return {Answer::sometimes, std::move(*found)};
  // A comparison may skip the lowest bit of the sum if it is alone. Such bits are searched for and
  // added one by one.
  for (unsigned low = 0; low < most_low; ++low) {
    if (const auto relations = weights_of(cut.cases))
      return {compare(cut, *relations, gold, gate, deadline), {}};
    if (!add_low_bit(cut, low)) break;
  }
  return {};
}

// The word of the reference that a bit compares. Apart from this word the bit reads only inputs.
std::optional<Sums::Sum> Sums::compared_sum(Literal y) const {
  for (const Word& word : words_) {
    std::vector<std::uint32_t> nodes;
    for (Literal l : word)
      if (l > one) nodes.push_back(l >> 1);
    std::sort(nodes.begin(), nodes.end());
    const auto is_bit = [&](auto n) { return std::binary_search(nodes.begin(), nodes.end(), n); };
    const auto cone = cone_of(aig_, y >> 1, most_bits, is_bit);
    if (!cone) continue;
    Sum sum{.word = &word, .beside = {}};
    std::copy_if(cone->reads.begin(), cone->reads.end(), std::back_inserter(sum.beside),
                 [&](auto n) { return !is_bit(n); });
    if (sum.beside.size() < cone->reads.size() && sum.beside.size() <= word.size()) return sum;
  }
  return std::nullopt;
}

// Collects the bits of a chain's pin: those that the LUT in front of it reads, or the pin itself.
bool Sums::collect(Literal l, const std::vector<std::uint32_t>& beside,
                   std::vector<std::uint32_t>& bits) const {
  const auto n = l >> 1;
  if (n == 0) return true;
  const bool itself =
      aig_.is_input(n) || is_sum_[n] || std::find(beside.begin(), beside.end(), n) != beside.end();
  const auto read = itself ? std::vector{n} : rewriting_.read_by(n);
  if (!read) return false;
  bits.insert(bits.end(), read->begin(), read->end());
  return true;
}

// The bits that a comparison reads. They are in front of the chain that ends in this bit, or of its
// LUT, or of at most `chains` chains in sequence. A carry into the first chain is also a bit.
std::optional<std::vector<std::uint32_t>> Sums::compared_bits(Literal y, unsigned chains) const {
  auto at = carries_.find(y >> 1);
  if (at == carries_.end()) return chains == 1 ? rewriting_.read_by(y >> 1) : std::nullopt;
  std::vector<std::uint32_t> bits;
  for (;; --chains) {
    const auto [chain, position] = at->second;
    for (std::size_t i = 0; i <= position; ++i) {
      std::vector<std::uint32_t> through;
      if (!collect(chain->s[i], {}, through) || !collect(chain->di[i], through, bits))
        return std::nullopt;
      bits.insert(bits.end(), through.begin(), through.end());
    }
    const auto carry = chain->carry_in >> 1;
    at = carries_.find(carry);
    const bool ends =
        at == carries_.end() || at->second.position + 1 != at->second.chain->co.size();
    if (ends && chains > 1) return std::nullopt;  // the same bits as with fewer chains
    if (ends || chains == 1) {
      if (carry != 0) bits.push_back(carry);
      break;
    }
  }
  std::sort(bits.begin(), bits.end());
  bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
  return bits;
}

}  // namespace kumiki::backends::proof
