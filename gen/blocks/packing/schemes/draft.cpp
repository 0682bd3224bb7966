// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/packing/schemes/draft.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "gen/arith/chain_parts.h"

namespace kumiki::gen::packing {
namespace {

bool same(const SliceKind& a, const SliceKind& b) {
  return a.name == b.name && a.multiplies == b.multiplies && a.load == b.load && a.run == b.run &&
         a.rnd == b.rnd && a.simd == b.simd && to_string(a.c) == to_string(b.c) &&
         a.c.width == b.c.width && to_string(a.ab) == to_string(b.ab) && a.gated == b.gated &&
         a.has_carry_in == b.has_carry_in && to_string(a.carry_in) == to_string(b.carry_in);
}

Wiring whole_word() { return {kWordBits, {Piece::bits(0, 0, kWordBits, 0)}}; }

}  // namespace

Draft::Draft(const Request& request, Scheme scheme) : request_(request) {
  plan.scheme = scheme;
  plan.packed = request.packed;
  plan.shared = request.shared;
  plan.terms = request.terms;
  plan.limits = request.limits;
  if (request.terms < 1 || request.terms > 65536)
    refuse(Code::out_of_range, "terms", Interval::point(request.terms), {1, 65536},
           "1 to 65536 terms");
  if (request.cycles && (*request.cycles < 1 || *request.cycles > request.terms))
    refuse(Code::out_of_range, "cycles", Interval::point(*request.cycles), {1, request.terms},
           "at most one cycle for every term");
  plan.packed.validate(to_string(scheme) + ": packed operand", request.terms);
  plan.shared.validate(to_string(scheme) + ": shared operand", request.terms);
  fold(request.terms, 1);
}

void Draft::refuse(Code code, std::string what, const Interval& value, const Interval& bound,
                   std::string otherwise) const {
  throw Refusal(
      code, plan.scheme,
      Statement{std::move(what), value, Relation::Within, bound, std::move(otherwise), false});
}

void Draft::refuse_format(Code code, std::string what, std::string otherwise) const {
  throw Refusal(code, plan.scheme,
                Statement{std::move(what), {}, Relation::Within, {}, std::move(otherwise), false});
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
    if (same(plan.kinds[k], kind)) return static_cast<int>(k);
  plan.kinds.push_back(std::move(kind));
  return static_cast<int>(plan.kinds.size()) - 1;
}

int Draft::add_slice(Slice slice) {
  plan.slices.push_back(slice);
  return static_cast<int>(plan.slices.size()) - 1;
}

SliceKind Draft::multiply_kind(std::string name, Opmode load, Opmode run) const {
  SliceKind kind;
  kind.name = std::move(name);
  kind.load = load;
  kind.run = run;
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

int Draft::add_chain(const ChainSpec& spec) {
  const auto count = static_cast<int>(spec.terms.empty() ? spec.count : spec.terms.size());
  const auto w = spec.rnd != 0 ? Opmode::WRnd : Opmode::W0;
  if (spec.rnd != 0 && !plan.limits.w_multiplexer)
    refuse_format(Code::not_on_family, "a bias by W = RND on " + plan.limits.family,
                  "schemes without a bias");
  const auto first_op = Opmode::of(w, Opmode::Z0, Opmode::M);
  SliceKind first = multiply_kind("first", first_op, first_op);
  first.rnd = spec.rnd;

  int last = -1;
  int cycle = spec.start + plan.multiply_latency;
  for (int i = 0; i < count; ++i) {
    Slice slice{.term = spec.terms.empty() ? spec.first_term + i : spec.terms[i]};
    if (i == 0) {
      slice.kind = add_kind(first);
    } else if (i % plan.limits.column_height == 0) {
      // The column ends: the word enters the next column through C, one cycle later than by
      // cascade.
      const auto op = Opmode::of(Opmode::W0, Opmode::ZC, Opmode::M);
      SliceKind column = multiply_kind("column", op, op);
      column.c = whole_word();
      slice.kind = add_kind(column);
      slice.sources[0] = last;
      ++cycle;
    } else {
      const auto op = Opmode::of(Opmode::W0, Opmode::ZPcin, Opmode::M);
      slice.kind = add_kind(multiply_kind("middle", op, op));
      slice.cascade = last;
    }
    slice.cycle = cycle++;
    last = add_slice(slice);
  }
  plan.chains.push_back({last - count + 1, count, spec.start});
  return last;
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

PackingPlan Draft::finish() {
  for (auto& kind : plan.kinds) fill_attributes(kind);
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
  count_overhead();
  return std::move(plan);
}

void Draft::fill_attributes(SliceKind& kind) const {
  const auto set = [&](const char* name, std::string value) {
    kind.attributes.emplace_back(name, value);
  };
  if (kind.multiplies && plan.ports.preadder()) {
    set("AMULTSEL", "AD");
    // B waits a cycle longer than the operands of the pre-adder wait in A and D.
    set("BREG", "2");
    set("BCASCREG", "2");
  }
  if (!kind.multiplies) {
    set("USE_MULT", "NONE");
    set("MREG", "0");
    if (kind.simd != Simd::One48) set("USE_SIMD", to_string(kind.simd));
  }
  if (kind.rnd != 0) {
    const auto bits = static_cast<std::uint64_t>(kind.rnd) & ((std::uint64_t{1} << kWordBits) - 1);
    set("RND", fmt::format("48'h{:012X}", bits));
  }
}

void Draft::count_overhead() {
  Overhead& o = plan.overhead;
  for (const auto& result : plan.results) {
    const auto addends =
        static_cast<std::int64_t>(result.signals.size()) + (result.constant != 0 ? 1 : 0);
    o.addends += addends - 1 + (plan.rounds > 1 ? 1 : 0);
    if (result.constant != 0) o.addend_bits += result.bits;
    if (plan.rounds > 1) o.addend_bits += result.bits;
    for (const auto& stage : result.stages)
      for (int k = stage.first; k < stage.first + stage.count; ++k) {
        const Signal& signal = result.signals[k];
        if (addends > 1) o.addend_bits += signal.kind == Signal::Kind::Bits ? signal.width : 0;
        if (signal.flip) ++o.result_inverters;
        if (signal.kind == Signal::Kind::Bits)
          o.aligned_bits +=
              std::int64_t{signal.width} * (stage.ready - signal_cycle(result, signal));
      }
  }
  for (const auto& counter : plan.counters) {
    ++o.counters;
    o.counter_bits += counter.bits;
  }
  for (const auto& sum : plan.carry_sums) {
    const auto chains = static_cast<std::int64_t>(plan.chains.size());
    o.carries += chains;
    o.carry_bits += chains * sum.width;
  }
  const auto inverted = [](const Wiring& wiring) {
    std::int64_t count = 0;
    for (const auto& piece : wiring.pieces) count += piece.invert ? 1 : 0;
    return count;
  };
  const std::int64_t per_term =
      inverted(plan.ports.a) + inverted(plan.ports.d) + inverted(plan.ports.b);
  const std::int64_t operand_bits = std::int64_t{plan.packed_count} * plan.packed.bits +
                                    std::int64_t{plan.shared_count} * plan.shared.bits;
  for (const auto& slice : plan.slices) {
    if (!plan.kinds[slice.kind].multiplies) continue;
    o.operand_inverters += per_term;
    o.skew_bits += operand_bits * (slice.cycle - plan.multiply_latency);
  }
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
