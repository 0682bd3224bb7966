// SPDX-License-Identifier: Apache-2.0
// The estimate of a clock as JSON, for `timing` and for report.json.
#pragma once
#include <optional>
#include <string>

#include "backends/timing/analysis.h"
#include "gen/config/writer.h"

namespace kumiki::flow {

// The given grade, otherwise that of an ordering code such as "xczu9eg-ffvb1156-2-e", otherwise the
// slowest.
ir::timing::Grade grade_of(const std::optional<std::string>& part, std::optional<int> given = {});

// Writes members of an open object.
void write_clock(gen::config::Writer& w, const backends::timing::Netlist& netlist,
                 const backends::timing::Analysis& analysis, const backends::timing::Goal& goal);

}  // namespace kumiki::flow
