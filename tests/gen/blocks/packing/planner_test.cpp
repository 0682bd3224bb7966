// SPDX-License-Identifier: Apache-2.0
// The planner puts first what was asked for.
#include "gen/blocks/packing/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/fabric.h"
#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_planner_test {

TEST(Planner, RanksByTheWish) {
  Request request{.packed = S(8), .shared = S(8), .terms = 256, .cycles = 1};
  const auto slices = enumerate(request);
  EXPECT_EQ(mac_per_slice(slices.front()), (Ratio{2, 1}));
  EXPECT_EQ(slices.front().scheme, Scheme::CarryLane);

  request.objective = Objective::NoLut;
  const auto no_lut = enumerate(request);
  EXPECT_EQ(no_lut.front().scheme, Scheme::CarryLaneDrain);
  EXPECT_TRUE(no_lut.front().lut_free());
  EXPECT_GE(mac_per_slice(no_lut.front()).value(), 1.99);

  request.objective = Objective::ShortestLatency;
  const auto quick = enumerate(request);
  for (const auto& plan : quick) EXPECT_GE(plan.latency, quick.front().latency);

  request.objective = Objective::FewestSlices;
  request.packed = S(4), request.shared = U(4), request.cycles = std::nullopt;
  EXPECT_EQ(mac_per_slice(enumerate(request).front()), (Ratio{6, 1}));
  request.packed = S(2), request.shared = U(2);
  EXPECT_EQ(mac_per_slice(enumerate(request).front()), (Ratio{18, 1}));
  request.packed = S(3), request.shared = U(3);
  EXPECT_EQ(mac_per_slice(enumerate(request).front()), (Ratio{12, 1}));
}

// What a wish counts first, then what it always counts: slices for a product and clock.
std::pair<double, double> cost(const PackingPlan& p, Objective objective) {
  const double slices = 1 / mac_per_slice(p).value(), products = static_cast<double>(p.macs());
  switch (objective) {
    case Objective::FewestSlices:
      return {slices, slices};
    case Objective::NoLut:
      return {p.lut_free() ? 0 : 1, slices};
    case Objective::ShortestLatency:
      return {p.latency, slices};
    case Objective::LeastArea:
      return {100 * slices + static_cast<double>(sites_of_fabric(p) * p.cycles()) / products,
              slices};
  }
  return {};
}

TEST(Planner, IsSortedAndWithoutTwins) {
  for (const Objective objective : {Objective::FewestSlices, Objective::NoLut,
                                    Objective::ShortestLatency, Objective::LeastArea}) {
    const auto plans =
        enumerate({.packed = U(8), .shared = S(8), .terms = 40, .objective = objective});
    ASSERT_GT(plans.size(), 4u);
    for (std::size_t k = 1; k < plans.size(); ++k) {
      EXPECT_LE(cost(plans[k - 1], objective), cost(plans[k], objective)) << k;
      EXPECT_NE(to_text(plans[k]), to_text(plans[k - 1]));
    }
  }
}

TEST(Planner, GivesTheSamePlansTwice) {
  const Request request{.packed = S(6), .shared = U(6), .terms = 100};
  const auto once = enumerate(request);
  const auto twice = enumerate(request);
  ASSERT_EQ(once.size(), twice.size());
  for (std::size_t k = 0; k < once.size(); ++k) EXPECT_EQ(to_text(once[k]), to_text(twice[k]));
}

TEST(Planner, MixedWidths) {
  // W4A8 in one slice, wires: -8 at G = 23 with a negative neighbour leaves 27 bits, so G = 22 and
  // (2^22 - 1) / 2040 terms; -7 fits G = 23 and (2^23 - 1) / 1792.
  for (const auto& [packed, terms] : {std::pair{S(4), 2056}, std::pair{Narrow(4), 4681}}) {
    const auto w4a8 = plan({.packed = packed, .shared = S(8), .terms = terms}, Scheme::WrapCounter);
    EXPECT_EQ(w4a8.slices.size(), 1u);
    EXPECT_EQ(w4a8.guard, packed.narrow ? 23 : 22);
    EXPECT_EQ(w4a8.separation, Separation::Wires);
    EXPECT_EQ(plan({.packed = packed, .shared = S(8), .terms = terms + 1}, Scheme::WrapCounter)
                  .separation,
              Separation::WrapCounter);
  }
  EXPECT_EQ(plan({.packed = S(8), .shared = S(4), .terms = 256}, Scheme::OffsetBinary).guard, 18);
  EXPECT_EQ(plan({.packed = Narrow(9), .shared = S(8), .terms = 64}, Scheme::CarryLane).guard, 18);
  EXPECT_EQ(
      mac_per_slice(plan({.packed = S(4), .shared = S(4), .terms = 65536}, Scheme::WrapCounter)),
      (Ratio{2, 1}));
}

