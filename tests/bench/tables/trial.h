// SPDX-License-Identifier: Apache-2.0
// A row of a bench whose last column is `exact`: one layer, counted, and in lockstep with its
// model.
#pragma once
#include <fmt/format.h>

#include <string_view>

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
// Runs natively, and under Verilator when the options ask for it; `cycles` unless they say
// otherwise.
Trial try_layer(gen::NamedLayer layer, const TrialOptions& options, const backends::Cache& cache,
                std::uint64_t cycles, std::uint64_t resets);

// The entries of a table, each with a name, that the options ask for: at least one.
template <class Entry>
std::vector<Entry> asked_for(const std::vector<Entry>& entries, const TrialOptions& options) {
  std::vector<Entry> found;
  for (const Entry& entry : entries)
    if (std::string_view(entry.name).find(options.row) != std::string_view::npos)
      found.push_back(entry);
  if (found.empty())
    throw UsageError(
        Code::no_row,
        fmt::format("no row is called \"{}\"; use what the first column shows without --row",
                    options.row));
  return found;
}

// All rows as JSON, or printed; the exit code says whether every one is exact.
int finish(const Results& rows, bool json, void (*print)(const Results& rows));

}  // namespace kumiki::cli
