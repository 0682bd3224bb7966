// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/neuron/serial.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include <fmt/format.h>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/cell.h"
#include "gen/blocks/compressor/picture.h"
#include "gen/hdl/arithmetic.h"
#include "gen/hdl/state.h"
#include "gen/layer/host.h"
#include "gen/layers/neuron/messages.h"
#include "ir/error.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using compressor::Bit;  // of a heap
using config::field;

namespace {

// Inputs in a cycle; the last cycle may have fewer.
std::uint32_t lanes_of(const SerialRequest& r) { return (r.inputs - 1) / r.cycles + 1; }

struct SerialNets {
  Net first, last, active;  // about the cycle whose operands are at the ports
  UInt beat;
};

// Tracks the cycle within a set.
SerialNets control(Scope& s, const SerialPlan& plan, Net reset, Net enable, Net in_valid) {
  SerialNets c{ir::net_one, ir::net_one, in_valid, {}};
  if (plan.request.cycles == 1) return c;
  // After the last cycle the counter returns to 0: it wraps by itself, or its registers are reset.
  const bool wraps = std::has_single_bit(plan.request.cycles);
  std::optional<Wire<Net>> again;
  if (!wraps) again.emplace(s);
  Reg<UInt> beat(s, plan.counter_bits, {.enable = enable, .reset = wraps ? reset : Net(*again)});
  c.beat = beat.q();
  c.first = equals(s, beat.q(), s.constant(0, plan.counter_bits));
  c.last = equals(s, beat.q(), s.constant(plan.request.cycles - 1, plan.counter_bits));
  if (again) again->drive(reset | (enable & c.last));
  c.active = Lut{.init = table([](bool begins, bool valid) { return !begins || valid; }),
                 .in = {c.first, in_valid}}
                 .add_to(s);
  // At 0 the counter waits for in_valid.
  beat.next(add(s, beat.q(), zext(s, bits(s, {c.active}), plan.counter_bits)));
  return c;
}

// With embedded weights a LUT reads one input and the number of the cycle. If there are more
// cycles, the LUTs only give the weight and the tree computes the XNOR. With few cycles many lanes
// have the same weights and share the LUT for them.
constexpr unsigned most_beat_bits = 5, few_cycles = 4;

// The weights of a lane, cycle by cycle, padded with zeros to the range of the counter.
std::vector<std::uint8_t> weights_of(const SerialPlan& plan, std::uint32_t lane) {
  std::vector<std::uint8_t> all(std::size_t{1} << plan.counter_bits, 0);
  for (std::uint32_t c = 0; c < plan.request.cycles && plan.is_used(lane, c); ++c)
    all[c] = (*plan.request.weights)[c * plan.lanes + lane];
  return all;
}

// A read-only memory with words of one bit: LUTs, and above six address bits a tree of LUTs that
// each select one of four.
Net rom(Scope& s, std::span<const std::uint8_t> words, const UInt& address) {
  const auto bits = static_cast<unsigned>(std::bit_width(words.size()) - 1);
  std::vector<Bit> in;
  Table t;
  if (bits <= 6) {
    t.inputs = bits;
    for (std::size_t i = 0; i < words.size(); ++i) t.bits |= std::uint64_t{words[i]} << i;
    for (unsigned i = 0; i < bits; ++i) in.push_back(plain(address[i]));
  } else {
    const unsigned choose = bits == 7 ? 1 : 2, parts = 1u << choose;
    for (unsigned i = 0; i < parts; ++i)
      in.push_back(
          plain(rom(s, words.subspan(i * words.size() / parts, words.size() / parts), address)));
    for (unsigned i = 0; i < choose; ++i) in.push_back(plain(address[bits - choose + i]));
    t.inputs = parts + choose;
    for (unsigned i = 0; i < 1u << t.inputs; ++i)
      t.bits |= std::uint64_t{i >> (i >> parts) & 1} << i;
  }
  return counter_lut(s, t, in).o6;
}

// The memories so far, by their words. Lanes with equal or entirely opposite weights share one;
// agreement_of() is the XNOR of an input with it.
using Roms = std::map<std::vector<std::uint8_t>, Net>;
Bit agreement_of(Scope& s, std::vector<std::uint8_t> weights, Net x, const UInt& beat, Roms& roms) {
  const bool inverse = weights[0] != 0;
  for (auto& w : weights) w ^= inverse;
  auto [at, is_new] = roms.emplace(weights, ir::net_zero);
  if (is_new) at->second = rom(s, weights, beat);
  return {inverse ? Bit::Form::xor_ : Bit::Form::xnor_, x, at->second};
}

// The agreement of an input with the weight of the cycle; 0 in the last cycle for a lane without an
// input there.
Bit agreement(Scope& s, const SerialPlan& plan, std::uint32_t lane, Net x, Net w,
              const SerialNets& c, Roms& roms) {
  const std::uint32_t cycles = plan.request.cycles;
  const bool always = plan.is_used(lane, cycles - 1);
  if (plan.is_pair(lane) && !plan.request.weights) return {Bit::Form::xnor_, x, w};
  if (plan.is_pair(lane)) return agreement_of(s, weights_of(plan, lane), x, c.beat, roms);
  const auto in_time = [&](Net weight) {
    Bit in[] = {plain(x), plain(weight), plain(c.last)};
    auto t = table([](bool a, bool b, bool last) { return a == b && !last; });
    return plain(counter_lut(s, t, in).o6);
  };
  if (!plan.request.weights) return in_time(w);
  const auto weights = weights_of(plan, lane);
  if (always && plan.is_fixed(lane))
    return {weights[0] ? Bit::Form::plain : Bit::Form::inverted, x};
  // There is no input in the last cycle; in the other cycles the weight may be fixed.
  if (plan.counter_bits > most_beat_bits)
    return in_time(plan.is_fixed(lane) ? ir::constant(weights[0] != 0) : rom(s, weights, c.beat));
  Table t{.inputs = 1 + plan.counter_bits};
  for (unsigned index = 0; index < 1u << t.inputs; ++index) {
    const bool agrees = (index & 1) == unsigned{weights[index >> 1]};
    const bool counts = always || index >> 1 != cycles - 1;
    t.bits |= std::uint64_t{agrees && counts} << index;
  }
  std::vector<Bit> in{plain(x)};
  for (std::uint32_t i = 0; i < plan.counter_bits; ++i) in.push_back(plain(c.beat[i]));
  return plain(counter_lut(s, t, in).o6);
}

// Full adders that reduce columns of three bits, except the lowest column.
void add_thirds(Scope& s, std::vector<std::vector<Bit>>& rows) {
  for (std::size_t c = 1; c < rows.size(); ++c) {
    if (rows[c].size() <= 2) continue;
    auto out = counter_lut(
        s, table([](bool x, bool y, bool z) { return pair(x ^ y ^ z, x + y + z > 1); }), rows[c]);
    rows[c] = {plain(out.o6)};
    // The top column has no carry out.
    if (c + 1 < rows.size()) rows[c + 1].push_back(plain(out.o5));
  }
}

// (first ? 2^b - T : sum) + both rows of the count, one LUT for each bit: the adder of the tree is
// the accumulator. The majority of a column has weight two, so it enters the column above.
UInt accumulate_rows(Scope& s, const SerialPlan& plan, std::vector<std::vector<Bit>> rows,
                     const UInt& sum, Net first) {
  const unsigned b = plan.carry_column;
  const std::uint64_t start = (std::uint64_t{1} << b) - *plan.request.threshold;
  add_thirds(s, rows);
  rows.resize(b + 1);
  ChainRun run;
  // A third bit of the lowest column enters as the carry.
  Net carry = ir::net_zero;
  if (rows[0].size() > 2) {
    auto at =
        std::find_if(rows[0].begin(), rows[0].end(), [](const Bit& bit) { return bit.is_plain(); });
    if (at == rows[0].end()) --at;
    carry = as_net(s, *at);
    rows[0].erase(at);
  }
  run.begin(carry);
  Net majority = ir::net_zero;
  for (unsigned i = 0; i <= b; ++i) {
    auto& row = rows[i];
    row.resize(std::max<std::size_t>(2, row.size()), plain(ir::net_zero));
    Bit in[] = {row[0], row[1], plain(sum[i]), plain(first), plain(majority)};
    const bool begins = start >> i & 1;
    auto out = counter_lut(s, table([begins](bool x, bool y, bool so_far, bool is_first, bool m) {
                             const bool z = is_first ? begins : so_far;
                             return pair(x ^ y ^ z ^ m, x + y + z > 1);
                           }),
                           in);
    Net propagate = out.o6;
    for (const Bit& bit : in)
      if (bit.a == propagate && !propagate.is_constant())
        propagate = Lut{.init = table([](bool n) { return n; }), .in = {propagate}}.add_to(s);
    run.push({propagate, majority});
    majority = out.o5;
  }
  return UInt(bits(s, run.add_to(s).sum));
}

// (first ? 2^b - T : sum) + count, one LUT for each bit.
UInt accumulate(Scope& s, const SerialPlan& plan, const UInt& count, const UInt& sum, Net first,
                const UInt& t) {
  const unsigned b = plan.carry_column;
  ChainRun run;
  // 2^b - T = (2^b - 1 - T) + 1; the parenthesis is T with its bits inverted.
  run.begin(plan.request.threshold ? ir::net_zero : first);
  const std::uint64_t fixed = (std::uint64_t{1} << b) - plan.request.threshold.value_or(0);
  for (unsigned i = 0; i <= b; ++i) {
    Bit begin = plain(ir::constant(fixed >> i & 1));
    if (!plan.request.threshold)
      begin = i < plan.threshold_bits ? Bit{Bit::Form::inverted, t[i]} : plain(ir::constant(i < b));
    Bit in[] = {plain(i < count.width() ? count[i] : ir::net_zero), plain(sum[i]), plain(first),
                begin};
    run.push(carry_position(s, table([](bool c, bool so_far, bool is_first, bool start) {
                              return pair(c ^ (is_first ? start : so_far), c);
                            }),
                            in));
  }
  return UInt(bits(s, run.add_to(s).sum));
}

// The most full adders for the reduction of a count to two rows; each is one more level of LUTs. A
// third bit of column 0 enters the accumulator as its carry.
constexpr unsigned few_thirds = 2;
unsigned third_bits(const std::vector<unsigned>& last) {
  unsigned all = 0;
  bool carry = false;
  for (std::size_t c = 1; c < last.size(); ++c) {
    carry = last[c] + carry > 2;
    all += carry;
  }
  return all;
}

}  // namespace

