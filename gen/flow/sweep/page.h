// SPDX-License-Identifier: Apache-2.0
// The table for people: what went wrong first, the front as a picture, then every point.
#pragma once
#include <string>

#include "gen/flow/sweep/table.h"

namespace kumiki::flow::sweep {

inline constexpr std::size_t most_rows = 2000;  // of the page; the table has all

// Well-formed XML, no scripts, links to the points' folders only.
std::string page(const Table& table);

}  // namespace kumiki::flow::sweep
