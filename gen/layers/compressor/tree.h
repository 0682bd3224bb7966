// SPDX-License-Identifier: Apache-2.0
// Shared by the layer types with a compressor tree: the keys of TreeOptions, the ports of a
// datapath, and a tree as JSON.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gen/blocks/compressor/datapath.h"
#include "gen/blocks/compressor/options.h"
#include "gen/config/table.h"
#include "gen/layer/layer.h"

namespace kumiki::gen::compressor {

// The keys of TreeOptions, for the table of a request S derived from it.
template <class S>
config::FieldOf<S> pipeline_field() {
  return config::field("pipeline", static_cast<std::uint32_t S::*>(&TreeOptions::pipeline))
      .range(0, 64)
      .help("registers behind so many levels of the tree; 0: combinational");
}
template <class S>
config::FieldOf<S> levels_field() {
  return config::field("levels",
                       static_cast<std::optional<std::uint32_t> S::*>(&TreeOptions::levels))
      .range(1, 64)
      .absent("as `pipeline` says")
      .help(
          "LUTs and carry chains, each as one, between two registers, wherever paths ask for one");
}
template <class S>
config::FieldOf<S> period_field() {
  return config::field("period_ns",
                       static_cast<std::optional<double> S::*>(&TreeOptions::period_ns))
      .range(0.1, 1000)
      .unit("ns")
      .absent("as `pipeline` says")
      .help("registers for a clock of this period, by the estimate of `kumiki timing`");
}
// Only one key may place registers, and finish "ternary" needs registers.
config::Violations check_registers(const TreeOptions& options);
template <class S>
config::FieldOf<S> objective_field() {
  return config::field("objective", static_cast<Objective S::*>(&TreeOptions::objective))
      .choices({{"stages", Objective::stages, "as few levels as possible, then few LUTs"},
                {"luts", Objective::luts, "the fewest LUTs, up to two levels more"},
                {"area", Objective::area,
                 "few LUTs, but not slower than what a synthesiser makes of the same sum"},
                {"delay", Objective::delay,
                 "the shortest by an estimate, chains and LUT levels weighed"}})
      .help("what the tree is chosen for");
}
template <class S>
config::FieldOf<S> finish_field() {
  return config::field("finish", static_cast<Finish S::*>(&TreeOptions::finish))
      .choices({{"row", Finish::row, "two rows on a carry chain"},
                {"ternary", Finish::ternary, "three rows, with `pipeline`: fewer LUTs, slower"}})
      .help("the final adder");
}
template <class S>
config::FieldOf<S> effort_field() {
  return config::field("effort", static_cast<std::uint32_t S::*>(&TreeOptions::effort))
      .range(0, 5)
      .help("how long to look for a smaller tree; the result is the same on every machine");
}

// The table of a request with all these keys behind its own.
template <class S>
config::TableOf<S> tree_table(std::string name, std::string help,
                              std::vector<config::FieldOf<S>> fields) {
  fields.insert(fields.end(), {pipeline_field<S>(), levels_field<S>(), period_field<S>(),
                               objective_field<S>(), finish_field<S>(), effort_field<S>()});
  return {std::move(name), std::move(help), fields, {check_registers}};
}

// The words on each port, with names and numbers.
std::vector<Beat> beats(const Datapath& path);

// The request of `levels` or `period_ns`.
Between between(const TreeOptions& options);
// With `levels` or `period_ns`, places registers where paths need them; otherwise null. Refused at
// the key if a chain does not fit.
std::shared_ptr<const Placement> placed(const TreeOptions& options, const Datapath& path,
                                        const BuildWords& build);
// "registers    40 flip-flops of data, …": a line of a plan; empty without a placement.
std::string placement_text(const Placement* placement);
void write_placement(config::Writer& w, const Placement* placement);

// Levels between registers after every `pipeline` stages, including what the first stage absorbs.
// Each stage counts as a LUT and the CARRY4 blocks of the longest chain. Empty without registers.
std::optional<int> levels_between(const TreePlan& plan, std::uint32_t pipeline, unsigned latency);

void write_tree(config::Writer& w, const TreePlan& plan);  // its members

}  // namespace kumiki::gen::compressor
