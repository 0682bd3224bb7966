// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/pipeline/ultra_ram.h"

#include <algorithm>
#include <vector>

#include "ir/arch.h"
#include "ir/primitives/memory.h"

namespace kumiki::gen::pipeline {
namespace {

// An UltraRAM that frees no more than an eighth of its own bits is wasted.
constexpr std::int64_t few_block_rams = ir::arch::block_rams_of_an_ultra_ram / 8;

// How often each module stands below a module, by its number.
class PlacesOf {
 public:
  explicit PlacesOf(const ir::Module& top)
      : design_(top.design()), count_(design_.module_count(), 0), seen_(count_.size(), false) {
    visit(top);
    count_[top.id().value] = 1;
    for (auto m = children_first_.rbegin(); m != children_first_.rend(); ++m)
      for (const ir::CellId id : (*m)->instances())
        count_[(*m)->cell(id).params] += count_[(*m)->id().value];
  }
  std::int64_t of(std::uint32_t module) const { return count_[module]; }

 private:
  void visit(const ir::Module& m) {
    if (seen_[m.id().value]) return;
    seen_[m.id().value] = true;
    for (const ir::CellId id : m.instances()) visit(design_.module({m.cell(id).params}));
    children_first_.push_back(&m);
  }
  const ir::Design& design_;
  std::vector<std::int64_t> count_;
  std::vector<bool> seen_;
  std::vector<const ir::Module*> children_first_;
};

struct Candidate {
  ir::ModuleId module;
  ir::CellId cell;
  std::int64_t places = 0, block_rams = 0, urams = 0;  // block RAMs and UltraRAM in one place
  bool frees_more_than(const Candidate& other) const {
    const std::int64_t mine = block_rams * other.urams, theirs = other.block_rams * urams;
    return mine != theirs ? mine > theirs : block_rams * places > other.block_rams * other.places;
  }
};

std::vector<Candidate> candidates(const ir::Design& design, const PlacesOf& places,
                                  std::uint32_t first_own) {
  std::vector<Candidate> all;
  for (std::uint32_t m = first_own; m < design.module_count(); ++m) {
    if (places.of(m) == 0) continue;
    const ir::Module& module = design.module({m});
    for (std::uint32_t c = 0; c < module.cells().size(); ++c) {
      const ir::Cell& cell = module.cell({c});
      if (cell.kind != ir::Kind::memory) continue;
      const ir::CellView view = module.view(cell);
      const bool is_written = module.inputs(cell)[ir::memory::write_enable] != ir::net_zero;
      if (view.params[ir::memory::style] != ir::memory::block || view.blob || !is_written) continue;
      const std::uint64_t depth = view.params[ir::memory::depth],
                          width = view.params[ir::memory::width];
      const Candidate one{.module = {m},
                          .cell = {c},
                          .places = places.of(m),
                          .block_rams = ir::memory::brams_18k(depth, width),
                          .urams = ir::memory::urams(depth, width)};
      if (one.block_rams > few_block_rams * one.urams) all.push_back(one);
    }
  }
  std::ranges::stable_sort(
      all, [](const Candidate& a, const Candidate& b) { return a.frees_more_than(b); });
  return all;
}

}  // namespace

void move_to_ultra_ram(Scope& s, std::int64_t most, std::uint32_t first_own) {
  ir::Design& design = s.module().design();
  const PlacesOf places(s.module());
  for (const Candidate& m : candidates(design, places, first_own)) {
    if (m.urams * m.places > most) continue;
    most -= m.urams * m.places;
    design.module(m.module).mutable_params(m.cell)[ir::memory::style] = ir::memory::ultra;
  }
  // Other layers build machines of their own.
  for (auto& [name, list] : s.builder().memo())
    std::erase_if(list, [&](const Elaborated& e) { return e.module.value >= first_own; });
}

}  // namespace kumiki::gen::pipeline