config::Violations violations(const SerialRequest& r) {
  if (r.cycles == 0 || r.cycles > r.inputs)
    return {{code::unfit_cycles, "cycles",
             fmt::format("of {} are too many or too few for {} inputs", r.cycles, r.inputs),
             fmt::format("must be 1 to {}", r.inputs)}};
  // All portions but the last are equal; the last must not be empty.
  const std::uint32_t lanes = lanes_of(r), enough = (r.inputs - 1) / lanes + 1;
  if (enough < r.cycles)
    return {{code::unfit_cycles, "cycles",
             fmt::format("of {} inputs each leave the last of {} without any", lanes, r.cycles),
             fmt::format("must be {}, which takes all {} inputs", enough, r.inputs)}};
  if (r.weights && r.weights->size() != r.inputs)
    return {{code::weights_per_input, "weights", fmt::format("has {} entries", r.weights->size()),
             fmt::format("must have {}, one for each input", r.inputs)}};
  if (r.threshold && *r.threshold > r.inputs + 1)
    return {{code::threshold_unreachable, "threshold", "can never be reached",
             fmt::format("must be 0 (always one) to {} (never)", r.inputs + 1)}};
  return {};
}

void build_serial(Scope& s, const SerialPlan& plan) {
  const SerialRequest& r = plan.request;
  Net reset = s.input<UInt>("rst", 1)[0], enable = s.input<UInt>("en", 1)[0];
  Net in_valid = s.input<UInt>("in_valid", 1)[0];
  UInt x = s.input<UInt>("x", plan.lanes), w, t;
  if (!r.weights) w = s.input<UInt>("w", plan.lanes);
  if (!r.threshold) t = s.input<UInt>("t", plan.threshold_bits);
  SerialNets c = control(s, plan, reset, enable, in_valid);
  Heap heap(plan.tree.shape.width());
  Roms roms;
  for (std::uint32_t i = 0; i < plan.lanes; ++i)
    heap.add(0, agreement(s, plan, i, x[i], r.weights ? ir::net_zero : w[i], c, roms));
  std::vector<std::vector<Bit>> rows;
  UInt count;
  if (plan.adds_rows)
    rows = compress_rows(s, heap, plan.tree, {r.pipeline, enable});
  else
    count = compress(s, heap, plan.tree, {r.pipeline, enable});
  for (unsigned i = 0; i < plan.tree_latency; ++i)
    c.active = reg(s, c.active, {.enable = enable, .reset = reset});
  c.first = delay(s, c.first, plan.tree_latency, enable);
  c.last = delay(s, c.last, plan.tree_latency, enable);
  if (!r.threshold) t = delay(s, t, plan.tree_latency, enable);
  auto both = table([](bool a, bool b) { return a && b; });
  Net counts = Lut{.init = both, .in = {enable, c.active}}.add_to(s);
  Reg<UInt> sum(s, plan.carry_column + 1, {.enable = counts});
  sum.next(plan.adds_rows ? accumulate_rows(s, plan, std::move(rows), sum.q(), c.first)
                          : accumulate(s, plan, count, sum.q(), c.first, t));
  Net done = Lut{.init = both, .in = {c.last, c.active}}.add_to(s);
  s.output("out_valid", bits(s, {reg(s, done, {.enable = enable, .reset = reset})}));
  s.output("y", bits(s, {sum.q()[plan.carry_column]}));
}

