// SPDX-License-Identifier: Apache-2.0
#include "gen/operators/conv/lut_numbers.h"

#include <algorithm>

#include <fmt/format.h>

#include "gen/blocks/const_matrix/build.h"
#include "gen/blocks/const_matrix/stages.h"
#include "gen/blocks/requant/select.h"
#include "gen/layers/pipeline/machines/requantise_sums.h"
#include "gen/operators/conv/lut_line.h"

namespace kumiki::gen::pipeline {
namespace {

using arith::Exact;
using arith::Interval;
using const_matrix::Kind;
using const_matrix::Node;
using const_matrix::Operand;

constexpr int levels_between_registers = 3, levels_of_clamp = 3;
constexpr int most_factor_bits = 26, most_tied_shift = 30;
constexpr std::size_t lines_tried = 96, most_exceptions = 16;

// The lines of the lane's sums that are equal except at ties and exceptions, which the lane
// records. Empty: there are too many exceptions.
std::vector<arith::Line> lines_of_sums(LutNumbers::Lane& lane, const arith::Steps& steps) {
  const auto& rule = std::get<arith::FloatRule>(lane.channel.rule);
  const auto scale = static_cast<double>(rule.scale);
  const std::int64_t zero = rule.zero_point;
  const Interval& range = rule.range;
  auto all = arith::lines_of(steps, scale, range, most_factor_bits, lines_tried);
  if (!all.empty()) return all;
  if (const auto form =
          arith::equal_rule(steps, scale, zero, range, most_factor_bits, most_tied_shift, true)) {
    lane.even = form->even;
    return {
        {.factor = form->factor, .shift = form->shift, .offsets = Interval::point(form->offset)}};
  }
  const auto straight = arith::straightened(steps, rule.scale, zero, most_exceptions);
  if (!straight) return {};
  for (const auto& [sum, result] : straight->exceptions)
    lane.exceptions[sum - lane.channel.bias] = result;
  return arith::lines_of(straight->steps, scale, range, most_factor_bits, lines_tried);
}

// The same for words as the matrix gives them.
std::vector<arith::Line> lines_of(LutNumbers::Lane& lane, const arith::Steps& steps) {
  auto all = lines_of_sums(lane, steps);
  for (arith::Line& line : all)
    line.offsets = line.offsets + Exact{line.factor} * lane.channel.bias;
  return all;
}

// A channel with a single result needs no computation.
LutLine constant_line(const Interval& sums) {
  return {.factor = 0, .network = {.nodes = {{.range = sums}}, .outputs = {std::nullopt}}};
}

// Joins lanes side by side in one network.
void join(const std::vector<LutLine>& lines, LutNumbers& plan) {
  const_matrix::Network& n = plan.network;
  for (const LutLine& line : lines) n.nodes.push_back(line.network.nodes[0]);
  std::vector<std::uint32_t> constant;  // the node of the constant, for each lane
  for (const LutLine& line : lines) {
    constant.push_back(static_cast<std::uint32_t>(n.nodes.size()));
    if (line.offset == 0) continue;
    n.nodes.push_back(line.network.nodes[1]);
    plan.constants.push_back(static_cast<std::int64_t>(n.nodes.back().range.lo));
  }
  for (std::size_t c = 0; c < lines.size(); ++c) {
    const const_matrix::Network& own = lines[c].network;
    const std::uint32_t inputs = own.input_count();
    const auto first = static_cast<std::uint32_t>(n.nodes.size());
    const auto moved = [&](Operand o) {
      o.node = o.node >= inputs ? first + o.node - inputs
               : o.node == 0    ? static_cast<std::uint32_t>(c)
                                : constant[c];
      return o;
    };
    for (Node node : own.nodes) {
      if (node.kind == Kind::input) continue;
      std::ranges::transform(node.of, node.of.begin(), moved);
      n.nodes.push_back(std::move(node));
    }
    n.outputs.push_back(own.outputs[0] ? std::optional(moved(*own.outputs[0])) : std::nullopt);
  }
  place_registers(n, levels_between_registers);
}

Net is(Scope& s, const UInt& word, std::uint64_t value) {
  std::vector<Net> bits;
  for (std::uint32_t i = 0; i < word.width(); ++i)
    bits.push_back((value >> i & 1) != 0 ? word[i] : s.net(~Bit(word[i])));
  return all_of(s, bits);
}

// The number, or the recorded result if the sum is an exception. The comparisons run while the
// products are made.
UInt excepted(Scope& s, const LutNumbers& p, const LutNumbers::Lane& lane, const UInt& sum,
              const UInt& number, Net enable) {
  std::vector<Net> found;
  std::vector<std::vector<Net>> ones(number.width());
  for (const auto& [accumulator, result] : lane.exceptions) {
    found.push_back(delay(s, is(s, sum, arith::raw_of(accumulator, p.sums)),
                          static_cast<std::uint32_t>(p.network.latency - 1), enable));
    const std::uint64_t raw = arith::raw_of(result, p.numbers);
    for (std::uint32_t i = 0; i < number.width(); ++i)
      if ((raw >> i & 1) != 0) ones[i].push_back(found.back());
  }
  std::vector<Net> result;
  for (const auto& some : ones)
    result.push_back(some.empty() ? Net(ir::net_zero)
                                  : reg(s, any_of(s, some), {.enable = enable}));
  return s.word(mux(reg(s, any_of(s, found), {.enable = enable}), bits(s, result), number));
}

// Clamps to the nearest number of the format.
UInt clamped(Scope& s, const UInt& word, bool is_signed, const arith::Format& numbers) {
  const auto width = static_cast<std::uint32_t>(numbers.bits);
  if (!numbers.is_signed)
    return is_signed ? saturate_unsigned(s, as_signed(word), width) : saturate(s, word, width);
  const UInt with_sign = is_signed ? word : zext(s, word, word.width() + 1);
  return UInt(saturate(s, as_signed(with_sign), width));
}

}  // namespace

bool LutNumbers::is_line(const Lane& lane) const {
  return !lane.even && lane.exceptions.empty() && lane.quotients.within(numbers.range());
}

bool LutNumbers::are_lines() const {
  return std::ranges::all_of(lanes, [&](const Lane& lane) { return is_line(lane); });
}

int LutNumbers::levels() const {
  return std::max(levels_in_luts(network), are_lines() ? 0 : levels_of_clamp);
}

std::int64_t LutNumbers::chains() const { return network.count(Kind::chain); }

std::string LutNumbers::text() const {
  return fmt::format("numbers of {} on {} chains", to_string(numbers), chains());
}

std::optional<LutNumbers> lut_numbers(const graph::Graph& g, const graph::Node& node,
                                      const LutMatrix& matrix) {
  const auto channels = channels_of(g, node);
  const auto offsets = offsets_of(g, node);
  LutNumbers p{.sums = matrix.sums(), .numbers = g.tensors[node.output].format};
  std::vector<LutLine> lines;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Interval reached = matrix.range(c);
    LutNumbers::Lane lane{.channel = {.rule = channels[c].rule,
                                      .accumulators = reached,
                                      .bias = channels[c].bias + matrix.lacking(c)}};
    LutLine line;
    if (offsets) {
      line = cheapest({{.offsets = Interval::point((*offsets)[c] + matrix.lacking(c))}}, reached);
    } else if (const arith::Steps steps = lane.channel.steps(); steps.begins.empty()) {
      line = constant_line(reached);
      lane.offset = steps.first;
    } else {
      const auto all = lines_of(lane, steps);
      if (all.empty()) return {};
      line = cheapest(all, reached);
    }
    lane.factor = line.factor;
    if (line.factor != 0) lane.offset = line.offset;
    lane.shift = line.shift;
    const Interval products = reached * Exact{line.factor} + Exact{lane.offset};
    const Exact unit = arith::power_of_two(line.shift);
    lane.quotients = {arith::floor_div(products.lo, unit), arith::floor_div(products.hi, unit)};
    p.lanes.push_back(lane);
    lines.push_back(line);
  }
  join(lines, p);
  return p;
}

