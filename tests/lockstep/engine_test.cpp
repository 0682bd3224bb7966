// SPDX-License-Identifier: Apache-2.0
// The engine behind its streams: whole networks on the netlist and on the model, in every clock,
// and their results against the definition of the network.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "gen/graph/text.h"
#include "gen/layers/engine/host.h"
#include "tests/support/beside_model.h"
#include "tests/support/engine_networks.h"
#include "tests/support/long_form.h"
#include "tests/support/seed.h"

namespace kumiki::gen::engine::stream_test {

using test::EngineNetwork;
using test::EngineNetworks;

class EngineRig : public test::BesideModel<EnginePlan, EngineIn, EngineOut, EngineModel> {
 public:
  explicit EngineRig(const EnginePlan& plan, ir::Family family = ir::Family::ultrascale_plus)
      : BesideModel(plan, build_engine, family) {}

  // Runs a program on an image, with stalls on both streams, or never if `one_in` is 0. Stops after
  // `most` clocks. Begins with a reset.
  Host play(const std::shared_ptr<const Program>& program, std::span<const std::int32_t> image,
            std::uint64_t seed, unsigned one_in,
            std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    std::mt19937_64 random(seed);
    const auto coin = [&] { return one_in == 0 || random() % one_in != 0; };
    Host host(std::make_shared<SharedBeats>(plan(), program), image);
    for (; most > 0 && !host.is_done(); --most) {
      const bool sends = coin();
      const EngineIn<Values> in = host.drive(sends, coin());
      host.watch(in, step(in));
      if (::testing::Test::HasFailure() || host.since() > 100'000) {
        ADD_FAILURE() << "the engine stops after " << host.clocks() << " clocks";
        break;
      }
    }
    EXPECT_FALSE(host.has_wrong_end());
    return host;
  }
};

void expect_results(EngineRig& rig, const EngineNetwork& n, unsigned one_in) {
  const Host host = rig.play(n.program, n.image, n.seed, one_in);
  ASSERT_FALSE(::testing::Test::HasFailure()) << "network of seed " << n.seed;
  const auto results = host.results(), wanted = n.wanted();
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i], wanted[i]) << "network of seed " << n.seed << ", output " << i;
}

void expect_networks(const EngineShape& shape, bool is_double, std::size_t wanted, unsigned one_in,
                     ir::Family family = ir::Family::ultrascale_plus) {
  EngineRig rig({plan_core(shape, is_double, false, packing::Limits::of(family))}, family);
  EngineNetworks networks(rig.plan(), test::rotating_seed());
  for (std::size_t done = 0; done < wanted; ++done) {
    const auto network = networks.next();
    ASSERT_TRUE(network) << done << " networks";
    expect_results(rig, *network, one_in);
  }
  std::printf("%zu networks, %lld clocks\n", wanted, static_cast<long long>(rig.clocks()));
}

constexpr EngineShape wide{
    .rows = 16, .columns = 4, .beat_parts = 4, .places = 4096, .weight_words = 64};
constexpr EngineShape small{.rows = 16, .columns = 4, .places = 4096, .weight_words = 64};

TEST(Engine, NetworksFromAStream) { expect_networks(small, false, 6, 0); }
TEST(Engine, NetworksOnThe7Series) {
  expect_networks(small, false, 3, 0, ir::Family::series7);
  expect_networks(small, true, 2, 3, ir::Family::series7);
}
TEST(Engine, WideBeats) {
  expect_networks(wide, false, 4, 0);
  expect_networks({.rows = 32, .columns = 8, .beat_parts = 2, .places = 4096, .weight_words = 64},
                  true, 2, 0);
}
TEST(Engine, WideBeatsThatStall) { expect_networks(wide, false, 2, 3); }
TEST(Engine, StallsOnBothStreams) { expect_networks(small, false, 4, 3); }
TEST(Engine, OnTwoClocks) {
  expect_networks({.rows = 32, .columns = 8, .places = 4096, .weight_words = 64}, true, 2, 0);
}

// A layer of four tiles and a ring of two words: a tile's weights wait until those of another one
// have been used.
EngineNetwork four_tiles(const EngineShape& shape, std::uint64_t seed) {
  return test::engine_network(test::convolution_of({8, 6, 6}, {}, 1, seed), shape, seed);
}

// As many blocks as fill a ring several times, and maps that take longer than the next weights:
// a word of a beat would come when the ring is full.
TEST(Engine, WordsOfOneBeatInAFullRing) {
  for (const EngineShape shape :
       {EngineShape{.rows = 8, .columns = 8, .places = 4096, .weight_words = 16},
        EngineShape{
            .rows = 8, .columns = 4, .beat_parts = 2, .places = 4096, .weight_words = 16}}) {
    const std::uint64_t seed = test::rotating_seed();
    const graph::Graph g = test::convolution_of(
        {64, 10, 10}, {.kernel = {3, 3}, .before = {1, 1}, .after = {1, 1}}, 64, seed);
    EngineRig rig({plan_core(shape, false)});
    expect_results(rig, test::engine_network(g, shape, seed), 0);
  }
}

