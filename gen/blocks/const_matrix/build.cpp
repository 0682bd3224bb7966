// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/const_matrix/build.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gen/blocks/compressor/cell.h"
#include "gen/blocks/const_matrix/table.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen::const_matrix {
namespace {

using compressor::Bit;
using compressor::ChainRun;

// A node's word at the times at which it is read. It waits in flip-flops: each LUT has two beside
// it, and a shift register would take a LUT.
class Times {
 public:
  Times(UInt now, int stage, Net enable) : stage_(stage), enable_(enable), at_{now} {}
  const UInt& at(Scope& s, int stage) {
    // A constant is the same at all times.
    if (std::ranges::all_of(at_[0].nets(), [](Net n) { return n.is_constant(); })) return at_[0];
    while (stage_ + static_cast<int>(at_.size()) <= stage)
      at_.push_back(reg(s, at_.back(), {.enable = enable_}));
    return at_[static_cast<std::size_t>(stage - stage_)];
  }

 private:
  int stage_;
  Net enable_;
  std::vector<UInt> at_;
};

class NetworkBuilder {
 public:
  NetworkBuilder(Scope& s, const Network& network, const std::vector<Net>& enables)
      : s_(s), network_(network), enables_(enables) {}

  void add_inputs(const std::vector<UInt>& x) {
    for (const UInt& word : x) add_word(word, 0);
  }
  void add(const Node& node) {
    const UInt word = node.kind == Kind::table ? table_of(node) : chain_word(node);
    s_.named(fmt::format("sum{}", words_.size()), word);
    add_word(word, node.stage);
  }
  UInt output(const std::optional<Operand>& from) {
    const int bits = network_.output_bits();
    std::vector<Net> nets;
    for (int p = 0; p < bits; ++p)
      nets.push_back(from ? bit(*from, p, network_.latency).a : ir::net_zero);
    return gen::bits(s_, nets);
  }

 private:
  // Adjacent nodes share an enable.
  void add_word(const UInt& word, int stage) {
    const std::size_t turn = words_.size() * enables_.size() / network_.nodes.size();
    words_.emplace_back(word, stage, enables_[turn]);
  }
  // Position `p` of an operand; above its word, the sign.
  Bit bit(const Operand& o, int p, int stage) {
    const auto form = o.negative ? Bit::Form::inverted : Bit::Form::plain;
    const Node& node = network_.nodes[o.node];
    const int at = p - o.shift;
    if (at < 0) return Bit{Bit::Form::plain, ir::net_zero};
    const UInt& word = words_[o.node].at(s_, stage);
    if (at < node.bits()) return Bit{form, word[static_cast<std::uint32_t>(at)]};
    return Bit{form, node.is_signed() ? word.msb() : ir::net_zero};
  }

  UInt chain_word(const Node& node) {
    const Chain c = *chain_of(node.of, node.bits());
    const auto row = [&](std::size_t i, int p) {
      return i < c.of.size() ? bit(c.of[i], p, node.stage) : Bit{Bit::Form::plain, ir::net_zero};
    };
    std::vector<Net> sum;
    // The operand that passes by is not inverted.
    for (int p = 0; p < c.start; ++p) sum.push_back(row(0, p).a);
    ChainRun run;
    run.begin(ir::constant(c.carry));
    Net majority = ir::constant(c.majority);
    for (int p = c.start; p < c.end; ++p) {
      if (p < c.three)
        push_two(run, row(0, p), row(1, p));
      else
        push_three(run, {row(0, p), row(1, p), row(2, p)}, majority, p + 1 == c.end);
    }
    for (const Net n : run.add_to(s_).sum) sum.push_back(n);
    return gen::bits(s_, sum);
  }

  // One of two operands is not inverted: it is DI, the carry if both are equal.
  void push_two(ChainRun& run, const Bit& a, const Bit& b) {
    const Bit in[] = {a, b};
    const Net di = a.form == Bit::Form::plain ? a.a : b.a;
    run.push(
        compressor::bypassed_position(s_, table([](bool x, bool y) { return x != y; }), in, di));
  }
  // The majority of a position counts in the next one.
  void push_three(ChainRun& run, const std::array<Bit, 3>& in, Net& majority, bool is_last) {
    const Bit all[] = {in[0], in[1], in[2], Bit{Bit::Form::plain, majority}};
    static constexpr auto odd = [](bool a, bool b, bool c, bool m) { return (a ^ b ^ c ^ m) != 0; };
    if (is_last) {
      run.push(compressor::bypassed_position(s_, table(odd), all, majority));
      return;
    }
    const auto out = compressor::counter_lut(s_, table([](bool a, bool b, bool c, bool m) {
                                               return pair((a ^ b ^ c ^ m) != 0, a + b + c > 1);
                                             }),
                                             all);
    run.push({propagate(out.o6, all), majority});
    majority = out.o5;
  }
  // S of a position comes from a LUT, even if the function is one of its nets.
  Net propagate(Net found, std::span<const Bit> in) {
    for (const Bit& b : in)
      if (b.a == found && !found.is_constant())
        return Lut{.init = table([](bool x) { return x; }), .in = {found}}.add_to(s_);
    return found;
  }

  UInt table_of(const Node& node) {
    const TableBits t = table_bits(network_, node);
    std::vector<Net> in, out(t.bits.size(), ir::net_zero);
    for (const auto& source : t.sources)
      in.push_back(words_[source.node].at(s_, node.stage)[static_cast<std::uint32_t>(source.bit)]);
    std::vector<std::size_t> luts;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (t.needs_lut(i) && t.can_pair())
        luts.push_back(i);
      else
        out[i] = gen::detail::lut_net(s_, t.bits[i], in, s_.at(SourceLocation::current()));
    for (std::size_t i = 0; i + 1 < luts.size(); i += 2) {
      const std::size_t low = luts[i], high = luts[i + 1];
      const Table both{.bits = t.bits[high].bits << 32 | (t.bits[low].bits & 0xffffffff),
                       .inputs = static_cast<unsigned>(in.size()),
                       .both = true};
      const auto made = Lut6_2{.init = both, .in = in}.add_to(s_);
      out[low] = made.o5;
      out[high] = made.o6;
    }
    if (luts.size() % 2 == 1)
      out[luts.back()] =
          gen::detail::lut_net(s_, t.bits[luts.back()], in, s_.at(SourceLocation::current()));
    return gen::bits(s_, out);
  }

  Scope& s_;
  const Network& network_;
  const std::vector<Net>& enables_;
  std::vector<Times> words_;  // of every node
};

}  // namespace

std::vector<UInt> build_network(Scope& s, const Network& network, const std::vector<UInt>& x,
                                const std::vector<Net>& enables) {
  NetworkBuilder builder(s, network, enables);
  builder.add_inputs(x);
  for (const Node& node : network.nodes)
    if (node.kind != Kind::input) builder.add(node);
  std::vector<UInt> outputs;
  for (const auto& o : network.outputs) outputs.push_back(builder.output(o));
  return outputs;
}

}  // namespace kumiki::gen::const_matrix
