// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/page.h"

#include <fmt/format.h>

#include "backends/emit/report/html.h"
#include "backends/emit/report/page_fabric.h"
#include "backends/emit/report/page_layer.h"
#include "backends/emit/report/page_networks.h"
#include "backends/emit/report/page_throughput.h"
#include "backends/support/tool.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

using html::element;
using html::escaped;
using html::Table;
using html::text_element;

std::string text_of(const Json& object, const char* key) {
  return object.contains(key) ? shown(object[key]) : std::string();
}

std::string command(std::string_view text) {
  return text.empty() ? std::string() : text_element("pre class=\"command\"", text) + "\n";
}

// The failures, one sentence each; the page begins with them.
std::string failures(const Json& report) {
  std::string out;
  if (report.contains("lockstep"))
    for (const Json& run : report["lockstep"]) {
      if (run["passed"].get<bool>()) continue;
      out += element("p", element("strong", "Lockstep failed") + " under " +
                              escaped(text_of(run, "simulator")) +
                              ": netlist and model differ. The waveform is in mismatch.vcd.");
      for (const Json& m : run["mismatches"]) {
        out += text_element("p class=\"first\"", m.get<std::string>());
        break;
      }
      out += command(text_of(run, "command"));
    }
  if (report.contains("networks"))
    for (const Json& run : report["networks"])
      if (!run["passed"].get<bool>())
        out += element("p", element("strong", "The network failed") + " on " +
                                escaped(text_of(run, "array")) + " under " +
                                escaped(text_of(run, "simulator")) + ": " +
                                escaped(text_of(run, "difference")));
  if (report.contains("yosys") && !report["yosys"]["agrees"].get<bool>())
    out += "<p><strong>The counts differ:</strong> Yosys finds other cells than Kumiki.</p>\n";
  if (report.contains("mutations") &&
      report["mutations"]["caught_fraction"].get<double>() < mutations_to_catch)
    out += fmt::format(
        "<p><strong>Lockstep is too weak:</strong> it caught {:.1f} % of the "
        "mutations that change the function, {:.0f} % are asked for.</p>\n",
        100 * report["mutations"]["caught_fraction"].get<double>(), 100 * mutations_to_catch);
  return out;
}

std::string verdict(const Page& page) {
  if (const std::string bad = failures(page.report); !bad.empty())
    return element("div class=\"verdict bad\" role=\"alert\"", bad) + "\n";
  const Json& r = page.report;
  if (!r.contains("lockstep") && !r.contains("networks"))
    return element("div class=\"verdict\"",
                   "<p><strong>Checked, not simulated.</strong> The netlist keeps all rules; this "
                   "runs it "
                   "in lockstep with its model:</p>\n" +
                       command(page.command)) +
           "\n";
  std::string runs;
  for (const Json& run : r.value("lockstep", Json::array()))
    runs += fmt::format(
        "<p><strong>Lockstep passed</strong> under {}: every output in every cycle agrees with the "
        "model, {} cycles, {} comparisons.</p>\n",
        escaped(text_of(run, "simulator")), html::grouped(count_of(run, "cycles")),
        html::grouped(count_of(run, "comparisons")));
  if (r.contains("networks"))
    for (const Json& run : r["networks"])
      runs += fmt::format(
          "<p><strong>The network is right</strong> on {} under {}: {} layer{} in {} clocks, every "
          "result as defined.</p>\n",
          escaped(text_of(run, "array")), escaped(text_of(run, "simulator")), run["layers"].size(),
          run["layers"].size() == 1 ? "" : "s", html::grouped(count_of(run, "clocks")));
  return element("div class=\"verdict good\"", runs) + "\n";
}

struct Column {
  const char *key, *name;
};
constexpr Column cost_columns[] = {{"dsps", "DSP"},      {"luts", "LUT"},  {"lut_memory", "LUTMEM"},
                                   {"ffs", "FF"},        {"muxf", "MUXF"}, {"carry_bits", "CARRY"},
                                   {"bram18", "BRAM18"}, {"uram", "URAM"}};

std::string totals(const Json& report) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    out += element("div", text_element("dt", name) + text_element("dd", value));
  };
  const Json& total = report["resources"]["total"];
  for (const auto& [key, name] : cost_columns) add(name, html::grouped(count_of(total, key)));
  add("slices, packed densely", html::grouped(count_of(total, "dense_slices")));
  add("logic levels", html::grouped(count_of(report["depth"], "levels")));
  if (report.contains("clock")) add("MHz, an estimate", shown(report["clock"]["mhz"]));
  return element("dl class=\"figures\"", out) + "\n";
}

