// SPDX-License-Identifier: Apache-2.0
// Finds the groups of inputs that a dense layer counts for several neurons at once.
#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "gen/blocks/compressor/cell.h"
#include "gen/layers/neuron/dense.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using compressor::Bit;  // of a heap

namespace {

// Classes of neurons with the same weights on a group of inputs. Neurons with entirely opposite
// weights are in the same class: only whether a weight equals that of the group's first input
// matters.
class Classes {
 public:
  explicit Classes(const DensePlan& plan) {
    const DenseRequest& r = plan.request;
    for (std::size_t m = 0; m < r.weights.size(); ++m)
      if (plan.neurons[m].has_tree()) rows_.push_back(&r.weights[m]);
    class_.assign(rows_.size(), 0);
  }
  std::size_t neurons() const { return rows_.size(); }

  void begin(std::uint32_t first) {
    first_ = first;
    count_ = 1;
    std::fill(class_.begin(), class_.end(), 0);
  }
  // The number of classes with one more input in the group.
  std::size_t with(std::uint32_t input) {
    halves_.assign(2 * count_, 0);
    std::size_t n = 0;
    for (std::size_t m = 0; m < rows_.size(); ++m) {
      auto& seen = halves_[2 * class_[m] + differs(m, input)];
      n += !seen;
      seen = 1;
    }
    return n;
  }
  void take(std::uint32_t input) {
    std::vector<std::uint32_t> number(2 * count_, 0);
    std::uint32_t n = 0;
    for (std::size_t m = 0; m < rows_.size(); ++m) {
      auto& mine = number[2 * class_[m] + differs(m, input)];
      if (mine == 0) mine = ++n;
      class_[m] = mine - 1;
    }
    count_ = n;
  }

