// SPDX-License-Identifier: Apache-2.0
#include "gen/neuron/serial.h"

#include <bit>

#include <fmt/format.h>

#include "gen/compressor/build.h"
#include "gen/compressor/cell.h"
#include "gen/compressor/picture.h"
#include "gen/dsl/arithmetic.h"
#include "gen/dsl/state.h"
#include "gen/packing/plan_json.h"
#include "ir/error.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using config::field;

namespace {

// With embedded weights a LUT sees one input and the number of the cycle.
constexpr std::uint32_t most_embedded_cycles = 32;

config::Violations violations(const SerialRequest& r) {
  if (r.cycles == 0 || r.inputs % r.cycles != 0)
    return {{"cycles", "does not divide the inputs",
             fmt::format("a divisor of {} is legal", r.inputs)}};
  if (r.weights && r.weights->size() != r.inputs)
    return {{"weights", fmt::format("has {} entries", r.weights->size()),
             fmt::format("{}, one an input, are legal", r.inputs)}};
  if (r.weights && r.cycles > most_embedded_cycles)
    return {{"cycles", "is too many for embedded weights",
             fmt::format("{} at most, or weights as inputs, are legal", most_embedded_cycles)}};
  if (r.threshold && *r.threshold > r.inputs + 1)
    return {{"threshold", "can never be reached",
             fmt::format("0 (always one) to {} (never) is legal", r.inputs + 1)}};
  return {};
}

struct SerialNets {
  Net first, last, active;  // of the cycle whose operands are there
  UInt beat;
};

// Which cycle of a set it is.
SerialNets control(Scope& s, const SerialPlan& plan, Net reset, Net enable, Net in_valid) {
  SerialNets c{ir::net_one, ir::net_one, in_valid, {}};
  if (plan.request.cycles == 1) return c;
  Reg<UInt> beat(s, plan.counter_bits, {.enable = enable, .reset = reset});
  c.beat = beat.q();
  c.first = equals(s, beat.q(), s.constant(0, plan.counter_bits));
  c.last = equals(s, beat.q(), s.constant(plan.request.cycles - 1, plan.counter_bits));
  c.active = Lut{.init = table([](bool begins, bool valid) { return !begins || valid; }),
                 .in = {c.first, in_valid}}
                 .add_to(s);
  // One further, or back to 0 behind the last; 0 waits for in_valid.
  UInt one = zext(s, bits(s, {c.active}), plan.counter_bits);
  UInt next = add(s, beat.q(), one);
  std::vector<Net> nets;
  for (std::uint32_t i = 0; i < plan.counter_bits; ++i)
    nets.push_back(
        Lut{.init = table([](bool last, bool n) { return !last && n; }), .in = {c.last, next[i]}}
            .add_to(s));
  beat.next(bits(s, nets));
  return c;
}

// The agreement of an input with the weight of the cycle.
Bit agreement(Scope& s, const SerialPlan& plan, std::uint32_t lane, Net x, Net w,
              const UInt& beat) {
  if (!plan.request.weights) return {Bit::Form::xnor_, x, w};
  auto weight = [&](std::uint32_t cycle) {
    return cycle < plan.request.cycles && (*plan.request.weights)[cycle * plan.lanes + lane] != 0;
  };
  if (plan.request.cycles == 1) return {weight(0) ? Bit::Form::plain : Bit::Form::inverted, x};
  Table t{.inputs = 1 + plan.counter_bits};
  for (unsigned index = 0; index < 1u << t.inputs; ++index)
    t.bits |= std::uint64_t{(index & 1) == unsigned{weight(index >> 1)}} << index;
  std::vector<Net> in{x};
  for (std::uint32_t i = 0; i < plan.counter_bits; ++i) in.push_back(beat[i]);
  return plain(Lut{.init = t, .in = in}.add_to(s));
}

// (first ? 2^b - T : sum) + count, a LUT a bit.
UInt accumulate(Scope& s, const SerialPlan& plan, const UInt& count, const UInt& sum, Net first,
                const UInt& t) {
  const unsigned b = plan.carry_column;
  ChainRun run;
  // 2^b - T = (2^b - 1 - T) + 1, and the first is T with its bits inverted.
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

void build_serial(Scope& s, const SerialPlan& plan) {
  const SerialRequest& r = plan.request;
  Net reset = s.input<UInt>("rst", 1)[0], enable = s.input<UInt>("en", 1)[0];
  Net in_valid = s.input<UInt>("in_valid", 1)[0];
  UInt x = s.input<UInt>("x", plan.lanes), w, t;
  if (!r.weights) w = s.input<UInt>("w", plan.lanes);
  if (!r.threshold) t = s.input<UInt>("t", plan.threshold_bits);
  SerialNets c = control(s, plan, reset, enable, in_valid);
  Heap heap(plan.tree.shape.width());
  for (std::uint32_t i = 0; i < plan.lanes; ++i)
    heap.add(0, agreement(s, plan, i, x[i], r.weights ? ir::net_zero : w[i], c.beat));
  UInt count = compress(s, heap, plan.tree, {r.pipeline, enable});
  for (unsigned i = 0; i < plan.tree_latency; ++i)
    c.active = reg(s, c.active, {.enable = enable, .reset = reset});
  c.first = delay(s, c.first, plan.tree_latency, enable);
  c.last = delay(s, c.last, plan.tree_latency, enable);
  if (!r.threshold) t = delay(s, t, plan.tree_latency, enable);
  auto both = table([](bool a, bool b) { return a && b; });
  Net counts = Lut{.init = both, .in = {enable, c.active}}.add_to(s);
  Reg<UInt> sum(s, plan.carry_column + 1, {.enable = counts});
  sum.next(accumulate(s, plan, count, sum.q(), c.first, t));
  Net done = Lut{.init = both, .in = {c.last, c.active}}.add_to(s);
  s.output("out_valid", bits(s, {reg(s, done, {.enable = enable, .reset = reset})}));
  s.output("y", bits(s, {sum.q()[plan.carry_column]}));
}

// From the definition: cycles in flight, and a sum that begins at 2^b - T.
class SerialModel : public ir::Machine {
 public:
  explicit SerialModel(const SerialPlan& plan) : plan_(plan) { power_up(); }

  void power_up() override {
    flight_.assign(plan_.tree_latency, {});
    beat_ = 0;
    sum_ = 0;
    valid_ = false;
  }

  void step(const ir::Frame& in, ir::Frame& out) override {
    const bool reset = in[0] & 1, enable = in[1] & 1;
    out = {valid_, sum_ >> plan_.carry_column & 1};
    if (enable) advance(in);
    if (!reset) return;
    beat_ = 0;
    valid_ = false;
    for (Beat& b : flight_) b.active = false;
  }

 private:
  struct Beat {
    bool active = false, first = false, last = false;
    std::uint64_t agree = 0, start = 0;
  };

  void advance(const ir::Frame& in) {
    const SerialRequest& r = plan_.request;
    const std::size_t limbs = (plan_.lanes + 63) / 64;
    auto bit = [&](std::size_t from, std::uint32_t i) {
      return (in[from + i / 64] >> (i % 64) & 1) != 0;
    };
    Beat now{.active = beat_ > 0 || (in[2] & 1) != 0,
             .first = beat_ == 0,
             .last = beat_ + 1 == r.cycles};
    for (std::uint32_t i = 0; i < plan_.lanes; ++i) {
      const bool w = r.weights ? (*r.weights)[beat_ * plan_.lanes + i] != 0 : bit(3 + limbs, i);
      now.agree += bit(3, i) == w;
    }
    now.start = (std::uint64_t{1} << plan_.carry_column) - (r.threshold ? *r.threshold : in.back());
    beat_ = !now.active || now.last ? 0 : beat_ + 1;
    flight_.push_back(now);
    const Beat b = flight_.front();
    flight_.erase(flight_.begin());
    if (b.active) sum_ = (b.first ? b.start : sum_) + b.agree;
    valid_ = b.active && b.last;
  }

  SerialPlan plan_;
  std::vector<Beat> flight_;
  std::uint32_t beat_ = 0;
  std::uint64_t sum_ = 0;
  bool valid_ = false;
};

class SerialLayer : public Layer {
 public:
  explicit SerialLayer(SerialPlan plan) : plan_(std::move(plan)) {}

  std::string plan_text() const override {
    const SerialRequest& r = plan_.request;
    return fmt::format(
               "neuron       {} inputs, {} in each of {} cycles, weights {}, threshold {}\n"
               "sum          begins at 2^{} - T, y is its bit {}\n"
               "latency      {} clocks behind the last cycle\n",
               r.inputs, plan_.lanes, r.cycles, r.weights ? "embedded" : "as inputs",
               r.threshold ? fmt::format("{}", *r.threshold) : "as input", plan_.carry_column,
               plan_.carry_column, plan_.tree_latency + 1) +
           tree_text(plan_.tree);
  }

  Json plan_json() const override {
    const SerialRequest& r = plan_.request;
    Json json{{"n", r.inputs},
              {"cycles", r.cycles},
              {"lanes", plan_.lanes},
              {"embedded", r.weights.has_value()},
              {"latency", plan_.tree_latency + 1},
              {"results_per_cycle", 1.0 / r.cycles}};
    json.update(tree_json(plan_.tree));
    json["proofs"] = packing::to_json(tree_certificate(plan_.tree));
    return json;
  }

  std::vector<Picture> pictures() const override { return {{"tree", picture_svg(plan_.tree)}}; }

  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    ir::Module& m = builder.design().add_module(builder.free_module_name(plan_.module_name()));
    m.set_about(fmt::format("y = popcount(x xnor w) >= T, {} inputs in {} cycles",
                            plan_.request.inputs, plan_.request.cycles));
    Scope s(builder, m, origin);
    build_serial(s, plan_);
    s.finish();
    return m;
  }

  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<SerialModel>(plan_);
  }

