// SPDX-License-Identifier: Apache-2.0
// Random wishes for dot products: what is not refused is a legal netlist and exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "backends/sim/lockstep/lockstep.h"
#include "backends/sim/lockstep/report.h"
#include "backends/sim/native/machine.h"
#include "gen/blocks/packing/schemes/schemes.h"
#include "gen/flow/network.h"
#include "gen/layers/dot/layer.h"
#include "gen/layers/dot/plan.h"
#include "ir/check.h"
#include "tests/support/long_form.h"
#include "tests/support/network_rig.h"
#include "tests/support/seed.h"

namespace kumiki::gen {
namespace dot_random_test {

class Wishes {
 public:
  explicit Wishes(std::uint32_t seed) : random_(seed) {}

  dot::Request next() {
    dot::Request r;
    if (!one_in(6)) r.scheme = packing::all_schemes()[below(packing::all_schemes().size())];
    r.terms = one_in(8) ? from(1, 90) : from(1, 20);
    // The widths that the schemes are made for, or any.
    const int bits = one_in(2) ? from(2, 8) : 8;
    r.packed = operand(one_in(4) ? from(1, 20) : bits, r.terms);
    r.shared = operand(one_in(4) ? from(1, 19) : bits, r.terms);
    if (one_in(8) && !r.packed.values) known(r.shared, r.terms, one_in(4) ? 2 : 1);
    r.skew = one_in(2) ? packing::Skew::External : packing::Skew::Internal;
    if (one_in(4)) r.cycles = from(1, std::min<std::int64_t>(r.terms, 6));
    r.objective = static_cast<packing::Objective>(below(3));
    r.offset_results = one_in(5);
    tune(r);
    return r;
  }

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  // mt19937 and % are the same everywhere, distributions of the library are not.
  int from(std::int64_t lo, std::int64_t hi) {
    return static_cast<int>(lo + below(static_cast<std::size_t>(hi - lo + 1)));
  }

  dot::Operand operand(int bits, std::int64_t terms) {
    dot::Operand o{.bits = bits, .is_signed = !one_in(3)};
    o.narrow = o.is_signed && bits > 1 && one_in(5);
    if (one_in(6)) {
      const std::int64_t lo = o.is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
      const std::int64_t a = from(lo + o.narrow, lo + (std::int64_t{1} << bits) - 1);
      const std::int64_t b = from(lo + o.narrow, lo + (std::int64_t{1} << bits) - 1);
      o.range = std::vector{std::min(a, b), std::max(a, b)};
    }
    if (one_in(30)) known(o, terms, 2);
    return o;
  }
  void known(dot::Operand& o, std::int64_t terms, int rows) {
    o.range.reset();
    o.narrow = false;
    o.values.emplace(static_cast<std::size_t>(rows));
    const std::int64_t lo = o.is_signed ? -(std::int64_t{1} << (o.bits - 1)) : 0;
    for (auto& row : *o.values)
      for (std::int64_t t = 0; t < terms; ++t)
        row.push_back(one_in(4) ? (lo <= 0 ? 0 : lo)
                                : from(lo, lo + (std::int64_t{1} << o.bits) - 1));
  }
  // Keys that the scheme looks at, and now and then one that it does not.
  void tune(dot::Request& r) {
    packing::Tuning& t = r.tuning;
    const auto also = [&](const char* key) {
      const auto scheme = r.scheme.value_or(packing::Scheme::Canary);
      return one_in(packing::entry_of(scheme).is_tuned_by(key) ? 8 : 80);
    };
    if (also("guard")) t.guard = from(4, 24);
    if (also("segment")) t.segment = from(1, 12);
    if (also("packed_count")) t.packed_count = from(1, 4);
    if (also("shared_count")) t.shared_count = from(1, 4);
    if (also("centre_packed")) t.centre_packed = one_in(2);
    if (also("centre_shared")) t.centre_shared = one_in(2);
    if (also("chains_per_drain")) t.chains_per_drain = from(1, 2);
    if (also("macc_slices")) t.macc_slices = from(1, 8);
    if (also("watch_bits")) t.watch_bits = from(1, 3);
    if (also("look_period")) t.look_period = from(1, 8);
    if (also("canary_bits")) t.canary_bits = from(1, 3);
  }