 private:
  bool differs(std::size_t m, std::uint32_t input) const {
    return (*rows_[m])[input] != (*rows_[m])[first_];
  }
  std::vector<const std::vector<std::uint8_t>*> rows_;
  std::vector<std::uint32_t> class_;
  std::vector<std::uint8_t> halves_;
  std::uint32_t first_ = 0;
  std::size_t count_ = 1;
};

// Builds the groups one by one; each takes the inputs that split the neurons into the fewest
// classes.
std::vector<std::uint32_t> order_alike(const DensePlan& plan) {
  constexpr std::size_t work = std::size_t{1} << 27;  // comparisons of weights: at most a second
  Classes classes(plan);
  const std::size_t n = plan.request.inputs;
  const std::size_t most =
      std::max<std::size_t>(plan.group, work / (n * std::max<std::size_t>(1, classes.neurons())));
  std::vector<std::uint32_t> left(n), order;
  std::iota(left.begin(), left.end(), 0u);
  while (!left.empty()) {
    order.push_back(left.front());
    classes.begin(left.front());
    left.erase(left.begin());
    for (unsigned i = 1; i < plan.group && !left.empty(); ++i) {
      std::size_t best = 0, least = ~std::size_t{0};
      for (std::size_t k = 0; k < std::min(most, left.size()); ++k)
        if (const auto parts = classes.with(left[k]); parts < least) best = k, least = parts;
      classes.take(left[best]);
      order.push_back(left[best]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }
  return order;
}

// The counters of all groups, and which of them each neuron uses.
void count_groups(DensePlan& plan) {
  const DenseRequest& r = plan.request;
  constexpr auto unknown = ~std::size_t{0};
  const std::size_t patterns = std::size_t{1} << plan.group;
  std::vector<std::size_t> known((r.inputs / plan.group + 1) * patterns, unknown);
  plan.counts.clear();
  for (std::size_t m = 0; m < r.weights.size(); ++m) {
    DenseNeuron& neuron = plan.neurons[m];
    neuron.uses.clear();
    if (!neuron.has_tree()) continue;
    neuron.bias = (std::int64_t{1} << plan.carry_column) - threshold_of(r, m);
    for (unsigned first = 0; first < r.inputs; first += plan.group) {
      const unsigned size = std::min(plan.group, r.inputs - first);
      std::uint32_t inverted = 0;  // x xnor 0 is the inverse of x
      for (unsigned i = 0; i < size; ++i)
        inverted |= (r.weights[m][plan.order[first + i]] ? 0u : 1u) << i;
      const bool complement = inverted & 1;
      if (complement) inverted ^= (1u << size) - 1;
      auto& number = known[first / plan.group * patterns + inverted];
      if (number == unknown) {
        number = plan.counts.size();
        plan.counts.push_back({first, size, inverted});
      }
      const unsigned bits = plan.counts[number].bits();
      neuron.uses.push_back({number, complement});
      // size - c = (2^bits - 1 - c) - (2^bits - 1 - size).
      if (complement) neuron.bias -= (std::int64_t{1} << bits) - 1 - size;
    }
  }
}

// The full adders at the start of counters of seven.
void find_triples(DensePlan& plan) {
  plan.triples.clear();
  plan.triple_of.assign(plan.counts.size(), 0);
  for (std::size_t i = 0; i < plan.counts.size(); ++i) {
    const SharedCount& c = plan.counts[i];
    if (c.size != 7) continue;
    const SharedCount triple{c.first, 3, c.inverted & 7};
    // The triples of a group need not be adjacent in the list, so the whole list is searched.
    auto at = std::find(plan.triples.begin(), plan.triples.end(), triple);
    plan.triple_of[i] = static_cast<std::size_t>(at - plan.triples.begin());
    if (at == plan.triples.end()) plan.triples.push_back(triple);
  }
}

// LUTs of a counter of `size` inputs.
unsigned luts_of(unsigned size) {
  return size == 1 ? 0 : size <= 3 ? 1 : size == 6 ? 3 : 2;  // of seven: without the full adder
}

std::vector<Bit> inputs_of(const SharedCount& c, const DensePlan& plan,
                           const std::vector<UInt>& x) {
  std::vector<Bit> in;
  for (unsigned i = 0; i < c.size; ++i)
    in.push_back({c.inverted >> i & 1 ? Bit::Form::inverted : Bit::Form::plain,
                  x[plan.order[c.first + i]][0]});
  return in;
}

// One LUT of an element; missing inputs are 0.
Lut6_2::Out element_lut(Scope& s, const char* name, unsigned lut, std::vector<Bit> in) {
  const Element& e = element(name);
  in.resize(e.luts[lut].in.size(), plain(ir::net_zero));
  return counter_lut(s, e.luts[lut].table, in);
}

std::vector<Net> build_small(Scope& s, const SharedCount& c, const std::vector<Bit>& in) {
  if (c.size <= 3) {
    auto out = element_lut(s, "fa", 0, in);
    return {out.o6, out.o5};
  }
  auto bit = [](unsigned weight) {
    return [weight](unsigned index) { return (std::popcount(index) >> weight & 1) != 0; };
  };
  if (c.size == 6) {
    std::vector<Net> bits;
    for (unsigned weight = 0; weight < 3; ++weight)
      bits.push_back(element_lut(s, "c63", weight, in).o6);
    return bits;
  }
  // Four or five inputs: two of the bits share a LUT.
  Table low{.inputs = 5, .both = true}, high{.inputs = 5};
  for (unsigned index = 0; index < 32; ++index) {
    low.bits |= std::uint64_t{bit(0)(index)} << (32 + index) | std::uint64_t{bit(1)(index)}
                                                                   << index;
    high.bits |= std::uint64_t{bit(2)(index)} << index;
  }
  std::vector<Bit> five = in;
  five.resize(5, plain(ir::net_zero));
  auto out = counter_lut(s, low, five);
  return {out.o6, out.o5, counter_lut(s, high, five).o6};
}

// A counter of seven: a full adder of three inputs; then the first LUT of c25 on its sum and the
// other four inputs, and the second LUT on both carries.
std::vector<Net> build_seven(Scope& s, const Lut6_2::Out& triple, const std::vector<Bit>& in) {
  auto one = element_lut(s, "c25", 0, {in[3], in[4], in[5], in[6], plain(triple.o6)});
  auto two = element_lut(s, "c25", 1, {in[3], in[4], in[5], plain(triple.o5), plain(one.o5)});
  return {one.o6, two.o6, two.o5};
}

}  // namespace

void plan_counts(DensePlan& plan) {
  plan.order.resize(plan.request.inputs);
  std::iota(plan.order.begin(), plan.order.end(), 0u);
  count_groups(plan);
  find_triples(plan);
  if (!plan.shares()) return;
  DensePlan other = plan;
  other.order = order_alike(plan);
  count_groups(other);
  find_triples(other);
  if (other.first_layer_luts() < plan.first_layer_luts()) plan = std::move(other);
}

unsigned DensePlan::first_layer_luts() const {
  auto n = static_cast<unsigned>(triples.size());
  for (const SharedCount& c : counts) n += luts_of(c.size);
  return n;
}

std::vector<std::vector<Net>> build_counts(Scope& s, const DensePlan& plan,
                                           const std::vector<UInt>& x) {
  std::vector<Lut6_2::Out> triples;
  for (const SharedCount& c : plan.triples)
    triples.push_back(element_lut(s, "fa", 0, inputs_of(c, plan, x)));
  std::vector<std::vector<Net>> counts;
  for (std::size_t i = 0; i < plan.counts.size(); ++i) {
    const SharedCount& c = plan.counts[i];
    const auto in = inputs_of(c, plan, x);
    counts.push_back(c.size == 7 ? build_seven(s, triples[plan.triple_of[i]], in)
                                 : build_small(s, c, in));
    counts.back().resize(c.bits(), ir::net_zero);
  }
  return counts;
}

}  // namespace kumiki::gen::neuron
