// SPDX-License-Identifier: Apache-2.0
// report.json and the table on the screen. The README of this folder explains every key.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "backends/timing/levels.h"
#include "ir/resources.h"

namespace kumiki::backends {

using Json = nlohmann::ordered_json;
inline constexpr int report_version = 1;

// "resources" and "depth" of the report. backends/fabric counts the slices.
Json to_json(const ir::Resources& resources, std::uint64_t slices);
Json to_json(const Depth& depth);

// JSON as printed and written. A file name may have any bytes; those that are not UTF-8 become
// U+FFFD.
std::string json_text(const Json& json);

// A table with aligned columns; the first row is its head.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace kumiki::backends
