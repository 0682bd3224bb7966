// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/build.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gen/blocks/compressor/cell.h"
#include "gen/blocks/compressor/messages.h"
#include "gen/blocks/compressor/paths.h"
#include "gen/blocks/compressor/settle.h"

namespace kumiki::gen::compressor {
namespace {

using detail::Level;

// Registers every net of a level once, however often it occurs in the heap, all in one cell.
void register_level(Scope& s, Settled& settled, Level& level, unsigned number, Net enable,
                    SourceLocation here) {
  std::map<Net, Net> registered;
  auto visit = [&](auto&& f) {
    for (auto* part : {&level.bits, &level.pairs, &level.opens})
      for (auto& column : *part)
        for (Bit& b : column) {
          const auto places = b.places();
          for (unsigned i = 0; i < b.nets(); ++i) f(*places[i]);
        }
  };
  std::vector<Net> nets;
  visit([&](Net& n) {
    if (!n.is_constant() && registered.emplace(n, n).second) nets.push_back(n);
  });
  if (nets.empty()) return;
  s.remark(fmt::format("registers behind stage {}", number));
  UInt q =
      s.named(fmt::format("stage{}", number), settled_register(s, settled, nets, enable, here));
  for (std::uint32_t i = 0; i < q.width(); ++i) registered[nets[i]] = q[i];
  visit([&](Net& n) {
    if (!n.is_constant()) n = registered[n];
  });
}

// Whether a tree can add the heap: it has no more bits and pairs than the plan allows.
bool fits(const Shape& heap, const Shape& planned) {
  if (heap.width() != planned.width()) return false;
  for (unsigned c = 0; c < heap.width(); ++c)
    if (heap.bits[c] > planned.bits[c] || heap.pairs[c] > planned.pairs[c]) return false;
  return true;
}

bool has_finish(const TreePlan& plan) { return audit(plan).finish_luts > 0; }

// Sorts the bits of every column by their arrival through the tree built so far.
void put_early_first(Scope& s, detail::Level& level, Paths::Since tree) {
  Paths paths(s.module(), ir::timing::delays(s.family(), {}), tree);
  paths.follow();
  for (std::vector<Bit>& column : level.bits)
    std::ranges::stable_sort(column, {}, [&](const Bit& b) {
      return std::max({paths.at(b.a), paths.at(b.b), paths.at(b.c)});
    });
}

Level tree(Scope& s, Settled& settled, const Heap& heap, const TreePlan& plan,
           const Pipeline& pipeline, const detail::Parts& parts, SourceLocation here) {
  if (!fits(heap.shape(), plan.shape))
    refuse(here, code::other_heap,
           fmt::format("the tree was planned for the heap {}, this one is {}", to_text(plan.shape),
                       to_text(heap.shape())));
  if (plan.free_exits && pipeline.every != 1)
    refuse(here, code::register_every_stage,
           "a tree whose carries leave beside sum bits needs a register after every stage");
  Level level{heap.bits(), heap.pairs(), std::vector<std::vector<Bit>>(heap.width())};
  const Paths::Since begin{static_cast<std::uint32_t>(s.module().cells().size()),
                           s.module().net_count()};
  unsigned number = 0;
  for (const Stage& stage : plan.stages) {
    s.remark(fmt::format("compressor tree, stage {} of {}", number + 1, plan.stages.size()));
    if (is_timed(plan.objective) && pipeline.every == 0) put_early_first(s, level, begin);
    level = detail::next_level(s, std::move(level), plan, stage, parts, here);
    ++number;
    const bool is_last = number == plan.stages.size() && !has_finish(plan);
    if (pipeline.every > 0 && number % pipeline.every == 0 && !is_last)
      register_level(s, settled, level, number, pipeline.enable, here);
  }
  s.remark("behind the stages of the tree");
  return level;
}

detail::Parts parts_of(Scope& s, Settled& settled, const Pipeline& pipeline, SourceLocation here) {
  return {pipeline.cuts, [&s, &settled, enable = pipeline.enable, here](Net n) {
            return settled_register(s, settled, std::span(&n, 1), enable, here)[0];
          }};
}

// The final adder up to a cut: finishes its bits; its carry becomes a bit above, a clock later.
void add_part(Scope& s, Level& level, std::vector<Net>& sum, const TreePlan& plan, unsigned cut,
              const detail::Parts& parts, SourceLocation here) {
  cut = std::min(cut, plan.shape.width());
  const auto done = detail::add_rows(s, level, plan, cut, here);
  sum.insert(sum.end(), done.bits.begin() + static_cast<std::ptrdiff_t>(sum.size()),
             done.bits.end());
  for (auto* part : {&level.bits, &level.pairs, &level.opens})
    for (unsigned c = 0; c < cut; ++c) (*part)[c].clear();
  if (cut < plan.shape.width() && !done.carry.is_constant())
    level.bits[cut].push_back(plain(parts.wait(done.carry)));
}

}  // namespace

unsigned latency(const TreePlan& plan, unsigned every) {
  if (every == 0) return 0;
  unsigned levels = static_cast<unsigned>(plan.stages.size()) + has_finish(plan);
  return levels == 0 ? 1 : (levels - 1) / every + 1;
}

UInt compress(Scope& s, const Heap& heap, const TreePlan& plan, const Pipeline& pipeline,
              SourceLocation here) {
  if (plan.finish == Finish::carry)
    refuse(here, code::other_finish,
           "this tree was planned for a comparison; plan one with the right finish");
  Settled own(s.module());
  Settled& settled = pipeline.or_own(own);
  if (plan.finish == Finish::ternary && pipeline.every == 0)
    refuse(here, code::three_rows_unregistered, "three rows are added in front of flip-flops");
  if (!pipeline.cuts.empty() && !plan.free_exits)
    refuse(here, code::register_every_stage,
           "a tree in parts needs carries that leave beside sum bits");
  const detail::Parts parts = parts_of(s, settled, pipeline, here);
  Level level = tree(s, settled, heap, plan, pipeline, parts, here);
  std::vector<Net> sum;
  for (const unsigned cut : pipeline.cuts) add_part(s, level, sum, plan, cut, parts, here);
  const auto last = detail::add_rows(s, level, plan, heap.width(), here).bits;
  sum.insert(sum.end(), last.begin() + static_cast<std::ptrdiff_t>(sum.size()), last.end());
  if (pipeline.every == 0) return UInt(s.word(sum, s.at(here)));
  return settled_register(s, settled, sum, pipeline.enable, here);
}

unsigned latency_of_rows(const TreePlan& plan, unsigned every) {
  return every == 0 ? 0 : static_cast<unsigned>(plan.stages.size()) / every;
}

std::vector<std::vector<Bit>> compress_rows(Scope& s, const Heap& heap, const TreePlan& plan,
                                            const Pipeline& pipeline, SourceLocation here) {
  if (plan.finish != Finish::row || !has_finish(plan))
    refuse(here, code::other_finish, "this tree was not planned for a final adder of two rows");
  Settled own(s.module());
  Settled& settled = pipeline.or_own(own);
  Level level = tree(s, settled, heap, plan, pipeline, {}, here);
  for (std::size_t c = 0; c < level.bits.size(); ++c)
    for (const Bit& b : level.opens[c]) level.bits[c].push_back(plain(as_net(s, b, here)));
  return level.bits;
}

Net compress_carry(Scope& s, const Heap& heap, const TreePlan& plan, const Pipeline& pipeline,
                   SourceLocation here) {
  if (plan.finish != Finish::carry)
    refuse(here, code::other_finish, "this tree was not planned for a comparison");
  Settled own(s.module());
  Settled& settled = pipeline.or_own(own);
  Net y = detail::compare(s, tree(s, settled, heap, plan, pipeline, {}, here), plan, here);
  if (pipeline.every == 0) return y;
  return settled_register(s, settled, std::span(&y, 1), pipeline.enable, here)[0];
}

}  // namespace kumiki::gen::compressor
