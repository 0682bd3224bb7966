// SPDX-License-Identifier: Apache-2.0
// The beats on the ports of chains with stored weights, element by element.
#include "gen/layers/stored_dot/plan.h"

namespace kumiki::gen::stored_dot {

std::vector<Beat> beats(const StoredPlan& p) {
  const Request& r = p.request;
  const bool shifts = r.kind == packing::StoreKind::ShiftChain;
  const std::int64_t height = shifts ? p.store.request.limits.column_height : r.terms;
  const arith::Format data{r.data_bits, true};
  std::vector<std::uint32_t> late;
  for (int i = 0; i < r.terms; ++i) late.push_back(static_cast<std::uint32_t>(p.store.skew(i)));
  std::vector<Beat> all;
  // In a shift chain the first word of a load goes furthest up.
  all.push_back(
      {.port = "weights",
       .formats = {{r.weight_bits, true}},
       .elements = {{"chain", r.chains}, {"column", p.columns()}},
       .words = {{.name = "place", .count = p.store.load_cycles, .falls = shifts}},
       .of = {{"chain", r.chains, {{"chain"}}}, {"term", r.terms, {{"column", height}, {"place"}}}},
       .what = "weight",
       .padding = "not looked at",
       .when = {"weight_valid", "weight_ready", "en"},
       .note = "a whole load, then swap while full is 1: the set that begins in that "
               "clock and all after it are multiplied by it"});
  for (const char* name : {"x", "d"})
    if (*name == 'x' || p.preadder())
      all.push_back({.port = name,
                     .formats = {data},
                     .elements = {{"chain", r.chains}, {"term", r.terms}},
                     .of = {{"chain", r.chains, {{"chain"}}}, {"term", r.terms, {{"term"}}}},
                     .what = name,
                     .when = {"in_valid", "en"},
                     .late = late});
  all.push_back({.port = "p",
                 .formats = {{arith::signed_bits(p.sum), true}},
                 .elements = {{"chain", r.chains}, {"of", p.results()}},
                 .of = {{"chain", r.chains, {{"chain"}}}, {"of", p.results(), {{"of"}}}},
                 .what = "sum",
                 .when = {"out_valid", "en"},
                 .note = r.operation == Operation::pair ? "of 0: x*weight, of 1: d*weight"
                         : p.preadder()                 ? "the sum of (x + d)*weight"
                                                        : "the sum of x*weight"});
  return all;
}

}  // namespace kumiki::gen::stored_dot
