// SPDX-License-Identifier: Apache-2.0
// A row of a bench with `exact` as its last column: one layer, counted, and run in lockstep with
// its model.
#pragma once
#include <fmt/format.h>

#include <string_view>

#include "gen/flow/messages.h"
#include "gen/flow/network.h"
#include "ir/primitive.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/results.h"

namespace kumiki::cli {

struct Trial {
  ir::Cost total;
  bool exact =
      false;  // the netlist keeps all rules and has run in lockstep with its model, with results
  std::int64_t saved = 0;  // Builder::saved()
};
// Runs natively, and under Verilator if requested; `cycles` is the default.
Trial try_layer(gen::NamedLayer layer, const TrialOptions& options, const backends::Cache& cache,
                std::uint64_t cycles, std::uint64_t resets,
                ir::Family family = ir::Family::ultrascale_plus);

// The named entries of a table that the options select; at least one.
template <class Entry>
std::vector<Entry> asked_for(const std::vector<Entry>& entries, const TrialOptions& options) {
  std::vector<Entry> found;
  for (const Entry& entry : entries)
    if (std::string_view(entry.name).find(options.row) != std::string_view::npos)
      found.push_back(entry);
  if (found.empty())
    throw UsageError(
        code::no_row,
        fmt::format("no row is called \"{}\"; use what the first column shows without --row",
                    options.row));
  return found;
}

// Prints all rows, or writes them as JSON; the exit code tells whether every row is exact.
int finish(const Results& rows, bool json, void (*print)(const Results& rows));

}  // namespace kumiki::cli