std::string overview(const Json& report) {
  Table table("Layers",
              {"layer", "type", "module", ">DSP slices", ">MAC", ">MAC/slice", ">latency"});
  std::size_t index = 0;
  for (const Json& l : report["layers"]) {
    const Json& plan = l["plan"];
    const auto figure = [&](std::initializer_list<const char*> keys) {
      for (const char* key : keys)
        if (plan.contains(key) && plan[key].is_number())
          return html::number(plan[key].is_number_integer() ? html::grouped(plan[key])
                                                            : shown(plan[key]));
      return html::number("–");
    };
    table.row({{element(fmt::format("a href=\"#layer-{}\"", index++), escaped(text_of(l, "name")))},
               html::text(text_of(l, "type")),
               html::code(text_of(l, "module")),
               figure({"slices"}),
               figure({"macs"}),
               figure({"mac_per_slice_value", "mac_per_slice_peak"}),
               figure({"latency"})});
  }
  return table.markup();
}

std::string modules(const Json& resources) {
  std::vector<std::string> names{"module", ">places"};
  for (const Column& c : cost_columns) names.push_back(fmt::format(">{}", c.name));
  Table table("One place of each module, without what it instantiates", names);
  for (const Json& m : resources["modules"]) {
    std::vector<html::Cell> cells{html::text(text_of(m, "module")),
                                  html::number(count_of(m, "places"))};
    for (const Column& c : cost_columns) cells.push_back(html::number(count_of(m, c.key)));
    table.row(cells);
  }
  std::vector<html::Cell> cells{html::text("whole design"), html::text("")};
  for (const Column& c : cost_columns)
    cells.push_back(html::number(count_of(resources["total"], c.key)));
  table.row(cells, "class=\"total\"");
  return table.markup();
}

// Our count of the primitives, and the count of Yosys if it ran.
std::string cells(const Json& report) {
  const bool both = report.contains("yosys");
  Table table(both ? fmt::format("Primitives, counted by Kumiki and by Yosys ({})",
                                 text_of(report["yosys"], "version"))
                   : "Primitives of the whole design",
              both ? std::vector<std::string>{"cell", ">Kumiki", ">Yosys", "agrees"}
                   : std::vector<std::string>{"cell", ">count"});
  Json ours = report["resources"]["cells"];
  const Json theirs = both ? report["yosys"]["cells"] : Json::object();
  for (const auto& [name, n] : theirs.items())
    if (!ours.contains(name)) ours[name] = 0;
  for (const auto& [name, n] : ours.items()) {
    std::vector<html::Cell> row{html::text(name), html::number(n.get<std::uint64_t>())};
    if (both) {
      const auto other = count_of(theirs, name.c_str());
      row.push_back(html::number(other));
      row.push_back(html::yes_or_no(other == n.get<std::uint64_t>(), "yes", "NO"));
    }
    table.row(row);
  }
  return table.markup();
}

std::string devices(const std::vector<PageDevice>& all) {
  if (all.empty()) return {};
  std::vector<std::string> names{"device", "series"};
  for (const PageUse& u : all.front().uses) names.push_back(fmt::format(">{}", u.resource));
  names.insert(names.end(), {"fits", "copies, and what limits them"});
  Table table("Use of each known device of the family, by counts alone", names);
  for (const PageDevice& d : all) {
    std::vector<html::Cell> row{html::text(d.wanted ? d.name + ", as configured" : d.name),
                                html::text(d.series)};
    bool fits = true;
    for (const PageUse& u : d.uses) {
      const double part = !u.known || u.used == 0 ? 0
                          : u.available == 0      ? 1e9
                                                  : 100.0 * static_cast<double>(u.used) /
                                                   static_cast<double>(u.available);
      fits = fits && part <= 100;
      row.push_back(!u.known ? html::number("?")
                    : part > 1e8
                        ? html::number("none there")
                        : html::Cell{fmt::format("{:.1f} %", part),
                                     fmt::format("class=\"n full\" style=\"--part:{:.1f}%\"",
                                                 std::min(part, 100.0))});
    }
    row.push_back(html::yes_or_no(fits, "yes", "NO"));
    row.push_back(html::text(d.copies));
    table.row(row, d.wanted ? "class=\"total\"" : "");
  }
  return "<section id=\"devices\">\n<h2>Devices</h2>\n" + table.markup() + "</section>\n";
}