// A spacing that no scheme can use refuses each of them, one by one.
TEST(Planner, ImpossibleGuardIsRefusedByEveryScheme) {
  for (const int guard : {26, 47, 48, 100}) {
    std::vector<Refusal> refused;
    Request request{.packed = S(8), .shared = S(8), .terms = 9, .tuning = {.guard = guard}};
    for (const auto& plan : enumerate(request, &refused))
      EXPECT_EQ(plan.scheme, Scheme::Single) << name_of(plan);
    for (const Scheme scheme : all_schemes()) {
      if (scheme == Scheme::Single) continue;
      EXPECT_TRUE(std::any_of(refused.begin(), refused.end(),
                              [&](const Refusal& r) { return r.scheme == scheme; }))
          << to_string(scheme) << " at G = " << guard;
    }
  }
}

TEST(Planner, SchemesHaveNames) {
  for (const Scheme scheme : all_schemes()) EXPECT_EQ(scheme_from(to_string(scheme)), scheme);
  EXPECT_EQ(all_schemes().size(), 16u);
  EXPECT_EQ(scheme_from("wp487"), std::nullopt);
}

// The check is the last word on wiring: a plan that cannot be wired, or not in time, is refused.
// What a plan computes is the evaluation's business, below.
TEST(Check, FindsWhatIsWrong) {
  const Request request{.packed = S(8), .shared = S(8), .terms = 64};
  const PackingPlan good = plan(request, Scheme::CarryLaneDrain);
  EXPECT_NO_THROW(check(good));
  int turned = 0;
  const auto broken = [&](const std::function<void(PackingPlan&)>& turn) {
    PackingPlan plan = good;
    turn(plan);
    EXPECT_THROW(check(plan), std::logic_error) << "turn " << turned;
    ++turned;
  };
  broken([](PackingPlan& p) { ++p.slices[3].cycle; });
  broken([](PackingPlan& p) { p.slices[3].cascade = -1; });
  broken([](PackingPlan& p) { p.slices[3].cascade = 5; });
  broken([](PackingPlan& p) { p.slices.back().sources[0] = 60; });
  broken([](PackingPlan& p) { p.slices.back().sources[2] = 60; });
  broken([](PackingPlan& p) { p.slices[2].term = -1; });
  broken([](PackingPlan& p) { p.kinds[0].rnd = 0; });
  broken([](PackingPlan& p) { p.kinds.back().ab = {}; });
  broken([](PackingPlan& p) { p.kinds.back().c.pieces.front().at = 48; });
  broken(
      [](PackingPlan& p) { p.kinds.back().c.pieces.push_back(p.kinds.back().c.pieces.front()); });
  broken([](PackingPlan& p) { p.kinds.back().c.pieces.front().lsb = 40; });
  broken([](PackingPlan& p) { p.kinds[0].load = Opmode::of(Opmode::W0, Opmode::ZP, Opmode::M); });
  broken([](PackingPlan& p) { p.kinds[0].simd = Simd::Two24; });
  broken([](PackingPlan& p) { p.limits.w_multiplexer = false; });
  broken([](PackingPlan& p) { p.results[0].stages[0].ready = 1; });
  broken([](PackingPlan& p) { p.results[0].signals[0].lsb = 40; });
  broken([](PackingPlan& p) { p.results.pop_back(); });
  broken([](PackingPlan& p) { p.ports.a.pieces.push_back(p.ports.a.pieces.front()); });
}

// An OPMODE that the evaluation can follow and that adds something else than before.
bool another(const SliceKind& kind, Opmode op) {
  const int xy = op.bits & 0b1111;
  if (xy != 0 && xy != Opmode::M && xy != Opmode::AB && xy != Opmode::C && xy != Opmode::AB_C)
    return false;
  if (op.z() > 3 || (op.z() == Opmode::ZPcin && kind.load.z() != Opmode::ZPcin)) return false;
  const bool rnd = kind.rnd != 0;
  const bool same_w = !rnd && !kind.c.used() && op.w() != Opmode::WP && kind.load.w() == Opmode::W0;
  return !(same_w && (op.bits & 0b1111111) == (kind.load.bits & 0b1111111));
}