std::size_t expect_sums(const EngineShape& shape, bool is_double, std::size_t networks,
                        unsigned one_in) {
  EngineRig rig({plan_core(shape, is_double)});
  const std::uint64_t seed = test::rotating_seed();
  std::array<std::size_t, 2> sums{};  // of products, of the depthwise unit
  for (std::size_t i = 0; i < networks; ++i) {
    const graph::Graph g = test::RandomGraph(seed + i).of_sums();
    Program p = lower(g, shape);
    EXPECT_EQ(why_not(rig.plan(), p), "") << "network of seed " << seed + i;
    for (const Step& step : p.steps)
      if (const auto* op = std::get_if<Op>(&step); op && op->second)
        ++sums[op->unit == Unit::products ? 0 : 1];
    expect_results(
        rig, test::engine_network(std::make_shared<const Program>(std::move(p)), seed + i), one_in);
    if (::testing::Test::HasFailure()) break;
  }
  std::printf("%zu sums of products, %zu of the depthwise unit\n", sums[0], sums[1]);
  return std::min(sums[0], sums[1]);
}

TEST(Engine, SumsOfTwoMaps) {
  EXPECT_GE(expect_sums(small, false, test::long_form() ? 12 : 2, 0), 2u);
}
TEST(Engine, SumsThatStall) { EXPECT_GE(expect_sums(small, false, 1, 3), 1u); }
TEST(Engine, SumsOnTwoClocks) {
  EXPECT_GE(expect_sums({.rows = 16, .columns = 8, .places = 4096, .weight_words = 64}, true, 2, 0),
            2u);
}
TEST(Engine, SumsOfAsManyRowsAsColumns) {
  EXPECT_GE(
      expect_sums({.rows = 8, .columns = 8, .places = 4096, .weight_words = 128}, false, 2, 0), 2u);
}

// What the graphs of gates have that others seldom have.
struct Seldom {
  std::size_t gates = 0, joined = 0, phases = 0, repeated = 0;
  void count(const Program& p) {
    for (const Step& step : p.steps)
      if (const auto* op = std::get_if<Op>(&step)) {
        gates += !op->fills.empty();
        joined += op->reads_target;
        phases += std::max(op->target.columns.steps.size(), op->target.lines.steps.size()) > 2;
        repeated += op->walk.repeats_weights && op->walk.repeats > 1;
      }
  }
};

Seldom expect_gates(const EngineShape& shape, bool is_double, std::size_t networks,
                    unsigned one_in) {
  EngineRig rig({plan_core(shape, is_double)});
  const std::uint64_t seed = test::rotating_seed();
  Seldom seldom;
  for (std::size_t i = 0, done = 0; done < networks; ++i) {
    Program p;
    try {
      p = lower(test::RandomGraph(seed * 1000 + i).of_gates(), shape);
    } catch (const DesignError& e) {
      EXPECT_NE(std::string(e.what()).find("no scale gives its products"), std::string::npos)
          << e.what();
      EXPECT_LT(i, 4 * networks) << "too many are refused";
      if (::testing::Test::HasFailure()) break;
      continue;
    }
    ++done;
    if (const std::string why = why_not(rig.plan(), p); !why.empty()) {
      EXPECT_NE(why.find("phases"), std::string::npos) << why;
      continue;
    }
    seldom.count(p);
    expect_results(rig, test::engine_network(std::make_shared<const Program>(std::move(p)), i),
                   one_in);
    if (::testing::Test::HasFailure()) break;
  }
  std::printf("%zu gates, %zu joined, %zu of more phases, %zu repeated\n", seldom.gates,
              seldom.joined, seldom.phases, seldom.repeated);
  return seldom;
}

TEST(Engine, GatesJoinsAndPhases) {
  const Seldom seen = expect_gates(small, false, test::long_form() ? 20 : 4, 0);
  EXPECT_GE(seen.gates, 2u);
  EXPECT_GE(seen.joined, 1u);
  EXPECT_GE(seen.phases, 1u);
  EXPECT_GE(seen.repeated, 2u);
}
TEST(Engine, GatesInWideBeats) {
  EXPECT_GE(expect_gates(wide, false, 2, 0).gates, 1u);
  EXPECT_GE(
      expect_gates({.rows = 16, .columns = 8, .beat_parts = 2, .places = 4096, .weight_words = 64},
                   true, 2, 0)
          .gates,
      1u);
}
TEST(Engine, GatesThatStall) { EXPECT_GE(expect_gates(small, false, 2, 3).gates, 1u); }
TEST(Engine, GatesOnTwoClocks) {
  EXPECT_GE(expect_gates({.rows = 16, .columns = 8, .places = 4096, .weight_words = 64}, true, 2, 0)
                .gates,
            1u);
}

