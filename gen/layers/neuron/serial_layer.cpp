// SPDX-License-Identifier: Apache-2.0
// The layer type bnn_serial: keys, model, text, ports.
#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/picture.h"
#include "gen/layer/host.h"
#include "gen/layers/common/write.h"
#include "gen/layers/compressor/tree.h"
#include "gen/layers/neuron/reference.h"
#include "gen/layers/neuron/serial.h"
#include "ir/error.h"
#include "ir/resources.h"

namespace kumiki::gen::neuron {

using namespace compressor;
using config::field;

namespace {

// The model by definition: cycles in flight, and a sum that starts at 2^b - T.
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
    for (std::uint32_t i = 0; i < plan_.lanes && plan_.is_used(i, beat_); ++i) {
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
               plan_.carry_column, plan_.latency()) +
           tree_text(plan_.tree) + to_text(host_facts());
  }

  void write_plan(config::Writer& w) const override {
    const SerialRequest& r = plan_.request;
    w.member("n", r.inputs);
    w.member("cycles", r.cycles);
    w.member("lanes", plan_.lanes);
    w.member("last_lanes", r.inputs - (r.cycles - 1) * plan_.lanes);
    w.member("embedded", r.weights.has_value());
    w.member("latency", plan_.latency());
    w.member("results_per_cycle", 1.0 / r.cycles);
    write_tree(w, plan_.tree);
    w.member("tree_luts", audit(plan_.tree).luts());
    w.member("luts", sites());  // includes the accumulator
    w.member("proofs", tree_certificate(plan_.tree));
    w.object("host", [&] { write(w, host_facts()); });
  }
  Facts facts() const override {
    return {.latency = plan_.latency(), .host = host_facts(), .levels = 5};
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
  std::uint32_t clocks_of_set() const override { return plan_.request.cycles; }
  Definition definition() const override { return reference(plan_.request, plan_.latency()); }
  std::vector<Beat> beats() const override {
    const SerialRequest& r = plan_.request;
    std::vector<Beat> all;
    const auto bits = [&](const char* name) {
      all.push_back({.port = name,
                     .formats = {{1, false}},
                     .elements = {{"lane", plan_.lanes}},
                     .words = {{"cycle", r.cycles}},
                     .of = {{"i", r.inputs, {{"cycle", plan_.lanes}, {"lane"}}}},
                     .what = name,
                     .padding = "not looked at",
                     .when = {"in_valid", "en"},
                     .runs_on = true});
    };
    bits("x");
    if (!r.weights) bits("w");
    if (!r.threshold)
      all.push_back({.port = "t",
                     .formats = {{static_cast<int>(plan_.threshold_bits), false}},
                     .words = {{"cycle", r.cycles}},
                     .what = "t",
                     .when = {"in_valid", "en"},
                     .runs_on = true,
                     .note = "taken with the first word of a set"});
    all.push_back({.port = "y", .formats = {{1, false}}, .what = "y", .when = {"out_valid", "en"}});
    return all;
  }

 private:
  HostFacts host_facts() const {
    const SerialRequest& r = plan_.request;
    const std::uint32_t rest = r.inputs - (r.cycles - 1) * plan_.lanes;
    HostFacts facts;
    facts.push_back(
        {"x", fmt::format("bit i of clock c is input {}c + i{}", plan_.lanes,
                          rest == plan_.lanes
                              ? std::string()
                              : fmt::format("; the last clock has {}, from bit 0 on, its other "
                                            "bits are not looked at",
                                            rest))});
    if (!r.weights) facts.push_back({"w", "in the order of x"});
    facts.push_back({"in_valid",
                     "begins a set with its first inputs; the others follow in the next "
                     "clocks with en = 1, in_valid is ignored meanwhile"});
    if (!r.threshold) facts.push_back({"t", "taken with the first inputs of a set"});
    facts.push_back(
        {"y", fmt::format("the answer while out_valid is 1, {} enabled clocks after the "
                          "last inputs; before that a sum under way",
                          plan_.latency())});
    facts.push_back({"rst", "discards a set that was begun and those under way, with en = 0 too"});
    return facts;
  }
  // LUT sites of the whole netlist on 7 series: most of a small neuron is outside the tree.
  unsigned sites() const {
    Builder builder(ir::Family::series7, plan_.request.context.limits);
    return ir::own_cost(build(builder, {})).luts;
  }

  SerialPlan plan_;
};

}  // namespace

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
      {violations, check_registers}};
  return table;
}

std::unique_ptr<Layer> make_serial(const SerialRequest& request) {
  return make_planned(plan_serial(request));
}
std::unique_ptr<Layer> make_planned(SerialPlan plan) {
  return std::make_unique<SerialLayer>(std::move(plan));
}

}  // namespace kumiki::gen::neuron
