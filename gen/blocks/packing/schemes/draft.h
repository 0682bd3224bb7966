// SPDX-License-Identifier: Apache-2.0
// A plan while a scheme makes it, with the operations that all schemes share.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gen/blocks/packing/plan.h"
#include "gen/blocks/packing/planner.h"
#include "ir/ceil_div.h"

namespace kumiki::gen::packing {

// The lanes: packed_count x shared_count products, `spacing` bits apart.
struct Grid {
  int packed = 2;
  int shared = 1;
  int spacing = 0;
  bool centre_packed = false;
  bool centre_shared = false;
  // wp487-uint8: the pair's top bit is the port's sign bit; W = C adds back what the sign
  // subtracts.
  bool give_back = false;
};

// A run of slices that add into one word.
struct ChainSpec {
  std::int64_t first_term = 0;
  std::int64_t count = 1;
  int start = 0;                         // cycle of its first operand
  Exact rnd = 0;                         // added by the first slice
  std::vector<std::int64_t> terms = {};  // instead of first_term .. first_term + count - 1
  int omitted = 0;  // slices that the chain lacks at its begin; columns are counted with them
  // What a scheme changes of slice i, which adds its product to the word before it.
  std::function<void(int, Slice&, SliceKind&)> change = {};
};

// Clock edges from the first operand of a chain to its last P, columns included.
int chain_cycles(const PackingPlan& plan, std::int64_t count);

class Draft {
 public:
  Draft(const Request& request, Scheme scheme);

  PackingPlan plan;
  Certificate& proof() { return plan.certificate; }
  const Request& request() const { return request_; }

  bool is_refused() const { return refusal_.has_value(); }
  // finish() gives the first reason instead of a plan.
  void refuse(Code code, std::string what, std::string otherwise, const Interval& value = {},
              const Interval& bound = {});

  // Splits the terms: `per_cycle` in one cycle, `words` cycles inside the slices, `rounds` times
  // that.
  void fold(std::int64_t per_cycle, std::int64_t words, std::int64_t rounds = 1);
  // Plans the terms a cycle that the requested cycles need. The fabric adds the cycles, or
  // (fold_in_slices) the slices.
  void fold_in_fabric();
  void fold_in_slices();

  void refuse(Code code, const Statement& broken);
  // Ports, lanes, and the proof that the words fit the ports. False: refused, nothing can follow.
  [[nodiscard]] bool lay_out(const Grid& grid);

  int add_kind(SliceKind kind);  // equal kinds are stored once
  int add_slice(Slice slice);
  int add_chain(const ChainSpec& spec);  // returns its last slice
  SliceKind multiply_kind(std::string name, Opmode load) const;
  // Adds a constant to the product of a slice that adds nothing else: by W = RND, or where there is
  // no W by Z = C.
  void start_from(SliceKind& kind, Exact constant) const;
  // Calls use(first term, count, start) for every chain of a cycle's terms, `segment` terms each.
  // All end in the same cycle, so a shorter last chain starts later.
  template <class Use>
  void for_chains(const Use& use) const;
  int cycle(int slice) const { return plan.slices[slice].cycle; }

  // Lanes.
  std::int64_t computed_terms() const { return plan.terms_per_round * plan.rounds; }
  Interval lane_sum(const Lane& lane) const;  // over all computed terms, known weights used
  Exact bias_word() const;                    // sum of R << offset
  // The lane as it stands in P; a signed lane is cut to the bits that `range` needs. Add
  // `field_constant` to it: minus the bias, or 0 if an inverted bit removes the bias.
  Signal field(int slice, const Lane& lane, const Interval& range) const;
  Exact field_constant(const Lane& lane) const;

  // Adds a result whose lane sum (products as multiplied) is `signals + constant`; undoes the
  // re-centring.
  Result& add_result(const Lane& lane, std::vector<Signal> signals, Exact constant);
  // Constant part of the re-centring of a lane. Appends operand sums that are not known yet to
  // `open`.
  Exact centring(const Lane& lane, std::vector<Signal>* open) const;
  void stage_all(Result& result);  // one stage that waits for all its addends
  int signal_cycle(const Result& result, const Signal& signal) const;
  // The cycle in which an operand's sum over the terms of a cycle is valid.
  int operand_sum_cycle(OperandRef operand) const;

  Planned finish();

 private:
  bool offset_field(const Lane& lane) const;
  Request request_;
  std::optional<Refusal> refusal_;
  bool give_back_ = false;
};

template <class Use>
void Draft::for_chains(const Use& use) const {
  for (std::int64_t first = 0; first < plan.terms_per_cycle; first += plan.segment) {
    const std::int64_t count = std::min(plan.segment, plan.terms_per_cycle - first);
    use(first, count, chain_cycles(plan, plan.segment) - chain_cycles(plan, count));
  }
}

// Largest N with N * span <= 2^width - 1 in every lane but the top one; 0 if not even one term
// fits.
std::int64_t offset_limit(const std::vector<Lane>& lanes);
// Gives every lane below the top one the bias that keeps `count` terms at or above zero.
void set_biases(Draft& draft, std::int64_t count);
// The largest spacing for which the words of the grid fit the ports; 0 if there is none.
int largest_spacing(const Request& request, Grid grid);
// The grid as tuned. An open spacing becomes the one that allows the longest biased chain.
Grid grid_of(const Request& request, int packed, int shared);
// Known operands have one row each: whether the grid has as many operands as there are rows.
bool rows_fit(const Request& request, int packed, int shared);
inline constexpr int most_lanes = 18;  // that are tried
// Calls use(packed, shared) for the grids of so many lanes that the tuning allows; of the most
// lanes for which it leaves something in `all`.
template <class Use>
void for_grids_of_most_lanes(const Request& request, const std::vector<Request>& all, Use&& use) {
  const Tuning& t = request.tuning;
  for (int lanes = most_lanes; lanes >= 2 && all.empty(); --lanes)
    for (int m = 1; m <= lanes; ++m)
      if (lanes % m == 0 && t.shared_count.value_or(m) == m &&
          t.packed_count.value_or(lanes / m) == lanes / m && rows_fit(request, lanes / m, m))
        use(lanes / m, m);
}
// The legal number of terms, as text for a message; or advice if a single product is too wide.
std::string at_most(std::int64_t terms, const std::string& of_what);

}  // namespace kumiki::gen::packing