// Products of two maps; a word of weights may be longer than what waits on its way out of the maps.
void expect_attention(const EngineShape& shape, bool is_double, std::size_t networks,
                      unsigned one_in) {
  EngineRig rig({plan_core(shape, is_double)});
  const std::uint64_t seed = test::rotating_seed();
  std::size_t filled = 0;
  for (std::size_t i = 0; i < networks && !::testing::Test::HasFailure(); ++i) {
    Program p = lower(test::RandomGraph(seed * 1000 + i)
                          .of_attention(static_cast<int>(shape.rows), shape.normalises),
                      shape, 1 + static_cast<std::int64_t>(i % 2));
    EXPECT_EQ(why_not(rig.plan(), p), "");
    for (const Step& step : p.steps)
      if (const auto* op = std::get_if<Op>(&step)) filled += op->fills.size();
    expect_results(rig, test::engine_network(std::make_shared<const Program>(std::move(p)), i),
                   one_in);
  }
  EXPECT_GE(filled, 4 * networks);
  std::printf("%zu tiles filled from maps\n", filled);
}

TEST(Engine, Attention) { expect_attention(small, false, test::long_form() ? 20 : 2, 0); }
TEST(Engine, AttentionInWideBeats) {
  if (test::long_form()) expect_attention(wide, false, 6, 0);
  expect_attention({.rows = 16, .columns = 8, .beat_parts = 2, .places = 4096, .weight_words = 64},
                   true, 1, 0);
}
TEST(Engine, AttentionThatStalls) { expect_attention(small, false, 1, 3); }
TEST(Engine, AttentionOfAsManyRowsAsColumns) {
  expect_attention({.rows = 16, .columns = 16, .places = 4096, .weight_words = 64}, true, 1, 0);
}
TEST(Engine, AttentionInASmallRing) {
  expect_attention({.rows = 8, .columns = 4, .places = 4096, .weight_words = 32}, false, 2, 0);
}

TEST(Engine, Transformers) {
  EngineShape shape = small;
  shape.normalises = true;
  expect_attention(shape, false, test::long_form() ? 20 : 2, 0);
  shape.columns = 8;
  shape.beat_parts = 2;
  expect_attention(shape, true, test::long_form() ? 6 : 1, 0);
}
TEST(Engine, TransformersThatStall) {
  expect_attention(
      {.rows = 8, .columns = 8, .places = 4096, .weight_words = 64, .normalises = true}, false, 2,
      3);
}

// The clocks between two resets are fewer than those in which something is on its way.
TEST(Engine, ResetsInTheMiddle) {
  const EngineShape shape{.rows = 8, .columns = 2, .places = 256, .weight_words = 2};
  EngineRig rig({plan_core(shape, false)});
  const EngineNetwork network = four_tiles(shape, test::rotating_seed());
  const std::int64_t begin = rig.clocks();
  expect_results(rig, network, 0);
  const std::int64_t clocks = rig.clocks() - begin,
                     step = (rig.plan().core.freed() - 1) * (test::long_form() ? 1 : 3);
  for (std::int64_t cut = step; cut < clocks; cut += step) {
    rig.play(network.program, network.image, network.seed, 0, cut);
    expect_results(rig, network, 0);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "a reset after " << cut << " clocks";
  }
}

// Biases near both ends of 32 bits: all bytes, of which some leave them.
TEST(Engine, SumsWrapAround) {
  const graph::Graph g = graph::parse_graph("wraps.graph", R"(graph wraps
tensor x s8 1x16x16 scale 0x1p-7
tensor y s8 4x16x16 scale 0x1p-6 zero 3
input x
output y
conv c x -> y kernel 1x1
  scales 0x1p-25
  bias 2147478648 -2147478648 2147483519 -2147483519
  weights 127
  weights -90
  weights 1
  weights -1
)");
  EngineRig rig({plan_core(small, false)});
  EngineNetwork network = test::engine_network(g, small, 1);
  std::iota(network.image.begin(), network.image.end(), -128);
  expect_results(rig, network, 0);
  // 64 or -64, the other one where a sum wraps, plus the zero point.
  const auto channel = [&](std::size_t c) {
    const auto all = network.wanted()[0];
    return std::set<std::int32_t>(all.begin() + static_cast<std::ptrdiff_t>(256 * c),
                                  all.begin() + static_cast<std::ptrdiff_t>(256 * (c + 1)));
  };
  for (const std::size_t c : {0, 1}) EXPECT_EQ(channel(c), (std::set<std::int32_t>{-61, 67}));
  EXPECT_EQ(channel(2), std::set<std::int32_t>{67});
  EXPECT_EQ(channel(3), std::set<std::int32_t>{-61});
}

TEST(Engine, MapsThatWaitOutside) {
  const EngineShape shape{.rows = 8, .columns = 4, .places = 4096, .weight_words = 128};
  EngineRig rig({plan_core(shape, false)});
  const std::uint64_t seed = test::rotating_seed();
  const std::size_t wanted = test::long_form() ? 8 : 1;
  std::size_t done = 0;
  for (std::uint64_t i = 0; i < 100 && done < wanted; ++i) {
    const auto program = test::with_few_places(test::RandomGraph(seed * 1000 + i).of_sums(), shape);
    if (!program || !why_not(rig.plan(), *program).empty()) continue;
    ++done;
    expect_results(rig, test::engine_network(program, seed + i), 3);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "network " << i;
  }
  EXPECT_EQ(done, wanted);
}

}  // namespace kumiki::gen::engine::stream_test
