// SPDX-License-Identifier: Apache-2.0
#include "gen/layers/matrix/column.h"

#include <fmt/format.h>

#include <algorithm>

#include "gen/blocks/packing/hardware/build.h"

namespace kumiki::gen::matrix {

std::string ColumnPlan::module_name() const {
  std::string scheme = packing::to_string(packing.scheme);
  std::replace(scheme.begin(), scheme.end(), '-', '_');
  return fmt::format("column_{}_r{}_w{}", scheme, packing.terms_per_cycle, packing.cycles());
}

ColumnOut build_column(Scope& s, const ColumnPlan& plan, const ColumnIn& in) {
  const auto& k = plan.packing;
  s.module().set_about(
      fmt::format("a chain of {} rows over {} clocks", k.terms_per_cycle, k.cycles()));
  const auto rows = static_cast<std::size_t>(k.terms_per_cycle);
  const auto split = [&](const std::vector<UInt>& flat) {
    std::vector<std::vector<Word>> all(flat.size() / rows);
    for (std::size_t i = 0; i < flat.size(); ++i) all[i / rows].push_back(flat[i]);
    return all;
  };
  packing::Sequence sequence{ir::net_one, ir::net_one, ir::net_one, ir::net_one, {}};
  if (!in.sequence.empty()) {
    sequence.first = in.sequence[0];
    sequence.last = in.sequence[1];
    sequence.first_round = in.sequence[2];
  }
  const auto built = packing::build_dot(s, k, {split(in.x), split(in.y)}, sequence,
                                        packing::Skew::External, ir::net_one);
  ColumnOut out;
  for (const Word& word : built.results) {
    const auto most = static_cast<std::uint32_t>(plan.most_bits.value_or(word.width()));
    out.sum.push_back(UInt(word).slice(0, std::min(most, word.width())));
  }
  return out;
}

}  // namespace kumiki::gen::matrix
