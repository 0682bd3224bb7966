// SPDX-License-Identifier: Apache-2.0
// Every scheme has a request that no other scheme serves as well: in slices, LUTs, clocks of
// latency and flip-flops together. A scheme without one goes.
#include <algorithm>
#include <array>
#include <set>

#include "tests/gen/blocks/packing/built.h"
#include "tests/gen/blocks/packing/support.h"

namespace kumiki::gen::packing {
namespace packing_front_test {

// These reproduce the white papers under their own names, exactly as published
// (docs/decisions/packing-schemes.md). README.md, examples/packing-64.json and docs/figures.md show
// them, and the other schemes are measured against them, so they need no request of their own.
const std::set<Scheme> published{Scheme::Wp487Int8, Scheme::Wp487Int8Dsp, Scheme::Wp487Uint8};

// For the results of one word: slices, LUTs, latency, flip-flops.
using Figures = std::array<std::int64_t, 4>;
struct Entry {
  PackingPlan plan;
  Figures figures;
};

std::vector<Entry> entries(const Request& request) {
  std::vector<Entry> all;
  for (PackingPlan& plan : enumerate(request)) {
    const ir::Cost cost = built(plan);
    const auto slices = static_cast<std::int64_t>(plan.slices.size());
    all.push_back({plan,
                   {slices, static_cast<std::int64_t>(cost.luts + cost.lut_rams), plan.latency,
                    static_cast<std::int64_t>(cost.ffs)}});
  }
  return all;
}

// Copies of `one` that make the results of `other` in as many cycles; 0: none do.
std::int64_t copies(const PackingPlan& one, const PackingPlan& other) {
  if (one.cycles() != other.cycles() || other.packed_count % one.packed_count != 0 ||
      other.shared_count % one.shared_count != 0)
    return 0;
  return other.packed_count / one.packed_count * (other.shared_count / one.shared_count);
}

bool serves_as_well(const Entry& one, const Entry& other) {
  const std::int64_t n = copies(one.plan, other.plan);
  return n != 0 && n * one.figures[0] <= other.figures[0] &&
         n * one.figures[1] <= other.figures[1] && one.figures[2] <= other.figures[2] &&
         n * one.figures[3] <= other.figures[3];
}

// Schemes with a plan that no other scheme's plan serves as well as.
std::set<Scheme> front(const Request& request) {
  const auto all = entries(request);
  std::set<Scheme> schemes;
  for (const Entry& e : all)
    if (std::none_of(all.begin(), all.end(), [&](const Entry& other) {
          return other.plan.scheme != e.plan.scheme && serves_as_well(other, e);
        }))
      schemes.insert(e.plan.scheme);
  return schemes;
}

TEST(Front, EverySchemeIsOnOne) {
  std::vector<std::int64_t> blur(16, 1);
  blur[5] = 4, blur[6] = -2, blur[11] = 0;
  const Request int8{.packed = S(8), .shared = S(8)};
  std::vector<Request> requests;
  for (const auto& [terms, cycles] :
       {std::pair<std::int64_t, std::int64_t>{12, 1}, {9, 2}, {64, 1}, {64, 16}}) {
    requests.push_back(int8);
    requests.back().terms = terms;
    requests.back().cycles = cycles;
  }
  requests.push_back({.packed = U(2), .shared = S(2), .terms = 128, .cycles = 1});
  requests.push_back({.packed = S(4), .shared = U(4), .terms = 16, .cycles = 1});
  requests.push_back({.packed = S(4), .shared = U(4), .terms = 64, .cycles = 1});
  requests.push_back({.packed = U(8), .shared = Known(8, {blur}), .terms = 16, .cycles = 1});
  std::set<Scheme> on_a_front;
  for (const Request& request : requests) on_a_front.merge(front(request));
  for (const Scheme scheme : all_schemes())
    EXPECT_NE(on_a_front.contains(scheme), published.contains(scheme)) << to_string(scheme);
}

}  // namespace packing_front_test
}  // namespace kumiki::gen::packing
