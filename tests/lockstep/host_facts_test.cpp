// SPDX-License-Identifier: Apache-2.0
// Checks what plans tell hosts: the netlists are driven exactly as told, and inputs that are said
// not to be looked at are random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "gen/config/layers.h"
#include "gen/layer/host.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/neuron/serial.h"
#include "tests/support/printed_plan.h"
#include "tests/support/random.h"
#include "tests/support/wired.h"

namespace kumiki::gen {
namespace host_facts_test {

using packing::Scheme;
using packing::Skew;
using ::testing::HasSubstr;

std::int64_t small(tests::Random& random) {
  return static_cast<std::int64_t>(random.below(256)) - 128;
}
std::uint64_t raw(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// --- dot: order of terms, lateness, in_valid, rst with en = 0

struct Dot {
  explicit Dot(const dot::Request& request)
      : layer(dot::make_layer(request, {})), plan(tests::printed_plan(*layer)), wired(*layer) {}

  std::int64_t number(const char* key) const { return plan[key].get<std::int64_t>(); }
  std::int64_t late(std::int64_t slot) const {
    return plan.contains("lateness") ? plan["lateness"][static_cast<std::size_t>(slot)].get<int>()
                                     : 0;
  }
  // Term of a slot in a clock of the set, -1 for none.
  std::int64_t term(std::int64_t clock, std::int64_t slot) const {
    if (clock < 0 || clock >= number("words") * number("rounds")) return -1;
    const std::int64_t in_round = clock % number("words") * number("terms_per_cycle") + slot;
    const std::int64_t t = clock / number("words") * number("terms_per_round") + in_round;
    return in_round < number("terms_per_round") && t < number("terms") ? t : -1;
  }
  // A clock, `enabled` of them since in_valid; x[k * terms + t].
  void drive(std::int64_t enabled, const std::vector<std::int64_t>& x,
             const std::vector<std::int64_t>& y, tests::Random& random) {
    const std::int64_t slots = number("terms_per_cycle"), terms = number("terms");
    wired.scramble("x", random);
    wired.scramble("y", random);
    const std::int64_t cycles = number("words") * number("rounds");
    wired.set("in_valid", enabled == 0 || (enabled < cycles && random.one_in(2)));
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      const std::int64_t t = term(enabled - late(slot), slot);
      if (t < 0) continue;
      for (const char* side : {"packed", "shared"}) {
        const auto& values = side == std::string("packed") ? x : y;
        for (std::int64_t k = 0; k < plan[side]["count"].get<std::int64_t>(); ++k)
          wired.set(side == std::string("packed") ? "x" : "y",
                    raw(values[static_cast<std::size_t>(k * terms + t)]),
                    static_cast<std::size_t>(k * slots + slot), 8);
      }
    }
  }

  std::shared_ptr<const Layer> layer;
  nlohmann::ordered_json plan;
  test::Wired wired;
};

std::vector<dot::Request> dots() {
  std::vector<dot::Request> all;
  for (const Skew skew : {Skew::External, Skew::Internal})
    for (const auto& [scheme, cycles] : {std::pair(Scheme::SharedDrain, 1),
                                         {Scheme::SharedDrain, 4},
                                         {Scheme::Wp486Macc, 0},
                                         {Scheme::WrapCounter, 4},
                                         {Scheme::OffsetBinary, 1}}) {
      dot::Request r{.scheme = scheme, .terms = 19, .skew = skew};
      if (cycles != 0) r.cycles = cycles;
      all.push_back(r);
    }
  return all;
}

TEST(HostFacts, OfDotProducts) {
  tests::Random random(11);
  for (const dot::Request& request : dots()) {
    Dot d(request);
    const std::int64_t terms = d.number("terms");
    const auto some = [&](const char* side) {
      std::vector<std::int64_t> all;
      for (std::int64_t i = 0; i < terms * d.plan[side]["count"].get<std::int64_t>(); ++i)
        all.push_back(small(random));
      return all;
    };
    for (int turn = 0; turn < 6; ++turn) {
      SCOPED_TRACE(d.layer->plan_text());
      const auto x = some("packed"), y = some("shared");
      // Every second time a set is begun and forgotten with en = 0.
      if (turn % 2 == 1) {
        d.wired.set("en", 1);
        d.wired.set("in_valid", 1);
        for (int i = 0; i < 2; ++i) d.wired.clock();
        d.wired.set("en", 0);
        d.wired.set("rst", 1);
        d.wired.clock();
        d.wired.set("rst", 0);
      }
      std::int64_t enabled = 0;
      for (; enabled <= d.number("latency");) {
        d.drive(enabled, x, y, random);
        const bool en = random.below(4) != 0;
        d.wired.set("en", en);
        d.wired.clock();
        const bool due = enabled == d.number("latency");
        ASSERT_EQ(d.wired.get("out_valid"), due) << enabled;
        if (due) break;
        enabled += en ? 1 : 0;
      }
      std::size_t low = 0;
      for (const auto& result : d.plan["results"]) {
        const auto bits = result["bits"].get<std::uint32_t>();
        std::int64_t sum = 0;
        for (std::int64_t t = 0; t < terms; ++t)
          sum += x[static_cast<std::size_t>(result["packed"].get<std::int64_t>() * terms + t)] *
                 y[static_cast<std::size_t>(result["shared"].get<std::int64_t>() * terms + t)];
        std::uint64_t got = 0;
        for (std::uint32_t b = 0; b < bits; ++b) got |= d.wired.get("sum", low + b, 1) << b;
        EXPECT_EQ(got, raw(sum) & ((std::uint64_t{1} << bits) - 1));
        low += bits;
      }
      // Nothing more comes.
      d.wired.set("in_valid", 0);
      d.wired.set("en", 1);
      d.wired.clock();
      for (std::int64_t i = 0; i <= d.number("latency"); ++i) {
        d.wired.clock();
        ASSERT_EQ(d.wired.get("out_valid"), 0u);
      }
    }
  }
}

TEST(HostFacts, ThePlanOfADotProductSaysThem) {
  const auto external =
      dot::make_layer({.scheme = Scheme::Wp487Int8Dsp, .terms = 14, .skew = Skew::External}, {});
  EXPECT_THAT(external->plan_text(),
              HasSubstr("for hosts\n  order of terms: term j is in slot j\n"));
  EXPECT_THAT(external->plan_text(), HasSubstr("lateness: enabled clocks by which"));
  EXPECT_EQ(tests::printed_plan(*external)["lateness"].size(), 14u);
  EXPECT_EQ(runs({0, 1, 2, 3, 3, 3, 5}), "0 to 3: 0 to 3, 4 to 5: 3, 6: 5");
}

// --- bnn_serial: portions, the last one, t, in_valid

TEST(HostFacts, OfNeuronsOverSeveralCycles) {
  tests::Random random(12);
  for (const auto& [inputs, cycles] : {std::pair(7u, 3u), {33u, 5u}, {12u, 3u}, {5u, 5u}}) {
    neuron::SerialRequest r;
    r.effort = 0;
    r.inputs = inputs;
    r.cycles = cycles;
    r.pipeline = 1;
    const auto layer = neuron::make_serial(r);
    const nlohmann::ordered_json plan = tests::printed_plan(*layer);
    const auto lanes = plan["lanes"].get<std::uint32_t>(),
               last = plan["last_lanes"].get<std::uint32_t>();
    ASSERT_EQ(lanes * (cycles - 1) + last, inputs);
    test::Wired wired(*layer);
    for (int turn = 0; turn < 40; ++turn) {
      std::vector<bool> x, w;
      unsigned agree = 0;
      for (unsigned i = 0; i < inputs; ++i) {
        x.push_back(random.chance(50));
        w.push_back(random.chance(50));
        agree += x[i] == w[i] ? 1 : 0;
      }
      const unsigned t = random.chance(70) ? agree + random.below(2) : random.below(inputs + 2);
      if (turn % 3 == 2) {
        wired.set("en", 1);
        wired.set("in_valid", 1);
        wired.clock();
        wired.set("en", 0);
        wired.set("rst", 1);
        wired.clock();
        wired.set("rst", 0);
      }
      const std::uint32_t due = cycles - 1 + plan["latency"].get<std::uint32_t>();
      for (std::uint32_t enabled = 0; enabled <= due;) {
        wired.scramble("x", random);
        wired.scramble("w", random);
        wired.scramble("t", random);
        wired.set("in_valid", enabled == 0 || (enabled < cycles && random.chance(50)));
        if (enabled == 0) wired.set("t", t);
        const std::uint32_t there = enabled + 1 == cycles ? last : lanes;
        for (std::uint32_t i = 0; enabled < cycles && i < there; ++i) {
          wired.set("x", x[enabled * lanes + i], i, 1);
          wired.set("w", w[enabled * lanes + i], i, 1);
        }
        const bool en = random.below(4) != 0;
        wired.set("en", en);
        wired.clock();
        ASSERT_EQ(wired.get("out_valid"), enabled == due) << layer->plan_text();
        if (enabled == due) break;
        enabled += en ? 1 : 0;
      }
      ASSERT_EQ(wired.get("y"), agree >= t) << layer->plan_text();
      wired.set("in_valid", 0);
      wired.set("en", 1);
      wired.clock();
    }
  }
}

}  // namespace host_facts_test
}  // namespace kumiki::gen