 private:
  SerialPlan plan_;
};

}  // namespace

SerialPlan plan_serial(const SerialRequest& r) {
  if (r.inputs == 0) throw DesignError("a neuron of 0 inputs: at least 1 is legal");
  for (const auto& v : violations(r))
    throw DesignError(fmt::format("{} {}: {}", v.key, v.message, v.legal));
  SerialPlan plan{.request = r, .lanes = r.inputs / r.cycles};
  std::uint32_t most = r.threshold ? *r.threshold : 0;
  if (!r.threshold) {
    plan.threshold_bits = static_cast<unsigned>(std::bit_width(r.inputs + 1));
    most = (1u << plan.threshold_bits) - 1;
  }
  plan.carry_column = static_cast<unsigned>(std::bit_width(r.inputs + most));
  plan.counter_bits = static_cast<unsigned>(std::bit_width(r.cycles - 1));
  Shape shape = popcount_shape(plan.lanes);
  if (!r.weights) std::swap(shape.bits, shape.pairs);
  plan.tree = plan_tree(shape, r);
  plan.tree_latency = latency(plan.tree, r.pipeline);
  return plan;
}

std::string SerialPlan::module_name() const {
  return fmt::format("bnn_serial{}x{}{}{}", lanes, request.cycles,
                     request.weights ? "_embedded" : "",
                     request.threshold ? fmt::format("_t{}", *request.threshold) : "");
}

const config::Table& serial_table() {
  using R = SerialRequest;
  static const config::TableOf<R> table{
      "bnn_serial",
      "A binarised neuron over several cycles: y = popcount(x xnor w) >= T.",
      {field("inputs", &R::inputs).required().range(1, 65536).help("bits of x in all cycles"),
       field("cycles", &R::cycles).required().range(1, 4096).help("in which they come"),
       field("weights", &R::weights)
           .range(0, 1)
           .length(1, 65536)
           .or_file()
           .absent("the port w")
           .help("embedded weights, cycle by cycle"),
       field("threshold", &R::threshold)
           .range(0, 65537)
           .absent("the port t")
           .help("the least count that gives 1"),
       pipeline_field<R>(), objective_field<R>(), finish_field<R>(), effort_field<R>()},
      {violations}};
  return table;
}

std::unique_ptr<Layer> make_serial(const SerialRequest& request) {
  return std::make_unique<SerialLayer>(plan_serial(request));
}

}  // namespace kumiki::gen::neuron
