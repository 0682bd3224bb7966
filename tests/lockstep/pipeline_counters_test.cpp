// SPDX-License-Identifier: Apache-2.0
// Counts of events: netlist against model for every small number of them and every width that fits
// or wraps, values against a count of the events themselves, reads at any time and past the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gen/hdl/hierarchy.h"
#include "gen/hdl/model.h"
#include "gen/layers/pipeline/counters.h"
#include "tests/support/levels.h"
#include "tests/support/network_rig.h"
#include "tests/support/random.h"
#include "tests/support/seed.h"
#include "tests/support/wired.h"

namespace kumiki::gen::pipeline::counters_test {

class CountersLayer : public Layer {
 public:
  explicit CountersLayer(CountersPlan plan) : plan_(plan) {}
  std::string plan_text() const override { return {}; }
  void write_plan(config::Writer&) const override {}
  Facts facts() const override { return {}; }
  ir::Module& build(Builder& builder, ir::OriginId origin) const override {
    return build_module(builder, build_counters, plan_, input_shape(plan_), origin);
  }
  std::unique_ptr<ir::Machine> model() const override {
    return std::make_unique<Model<CountersIn, CountersOut, CountersModel>>(
        input_shape(plan_), output_shape(plan_), CountersModel(plan_));
  }
  // To the counts, and now and then past them.
  void constrain(ir::Frame& frame) const override {
    CountersIn<Values> in{};
    unpack(input_shape(plan_), frame, in);
    in.araddr %= 4 * static_cast<std::uint64_t>(plan_.events + 1);
    pack(input_shape(plan_), in, frame);
  }

