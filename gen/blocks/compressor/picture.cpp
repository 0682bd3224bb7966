// SPDX-License-Identifier: Apache-2.0
#include "gen/blocks/compressor/picture.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kumiki::gen::compressor {
namespace {

std::string heights(const Audit::Level& level) {
  std::string line;
  for (std::size_t c = level.bits.size(); c-- > 0;) {
    line += fmt::format(
        "{:>5}", level.bits[c] > 0 || level.pairs[c] == 0 ? fmt::format("{}", level.bits[c]) : "");
    if (level.pairs[c] > 0) line += fmt::format("+{}p", level.pairs[c]);
    if (level.opens[c] > 0) line += fmt::format("+{}o", level.opens[c]);
  }
  return line;
}

}  // namespace

std::string picture(const TreePlan& plan) {
  const Audit a = audit(plan);
  std::string text = "column       ";
  for (unsigned c = plan.shape.width(); c-- > 0;) text += fmt::format("{:>5}", c);
  text += "\n";
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    text += fmt::format("{:<13}{}\n", s == 0 ? "heap" : fmt::format("stage {}", s),
                        heights(a.levels[s]));
    std::map<std::string, unsigned> used;
    for (const Counter& c : plan.stages[s].counters)
      ++used[fmt::format("{} at {}", elements()[c.element].name, c.column)];
    for (const Chain& c : plan.stages[s].chains) {
      constexpr const char* entry[] = {"", "carry ", "carry by exit ", "carry by lead "};
      std::vector<std::string> atoms;
      for (auto e : c.atoms) atoms.push_back(elements()[e].name);
      ++used[fmt::format("[{}{}{}] at {}", entry[static_cast<int>(c.entry)], fmt::join(atoms, " "),
                         c.is_open ? " open" : "", c.column)];
    }
    for (const auto& [what, n] : used) text += fmt::format("             {:>3} x {}\n", n, what);
  }
  text += fmt::format("{:<13}{}\n", "at the end", heights(a.levels.back()));
  return text;
}

}  // namespace kumiki::gen::compressor
