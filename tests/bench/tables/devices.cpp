// SPDX-License-Identifier: Apache-2.0
// `bench devices`: computes the white papers' peak figures.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "gen/config/writer.h"
#include "gen/layer/layer.h"
#include "tests/bench/tables/bench.h"
#include "tests/bench/tables/peak.h"

namespace kumiki::cli {
namespace devices_table {
namespace {

struct Options {
  std::optional<double> clock;  // for all devices, in MHz; otherwise each has its own
  bool json = false;
};

using Rows = std::vector<std::vector<std::string>>;

// The devices of the white papers, compared with every rival.
constexpr std::string_view compared[] = {"ku115", "vu9p", "vu13p", "zu3", "zu7", "zu9"};

// One device at its clock, and a pair of a device and a rival.
struct Speed {
  const gen::device::Peak* peak;
  double mhz;  // 0: unknown
};
struct Pair {
  Speed device, rival;
  double at_own_clocks() const {
    return device.peak->gops(device.mhz) / rival.peak->gops(rival.mhz);
  }
  double at_one_clock() const {
    return device.peak->macs_per_cycle() / rival.peak->macs_per_cycle();
  }
  double a_multiplier() const { return device.peak->ratio() / rival.peak->ratio(); }
};

std::vector<Pair> pairs_of(const std::vector<Speed>& all) {
  std::vector<Pair> pairs;
  for (const Speed& a : all)
    for (const Speed& b : all)
      if (!a.peak->rival && b.peak->rival &&
          std::ranges::find(compared, a.peak->name) != std::end(compared))
        pairs.push_back({a, b});
  return pairs;
}

void print_json(const std::vector<Speed>& all, bool is_asked) {
  gen::config::Writer w;
  const auto if_known = [&](const char* name, double mhz, double value) {
    w.key(name);
    if (mhz > 0)
      w.value(value);
    else
      w.null();
  };
  w.object([&] {
    w.objects("devices", all, [&](const Speed& s) {
      w.member("name", s.peak->name);
      w.member("multipliers", s.peak->multipliers);
      w.member("macs_per_multiplier", s.peak->ratio());
      w.member("macs_per_cycle", s.peak->macs_per_cycle());
      if_known("clock_mhz", s.mhz, s.mhz);
      w.member("clock_source", is_asked ? "--clock" : s.peak->clock_source);
      if_known("peak_int8_gops", s.mhz, s.peak->gops(s.mhz));
    });
    w.objects("comparisons", pairs_of(all), [&](const Pair& p) {
      w.member("device", p.device.peak->name);
      w.member("rival", p.rival.peak->name);
      w.member("times_at_own_clocks", p.at_own_clocks());
      w.member("times_per_clock", p.at_one_clock());
      w.member("times_per_multiplier_and_clock", p.a_multiplier());
    });
  });
  fmt::print("{}\n", w.printed());
}

void print_peaks(const std::vector<Speed>& all, bool is_asked) {
  Rows rows{{"device", "multipliers", "MAC each", "MAC/cycle", "MHz", "peak INT8 GOPS", "clock"}};
  for (const Speed& s : all)
    rows.push_back({std::string(s.peak->name), std::to_string(s.peak->multipliers),
                    fmt::format("{:.2f}", s.peak->ratio()),
                    fmt::format("{:.0f}", s.peak->macs_per_cycle()),
                    s.mhz > 0 ? fmt::format("{:g}", s.mhz) : "?",
                    s.mhz > 0 ? fmt::format("{:.0f}", s.peak->gops(s.mhz)) : "?",
                    is_asked ? "--clock" : std::string(s.peak->clock_source)});
  Rows pairs{{"device", "against", "own clocks", "one clock", "a multiplier and clock"}};
  for (const Pair& p : pairs_of(all))
    pairs.push_back({std::string(p.device.peak->name), std::string(p.rival.peak->name),
                     fmt::format("{:.2f} x", p.at_own_clocks()),
                     fmt::format("{:.2f} x", p.at_one_clock()),
                     fmt::format("{:.2f} x", p.a_multiplier())});
  fmt::print(
      "peak INT8 GOPS = multipliers x MAC each x 2 x f / 1000: arithmetic, nothing measured\n"
      "assumed: two products share an operand in a DSP48E2 and one slice in eight adds up segments "
      "of seven (1.75);\nDSP48E1 slices and 18 x 19 multipliers make one product; every multiplier "
      "works in every clock; clocks as named\n\n{}\n{}",
      backends::table(rows), backends::table(pairs));
}

int run(const Options& options, flow::Context&) {
  const auto peaks = gen::device::peaks();
  std::vector<Speed> all;
  for (const auto& p : peaks) all.push_back({&p, options.clock.value_or(p.mhz)});
  if (options.json)
    print_json(all, options.clock.has_value());
  else
    print_peaks(all, options.clock.has_value());
  return ok;
}

Run declare(CLI::App& app, Settings&) {
  const auto o = std::make_shared<Options>();
  number(app, "--clock", o->clock, any_clock, "this clock for all, in MHz (default: each its own)");
  add_json(app, o->json);
  return runs(run, o);
}

}  // namespace
}  // namespace devices_table

Command bench_devices() {
  return {"devices", "peak 8-bit figures of devices, by arithmetic", devices_table::declare};
}

}  // namespace kumiki::cli
