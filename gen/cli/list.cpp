// SPDX-License-Identifier: Apache-2.0
// `list`: lists layer types, their keys, and what else there is.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "backends/emit/report/report.h"
#include "gen/blocks/compressor/elements.h"
#include "gen/cli/command.h"
#include "gen/cli/commands.h"
#include "gen/cli/options.h"
#include "gen/config/help.h"
#include "gen/config/nearest.h"
#include "gen/config/writer.h"
#include "gen/device/device.h"
#include "gen/layers/catalog.h"
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

struct ListOptions {
  std::string type;       // this layer type
  bool elements = false;  // list the elements of compressor trees instead
  bool devices = false;   // list the devices instead
  bool json = false;
};

std::string counts(const std::vector<unsigned>& low_to_high) {
  return fmt::format("{}", fmt::join(low_to_high.rbegin(), low_to_high.rend(), ","));
}

// Lists the elements of compressor trees, then the paper's counters made of them.
int list_elements(bool as_json) {
  using namespace gen::compressor;
  Json all = Json::array();
  for (const Element& e : elements())
    all.push_back({{"name", e.name},
                   {"kind", e.is_atom ? "atom" : "counter"},
                   {"inputs", counts(e.per_column.inputs)},
                   {"pairs", counts(e.per_column.pairs)},
                   {"outputs", counts(e.per_column.outputs)},
                   {"leaves", counts(e.per_column.leaves) + counts(e.per_column.wide_leaves)},
                   {"luts", e.area()},
                   {"carry_in", e.takes_carry_in()},
                   {"exit", e.is_atom ? 1 : 0}});
  for (const Gpc& g : paper_gpcs())
    all.push_back({{"name", g.name},
                   {"kind", "gpc"},
                   {"inputs", counts(g.inputs())},
                   {"pairs", ""},
                   {"outputs", std::to_string(g.outputs())},
                   {"leaves", ""},
                   {"luts", g.area()},
                   {"carry_in", g.carry_in},
                   {"exit", 0}});
  if (as_json) {
    fmt::print("{}\n", backends::json_text(all));
    return ok;
  }
  fmt::print(
      "columns from high to low; an atom's carry costs `exit` LUTs more where it leaves the "
      "chain;\nleaves are functions that no LUT makes but those who read them\n\n"
      "{:14} {:8} {:10} {:8} {:10} {:7} {:>5} {:>5} {}\n",
      "element", "kind", "inputs", "pairs", "outputs", "leaves", "LUTs", "exit", "carry in");
  for (const auto& e : all)
    fmt::print("{:14} {:8} {:10} {:8} {:10} {:7} {:>5} {:>5} {}\n", e["name"].get<std::string>(),
               e["kind"].get<std::string>(), e["inputs"].get<std::string>(),
               e["pairs"].get<std::string>(), e["outputs"].get<std::string>(),
               e["leaves"].get<std::string>(), e["luts"].get<unsigned>(), e["exit"].get<unsigned>(),
               e["carry_in"].get<bool>() ? "yes" : "-");
  return ok;
}

// UsageError if the layer type does not exist.
const gen::config::LayerType& type_named(const std::string& name) {
  if (const auto* type = gen::registry().find(name)) return *type;
  std::vector<std::string> names;
  for (const auto& t : gen::registry().types()) names.push_back(t.name);
  throw UsageError(code::unknown_name,
                   fmt::format("unknown layer type \"{}\"{}", name,
                               gen::config::did_you_mean(
                                   name, names, "use " + gen::config::alternatives(names))));
}

int list(const ListOptions& options, flow::Context&) {
  if (options.devices) return list_devices(options.json);
  if (options.elements) return list_elements(options.json);
  const auto* only = options.type.empty() ? nullptr : &type_named(options.type);
  if (options.json) {
    Json all = Json::array();
    for (const auto& t : gen::registry().types())
      if (!only || &t == only)
        all.push_back({{"type", t.name}, {"help", t.help}, {"schema", t.table->schema()}});
    fmt::print("{}\n", backends::json_text(all));
    return ok;
  }
  fmt::print("{}", only ? gen::config::help(*only) : gen::config::help(gen::registry()));
  return ok;
}

Run declare_list(CLI::App& app, Settings&) {
  const auto o = std::make_shared<ListOptions>();
  auto* type = app.add_option("type", o->type, "a layer type");
  auto* elements =
      app.add_flag("--elements", o->elements, "the elements of compressor trees instead")
          ->excludes(type);
  app.add_flag("--devices", o->devices, "the devices that `plan --device` knows instead")
      ->excludes(type)
      ->excludes(elements);
  add_json(app, o->json);
  return runs(list, o);
}

}  // namespace

Command list_command() {
  return {"list", "list layer types, or the attributes of one", declare_list};
}

}  // namespace kumiki::cli
