// SPDX-License-Identifier: Apache-2.0
// `plan --device`: compares the netlist's counts with a device, layer by layer and in total.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "gen/cli/output.h"
#include "gen/cli/plan_device.h"
#include "gen/device/fit.h"
#include "ir/error.h"

namespace kumiki::cli {
namespace {

using gen::device::Device;
using gen::device::Fit;

struct Part {
  std::string name, type;
  ir::Cost cost;
  std::optional<double> macs;
};

Part counted(const gen::NamedLayer& l, ir::Family family, const ir::Limits& limits) {
  gen::Builder alone(family, limits);
  alone.design().set_top(l.layer->build(alone, l.origin).id());
  return {l.name, l.type, ir::count_resources(alone.design()).total,
          l.layer->facts().macs_per_clock};
}

Json to_json(const Fit& fit) {
  Json all = Json::object();
  for (const auto& u : fit.uses) {
    Json one{{"used", u.used}, {"available", u.available}, {"percent", u.percent()}};
    if (!u.known)
      one["available"] = one["percent"] = nullptr;
    else if (u.used > 0 && u.available == 0)
      one["percent"] = nullptr;
    one["fits"] = u.fits();
    all[std::string(u.resource)] = std::move(one);
  }
  return all;
}

std::string percent(const gen::device::Use& u) {
  if (!u.known) return "?";
  return std::isinf(u.percent()) ? "none there" : fmt::format("{:.1f} %", u.percent());
}

std::string rounded(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

struct Answer {
  const Device& device;
  std::string name;
  std::vector<Part> parts;
  Fit whole;
  double macs = 0;
  double mhz = 0;  // 0: unknown
  std::string clock_source;

  bool fits() const { return whole.fits(); }
};

Json to_json(const Answer& a) {
  Json layers = Json::array();
  for (const Part& p : a.parts) {
    Json one{{"name", p.name}, {"type", p.type}};
    one["resources"] = to_json(gen::device::fit(a.device, p.cost));
    one["macs_per_cycle"] = p.macs ? Json(*p.macs) : Json();
    layers.push_back(std::move(one));
  }
  const auto copies = a.whole.copies();
  Json all{{"name", a.name},
           {"device", a.device.name},
           {"family", ir::family_name(a.device.family)},
           {"layers", std::move(layers)},
           {"resources", to_json(a.whole)},
           {"fits", a.fits()}};
  all["copies"] = copies ? Json(copies->number) : Json();
  all["limit"] = copies ? Json(copies->limit) : Json();
  all["macs_per_cycle"] = a.macs;
  all["clock_mhz"] = a.mhz > 0 ? Json(a.mhz) : Json();
  all["clock_source"] = a.clock_source;
  all["projected_gops"] = a.mhz > 0 ? Json(gen::device::gops(a.macs, a.mhz)) : Json();
  return all;
}

void print(const Answer& a) {
  using Rows = std::vector<std::vector<std::string>>;
  fmt::print("{} on {} ({}, {})\n\n", a.name, a.device.name, a.device.series,
             ir::family_name(a.device.family));
  Rows layers{
      {"layer", "type", "DSP", "LUT", "LUTMEM", "FF", "CARRY", "BRAM18", "URAM", "MAC/cycle"}};
  for (const Part& p : a.parts) {
    std::vector<std::string> row{p.name, p.type};
    for (const auto& u : gen::device::fit(a.device, p.cost).uses)
      row.push_back(std::to_string(u.used));
    row.push_back(p.macs ? rounded(*p.macs) : "-");
    layers.push_back(std::move(row));
  }
  Rows uses{{"resource", "used", "available", "full", "fits"}};
  for (const auto& u : a.whole.uses)
    uses.push_back({std::string(u.resource), std::to_string(u.used),
                    u.known ? std::to_string(u.available) : "?", percent(u),
                    u.fits() ? "yes" : "NO"});
  fmt::print("{}\n{}\n", backends::table(layers), backends::table(uses));
  if (!a.fits())
    fmt::print("does not fit\n");
  else if (const auto copies = a.whole.copies())
    fmt::print("fits; by counts alone {} cop{} would, {} being the limit\n", copies->number,
               copies->number == 1 ? "y" : "ies", copies->limit);
  else
    fmt::print("fits; it takes nothing\n");
  if (a.macs == 0) return;
  if (a.mhz > 0)
    fmt::print("{} MAC per cycle at most, {:.1f} GOPS projected at {} MHz (assumption: {})\n",
               rounded(a.macs), gen::device::gops(a.macs, a.mhz), rounded(a.mhz), a.clock_source);
  else
    fmt::print("{} MAC per cycle at most; no clock is known for {}: --clock MHZ projects GOPS\n",
               rounded(a.macs), a.device.name);
}

}  // namespace

int plan_on_device(const DeviceOptions& options, flow::Context& context) {
  const Device* device = nullptr;
  try {
    device = &gen::device::device(options.device);
  } catch (const DesignError& e) {
    throw UsageError(e.diagnostic());
  }
  auto retarget = [&](gen::config::Target& target) {
    target.family = device->family;
    const int height = static_cast<int>(device->column_height);
    if (height > 0) target.column_height = std::min(target.column_height.value_or(height), height);
  };
  auto how = reading_of(options.source, context);
  how.retarget = retarget;
  const Project project(options.source.config, how);
  project.require_legal();
  if (!options.pictures.empty()) {
    backends::OutputSet files(context.cache());
    flow::add_pictures(project.layers, files);
    write_part(files, options.pictures, "plan", theirs(options.force));
  }
  Answer answer{.device = *device, .name = project.document.name};
  for (const gen::NamedLayer& l : project.layers) {
    answer.parts.push_back(counted(l, device->family, context.limits));
    answer.macs += answer.parts.back().macs.value_or(0);
  }
  answer.whole = gen::device::fit(*device, ir::count_resources(project.design()).total);
  answer.mhz = options.clock.value_or(device->dsp_mhz);
  answer.clock_source = options.clock          ? "--clock"
                        : device->dsp_mhz == 0 ? "unknown"
                                               : std::string(device->clock_source);
  if (options.json)
    fmt::print("{}\n", backends::json_text(to_json(answer)));
  else
    print(answer);
  return answer.fits() ? ok : design_failed;
}

}  // namespace kumiki::cli
