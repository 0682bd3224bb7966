// SPDX-License-Identifier: Apache-2.0
// Whatever the random generator makes is legal, in any order of cells; and what is then broken on
// purpose is found.
#include <cstdio>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/ir/check/findings.h"
#include "tests/support/random.h"
#include "tests/support/random_design.h"

namespace kumiki::ir {
namespace check_random_test {

tests::RandomShape random_shape() {
  tests::RandomShape shape;
  shape.family = *rc::gen::element(Family::series7, Family::ultrascale, Family::ultrascale_plus);
  shape.modules = *rc::gen::inRange(1u, 6u);
  shape.cells = *rc::gen::inRange(1u, 120u);
  shape.odd_names = *rc::gen::arbitrary<bool>();
  shape.false_loops = *rc::gen::arbitrary<bool>();
  return shape;
}

std::string first_error(const Design& d) {
  auto all = check(d, {.warnings = false});
  return all.empty() ? "" : to_string(all[0]);
}

RC_GTEST_PROP(CheckRandom, LegalDesignsHaveNoErrors, (std::uint64_t seed, std::uint64_t order)) {
  auto design = tests::random_design(seed, random_shape());
  RC_ASSERT(first_error(*design) == "");
  RC_ASSERT(first_error(*tests::scrambled(*design, order)) == "");
}

// The same findings whatever the order, up to the names in them: compare how many of each code.
RC_GTEST_PROP(CheckRandom, TheOrderOfCellsChangesNoCount,
              (std::uint64_t seed, std::uint64_t order)) {
  auto count = [](const Design& d) {
    std::map<Code, unsigned> n;
    for (const Finding& f : check(d, {.limit = 100'000})) ++n[f.code];
    return n;
  };
  auto design = tests::random_design(seed, random_shape());
  RC_ASSERT(count(*design) == count(*tests::scrambled(*design, order)));
}

// Feedback closed over a random LUT of the top: a loop, or a register stands in between.
RC_GTEST_PROP(CheckRandom, ALoopIsFoundWhateverItsWay, (std::uint64_t seed)) {
  auto design = tests::random_design(seed, random_shape());
  tests::Random r(seed);
  Module& m = design->top();
  std::vector<std::uint32_t> luts;
  for (std::uint32_t i = 0; i < m.cells().size(); ++i)
    if (m.cells()[i].kind >= Kind::lut1 && m.cells()[i].kind <= Kind::lut6) luts.push_back(i);
  RC_PRE(!luts.empty());
  auto cell = r.pick(luts);
  auto element = r.below(m.cells()[cell].width);
  m.mutable_inputs({cell})[element] = {m.cells()[cell].out.index + element};
  auto all = check(*design, {.warnings = false});
  RC_ASSERT(all.size() == 1u);
  RC_ASSERT(all[0].code == code::loop);
}

RC_GTEST_PROP(CheckRandom, AnUndrivenNetIsFound, (std::uint64_t seed)) {
  auto design = tests::random_design(seed, random_shape());
  tests::Random r(seed);
  Module& m = design->top();
  RC_PRE(!m.cells().empty());
  CellId cell{r.below(m.cells().size())};
  auto inputs = m.mutable_inputs(cell);
  RC_PRE(!inputs.empty());
  auto bit = r.below(inputs.size());
  bool clock = inputs[bit] == m.port_nets(m.ports()[0])[0];
  inputs[bit] = m.fresh_nets(1);
  auto all = check(*design, {.warnings = false});
  // A CARRY4 that now has both CI and CYINIT breaks a rule as well.
  RC_ASSERT(!all.empty());
  RC_ASSERT(all[0].code == (clock ? code::clock : code::undriven));
}

// A text with a few characters changed is refused with its place or is a design that can be
// printed, parsed and checked, however wrong it is.
RC_GTEST_PROP(CheckRandom, NoTextIsTooWrong, (std::uint64_t seed)) {
  tests::RandomShape shape = random_shape();
  shape.cells = 12;
  auto text = print(*tests::random_design(seed, shape));
  tests::Random r(seed);
  const std::string letters = "%%%..,,==**\n \"\\-#0123456789abcIOxX";
  for (auto edits = r.between(1, 4); edits > 0; --edits) {
    auto at = r.below(text.size());
    if (r.chance(20))
      text.erase(at, r.between(1, 5));
    else if (r.chance(20))
      text.insert(at, text.substr(r.below(text.size()), r.between(1, 20)));
    else
      text[at] = letters[r.below(letters.size())];
    if (text.empty()) return;
  }
  std::unique_ptr<Design> design;
  try {
    design = parse(text);
  } catch (const DesignError& e) {
    unsigned line = 0, column = 0;
    RC_ASSERT(std::sscanf(e.what(), "%u:%u: ", &line, &column) == 2);
    RC_ASSERT(line > 0u);
    return;
  }
  auto again = print(*design);
  RC_ASSERT(print(*parse(again)) == again);
  check(*design);
}

}  // namespace check_random_test
}  // namespace kumiki::ir
