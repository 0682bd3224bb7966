// SPDX-License-Identifier: Apache-2.0
// The table as a page: failures first, the front as a picture, then every point.
#pragma once
#include <string>

#include "gen/flow/sweep/table.h"

namespace kumiki::flow::sweep {

inline constexpr std::size_t most_rows = 2000;  // of the page; the table has all rows

// Well-formed XML without scripts; links only to the points' folders.
std::string page(const Table& table);

}  // namespace kumiki::flow::sweep