std::vector<UInt> build(Scope& s, const LutNumbers& p, const std::vector<UInt>& sums,
                        const std::vector<Net>& enables) {
  std::vector<UInt> words = sums;
  for (const std::int64_t constant : p.constants) {
    const auto width = static_cast<std::uint32_t>(const_matrix::bits_of(Interval::point(constant)));
    words.push_back(s.constant(arith::raw_of(constant, static_cast<int>(width)), width));
  }
  const auto products = const_matrix::build_network(s, p.network, words, enables);
  const auto width = static_cast<std::uint32_t>(p.numbers.bits);
  std::vector<UInt> all;
  for (std::size_t c = 0; c < p.lanes.size(); ++c) {
    const LutNumbers::Lane& lane = p.lanes[c];
    const bool is_signed = lane.quotients.lo < 0;
    const auto low = static_cast<std::uint32_t>(lane.shift),
               bits = static_cast<std::uint32_t>(const_matrix::bits_of(lane.quotients));
    if (lane.factor == 0) {
      all.push_back(s.constant(arith::raw_of(lane.offset, p.numbers), width));
      continue;
    }
    UInt quotient = products[c].slice(low, std::min(bits, products[c].width() - low));
    if (lane.even) {
      const UInt below = products[c].slice(0, low);
      const bool sets = requant::zero_point_of(lane.channel.rule) % 2 != 0;
      quotient = requant::made_even(s, quotient,
                                    sets ? Bit(all_of(s, below)) : ~Bit(any_of(s, below)), sets);
    }
    UInt number;
    if (!lane.quotients.within(p.numbers.range()))
      number = clamped(s, quotient, is_signed, p.numbers);
    else if (quotient.width() >= width)
      number = quotient.slice(0, width);
    else
      number = is_signed ? UInt(sext(s, as_signed(quotient), width)) : zext(s, quotient, width);
    const Net enable = enables[c * enables.size() / p.lanes.size()];
    if (!lane.exceptions.empty()) number = excepted(s, p, lane, sums[c], number, enable);
    if (!p.are_lines()) number = reg(s, number, {.enable = enable});
    all.push_back(number);
  }
  return all;
}

std::vector<std::uint64_t> results(const LutNumbers& p, const std::vector<std::uint64_t>& sums) {
  std::vector<std::uint64_t> all;
  for (std::size_t c = 0; c < p.lanes.size(); ++c) {
    const requant::Channel& channel = p.lanes[c].channel;
    const std::int64_t sum = arith::value_of(sums[c], p.sums) + channel.bias;
    all.push_back(arith::raw_of(requant::requantised(channel.rule, sum), p.numbers));
  }
  return all;
}

}  // namespace kumiki::gen::pipeline
