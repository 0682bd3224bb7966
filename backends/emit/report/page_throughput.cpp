// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/page_throughput.h"

#include <fmt/format.h>

#include <cmath>

#include "backends/emit/report/html.h"
#include "ir/picture/bars.h"

namespace kumiki::backends {
namespace {

using html::element;
using html::Table;
using html::text_element;

std::string figure(double value) {
  if (value == std::floor(value)) return html::grouped(static_cast<std::uint64_t>(value));
  return fmt::format("{:.3f}", value);
}

// The naive form: a multiplier a product, a slice a multiplier.
std::string against_naive(const Page& page) {
  Table table("Products a clock, and the DSP slices for them",
              {"layer", ">products a clock", ">slices at one product each", ">slices here",
               ">products a slice"});
  double products = 0;
  std::uint64_t slices = 0;
  std::size_t rows = 0;
  const auto row = [&](const std::string& name, double p, std::uint64_t s,
                       std::string_view attributes = {}) {
    table.row(
        {html::text(name), html::number(figure(p)), html::number(figure(std::ceil(p))),
         html::number(s),
         html::number(s == 0 ? "no slice" : fmt::format("{:.3f}", p / static_cast<double>(s)))},
        attributes);
  };
  for (std::size_t i = 0; i < page.layers.size(); ++i) {
    const PageThroughput& t = page.layers[i].throughput;
    if (t.products <= 0) continue;
    row(page.report["layers"][i]["name"].get<std::string>(), t.products, t.slices);
    products += t.products;
    slices += t.slices;
    ++rows;
  }
  if (rows == 0) return {};
  if (rows > 1) row("together", products, slices, "class=\"total\"");
  return table.markup();
}

std::string plots(const Page& page) {
  picture::Bars cycles{"clocks a frame", {}}, in{"bits a clock in, at full speed", {}},
      out{"bits a clock out, at full speed", {}};
  for (std::size_t i = 0; i < page.layers.size(); ++i) {
    const PageThroughput& t = page.layers[i].throughput;
    if (t.frame_cycles <= 0) continue;
    const auto name = page.report["layers"][i]["name"].get<std::string>();
    cycles.values.emplace_back(name, t.frame_cycles);
    in.values.emplace_back(name, t.frame_bits_in / t.frame_cycles);
    out.values.emplace_back(name, t.frame_bits_out / t.frame_cycles);
  }
  if (cycles.values.empty()) return {};
  const char* title = "Clocks and bandwidth of every layer that takes frames";
  return element("figure",
                 "\n" + element("div", html::picture(picture::bars_svg({cycles, in, out}), title)) +
                     "\n" + text_element("figcaption", title)) +
         "\n";
}

}  // namespace

std::string throughput_section(const Page& page) {
  const std::string content = against_naive(page) + plots(page);
  if (content.empty()) return {};
  return "<section id=\"throughput\">\n<h2>Throughput</h2>\n" + content + "</section>\n";
}

}  // namespace kumiki::backends