  std::mt19937 random_;
};

enum class Outcome { Refused, Exact, Wrong };

Outcome run(const dot::Request& request, std::uint32_t seed) {
  std::unique_ptr<Layer> layer;
  try {
    layer = dot::make_layer(request);
  } catch (const DesignError&) {
    return Outcome::Refused;
  }
  std::vector<NamedLayer> layers;
  layers.push_back({"d", "dot", {}, std::move(layer)});
  Builder builder;
  const auto network = build_network(builder, "random", layers);
  const auto& design = builder.design();
  if (const auto wrong = ir::check(design, {.warnings = false}); !wrong.empty()) {
    ADD_FAILURE() << wrong.size() << " mistakes in the netlist";
    return Outcome::Wrong;
  }
  constexpr std::uint64_t cycles = 500;
  const auto ports = ir::layout(design.top());
  auto options = flow::stimulus_of(network);
  options.seed = seed;
  options.cycles = cycles;
  options.stall = 0.1;
  options.resets = 1;
  backends::NativeMachine native(design);
  const auto model = network_model(network);
  backends::Stimulus stimulus(ports, options);
  const auto result = backends::run_lockstep(*model, native, stimulus, {.cycles = cycles});
  EXPECT_TRUE(result.passed()) << backends::report(design, result, "the netlist");
  EXPECT_GT(result.comparisons, cycles) << "no results came";
  return result.passed() ? Outcome::Exact : Outcome::Wrong;
}

class RandomDots : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomDots, AreRefusedOrExact) {
  constexpr int all = 1000, part = 100;
  const int wishes = test::long_form() ? all : part;
  Wishes random(GetParam());
  // The first of them; with another seed another part.
  if (!test::long_form())
    for (auto n = (test::rotating_seed() - 1) % (all / part) * part; n > 0; --n)
      (void)random.next();
  std::map<std::string, int> exact;
  int refused = 0;
  for (int k = 0; k < wishes && !HasFailure(); ++k) {
    const auto request = random.next();
    SCOPED_TRACE(fmt::format("objective {} of seed {}", k, GetParam()));
    try {
      const auto outcome = run(request, GetParam() + static_cast<std::uint32_t>(k));
      refused += outcome == Outcome::Refused ? 1 : 0;
      if (outcome == Outcome::Exact) ++exact[request.scheme ? to_string(*request.scheme) : "any"];
      if (outcome == Outcome::Wrong) ADD_FAILURE() << to_text(*dot::plan(request));
    } catch (const std::exception& e) {
      ADD_FAILURE() << "neither refused nor built: " << e.what() << "\n"
                    << to_text(*dot::plan(request));
    }
  }
  EXPECT_GT(exact.size(), 5u) << "too few schemes met a objective that they can serve";
  EXPECT_GT(wishes - refused, wishes / 4);
}

// An operand that is always 0: results of one bit, and what takes the offset out of them is a
// multiple of 4.
TEST(DotOfZeros, AConstantMayLieAboveAllBitsOfAResult) {
  dot::Request r{.terms = 1};
  r.scheme = packing::Scheme::OffsetBinary;
  r.packed = {.bits = 2, .is_signed = false, .range = std::vector<std::int64_t>{0, 0}};
  r.shared = {.bits = 2, .is_signed = true, .narrow = true};
  r.tuning.shared_count = 2;
  r.tuning.centre_packed = true;
  EXPECT_EQ(run(r, 1), Outcome::Exact);
}

INSTANTIATE_TEST_SUITE_P(Dot, RandomDots, ::testing::Values(1u, 2u, 3u, 4u));

}  // namespace dot_random_test
}  // namespace kumiki::gen