bool SerialPlan::is_used(std::uint32_t lane, std::uint32_t cycle) const {
  return cycle * lanes + lane < request.inputs;
}

bool SerialPlan::is_fixed(std::uint32_t lane) const {
  const auto& w = *request.weights;
  for (std::uint32_t c = 1; c < request.cycles && is_used(lane, c); ++c)
    if (w[c * lanes + lane] != w[lane]) return false;
  return true;
}

bool SerialPlan::is_pair(std::uint32_t lane) const {
  if (!is_used(lane, request.cycles - 1)) return false;
  return !request.weights ||
         ((counter_bits > most_beat_bits || request.cycles <= few_cycles) && !is_fixed(lane));
}

SerialPlan plan_serial(const SerialRequest& r) {
  if (r.inputs == 0)
    throw DesignError(code::no_inputs, "the neuron has no inputs; it must have at least 1");
  for (const auto& v : violations(r)) throw DesignError(v.code, config::to_string(v));
  SerialPlan plan{.request = r, .lanes = lanes_of(r)};
  std::uint32_t most = r.threshold ? *r.threshold : 0;
  if (!r.threshold) {
    plan.threshold_bits = static_cast<unsigned>(std::bit_width(r.inputs + 1));
    most = (1u << plan.threshold_bits) - 1;
  }
  plan.carry_column = static_cast<unsigned>(std::bit_width(r.inputs + most));
  plan.counter_bits = static_cast<unsigned>(std::bit_width(r.cycles - 1));
  Shape shape = popcount_shape(plan.lanes);
  for (std::uint32_t i = 0; i < plan.lanes; ++i)
    if (plan.is_pair(i)) --shape.bits[0], ++shape.pairs[0];
  plan.tree = plan_tree(shape, r);
  // With a port t, a LUT of the adder would also read t and the sum, and have two inputs too many.
  if (r.threshold && r.finish == Finish::row) {
    const Audit a = audit(plan.tree);
    plan.adds_rows = a.finish_luts > 0 && third_bits(a.levels.back().all()) <= few_thirds;
  }
  plan.tree_latency =
      plan.adds_rows ? latency_of_rows(plan.tree, r.pipeline) : latency(plan.tree, r.pipeline);
  return plan;
}

std::string SerialPlan::module_name() const {
  return fmt::format("bnn_serial{}x{}{}{}", lanes, request.cycles,
                     request.weights ? "_embedded" : "",
                     request.threshold ? fmt::format("_t{}", *request.threshold) : "");
}

}  // namespace kumiki::gen::neuron
