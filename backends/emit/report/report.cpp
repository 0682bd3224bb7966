// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace kumiki::backends {
namespace {

Json to_json(const ir::Cost& c) {
  return {{"luts", c.luts},       {"lut_memory", c.lut_rams},
          {"ffs", c.ffs},         {"carry_bits", c.carry_bits},
          {"muxf", c.muxes},      {"dsps", c.dsps},
          {"bram18", c.brams_18k}};
}

std::vector<std::string> row(std::string name, std::uint64_t places, const ir::Cost& c) {
  std::vector<std::string> cells{std::move(name), std::to_string(places)};
  for (auto n : {c.luts, c.lut_rams, c.ffs, c.carry_bits, c.muxes, c.dsps, c.brams_18k})
    cells.push_back(std::to_string(n));
  return cells;
}

}  // namespace

Json to_json(const ir::Resources& r) {
  Json modules = Json::array();
  for (const ir::ModuleCost& m : r.modules) {
    Json one{{"module", m.module}, {"places", m.places}};
    one.update(to_json(m.own));
    modules.push_back(std::move(one));
  }
  Json total = to_json(r.total);
  total["dense_slices"] = r.slices;
  return {{"total", total}, {"cells", r.cells}, {"modules", modules}};
}

Json to_json(const Depth& d) {
  return {{"levels", d.total()},
          {"luts", d.luts},
          {"carries", d.carries},
          {"others", d.others},
          {"path", d.path}};
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& r : rows)
    for (std::size_t i = 0; i < r.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], r[i].size());
    }
  std::string text;
  for (const auto& r : rows) {
    for (std::size_t i = 0; i < r.size(); ++i)
      text += i == 0 ? fmt::format("{:<{}}", r[i], widths[i])
                     : fmt::format("  {:>{}}", r[i], widths[i]);
    text += '\n';
  }
  return text;
}

std::string resource_table(const ir::Resources& r) {
  std::vector<std::vector<std::string>> rows{
      {"module", "places", "LUT", "LUTMEM", "FF", "CARRY", "MUXF", "DSP", "BRAM18"}};
  for (const ir::ModuleCost& m : r.modules) rows.push_back(row(m.module, m.places, m.own));
  rows.push_back(row("total", 1, r.total));
  return table(rows) +
         fmt::format(
             "dense slices: {} (LUT sites, flip-flops or carry positions, whichever is most)\n",
             r.slices);
}

}  // namespace kumiki::backends
