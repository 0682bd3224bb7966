// SPDX-License-Identifier: Apache-2.0
// Neurons against the count of agreements: every input where there are few, every threshold at its
// edge where there are many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/native/machine.h"
#include "backends/sim/native/simulator.h"
#include "backends/timing/levels.h"
#include "gen/blocks/compressor/build.h"
#include "gen/flow/network.h"
#include "gen/layers/neuron/neuron.h"
#include "ir/error.h"
#include "ir/resources.h"
#include "tests/support/long_form.h"
#include "tests/support/printed_plan.h"

namespace kumiki::gen::neuron {
namespace neuron_neuron_test {

using ::testing::HasSubstr;

std::vector<std::uint8_t> some_weights(unsigned n) {
  std::vector<std::uint8_t> w;
  for (unsigned i = 0; i < n; ++i) w.push_back(i * 2654435761u >> 16 & 1);
  return w;
}

NeuronRequest request(unsigned n, Form form, bool embedded, std::optional<unsigned> threshold) {
  NeuronRequest r;
  r.effort = 0;
  r.inputs = n;
  r.form = form;
  if (embedded) r.weights = some_weights(n);
  if (threshold) r.threshold = *threshold;
  return r;
}

class Neuron {
 public:
  explicit Neuron(const NeuronRequest& r, ir::Family family = ir::Family::series7)
      : request_(r), builder_(family) {
    auto layer = make_neuron(r);
    ir::Module& m = layer->build(builder_, {});
    builder_.design().set_top(m.id());
    simulator_.emplace(builder_.design());
    sites = ir::own_cost(m).luts;
  }
  // y for 64 pairs of x and w (w without meaning when embedded) and one threshold (likewise).
  ir::Lanes run(const std::vector<ir::Lanes>& x, const std::vector<ir::Lanes>& w, unsigned t) {
    simulator_->set_bits(simulator_->input("x"), x);
    if (!request_.weights) simulator_->set_bits(simulator_->input("w"), w);
    if (!request_.threshold) simulator_->set_all(simulator_->input("t"), t);
    ir::Lanes y;
    simulator_->get_bits(0, std::span(&y, 1));
    return y;
  }
  unsigned sites = 0;