std::string depth(const Json& d) {
  std::string path;
  for (const Json& cell : d["path"]) {
    path += text_element("li", cell.get<std::string>()) + "\n";
  }
  return fmt::format(
      "<section id=\"depth\">\n<h2>Logic depth</h2>\n<p>{} levels between registers or ports at "
      "most: {} LUT, {} carry, {} other.</p>\n{}</section>\n",
      count_of(d, "levels"), count_of(d, "luts"), count_of(d, "carries"), count_of(d, "others"),
      path.empty() ? std::string()
                   : element("details", "<summary>The longest path, cell by cell</summary>\n" +
                                            element("ol class=\"path\"", "\n" + path)) +
                         "\n");
}

std::string clock(const Json& report) {
  if (!report.contains("clock")) return {};
  const Json& c = report["clock"];
  std::string limits;
  for (const Json& l : c["limits"])
    limits += text_element("li", fmt::format("{} MHz: {}", count_of(l, "mhz"), text_of(l, "what")));
  std::string out = fmt::format(
      "<p><strong>{} MHz</strong>, an estimate for speed grade -{}: nothing is placed yet. A "
      "period of {} ns, or what the data sheet limits:</p>\n",
      shown(c["mhz"]), count_of(c, "grade"), shown(c["period_ns"]));
  out += element("ul", limits) + "\n";
  for (const Json& p : c["paths"]) {
    Table table(fmt::format("The slowest path: {} ns, {} levels ({} LUT, {} carry, {} other)",
                            shown(p["period_ns"]), count_of(p, "levels"), count_of(p, "luts"),
                            count_of(p, "carries"), count_of(p, "others")),
                {"cell", "primitive", ">fan-out", ">wire ns", ">in cell ns", ">at ns", "made at"});
    for (const Json& s : p["cells"])
      table.row({html::text(text_of(s, "cell")), html::text(text_of(s, "primitive")),
                 html::number(count_of(s, "fan_out")), html::number(shown(s["wire_ns"])),
                 html::number(shown(s["cell_ns"])), html::number(shown(s["at_ns"])),
                 html::code(text_of(s, "place"))});
    const Json& e = p["end"];
    table.row({html::text(text_of(e, "pin")), html::text(text_of(e, "primitive")),
               html::number("–"), html::number(shown(e["wire_ns"])),
               html::number(shown(e["setup_ns"])), html::number(shown(p["period_ns"])),
               html::code(text_of(e, "place"))});
    out += table.markup();
  }
  return "<section id=\"clock\">\n<h2>Clock</h2>\n" + out + "</section>\n";
}

std::string lockstep(const Json& report) {
  if (!report.contains("lockstep")) return {};
  Table table("Netlist and model, every output in every cycle",
              {"simulator", "result", ">cycles", ">comparisons", ">stalls", ">resets",
               ">corner cycles", ">random cycles", ">output bits seen at 0 and 1", ">seed"});
  std::string commands, differences;
  for (const Json& run : report["lockstep"]) {
    std::vector<html::Cell> row{html::text(text_of(run, "simulator")),
                                html::yes_or_no(run["passed"].get<bool>(), "passed", "FAILED")};
    for (const char* key :
         {"cycles", "comparisons", "stalls", "resets", "corner_cycles", "random_cycles"})
      row.push_back(html::number(count_of(run, key)));
    row.push_back(html::number(fmt::format("{} of {}", count_of(run, "moving_output_bits"),
                                           count_of(run, "output_bits"))));
    row.push_back(html::number(text_of(run, "seed")));
    table.row(row);
    commands += command(text_of(run, "command"));
    for (const Json& m : run["mismatches"]) differences += m.get<std::string>() + "\n";
  }
  if (!differences.empty())
    differences = "<h3>Where they differ first</h3>\n" + text_element("pre", differences) + "\n";
  return fmt::format(
      "<section id=\"lockstep\">\n<h2>Lockstep</h2>\n{}{}<h3>To repeat it</h3>\n<p>In the folder "
      "of "
      "the configuration; the same seed gives the same run.</p>\n{}</section>\n",
      table.markup(), differences, commands);
}

