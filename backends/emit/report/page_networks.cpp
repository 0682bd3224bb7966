// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/report/page_networks.h"

#include <fmt/format.h>

#include "backends/emit/report/html.h"
#include "backends/emit/report/page_layer.h"
#include "ir/picture/bars.h"

namespace kumiki::backends {
namespace {

using html::element;
using html::Table;
using html::text_element;

// The run of an array in the report; null if it did not run.
Json run_of(const Json& report, const std::string& array) {
  if (report.contains("networks"))
    for (const Json& run : report["networks"])
      if (run["array"] == array) return run;
  return {};
}

// With --layer, only some layers ran.
Json measured(const Json& run, const Json& name) {
  if (!run.is_null())
    for (const Json& layer : run["layers"])
      if (layer["name"] == name) return layer;
  return {};
}

// Converts the array's megahertz and words per clock into Gbit/s.
struct Words {
  double bits, mhz;
  double gbps(std::uint64_t words, std::uint64_t clocks) const {
    return clocks == 0
               ? 0
               : static_cast<double>(words) * bits / static_cast<double>(clocks) * mhz / 1e3;
  }
};

std::string network(const std::string& array, const Json& plan, double mhz, const Json& run) {
  Table table(run.is_null() ? "What every layer takes, predicted: the network did not run"
                            : "What every layer takes, predicted and as it ran",
              {"layer", ">formula", ">steps", ">clocks predicted", ">clocks measured", "bound by",
               ">individual words", ">common words", ">parameters", ">results"});
  const Words in{plan["operand_bits"].get<double>(), mhz},
      out{plan["data_bits"].get<double>(), mhz};
  picture::Bars formula{"clocks by the formula", {}}, clocks{"", {}};
  picture::Bars rate_in{fmt::format("Gbit/s in, at {:g} MHz", mhz), {}},
      rate_out{fmt::format("Gbit/s out, at {:g} MHz", mhz), {}};
  bool all_ran = true;
  for (const Json& predicted : plan["network"]) {
    const Json ran = measured(run, predicted["name"]);
    const Json& words = ran.is_null() ? predicted : ran;
    const auto name = predicted["name"].get<std::string>();
    const auto taken =
        ran.is_null() ? count_of(predicted, "predicted_clocks") : count_of(ran, "measured_clocks");
    all_ran = all_ran && !ran.is_null();
    table.row({html::text(name), html::number(count_of(predicted, "formula_cycles")),
               html::number(count_of(predicted, "steps")),
               html::number(count_of(predicted, "predicted_clocks")),
               ran.is_null() ? html::number("–") : html::number(taken),
               html::text(predicted["bound_by"].get<std::string>()),
               html::number(count_of(words, "individual_words")),
               html::number(count_of(words, "common_words")),
               html::number(count_of(words, "parameter_words")),
               html::number(count_of(words, "output_words"))});
    formula.values.emplace_back(name, static_cast<double>(count_of(predicted, "formula_cycles")));
    clocks.values.emplace_back(name, static_cast<double>(taken));
    rate_in.values.emplace_back(
        name,
        in.gbps(count_of(words, "individual_words") + count_of(words, "common_words"), taken));
    rate_out.values.emplace_back(name, out.gbps(count_of(words, "output_words"), taken));
  }
  clocks.title = run.is_null() ? "clocks, predicted"
                 : all_ran     ? "clocks measured"
                               : "clocks, measured or predicted";
  const auto title = fmt::format("Clocks and bandwidth of every layer on {}", array);
  std::string said;
  if (!run.is_null())
    said = fmt::format(
        "<p>{} under {}: {} clocks in all, {} of 256 clocks stalled on every stream.</p>\n",
        run["passed"].get<bool>() ? "Every result is the layer by definition"
                                  : "<strong>Results differ</strong>",
        html::escaped(run["simulator"].get<std::string>()), html::grouped(count_of(run, "clocks")),
        count_of(run, "stalls_of_256"));
  return fmt::format("<h3>{}</h3>\n", html::escaped(array)) + said + table.markup() +
         element("figure",
                 "\n" +
                     element("div",
                             html::picture(picture::bars_svg({formula, clocks, rate_in, rate_out}),
                                           title)) +
                     "\n" + text_element("figcaption", title)) +
         "\n";
}

}  // namespace

std::string networks_section(const Page& page) {
  std::string content;
  for (std::size_t i = 0; i < page.layers.size(); ++i) {
    const Json& layer = page.report["layers"][i];
    if (!layer["plan"].contains("network")) continue;
    const auto name = layer["name"].get<std::string>();
    content += network(name, layer["plan"], page.layers[i].effective["clock_mhz"].get<double>(),
                       run_of(page.report, name));
  }
  if (content.empty()) return content;
  return "<section id=\"networks\">\n<h2>Networks</h2>\n" + content + "</section>\n";
}

}  // namespace kumiki::backends
