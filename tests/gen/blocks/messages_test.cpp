// SPDX-License-Identifier: Apache-2.0
// What the blocks refuse, as it is printed.
#include "tests/support/messages.h"

#include "gen/blocks/compressor/build.h"
#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/compressor/registers.h"
#include "gen/blocks/compressor/solver/solve.h"
#include "gen/blocks/packing/messages.h"
#include "gen/blocks/packing/planner.h"
#include "gen/blocks/requant/messages.h"
#include "gen/blocks/requant/slice.h"
#include "gen/blocks/simd/messages.h"
#include "gen/blocks/simd/simd.h"
#include "gen/blocks/sort/messages.h"
#include "gen/blocks/sort/networks.h"
#include "gen/blocks/sort/sort.h"
#include "gen/hdl/hdl.h"

namespace kumiki::gen {
namespace blocks_messages_test {

using compressor::parse_tree;
using compressor::TreePlan;
using packing::Scheme;

constexpr SourceLocation here{"sum.cpp", 12, "sum"};
const std::string head = "tree 3 columns, finish row\nbits 6 0 0\nstage\n";

// The line of the stage is the fourth.
std::function<void()> stage(const std::string& line) {
  return [line] { parse_tree(head + line + "\n"); };
}

std::function<void()> compressing(const TreePlan& plan, unsigned columns) {
  return [=] {
    Builder b;
    Scope s(b, b.design().add_module("sum"));
    compress(s, compressor::Heap(columns), plan, {}, here);
  };
}

std::function<void()> planning(const packing::Request& request, Scheme scheme) {
  return [=] {
    const auto why = packing::best_plan(request, scheme).reason();
    throw DesignError(why.code, packing::to_string(why));
  };
}

TEST(BlockMessages, OfTrees) {
  const compressor::Shape wide{{6, 0, 0, 0}, {0, 0, 0, 0}}, six{{6, 0, 0}, {0, 0, 0}},
      pair{{0, 0}, {1, 0}};
  std::string sixty_four = "stage";  // more, behind the first one
  for (int i = 1; i < 64; ++i) sixty_four += "\nstage";
  test::expect_messages(
      "messages/trees.txt",
      {{code::beyond_heap, stage("chain A06 at 2")},
       {code::wrong_element, stage("1 x A06 at 0")},
       {code::no_carry_here, stage("pin chain A06 at 0")},
       {code::no_room_for_leaves, stage("chain H05 at 1")},
       {code::bits_left_over, stage("1 x fa at 0")},
       {code::tree_text, stage("one x c63 at 0")},
       {code::tree_too_large, stage("1000 x c63 at 0")},
       {code::tree_too_large, stage(sixty_four)},
       {code::other_heap, [=] { parse_tree(head + "1 x c63 at 0\n", &wide); }},
       {code::other_finish, compressing({.finish = compressor::Finish::carry}, 3)},
       {code::register_every_stage, compressing({.shape = {{1}, {0}}, .free_exits = true}, 1)},
       {code::paper_pairs,
        [=] { solve(TreePlan{.shape = pair, .objective = compressor::Objective::paper}); }},
       {code::chain_too_long, [] { throw compressor::ChainTooLong(2); }},
       {code::no_tree, [=] { solve(TreePlan{.shape = six}, {.effort = 0, .most_stages = 0}); }}});
}

TEST(BlockMessages, OfSlicesAndNetworks) {
  const packing::OperandFormat s8, s28{.bits = 28};
  test::expect_messages(
      "messages/blocks.txt",
      {{code::no_such_window, [] { sort::window_rank(3, 1, 9); }},
       {code::no_such_wire,
        [] {
          sort::Wiring({1, 1}).order(0, 2);
        }},
       {code::wrong_count,
        [] {
          sort::sorted(sort::sorting(3), {1, 2});
        }},
       {code::lane_too_narrow, [] { simd::lanes_for(49); }},
       {code::operand_format, planning({.packed = s28, .shared = s8}, Scheme::Single)},
       {code::not_proved, planning({.packed = s8, .shared = s8, .terms = 8}, Scheme::Wp487Int8)},
       {code::not_on_family, planning({.packed = s8,
                                       .shared = s8,
                                       .terms = 2,
                                       .limits = packing::Limits::of(ir::Family::series7)},
                                      Scheme::CarryLane)},
       {code::scheme_does_not_apply,
        planning({.packed = s8, .shared = s8, .terms = 4}, Scheme::WeightAware)},
       {code::rounding_not_possible, [] {
          requant::plan_requant({.accumulator = arith::signed_range(20), .zero_point = {0, 1}});
        }}});
}

}  // namespace blocks_messages_test
}  // namespace kumiki::gen