 private:
  CountersPlan plan_;
};

struct CountersRig : test::NetworkRig {
  explicit CountersRig(const std::vector<CountersPlan>& plans)
      : NetworkRig(test::layers_of("counters", plans, [](const CountersPlan& p) {
          return std::make_shared<CountersLayer>(p);
        })) {}
};

TEST(PipelineCounters, EverySmallShape) {
  std::vector<CountersPlan> plans;
  for (std::int64_t events = 1; events <= 9; ++events)
    for (const std::int64_t bits : {2, 4, 7, 12})
      for (const std::int64_t digit : {1, 3, 16})
        plans.push_back({.events = events, .bits = bits, .digit = digit});
  plans = test::this_time(plans, 4);
  plans.push_back({.events = 70});
  CountersRig rig(plans);
  rig.options.resets = 3;
  rig.run_native(6000);
  rig.run_lanes(200);
}

TEST(PipelineCounters, WrongCellsAreSeen) {
  CountersRig({{.events = 6, .bits = 10, .digit = 4}}).expect_mutants_seen(60, 600, 3000);
}

// What a host does.
class Bus {
 public:
  explicit Bus(const CountersPlan& plan) : plan_(plan), wired_(CountersLayer(plan)) {
    happened_.assign(static_cast<std::size_t>(plan.events), 0);
  }
  void clock(const std::vector<bool>& events) {
    for (std::size_t e = 0; e < events.size(); ++e) {
      wired_.set("events", events[e], e, 1);
      happened_[e] += events[e] ? 1 : 0;
    }
    wired_.clock();
  }
  void rest(std::int64_t clocks) {
    for (; clocks > 0; --clocks) clock(std::vector<bool>(happened_.size()));
  }
  struct Answer {
    std::uint64_t value, response;
    std::int64_t clocks;
  };
  // With these events meanwhile.
  Answer read(std::uint64_t address, const std::function<std::vector<bool>()>& events) {
    wired_.set("araddr", address);
    wired_.set("arvalid", 1);
    do clock(events());
    while (wired_.get("arready") == 0);
    wired_.set("arvalid", 0);
    std::int64_t clocks = 0;
    do {
      clock(events());
      ++clocks;
    } while (wired_.get("rvalid") == 0 && clocks < 10'000);
    const Answer answer{wired_.get("rdata"), wired_.get("rresp"), clocks};
    wired_.set("rready", 1);
    clock(events());
    EXPECT_EQ(wired_.get("rdata"), answer.value);
    wired_.set("rready", 0);
    return answer;
  }
  Answer read_at_rest(std::uint64_t address) {
    return read(address, [&] { return std::vector<bool>(happened_.size()); });
  }
  std::uint64_t happened(std::size_t event) const { return happened_[event]; }

 private:
  CountersPlan plan_;
  test::Wired wired_;
  std::vector<std::uint64_t> happened_;
};

// Whatever the bits of the counters of a lap and the digits above them are.
TEST(PipelineCounters, ValuesAreTheNumbersOfEvents) {
  tests::Random random(test::rotating_seed());
  for (const CountersPlan plan : {CountersPlan{.events = 5}, CountersPlan{.events = 40},
                                  CountersPlan{.events = 3, .bits = 9, .digit = 2}}) {
    SCOPED_TRACE(plan.module_name());
    Bus bus(plan);
    const auto count = static_cast<std::size_t>(plan.events);
    // The first one always, the second one never, others as chance has it.
    const auto events = [&] {
      std::vector<bool> now(count);
      for (std::size_t e = 0; e < count; ++e)
        now[e] = e == 0 || (e > 1 && random.below(count) >= e);
      return now;
    };
    for (int i = 0; i < 5000; ++i) bus.clock(events());
    // No event that has not happened yet, none that is missing for longer than promised.
    for (std::size_t e = 0; e < count; ++e) {
      const auto seen = bus.read(4 * e, events);
      EXPECT_EQ(seen.response, 0U);
      EXPECT_LE(seen.clocks, plan.longest());
      const std::uint64_t mask = (std::uint64_t{1} << plan.bits) - 1;
      EXPECT_LE((bus.happened(e) - seen.value) & mask,
                static_cast<std::uint64_t>(plan.oldest() + seen.clocks));
      EXPECT_TRUE(e != 1 || seen.value == 0);
    }
    bus.rest(plan.oldest());
    for (std::size_t e = 0; e < count; ++e)
      EXPECT_EQ(bus.read_at_rest(4 * e).value,
                bus.happened(e) & ((std::uint64_t{1} << plan.bits) - 1))
          << e;
  }
}

TEST(PipelineCounters, AddressesPastTheLastCountAreErrors) {
  const CountersPlan plan{.events = 5};
  Bus bus(plan);
  bus.rest(100);
  EXPECT_EQ(bus.read_at_rest(16).response, resp_okay);
  for (const std::uint64_t address : {20, 24, 256, 4092}) {
    const auto answer = bus.read_at_rest(address);
    EXPECT_EQ(answer.response, resp_slave_error) << address;
    EXPECT_EQ(answer.value, 0U);
    EXPECT_LE(answer.clocks, plan.longest());
  }
  EXPECT_EQ(bus.read_at_rest(0).response, resp_okay);
}

// By hand: a lap is as long as there are counts, and 4 stages and a clock more at least.
TEST(PipelineCounters, LapsAndWidths) {
  EXPECT_EQ((CountersPlan{.events = 1}).lap(), 5);
  EXPECT_EQ((CountersPlan{.events = 1}).low_bits(), 3);
  EXPECT_THAT((CountersPlan{.events = 1}).digits(), ::testing::ElementsAre(16, 13));
  EXPECT_EQ((CountersPlan{.events = 63}).low_bits(), 6);
  EXPECT_EQ((CountersPlan{.events = 64}).low_bits(), 7);
  EXPECT_EQ((CountersPlan{.events = 64}).address_bits(), 12);
  EXPECT_EQ((CountersPlan{.events = 1024}).address_bits(), 13);
}

TEST(PipelineCounters, ThreeLevelsHoweverMany) {
  for (const std::int64_t events : {5, 200, 1100}) {
    const CountersPlan plan{.events = events};
    Builder builder;
    build_top(builder, build_counters, plan, input_shape(plan));
    test::expect_levels(builder.design(), 3, std::to_string(events));
  }
}

}  // namespace kumiki::gen::pipeline::counters_test