 private:
  NeuronRequest request_;
  Builder builder_;
  std::optional<backends::NativeSimulator> simulator_;
};

struct Kind {
  Form form;
  bool embedded;
};
constexpr Kind kinds[] = {{Form::absorbed, false}, {Form::absorbed, true},  {Form::gpc, false},
                          {Form::gpc, true},       {Form::gpc_bias, false}, {Form::gpc_bias, true}};

// x in every value, w as it is or drawn: for every threshold from 0 to N + 1, or that its port has.
class SmallNeuron : public ::testing::TestWithParam<std::tuple<std::size_t, unsigned, bool>> {};

TEST_P(SmallNeuron, IsExactForEveryInputAndThreshold) {
  auto [kind, n, threshold_is_port] = GetParam();
  auto [form, embedded] = kinds[kind];
  const auto fixed = some_weights(n);
  for (unsigned t = 0; t <= n + 1; ++t) {
    if (threshold_is_port && t > 0) break;
    Neuron neuron(request(n, form, embedded, threshold_is_port ? std::nullopt : std::optional(t)));
    const unsigned most = threshold_is_port ? (1u << std::bit_width(n + 1)) - 1 : t;
    for (unsigned now = threshold_is_port ? 0 : t; now <= most; ++now)
      for (std::uint64_t base = 0; base < 1ull << n; base += 64) {
        std::vector<ir::Lanes> x(n), w(n);
        for (unsigned i = 0; i < n; ++i) {
          for (unsigned lane = 0; lane < 64; ++lane) x[i] |= ((base + lane) >> i & 1) << lane;
          w[i] = embedded ? ir::Lanes{0} - fixed[i] : base * 0x9e3779b97f4a7c15u >> i;
        }
        ir::Lanes y = neuron.run(x, w, now);
        for (unsigned lane = 0; lane < 64; ++lane) {
          unsigned agree = 0;
          for (unsigned i = 0; i < n; ++i) agree += ~(x[i] ^ w[i]) >> lane & 1;
          ASSERT_EQ(y >> lane & 1, agree >= now) << "agree " << agree << " T " << now;
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForm, SmallNeuron,
                         ::testing::Combine(::testing::Range<std::size_t>(0, 6),
                                            ::testing::Values(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u),
                                            ::testing::Bool()));

// Exactly as many agreements as wanted, at the edge of T.
void run_edges(Neuron& neuron, unsigned n, bool embedded, unsigned t) {
  const auto fixed = some_weights(n);
  std::uint64_t state = n;
  auto random = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (unsigned agree : {t - 1, t, t + 1, 0u, n}) {
    if (agree > n) continue;  // and below 0
    std::vector<ir::Lanes> x(n), w(n);
    for (unsigned i = 0; i < n; ++i) w[i] = embedded ? ir::Lanes{0} - fixed[i] : random();
    for (unsigned lane = 0; lane < 64; ++lane) {
      // The agreeing inputs: a run that starts anywhere.
      unsigned start = static_cast<unsigned>(random() >> 33) % n;
      for (unsigned i = 0; i < n; ++i) {
        bool same = (i + n - start) % n < agree;
        x[i] |= (((w[i] >> lane & 1) ^ !same) & 1) << lane;
      }
    }
    EXPECT_EQ(neuron.run(x, w, t), agree >= t ? ~ir::Lanes{0} : 0)
        << n << " inputs, " << agree << " agree, T " << t;
  }
}

// N = 2^k and the thresholds 2, N - 1 and those that need no tree are where a column is easily
// forgotten.
TEST(Neuron, EdgesOfLargeOnes) {
  for (auto [form, embedded] : kinds)
    for (unsigned n : test::long_form() ? std::vector{31u, 32u, 64u} : std::vector{15u, 16u})
      for (unsigned t : {1u, 2u, n - 1, n, n + 1}) {
        // The paper's forms have a tree for every threshold alike; ours none at the outermost.
        if (form != Form::absorbed && (t == 2 || t == n - 1)) continue;
        Neuron fixed(request(n, form, embedded, t), ir::Family::ultrascale_plus);
        run_edges(fixed, n, embedded, t);
      }
  Neuron port(request(32, Form::absorbed, false, std::nullopt));
  for (unsigned t : {1u, 16u, 31u, 32u, 33u}) run_edges(port, 32, false, t);
}

// All or any of very many, and constants: no tree, and as few LUTs as there are inputs for.
TEST(Neuron, WhatNeedsNoTreeHasNone) {
  for (bool embedded : {false, true})
    for (unsigned n : {64u, 1000u})
      for (unsigned t : {0u, 1u, n, n + 1}) {
        Neuron neuron(request(n, Form::absorbed, embedded, t));
        run_edges(neuron, n, embedded, t);
        const bool is_constant = t == 0 || t > n;
        EXPECT_LE(neuron.sites, is_constant ? 0 : embedded ? n / 5 + 3 : n * 2 / 5 + 3);
      }
  EXPECT_EQ(Neuron(request(5, Form::absorbed, true, 3)).sites, 1u);
  EXPECT_EQ(Neuron(request(3, Form::absorbed, true, std::nullopt)).sites, 1u);
  EXPECT_EQ(Neuron(request(3, Form::absorbed, false, 2)).sites, 1u);
  EXPECT_EQ(Neuron(request(2, Form::absorbed, false, std::nullopt)).sites, 1u);
  EXPECT_EQ(Neuron(request(3, Form::absorbed, false, std::nullopt)).sites, 3u);
  EXPECT_EQ(Neuron(request(5, Form::absorbed, true, std::nullopt)).sites, 3u);
  EXPECT_EQ(Neuron(request(6, Form::absorbed, true, std::nullopt)).sites, 4u);
}

// In two levels of LUTs, T as an input: it waits for the number of agreements where that has a
// register.
TEST(Neuron, ThresholdsOfFewAgreementsWaitForThem) {
  for (const auto& [n, embedded] : {std::pair{3u, false}, {4u, true}, {5u, true}, {6u, true}})
    for (const unsigned every : {1u, 2u}) {
      NeuronRequest r = request(n, Form::absorbed, embedded, std::nullopt);
      r.pipeline = every;
      const auto layer = make_neuron(r);
      EXPECT_EQ(layer->facts().latency, 3 - every);
      Builder builder(ir::Family::series7);
      ir::Module& m = layer->build(builder, {});
      builder.design().set_top(m.id());
      EXPECT_EQ(layer->facts().levels, every);
      EXPECT_EQ(backends::logic_depth(builder.design()).luts, every);
      backends::NativeMachine native(builder.design());
      const auto model = layer->model();
      backends::Stimulus stimulus(ir::layout(m), {.seed = 3, .cycles = 600, .stall = 0.2});
      EXPECT_TRUE(backends::run_lockstep(*model, native, stimulus, {.cycles = 600}).passed())
          << n << " inputs, a register every " << every;
    }
}

// With registers: in lockstep with the count of agreements, every kind without a tree.
TEST(Neuron, WhatNeedsNoTreeIsPipelinedAsWell) {
  for (bool embedded : {false, true})
    for (unsigned n : {2u, 40u})
      for (unsigned t : {0u, 1u, n, n + 1})
        for (unsigned every : {1u, 2u}) {
          NeuronRequest r = request(n, Form::absorbed, embedded, t);
          r.pipeline = every;
          auto layer = make_neuron(r);
          Builder builder(ir::Family::series7);
          ir::Module& m = layer->build(builder, {});
          builder.design().set_top(m.id());
          backends::NativeMachine native(builder.design());
          auto model = layer->model();
          backends::StimulusOptions options{.seed = 3, .cycles = 400, .stall = 0.2};
          // Beside random ones those that agree everywhere or nowhere, or all but once.
          const auto ports = ir::layout(m);
          options.weights.given = 5;
          for (std::uint64_t x : {0ull, 1ull, ~0ull, ~1ull}) {
            ir::Frame frame(ports.input_limbs, 0);
            frame[1] = frame[2] = 1;
            for (unsigned i = 0; i < n; ++i) {
              const std::uint64_t w = embedded ? (*r.weights)[i] : 1;
              frame[3] |= ((x >> i & 1) ^ w ^ 1) << i;
              if (!embedded) frame[4] |= w << i;
            }
            options.given.push_back(frame);
          }
          backends::Stimulus stimulus(ports, options);
          EXPECT_TRUE(backends::run_lockstep(*model, native, stimulus, {.cycles = 400}).passed())
              << n << " inputs, T " << t << ", a register every " << every;
        }
}

// LUT sites counted on the netlist, majority thresholds. The paper's construction in the same
// count has 44, 82, 164 and 319, embedded 30, 60, 119 and 228.
TEST(Neuron, SizesWithWeightsAsInputsAndEmbedded) {
  struct Size {
    unsigned n, inputs, embedded;
  };
  for (auto [n, inputs, embedded] :
       {Size{32, 32, 24}, Size{64, 69, 46}, Size{128, 129, 91}, Size{256, 287, 178}}) {
    for (bool e : {false, true}) {
      NeuronRequest r = request(n, Form::absorbed, e, n / 2 + 1);
      Neuron neuron(r);
      EXPECT_LE(neuron.sites, e ? embedded : inputs) << n;
      run_edges(neuron, n, e, n / 2 + 1);
      r.objective = compressor::Objective::luts;
      Neuron small(r);
      EXPECT_LE(small.sites, e ? (n == 32    ? 23u
                                  : n == 64  ? 46u
                                  : n == 128 ? 89u
                                             : 176u)
                               : (n == 32    ? 33u
                                  : n == 64  ? 60u
                                  : n == 128 ? 117u
                                             : 229u));
      run_edges(small, n, e, n / 2 + 1);
    }
  }
}

TEST(Neuron, AbsurdRequestsAreRefused) {
  auto refused = [](const NeuronRequest& r, const char* why) {
    try {
      plan_neuron(r);
      ADD_FAILURE() << why;
    } catch (const DesignError& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  refused(request(0, Form::absorbed, false, 0),
          "the neuron has no inputs; it must have at least 1");
  refused(request(8, Form::absorbed, false, 10),
          "the threshold is 10 for 8 inputs; it must be 0 (always one) to 9 (never)");
  NeuronRequest r = request(8, Form::absorbed, true, 4);
  r.weights->pop_back();
  refused(r, "there are 7 weights for 8 inputs; give one for each input");
}

TEST(Neuron, PlanSaysTheFormAndTheTree) {
  auto layer = make_neuron(request(9, Form::absorbed, false, 5));
  EXPECT_THAT(layer->plan_text(), HasSubstr("2^4 - T in the heap, y is the carry into column 4"));
  nlohmann::ordered_json json = tests::printed_plan(*layer);
  EXPECT_EQ(json["n"], 9);
  EXPECT_EQ(json["form"], "absorbed");
  EXPECT_EQ(json["embedded"], false);
}

// For the shortest delay a comparison of few bits is one LUT: no carry chain is left. For the
// fewest LUTs it is none.
TEST(NeuronForDelay, ComparesFewBitsInOneLut) {
  for (const auto objective : {compressor::Objective::delay, compressor::Objective::luts}) {
    NeuronRequest r = request(12, Form::absorbed, true, 7);
    r.objective = objective;
    Builder builder(ir::Family::series7);
    const ir::Module& m = make_neuron(r)->build(builder, {});
    const auto carries = std::ranges::count_if(
        m.cells(), [](const ir::Cell& c) { return c.kind == ir::Kind::carry4; });
    EXPECT_EQ(carries == 0, objective == compressor::Objective::delay) << name(objective);
  }
}

}  // namespace neuron_neuron_test
}  // namespace kumiki::gen::neuron
