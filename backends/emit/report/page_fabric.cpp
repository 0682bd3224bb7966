// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/page_fabric.h"

#include <fmt/format.h>

#include "backends/emit/report/html.h"

namespace kumiki::backends {
namespace {

using html::element;
using html::number;
using html::Table;
using html::text_element;

struct Counts {
  std::uint64_t luts = 0, carries = 0;
};

Counts counts(const Json& object) {
  return {object["luts"].get<std::uint64_t>(), object["carries"].get<std::uint64_t>()};
}

std::string part(std::uint64_t ours, std::uint64_t naive) {
  if (naive == 0) return "–";
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(ours) / static_cast<double>(naive));
}

std::vector<html::Cell> row(const std::string& name, const Counts& ours, const Counts& naive) {
  return {html::text(name),     number(ours.luts),
          number(naive.luts),   number(part(ours.luts, naive.luts)),
          number(ours.carries), number(naive.carries)};
}

}  // namespace

std::string fabric_section(const Page& page) {
  Table table("LUT sites and carry positions, here and in the naive form",
              {"layer", ">LUT sites here", ">naive LUT sites", ">here of naive", ">carries here",
               ">naive carries"});
  Counts all, all_naive;
  std::size_t compared = 0;
  bool asked = true;
  std::string reasons;
  for (const Json& layer : page.report["layers"]) {
    if (!layer.contains("fabric")) continue;
    const auto name = layer["name"].get<std::string>();
    const Counts ours = counts(layer["fabric"]);
    const Json naive = layer.value("naive", Json());
    asked = asked && !naive.is_null();
    if (naive.contains("luts")) {
      const Counts theirs = counts(naive);
      table.row(row(name, ours, theirs));
      all = {all.luts + ours.luts, all.carries + ours.carries};
      all_naive = {all_naive.luts + theirs.luts, all_naive.carries + theirs.carries};
      ++compared;
      continue;
    }
    table.row({html::text(name), number(ours.luts), number("–"), number("–"), number(ours.carries),
               number("–")});
    if (naive.contains("why"))
      reasons +=
          text_element("li", fmt::format("{}: {}", name, naive["why"].get<std::string>())) + "\n";
  }
  if (table.empty()) return {};
  if (compared > 1) table.row(row("together", all, all_naive), "class=\"total\"");
  if (!reasons.empty())
    reasons = "<p>Nothing to compare with:</p>\n" + element("ul", "\n" + reasons) + "\n";
  if (!asked)
    reasons += "<p>This fills in the naive form, with Yosys:</p>\n" +
               text_element("pre class=\"command\"", page.synthesis) + "\n";
  return "<section id=\"fabric\">\n<h2>Without DSP slices</h2>\n<p>The naive form is the layer's "
         "definition in plain Verilog, which <code>kumiki prove</code> compares with, through "
         "Yosys' synth_xilinx for the same family. Registers, shift registers and MUXF are not "
         "counted; sites here that only bring a bit into a carry chain are.</p>\n" +
         table.markup() + reasons + "</section>\n";
}

}  // namespace kumiki::backends
