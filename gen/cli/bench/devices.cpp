// SPDX-License-Identifier: Apache-2.0
// `list --devices` and `bench devices`: the table, and the white papers' peak figures as
// arithmetic.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "gen/cli/bench/bench.h"
#include "gen/cli/plan_device.h"
#include "gen/device/peak.h"
#include "gen/layer/layer.h"

namespace kumiki::cli::devices_table {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string known(std::uint32_t value) { return value == 0 ? "?" : std::to_string(value); }
Json known_json(std::uint32_t value) { return value == 0 ? Json() : Json(value); }

// The devices of the white papers, against every rival.
constexpr std::string_view compared[] = {"ku115", "vu9p", "vu13p", "zu3", "zu7", "zu9"};

double clock_of(const gen::device::Peak& p, const Options& options) {
  return options.clock.value_or(p.mhz);
}

Json peaks_json(const Options& options) {
  Json rows = Json::array(), pairs = Json::array();
  const auto all = gen::device::peaks();
  for (const auto& p : all) {
    Json one{{"name", p.name},
             {"multipliers", p.multipliers},
             {"macs_per_multiplier", p.ratio()},
             {"macs_per_cycle", p.macs_per_cycle()}};
    const double clock = clock_of(p, options);
    one["clock_mhz"] = clock > 0 ? Json(clock) : Json();
    one["clock_source"] = options.clock ? "--clock" : std::string(p.clock_source);
    one["peak_int8_gops"] = clock > 0 ? Json(p.gops(clock)) : Json();
    rows.push_back(std::move(one));
  }
  for (const auto& a : all)
    for (const auto& b : all)
      if (!a.rival && b.rival && std::ranges::find(compared, a.name) != std::end(compared))
        pairs.push_back(
            {{"device", a.name},
             {"rival", b.name},
             {"times_at_own_clocks", a.gops(clock_of(a, options)) / b.gops(clock_of(b, options))},
             {"times_per_clock", a.macs_per_cycle() / b.macs_per_cycle()},
             {"times_per_multiplier_and_clock", a.ratio() / b.ratio()}});
  return {{"devices", rows}, {"comparisons", pairs}};
}

void print_peaks(const Json& all) {
  Rows rows{{"device", "multipliers", "MAC each", "MAC/cycle", "MHz", "peak INT8 GOPS", "clock"}};
  for (const auto& p : all["devices"]) {
    const bool clocked = !p["clock_mhz"].is_null();
    rows.push_back({p["name"], p["multipliers"].dump(),
                    fmt::format("{:.2f}", p["macs_per_multiplier"].get<double>()),
                    fmt::format("{:.0f}", p["macs_per_cycle"].get<double>()),
                    clocked ? fmt::format("{:g}", p["clock_mhz"].get<double>()) : "?",
                    clocked ? fmt::format("{:.0f}", p["peak_int8_gops"].get<double>()) : "?",
                    p["clock_source"]});
  }
  Rows pairs{{"device", "against", "own clocks", "one clock", "a multiplier and clock"}};
  for (const auto& p : all["comparisons"])
    pairs.push_back({p["device"], p["rival"],
                     fmt::format("{:.2f} x", p["times_at_own_clocks"].get<double>()),
                     fmt::format("{:.2f} x", p["times_per_clock"].get<double>()),
                     fmt::format("{:.2f} x", p["times_per_multiplier_and_clock"].get<double>())});
  fmt::print(
      "peak INT8 GOPS = multipliers x MAC each x 2 x f / 1000: arithmetic, nothing measured\n"
      "assumed: two products share an operand in a DSP48E2 and one slice in eight adds up segments "
      "of seven (1.75);\nDSP48E1 slices and 18 x 19 multipliers make one product; every multiplier "
      "works in every clock; clocks as named\n\n{}\n{}",
      backends::table(rows), backends::table(pairs));
}

}  // namespace

int list(const Options& options) {
  Json all = Json::array();
  Rows rows{{"device", "series", "family", "DSP", "LUT", "LUTMEM", "FF", "BRAM18", "URAM", "column",
             "DSP MHz"}};
  for (const auto& d : gen::device::devices()) {
    all.push_back({{"name", d.name},
                   {"parts", d.parts},
                   {"series", d.series},
                   {"family", ir::family_name(d.family)},
                   {"dsps", d.dsps},
                   {"dsp", d.has_dsp48e2() ? "DSP48E2" : "DSP48E1"},
                   {"luts", d.luts},
                   {"lut_memory", known_json(d.memory_luts)},
                   {"ffs", d.ffs()},
                   {"carry_bits", d.carry_positions()},
                   {"bram18", d.brams_18k()},
                   {"uram", d.urams},
                   {"column_height", known_json(d.column_height)},
                   {"dsp_mhz", known_json(d.dsp_mhz)},
                   {"clock_source", d.clock_source}});
    rows.push_back({std::string(d.name), std::string(d.series),
                    std::string(ir::family_name(d.family)), std::to_string(d.dsps),
                    std::to_string(d.luts), known(d.memory_luts), std::to_string(d.ffs()),
                    std::to_string(d.brams_18k()), std::to_string(d.urams), known(d.column_height),
                    known(d.dsp_mhz)});
  }
  if (options.json)
    fmt::print("{}\n", backends::json_text(all));
  else
    fmt::print(
        "{}\nLUTMEM: LUTs that may be shift register or distributed RAM; column: DSP slices one "
        "cascade can pass; ?: not\nknown for certain. The slices of family 7series are DSP48E1.\n",
        backends::table(rows));
  return ok;
}

int run(const Options& options) {
  const Json all = peaks_json(options);
  if (options.json)
    fmt::print("{}\n", backends::json_text(all));
  else
    print_peaks(all);
  return ok;
}

}  // namespace kumiki::cli::devices_table
