// SPDX-License-Identifier: Apache-2.0
// The estimate of a clock as JSON, for `timing` and for report.json.
#pragma once
#include <optional>
#include <string>

#include "backends/timing/analysis.h"
#include "gen/config/writer.h"

namespace kumiki::flow {

// The one that was given, else that in an ordering code, "xczu9eg-ffvb1156-2-e", else the slowest.
ir::timing::Grade grade_of(const std::optional<std::string>& part, std::optional<int> given = {});

// The members of an object already begun.
void write_clock(gen::config::Writer& w, const backends::timing::Netlist& netlist,
                 const backends::timing::Analysis& analysis, const backends::timing::Goal& goal);

}  // namespace kumiki::flow
