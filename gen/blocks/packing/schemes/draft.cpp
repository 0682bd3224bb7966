// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/schemes/draft.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "gen/arith/chain_parts.h"
#include "gen/blocks/packing/messages.h"

namespace kumiki::gen::packing {
namespace {

Wiring whole_word() { return {kWordBits, {Piece::bits(0, 0, kWordBits, 0)}}; }

}  // namespace

Draft::Draft(const Request& request, Scheme scheme) : request_(request) {
  plan.scheme = scheme;
  plan.packed = request.packed;
  plan.shared = request.shared;
  plan.terms = request.terms;
  plan.limits = request.limits;
  fold(request.terms, 1);
}

void Draft::refuse(Code code, std::string what, std::string otherwise, const Interval& value,
                   const Interval& bound) {
  refuse(code, {std::move(what), value, Relation::Within, bound, std::move(otherwise), false});
}

void Draft::refuse(Code code, const Statement& broken) {
  if (!refusal_) refusal_ = {code, plan.scheme, broken};
}

void Draft::fold(std::int64_t per_cycle, std::int64_t words, std::int64_t rounds) {
  plan.terms_per_cycle = per_cycle;
  plan.words = words;
  plan.rounds = rounds;
  plan.terms_per_round = per_cycle * words;
}

void Draft::fold_in_fabric() {
  const std::int64_t per_cycle = ceil_div(plan.terms, request_.cycles.value_or(1));
  fold(per_cycle, 1, ceil_div(plan.terms, per_cycle));
}

void Draft::fold_in_slices() {
  const std::int64_t per_cycle = ceil_div(plan.terms, request_.cycles.value_or(1));
  fold(per_cycle, ceil_div(plan.terms, per_cycle));
}

std::string at_most(std::int64_t terms, const std::string& of_what) {
  if (terms < 1) return "a wider guard or narrower operands";
  return fmt::format("at most {} term{} {}", terms, terms == 1 ? "" : "s", of_what);
}

int Draft::add_kind(SliceKind kind) {
  for (std::size_t k = 0; k < plan.kinds.size(); ++k)
    if (plan.kinds[k] == kind) return static_cast<int>(k);
  plan.kinds.push_back(std::move(kind));
  return static_cast<int>(plan.kinds.size()) - 1;
}

int Draft::add_slice(Slice slice) {
  plan.slices.push_back(slice);
  return static_cast<int>(plan.slices.size()) - 1;
}

SliceKind Draft::multiply_kind(std::string name, Opmode load) const {
  SliceKind kind;
  kind.name = std::move(name);
  kind.load = kind.run = load;
  kind.inmode = plan.ports.preadder() ? 0b00100 : 0;
  if (give_back_) {
    const int sign = plan.packed.bits - 1;
    const int sign_b = plan.shared.bits - 1;
    kind.gated = true;
    kind.gate = {.from = Piece::From::Operand, .operand = {Side::Packed, 1}, .lsb = sign};
    kind.operand_c_delay = plan.multiply_latency - 2;
    const OperandRef b{Side::Shared, 0};
    const int at = plan.limits.wide_bits;
    kind.c = {kWordBits,
              {{.from = Piece::From::Operand, .operand = b, .width = plan.shared.bits, .at = at},
               {.from = Piece::From::Operand,
                .operand = b,
                .lsb = sign_b,
                .width = kWordBits - at - plan.shared.bits,
                .at = at + plan.shared.bits,
                .repeat = true}}};
  }
  return kind;
}

void Draft::start_from(SliceKind& kind, Exact constant) const {
  if (constant == 0) return;
  if (plan.limits.w_multiplexer) {
    kind.rnd = constant;
    kind.load = kind.run = Opmode{static_cast<std::uint16_t>(kind.load.bits | Opmode::WRnd << 7)};
  } else {
    kind.c.width = kWordBits;
    add_constant(kind.c, constant, kWordBits, 0);
    kind.load = kind.run = Opmode{static_cast<std::uint16_t>(kind.load.bits | Opmode::ZC << 4)};
  }
}

int Draft::add_chain(const ChainSpec& spec) {
  const auto count = static_cast<int>(spec.terms.empty() ? spec.count : std::ssize(spec.terms));
  const auto op = [](Opmode::W w, Opmode::Z z) { return Opmode::of(w, z, Opmode::M); };
  const auto begin = static_cast<int>(plan.slices.size());
  int cycle = spec.start + plan.multiply_latency;
  for (int i = 0; i < count; ++i) {
    Slice slice{.term = spec.terms.empty() ? spec.first_term + i : spec.terms[i]};
    SliceKind kind;
    if (i == 0) {
      kind = multiply_kind("first", op(Opmode::W0, Opmode::Z0));
      start_from(kind, spec.rnd);
    } else if ((i + spec.omitted) % plan.limits.column_height == 0) {
      // The column ends: the word enters the next column through C, one cycle later than by
      // cascade.
      kind = multiply_kind("column", op(Opmode::W0, Opmode::ZC));
      kind.c = whole_word();
      slice.sources[0] = begin + i - 1;
      ++cycle;
    } else {
      kind = multiply_kind("middle", op(Opmode::W0, Opmode::ZPcin));
      slice.cascade = begin + i - 1;
    }
    if (spec.change) spec.change(i, slice, kind);
    slice.kind = add_kind(std::move(kind));
    slice.cycle = cycle++;
    add_slice(slice);
  }
  plan.chains.push_back({begin, count, spec.start});
  return begin + count - 1;
}

Interval Draft::lane_sum(const Lane& lane) const {
  const std::int64_t cx = plan.centres.packed[lane.packed];
  const std::int64_t cy = plan.centres.shared[lane.shared];
  const Interval padding = Interval::point(Exact{cx} * cy) * (computed_terms() - plan.terms);
  if (!plan.packed.known() && !plan.shared.known())
    return (plan.packed.interval() - cx) * (plan.shared.interval() - cy) * plan.terms + padding;
  Interval sum = padding;
  for (std::int64_t t = 0; t < plan.terms; ++t)
    sum = sum +
          (plan.packed.interval(lane.packed, t) - cx) * (plan.shared.interval(lane.shared, t) - cy);
  return sum;
}

Exact Draft::bias_word() const {
  Exact word = 0;
  for (const auto& lane : plan.lanes) word += lane.bias * power_of_two(lane.offset);
  return word;
}

bool Draft::offset_field(const Lane& lane) const {
  return !lane.is_signed && !request_.offset_results && lane.bias == power_of_two(lane.width - 1);
}

Signal Draft::field(int slice, const Lane& lane, const Interval& range) const {
  Signal signal{
      .slice = slice, .lsb = lane.offset, .width = lane.width, .is_signed = lane.is_signed};
  if (lane.is_signed) signal.width = std::min(lane.width, signed_bits(range));
  signal.flip = offset_field(lane);
  return signal;
}

Exact Draft::field_constant(const Lane& lane) const {
  return lane.is_signed || offset_field(lane) ? 0 : -lane.bias;
}

Exact Draft::centring(const Lane& lane, std::vector<Signal>* open) const {
  const std::int64_t cx = plan.centres.packed[lane.packed];
  const std::int64_t cy = plan.centres.shared[lane.shared];
  // x*y = (x-cx)*(y-cy) + cx*y + cy*x - cx*cy, summed over the terms.
  Exact constant = -Exact{cx} * cy * computed_terms();
  const auto sum = [&](std::int64_t centre, OperandRef ref, const OperandFormat& format) {
    if (centre == 0) return;
    if (format.known()) {
      const auto& row = format.values.at(ref.index);
      constant += Exact{centre} * std::accumulate(row.begin(), row.end(), std::int64_t{0});
    } else if (open != nullptr) {
      open->push_back({.kind = Signal::Kind::OperandSum, .coefficient = centre, .operand = ref});
    }
  };
  sum(cx, {Side::Shared, lane.shared}, plan.shared);
  sum(cy, {Side::Packed, lane.packed}, plan.packed);
  return constant;
}

Result& Draft::add_result(const Lane& lane, std::vector<Signal> signals, Exact constant) {
  Result result{.packed = lane.packed, .shared = lane.shared, .signals = std::move(signals)};
  std::vector<Signal> open;
  const Exact total = add(constant, centring(lane, &open));
  const Interval computed = lane_sum(lane);
  if (plan.packed.known() || plan.shared.known())
    for (std::int64_t t = 0; t < plan.terms; ++t)
      result.range = result.range +
                     plan.packed.interval(lane.packed, t) * plan.shared.interval(lane.shared, t);
  else
    result.range = plan.packed.interval() * plan.shared.interval() * plan.terms;
  if (request_.offset_results) {
    result.offset = total;
    result.left = open;
    const Interval out = computed - constant;
    result.is_signed = out.lo < 0;
    result.bits = result.is_signed ? signed_bits(out) : std::max(1, bits_for_count(out.hi + 1));
  } else {
    result.constant = total;
    result.signals.insert(result.signals.end(), open.begin(), open.end());
    result.bits = signed_bits(result.range);
  }
  plan.results.push_back(std::move(result));
  return plan.results.back();
}

int Draft::signal_cycle(const Result& result, const Signal& signal) const {
  switch (signal.kind) {
    case Signal::Kind::Bits:
      return cycle(signal.slice) + (flips_early(plan, result, signal) ? 1 : 0);
    case Signal::Kind::Counter:
      return counter_cycle(plan, plan.counters[signal.counter]);
    case Signal::Kind::Carries:
      return plan.carry_sums[signal.carries].cycle;
    case Signal::Kind::OperandSum:
      return operand_sum_cycle(signal.operand);
  }
  return 0;
}

int Draft::operand_sum_cycle(OperandRef operand) const {
  std::multiset<int> times;
  for (const auto& slice : plan.slices)
    if (slice.term >= 0) times.insert(slice.cycle - plan.multiply_latency);
  return time_of_sum(std::move(times)) + (plan.words > 1 ? 1 : 0) +
         arith::chain_clocks(operand_sum_bits(plan, operand)) - 1;
}

void Draft::stage_all(Result& result) {
  int ready = 0;
  int words = 0;
  int single_bits = 0;
  for (const auto& signal : result.signals) {
    ready = std::max(ready, signal_cycle(result, signal));
    // A subtracted bit cannot enter on a carry input.
    const bool rides = signal.kind == Signal::Kind::Bits && signal.width == 1 &&
                       !signal.is_signed && !signal.flip && signal.coefficient > 0;
    ++(rides ? single_bits : words);
  }
  int levels = 0;
  if (plan.rounds > 1)  // the sum of one round, then the running total, which includes the constant
    levels = (words <= 1 && single_bits <= 1 ? 0 : adder_levels(words, single_bits)) + 1;
  else if (!result.wires())
    levels = adder_levels(words + (result.constant != 0 ? 1 : 0), single_bits);
  if (levels > 0) levels += arith::chain_clocks(result.bits) - 1;
  result.stages = {{0, static_cast<int>(result.signals.size()), ready, ready + levels}};
}

Planned Draft::finish() {
  if (refusal_) return *std::move(refusal_);
  for (auto& result : plan.results) {
    if (result.stages.empty()) stage_all(result);
    plan.latency = std::max(plan.latency, result.stages.back().cycle);
  }
  plan.latency += static_cast<int>(plan.cycles() - 1);
  std::stable_sort(plan.results.begin(), plan.results.end(), [](const Result& a, const Result& b) {
    return std::pair(a.shared, a.packed) < std::pair(b.shared, b.packed);
  });
  int longest = 0;
  std::vector<int> run;  // slices in cascade up to each slice
  for (const auto& slice : plan.slices) {
    run.push_back(slice.cascade >= 0 ? run[slice.cascade] + 1 : 1);
    longest = std::max(longest, run.back());
  }
  proof().at_most("slices in one cascade", longest, plan.limits.column_height);
  return std::move(plan);
}

std::int64_t offset_limit(const std::vector<Lane>& lanes) {
  Exact limit = 65536;
  for (std::size_t l = 0; l + 1 < lanes.size(); ++l)
    if (lanes[l].term.span() > 0)
      limit = std::min(limit, (power_of_two(lanes[l].width) - 1) / lanes[l].term.span());
  const Lane& top = lanes.back();
  if (top.term.hi > 0) limit = std::min(limit, (power_of_two(top.width - 1) - 1) / top.term.hi);
  if (top.term.lo < 0) limit = std::min(limit, power_of_two(top.width - 1) / -top.term.lo);
  return static_cast<std::int64_t>(limit);
}

void set_biases(Draft& draft, std::int64_t count) {
  auto& lanes = draft.plan.lanes;
  for (std::size_t l = 0; l + 1 < lanes.size(); ++l) {
    Lane& lane = lanes[l];
    const Exact low = -(lane.term * count).lo;
    const Exact high = power_of_two(lane.width) - 1 - (lane.term * count).hi;
    const Exact middle = power_of_two(lane.width - 1);
    // A bias of half the lane reads as two's complement with one inverted bit. If it is not
    // possible, take the smallest possible bias.
    lane.bias = low <= middle && middle <= high ? middle : low;
    lane.is_signed = false;
  }
}

int chain_cycles(const PackingPlan& plan, std::int64_t count) {
  return plan.multiply_latency +
         static_cast<int>(count - 1 + (count - 1) / plan.limits.column_height);
}

}  // namespace kumiki::gen::packing
