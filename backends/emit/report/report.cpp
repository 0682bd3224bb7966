// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace kumiki::backends {
namespace {

Json to_json(const ir::Cost& c) {
  return {{"luts", c.luts},        {"lut_memory", c.lut_rams},
          {"ffs", c.ffs},          {"carry_bits", c.carry_bits},
          {"muxf", c.muxes},       {"dsps", c.dsps},
          {"bram18", c.brams_18k}, {"uram", c.urams}};
}

}  // namespace

Json to_json(const ir::Resources& r, std::uint64_t slices) {
  Json modules = Json::array();
  for (const ir::ModuleCost& m : r.modules) {
    Json one{{"module", m.module}, {"places", m.places}};
    one.update(to_json(m.own));
    modules.push_back(std::move(one));
  }
  Json total = to_json(r.total);
  total["dense_slices"] = slices;
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

}  // namespace kumiki::backends