std::string mutations(const Json& report) {
  if (!report.contains("mutations")) return {};
  const Json& m = report["mutations"];
  Table table("One cell changed at a time", {"", ">mutations"});
  table.row({html::text("tried"), html::number(count_of(m, "tried"))});
  table.row({html::text("caught by the check"), html::number(count_of(m, "caught_by_check"))});
  table.row({html::text("caught by lockstep"), html::number(count_of(m, "caught_by_lockstep"))});
  table.row({html::text("missed"), html::number(m["missed"].size())});
  table.row(
      {html::text("without any difference found"), html::number(m["no_difference_found"].size())});
  std::string lists;
  for (const auto& [key, name] :
       {std::pair{"missed", "Missed"}, {"no_difference_found", "Without any difference found"}}) {
    std::string items;
    for (const Json& one : m[key]) items += text_element("li", one.get<std::string>()) + "\n";
    if (!items.empty())
      lists += element(key == std::string_view("missed") ? "details open=\"open\"" : "details",
                       text_element("summary", name) + element("ul", "\n" + items)) +
               "\n";
  }
  return fmt::format(
      "<section id=\"mutations\">\n<h2>Mutations</h2>\n<p>{:.1f} % of those that change the "
      "function were caught; {:.0f} % are asked for.</p>\n{}{}{}</section>\n",
      100 * m["caught_fraction"].get<double>(), 100 * mutations_to_catch, table.markup(), lists,
      command(text_of(m, "command")));
}

// A section after the layers; omitted if it is empty.
struct Section {
  const char *id, *name;
  std::string markup;
};

std::vector<Section> sections(const Page& page) {
  const Json& r = page.report;
  std::vector<Section> all{
      {"networks", "Networks", networks_section(page)},
      {"throughput", "Throughput", throughput_section(page)},
      {"fabric", "Without DSP slices", fabric_section(page)},
      {"resources", "Resources",
       "<section id=\"resources\">\n<h2>Resources</h2>\n<p>Counted over the cells of the netlist, "
       "nothing is estimated. LUTMEM are LUT sites used as shift register or memory.</p>\n" +
           modules(r["resources"]) + cells(r) + "</section>\n"},
      {"devices", "Devices", devices(page.devices)},
      {"depth", "Logic depth", depth(r["depth"])},
      {"clock", "Clock", clock(r)},
      {"lockstep", "Lockstep", lockstep(r)},
      {"mutations", "Mutations", mutations(r)}};
  std::erase_if(all, [](const Section& s) { return s.markup.empty(); });
  return all;
}

std::string navigation(const Page& page, const std::vector<Section>& behind) {
  std::string items;
  const auto add = [&](const std::string& id, const std::string& name) {
    items += element("li", element(fmt::format("a href=\"#{}\"", id), escaped(name))) + "\n";
  };
  std::size_t index = 0;
  for (const Json& l : page.report["layers"])
    add(fmt::format("layer-{}", index++), text_of(l, "name"));
  for (const Section& s : behind) add(s.id, s.name);
  return element("nav aria-label=\"On this page\"", "\n" + element("ul", "\n" + items) + "\n") +
         "\n";
}

std::string body(const Page& page) {
  const Json& r = page.report;
  const auto behind = sections(page);
  std::string out = "<header>\n" + text_element("h1", text_of(r, "name")) + "\n";
  if (!page.description.empty()) out += text_element("p", page.description) + "\n";
  out +=
      element("p class=\"faint\"", escaped(page.config) + ", for " + escaped(text_of(r, "family")) +
                                       ", by " + escaped(page.generator)) +
      "\n" + verdict(page) + navigation(page, behind) + "</header>\n<main>\n" + totals(r) +
      overview(r);
  for (std::size_t i = 0; i < page.layers.size(); ++i)
    out += layer_section(page.layers[i], r["layers"][i], i);
  for (const Section& s : behind) out += s.markup;
  return out +
         "</main>\n<footer><p>The same figures for programs: report.json beside this page. "
         "Target and simulation as configured:</p>\n" +
         text_element("pre", shown(page.settings, 2)) + "\n</footer>\n";
}

}  // namespace

std::string report_page(const Page& page) {
  const bool failed = !failures(page.report).empty();
  return fill(templates::text("report/page.html"),
              {{"STYLE", std::string(templates::text("report/page.css"))},
               {"GENERATOR", escaped(page.generator)},
               {"TITLE", (failed ? "FAILED: " : "") + escaped(text_of(page.report, "name"))},
               {"BODY", body(page)}});
}

}  // namespace kumiki::backends