// A wrong constant, a wrong bit or a wrong OPMODE changes the results: the evaluation is no
// tautology.
TEST(Evaluation, DependsOnEveryConstant) {
  const PackingPlan good =
      plan({.packed = S(8), .shared = S(8), .terms = 64}, Scheme::CarryLaneDrain);
  std::mt19937_64 rng(17);
  std::vector<Operands> sets;
  for (int k = 0; k < 40; ++k)
    sets.push_back(random_operands(good, rng, static_cast<unsigned>(k % 9)));
  const auto wrong = [&](const std::function<void(PackingPlan&)>& turn) {
    PackingPlan plan = good;
    turn(plan);
    Evaluator evaluator(plan);
    for (const auto& set : sets)
      if (evaluator.run(set).results != dots(plan, set)) return true;
    return false;
  };
  EXPECT_FALSE(wrong([](PackingPlan&) {}));
  int turned = 0;
  for (std::size_t k = 0; k < good.kinds.size(); ++k) {
    const SliceKind& kind = good.kinds[k];
    for (int bit = 0; bit < 9; ++bit) {
      const Opmode op{static_cast<std::uint16_t>(kind.load.bits ^ 1 << bit)};
      if (!another(kind, op)) continue;
      ++turned;
      EXPECT_TRUE(wrong([&](PackingPlan& p) { p.kinds[k].load = op; }))
          << kind.name << " " << to_string(op);
    }
    for (int bit = 0; bit < 48 && kind.rnd != 0; bit += 7)
      EXPECT_TRUE(wrong([&](PackingPlan& p) { p.kinds[k].rnd ^= power_of_two(bit); })) << bit;
    for (std::size_t piece = 0; piece < kind.c.pieces.size(); ++piece)
      EXPECT_TRUE(wrong([&](PackingPlan& p) { p.kinds[k].c.pieces[piece].invert ^= true; }));
    for (std::size_t piece = 0; piece < kind.c.pieces.size(); ++piece) {
      if (kind.c.pieces[piece].at + kind.c.pieces[piece].width == kWordBits) continue;
      EXPECT_TRUE(wrong([&](PackingPlan& p) { ++p.kinds[k].c.pieces[piece].at; }));
    }
  }
  EXPECT_GE(turned, 8);
}

// What plan() makes of a request, or why it makes nothing.
std::string outcome(const Request& request, Scheme scheme) {
  try {
    return to_text(plan(request, scheme));
  } catch (const Refusal& r) {
    return to_string(r);
  }
}

// A value fixed by hand. Where it is 0 it may stand for false.
void fix(Tuning& t, std::string_view key, int value) {
  const std::pair<std::string_view, std::optional<int> Tuning::*> numbers[] = {
      {"guard", &Tuning::guard},
      {"segment", &Tuning::segment},
      {"packed_count", &Tuning::packed_count},
      {"shared_count", &Tuning::shared_count},
      {"chains_per_drain", &Tuning::chains_per_drain},
      {"macc_slices", &Tuning::macc_slices},
      {"watch_bits", &Tuning::watch_bits},
      {"look_period", &Tuning::look_period},
      {"canary_bits", &Tuning::canary_bits}};
  for (const auto& [name, member] : numbers)
    if (name == key) t.*member = value;
  if (key == "centre_packed") t.centre_packed = value != 0;
  if (key == "centre_shared") t.centre_shared = value != 0;
}

// A scheme looks at the keys that it says it is tuned by, and at no other.
TEST(Planner, EverySchemeIsTunedByWhatItSays) {
  std::vector<Request> requests;
  for (const OperandFormat& packed :
       {S(8), U(8), U(4), Known(8, {{3, -2, 1, 0, 5, 7, -8, 1, 2}, {1, 1, 0, 0, 2, 3, 4, -5, 6}})})
    for (const OperandFormat& shared : {S(8), U(4)})
      requests.push_back({.packed = packed, .shared = shared, .terms = 9});
  requests.push_back(
      {.packed = U(8), .shared = Known(8, {{3, -2, 1, 0, 5, 7, -8, 1, 2}}), .terms = 9});
  requests.push_back({.packed = S(8), .shared = U(4), .terms = 9, .tuning = {.shared_count = 1}});
  for (const SchemeEntry& entry : scheme_table())
    for (const std::string_view key :
         {"guard", "segment", "packed_count", "shared_count", "centre_packed", "centre_shared",
          "chains_per_drain", "macc_slices", "watch_bits", "look_period", "canary_bits"}) {
      SCOPED_TRACE(fmt::format("{} of {}", key, entry.name));
      bool looks = false;
      for (const Request& plain : requests) {
        const auto without = outcome(plain, entry.scheme);
        for (const int value : {0, 1, 2, 3, 12, 17}) {
          Request tuned = plain;
          if (value == 0 && !key.starts_with("centre")) continue;
          if (value > 3 && key != "guard" && key != "segment") continue;
          fix(tuned.tuning, key, value);
          looks = looks || outcome(tuned, entry.scheme) != without;
        }
      }
      EXPECT_EQ(looks, entry.is_tuned_by(key));
    }
}

TEST(Planner, WhatIsAskedForIsNotPassedOver) {
  Request request{.packed = S(8), .shared = S(8), .terms = 9, .asked_for = {"watch_bits"}};
  request.tuning.watch_bits = 2;
  std::vector<Refusal> refused;
  for (const PackingPlan& p : enumerate(request, &refused))
    EXPECT_EQ(p.scheme, Scheme::WrapCounter) << to_text(p);
  EXPECT_EQ(std::ranges::count(refused, "watch_bits", &Refusal::passed_over),
            std::ssize(scheme_table()) - 1);
  try {
    plan(request, Scheme::Single);
    FAIL() << "planned";
  } catch (const Refusal& r) {
    EXPECT_EQ(r.code, code::key_without_use);
    EXPECT_EQ(to_string(r), "single: watch_bits has no effect on it; use wrap-counter");
  }
}

}  // namespace packing_planner_test
}  // namespace kumiki::gen::packing
