// SPDX-License-Identifier: Apache-2.0
#include "gen/cli/devices.h"

#include <fmt/format.h>

#include "backends/emit/report/report.h"
#include "gen/cli/command.h"
#include "gen/config/writer.h"
#include "gen/device/device.h"
#include "ir/primitive.h"

namespace kumiki::cli {
namespace {

using gen::config::Writer;

std::string known(std::uint32_t value) { return value == 0 ? "?" : std::to_string(value); }

void member_if_known(Writer& w, const char* name, std::uint32_t value) {
  w.key(name);
  if (value == 0)
    w.null();
  else
    w.value(value);
}

void print_json() {
  Writer w;
  w.begin_list();
  for (const auto& d : gen::device::devices())
    w.object([&] {
      w.member("name", d.name);
      w.member("parts", d.parts);
      w.member("series", d.series);
      w.member("family", ir::family_name(d.family));
      w.member("dsps", d.dsps);
      w.member("dsp", d.has_dsp48e2() ? "DSP48E2" : "DSP48E1");
      w.member("luts", d.luts);
      member_if_known(w, "lut_memory", d.memory_luts);
      w.member("ffs", d.ffs());
      w.member("carry_bits", d.carry_positions());
      w.member("bram18", d.brams_18k());
      w.member("uram", d.urams);
      member_if_known(w, "column_height", d.column_height);
      member_if_known(w, "dsp_mhz", d.dsp_mhz);
      w.member("clock_source", d.clock_source);
    });
  w.end_list();
  fmt::print("{}\n", w.printed());
}

}  // namespace

int list_devices(bool json) {
  if (json) {
    print_json();
    return ok;
  }
  std::vector<std::vector<std::string>> rows{{"device", "series", "family", "DSP", "LUT", "LUTMEM",
                                              "FF", "BRAM18", "URAM", "column", "DSP MHz"}};
  for (const auto& d : gen::device::devices())
    rows.push_back({std::string(d.name), std::string(d.series),
                    std::string(ir::family_name(d.family)), std::to_string(d.dsps),
                    std::to_string(d.luts), known(d.memory_luts), std::to_string(d.ffs()),
                    std::to_string(d.brams_18k()), std::to_string(d.urams), known(d.column_height),
                    known(d.dsp_mhz)});
  fmt::print(
      "{}\nLUTMEM: LUTs that may be shift register or distributed RAM; column: DSP slices one "
      "cascade can pass; ?: not\nknown for certain. The slices of family 7series are DSP48E1.\n",
      backends::table(rows));
  return ok;
}

}  // namespace kumiki::cli
