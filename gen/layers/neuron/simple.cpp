// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/simple.h"

#include <algorithm>
#include <bit>
#include <span>

#include <fmt/format.h>

#include "gen/blocks/compressor/cell.h"
#include "gen/blocks/compressor/settle.h"

namespace kumiki::gen::neuron {

using compressor::Bit;
using compressor::Pipeline;

namespace {

constexpr unsigned lut_inputs = 6;

unsigned groups(std::uint32_t bits, unsigned nets) {
  const unsigned each = lut_inputs / nets;
  return (bits + each - 1) / each;
}

std::vector<Bit> registered(Scope& s, compressor::Settled& settled, const std::vector<Bit>& d,
                            Net enable) {
  std::vector<Net> nets;
  for (const Bit& b : d) nets.push_back(b.a);
  std::vector<Bit> q;
  for (Net n : compressor::settled_register(s, settled, nets, enable).nets())
    q.push_back(compressor::plain(n));
  return q;
}

// A LUT: a function of the number of ones in the first `counted` bits, and of the other bits read
// as a number.
template <class F>
Net one_lut(Scope& s, const std::vector<Bit>& in, std::size_t counted, F&& f) {
  Table t{.inputs = static_cast<unsigned>(in.size())};
  for (unsigned index = 0; index < 1u << in.size(); ++index) {
    const unsigned low = index & ((1u << counted) - 1);
    t.bits |= std::uint64_t{f(static_cast<unsigned>(__builtin_popcount(low)), index >> counted)}
              << index;
  }
  return compressor::counter_lut(s, t, in).o6;
}

// With at most five input nets, one LUT gives two bits of a count of ones.
unsigned luts_of_count(unsigned nets, unsigned bits) {
  return nets < lut_inputs ? (bits + 1) / 2 : bits;
}

// The count of ones among the bits: each result bit is a function of all of them.
std::vector<Bit> number_of(Scope& s, const std::vector<Bit>& in) {
  const auto bits = static_cast<unsigned>(std::bit_width(in.size()));
  const unsigned nets = static_cast<unsigned>(in.size()) * in[0].nets();
  const bool both = luts_of_count(nets, bits) < bits;
  std::vector<Bit> number;
  for (unsigned bit = 0; bit < bits; bit += both ? 2 : 1) {
    Table t{.inputs = static_cast<unsigned>(in.size()), .both = both};
    for (unsigned index = 0; index < 1u << in.size(); ++index) {
      const std::uint64_t ones = static_cast<unsigned>(std::popcount(index)) >> bit;
      t.bits |= (ones & 1) << index;
      if (both) t.bits |= (ones >> 1 & 1) << (32 + index);
    }
    const Lut6_2::Out out = compressor::counter_lut(s, t, in);
    number.push_back(compressor::plain(both ? out.o5 : out.o6));
    if (both && bit + 1 < bits) number.push_back(compressor::plain(out.o6));
  }
  return number;
}

// The bits as nets, two in each LUT.
std::vector<Bit> as_nets(Scope& s, const std::vector<Bit>& in) {
  const Table two{.bits = std::uint64_t{0xc} << 32 | 0xa, .inputs = 2, .both = true};
  std::vector<Bit> nets;
  for (std::size_t i = 0; i + 1 < in.size(); i += 2) {
    const Lut6_2::Out out = compressor::counter_lut(s, two, std::span(in).subspan(i, 2));
    nets.push_back(compressor::plain(out.o5));
    nets.push_back(compressor::plain(out.o6));
  }
  if (in.size() % 2 != 0) nets.push_back(compressor::plain(compressor::as_net(s, in.back())));
  return nets;
}

// Two levels. The first one gives the number of ones; if one LUT can read all agreements together
// with T, the first level gives the agreements instead. The second one compares with T.
Net counted(Scope& s, const std::vector<Bit>& agreements, const UInt& t, const Pipeline& pipeline) {
  const bool is_number = agreements.size() + t.width() > lut_inputs;
  std::vector<Bit> in = is_number ? number_of(s, agreements) : as_nets(s, agreements);
  const std::size_t bits = in.size();
  for (const Net n : t.nets()) in.push_back(compressor::plain(n));
  if (pipeline.every == 1) {
    compressor::Settled settled(s.module());
    in = registered(s, settled, in, pipeline.enable);
  }
  return one_lut(s, in, is_number ? 0 : bits, [&](unsigned ones, unsigned above) {
    return is_number ? (above & ((1u << bits) - 1)) >= above >> bits : ones >= above;
  });
}

// A single LUT of all inputs.
Net compared(Scope& s, std::vector<Bit> agreements, std::optional<std::uint32_t> threshold,
             const UInt& t) {
  const std::size_t n = agreements.size();
  if (!threshold)
    for (Net bit : t.nets()) agreements.push_back(compressor::plain(bit));
  return one_lut(s, agreements, n, [&](unsigned ones, unsigned wanted) {
    return ones >= threshold.value_or(wanted);
  });
}

// The AND (`all`) or OR of the bits, as a tree of LUTs.
Net reduce(Scope& s, bool all, std::vector<Bit> bits, const Pipeline& pipeline) {
  compressor::Settled settled(s.module());
  for (unsigned level = 1; bits.size() > 1; ++level) {
    const std::size_t each = lut_inputs / bits[0].nets();
    std::vector<Bit> next;
    for (std::size_t first = 0; first < bits.size(); first += each) {
      const std::vector<Bit> in(
          bits.begin() + static_cast<std::ptrdiff_t>(first),
          bits.begin() + static_cast<std::ptrdiff_t>(std::min(first + each, bits.size())));
      next.push_back(compressor::plain(one_lut(s, in, in.size(), [&](unsigned ones, unsigned) {
        return ones >= (all ? in.size() : 1);
      })));
    }
    bits = std::move(next);
    if (pipeline.every > 0 && (bits.size() == 1 || level % pipeline.every == 0))
      bits = registered(s, settled, bits, pipeline.enable);
  }
  return bits[0].a;
}

}  // namespace

SimplePlan plan_simple(std::uint32_t inputs, unsigned nets, std::optional<std::uint32_t> threshold,
                       unsigned threshold_bits) {
  if (threshold && (*threshold == 0 || *threshold > inputs)) return {Simple::constant, 0, 0};
  if (inputs * nets + threshold_bits <= lut_inputs) return {Simple::lut, 1, 1};
  const auto count_bits = static_cast<unsigned>(std::bit_width(inputs));
  if (!threshold && inputs + threshold_bits <= lut_inputs)
    return {Simple::counted, (inputs + 1) / 2 + 1, 2};
  if (!threshold && inputs * nets <= lut_inputs && count_bits + threshold_bits <= lut_inputs)
    return {Simple::counted, luts_of_count(inputs * nets, count_bits) + 1, 2};
  if (!threshold || (*threshold > 1 && *threshold < inputs)) return {};
  SimplePlan plan{*threshold == 1 ? Simple::any : Simple::all, 0, 0};
  for (std::uint32_t bits = inputs; bits > 1; bits = groups(bits, nets), nets = 1) {
    plan.luts += groups(bits, nets);
    ++plan.levels;
  }
  return plan;
}

std::string SimplePlan::text() const {
  if (kind == Simple::constant) return "a constant";
  if (kind == Simple::lut) return "one LUT of all there is";
  if (kind == Simple::counted)
    return fmt::format("the agreements, or their number, in {} LUTs, compared with T in one",
                       luts - 1);
  return fmt::format("{} of the agreements, {} LUTs in {} levels",
                     kind == Simple::all ? "all" : "any", luts, levels);
}

unsigned latency(const SimplePlan& plan, unsigned every) {
  if (every == 0) return 0;
  return plan.levels == 0 ? 1 : (plan.levels - 1) / every + 1;
}

Net build_simple(Scope& s, const SimplePlan& plan, std::vector<Bit> agreements,
                 std::optional<std::uint32_t> threshold, const UInt& t, const Pipeline& pipeline) {
  if (plan.kind == Simple::all || plan.kind == Simple::any)
    return reduce(s, plan.kind == Simple::all, std::move(agreements), pipeline);
  if (plan.kind == Simple::constant) return ir::constant(threshold == 0u);
  const Net y = plan.kind == Simple::counted ? counted(s, agreements, t, pipeline)
                                             : compared(s, std::move(agreements), threshold, t);
  if (pipeline.every == 0) return y;
  compressor::Settled settled(s.module());
  return registered(s, settled, {compressor::plain(y)}, pipeline.enable)[0].a;
}

}  // namespace kumiki::gen::neuron
