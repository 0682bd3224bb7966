// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/dot/build.h"

#include <fmt/format.h>

namespace kumiki::gen::dot {
namespace {

// The operands of a side as [operand][slot]: from the port, or known constants.
std::vector<std::vector<Word>> operands(Scope& s, const packing::OperandFormat& format, int count,
                                        std::int64_t slots, const std::vector<UInt>& port) {
  std::vector<std::vector<Word>> all(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < all.size(); ++k)
    for (std::size_t j = 0; j < static_cast<std::size_t>(slots); ++j)
      all[k].push_back(format.known()
                           ? Word(s.constant(static_cast<std::uint64_t>(format.values[k][j]) &
                                                 ((std::uint64_t{1} << format.bits) - 1),
                                             static_cast<std::uint32_t>(format.bits)))
                           : Word(port[k * static_cast<std::size_t>(slots) + j]));
  return all;
}

// The slices at twice the clock of the ports. They process the operands of a clock in its second
// half and in the first half of the next. x is valid during both halves; the two halves of y follow
// each other. Operands that a slice needs an odd number of fast clocks later are delayed here by
// one.
class DoubleDot {
 public:
  DoubleDot(Scope& s, const DotPlan& p, const DotIn<Hardware>& in)
      : s_(s), p_(p), k_(p.packing), enable_{to_fast(s, bits(s, {in.en}))[0], in.en} {}

  std::vector<UInt> sums(const DotIn<Hardware>& in) {
    auto x = operands(s_, k_.packed, k_.packed_count, p_.slots(), in.x);
    const auto y = operands(s_, k_.shared, p_.shared_count(), p_.slots(), in.y);
    if (!k_.packed.known())
      for (auto& row : x)
        for (Word& word : row) word = to_fast(s_, UInt(word));
    // The slots whose operands one phase register steers.
    constexpr std::size_t slots_of_a_phase = 8;
    std::vector<std::vector<Word>> pairs(static_cast<std::size_t>(k_.shared_count));
    Net phase = ir::net_open;
    for (std::size_t j = 0; j < y.front().size(); ++j) {
      if (j % slots_of_a_phase == 0) phase = s_.phase_copy();
      for (std::size_t i = 0; i < pairs.size(); ++i)
        pairs[i].push_back(to_fast(s_, UInt(y[i][j]), UInt(y[i + pairs.size()][j]), phase));
    }
    const packing::BuiltDot built = on_fast({std::move(x), std::move(pairs)});
    std::vector<UInt> first, second;
    for (const Word& word : built.results) {
      auto pair =
          to_slow(s_, UInt(word), built.latency % 2 != 0 ? Half::first : Half::second, enable_);
      first.push_back(pair.first);
      second.push_back(pair.second);
    }
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

 private:
  packing::BuiltDot on_fast(packing::OperandNets nets) {
    const auto fast = s_.fast();
    if (p_.skew == packing::Skew::External)
      for (const auto& slice : k_.slices)
        if (slice.term >= 0 && packing::arrival(k_, slice) % 2 != 0)
          for (auto* rows : {&nets.packed, &nets.shared})
            for (auto& row : *rows) {
              Word& word = row[slice.term];
              if (rows == &nets.shared || !k_.packed.known())
                word = delay(s_, UInt(word), 1, enable_.fast);
            }
    const auto sequence = packing::build_sequence(s_, k_, ir::net_one, enable_.fast, ir::net_zero);
    return packing::build_dot(s_, k_, nets, sequence, p_.skew, enable_.fast);
  }

  Scope& s_;
  const DotPlan& p_;
  const packing::PackingPlan& k_;
  Enables enable_;
};

}  // namespace

DotOut<Hardware> build(Scope& s, const DotPlan& p, const DotIn<Hardware>& in) {
  const auto& k = p.packing;
  s.module().set_about(fmt::format("{} terms, {} products of {} x {} in every {}, latency {}",
                                   k.terms, k.packed_count * k.shared_count,
                                   packing::to_string(k.packed), packing::to_string(k.shared),
                                   ir::arch::of(s.family()).dsp.name, p.latency()));
  if (p.is_double()) {
    DotOut<Hardware> out;
    out.sum = DoubleDot(s, p, in).sums(in);
    out.out_valid =
        packing::delayed_valid(s, in.in_valid, static_cast<int>(p.latency()), in.en, in.rst);
    return out;
  }
  const auto sequence = packing::build_sequence(s, k, in.in_valid, in.en, in.rst);
  const packing::OperandNets nets{operands(s, k.packed, k.packed_count, p.slots(), in.x),
                                  operands(s, k.shared, k.shared_count, p.slots(), in.y)};
  const auto built = packing::build_dot(s, k, nets, sequence, p.skew, in.en);
  DotOut<Hardware> out;
  out.out_valid = packing::delayed_valid(s, sequence.done, built.latency, in.en, in.rst);
  for (const Word& word : built.results) out.sum.push_back(UInt(word));
  return out;
}

}  // namespace kumiki::gen::dot
