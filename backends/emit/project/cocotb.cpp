// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/cocotb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "backends/emit/project/header.h"
#include "backends/emit/verilog/verilog.h"
#include "backends/support/tool.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

using Layer = CocotbOptions::Layer;
using Lines = std::vector<std::string>;

std::string as_string(std::string_view name) { return fmt::format("\"{}\"", name); }

// ("a", "b",) on one line, or one name a line if that is too long.
std::string tuple_of_names(const Lines& names) {
  Lines all;
  for (const auto& n : names) all.push_back(as_string(n));
  if (all.empty()) return "()";
  const auto line = fmt::format("({}{})", fmt::join(all, ", "), all.size() == 1 ? "," : "");
  if (line.size() <= 100) return line;
  return fmt::format("(\n        {},\n    )", fmt::join(all, ",\n        "));
}

std::string numbers_of(const Layer& layer) {
  std::map<std::string, Lines> ports;
  for (const auto& n : layer.numbers)
    ports[n.port].push_back(fmt::format("{}: Numbers({}, {}, {}, {})", as_string(n.part), n.low,
                                        n.width, n.count, n.is_signed ? "True" : "False"));
  std::string text = "{";
  for (const auto& [port, parts] : ports) {
    const auto line = fmt::format("        {}: {{{}}},", as_string(port), fmt::join(parts, ", "));
    text += "\n" + (line.size() <= 120
                        ? line
                        : fmt::format("        {}: {{\n            {},\n        }},",
                                      as_string(port), fmt::join(parts, ",\n            ")));
  }
  return text + (ports.empty() ? "}" : "\n    }");
}

// Unused Python names: a layer may have the same name as a test of another one.
class Taken {
 public:
  explicit Taken(std::set<std::string> names) : names_(std::move(names)) {}
  std::string free(std::string name) {
    while (!names_.insert(name).second) name += '_';
    return name;
  }

 private:
  std::set<std::string> names_;
};

std::string layer_text(const std::string& constant, const Layer& l) {
  Lines lines{fmt::format("name={}", as_string(l.name)), "inputs=" + tuple_of_names(l.inputs),
              "outputs=" + tuple_of_names(l.outputs)};
  if (!l.reset.empty()) lines.push_back("reset=" + as_string(l.reset));
  if (l.resets_low) lines.push_back("reset_level=0");
  if (!l.enable.empty()) lines.push_back("enable=" + as_string(l.enable));
  if (l.settled) lines.push_back(fmt::format("settled={}", *l.settled));
  if (!l.sources.empty()) lines.push_back("sources=" + tuple_of_names(l.sources));
  if (!l.sinks.empty()) lines.push_back("sinks=" + tuple_of_names(l.sinks));
  if (!l.numbers.empty()) lines.push_back("numbers=" + numbers_of(l));
  return fmt::format("{} = Layer(\n    {},\n)\n", constant, fmt::join(lines, ",\n    "));
}

bool has_streams(const Layer& l) { return !l.sources.empty() || !l.sinks.empty(); }

class Tests {
 public:
  Tests(const CocotbOptions& options) : options_(options) {}

  void add(const std::string& constant, const Layer& l) {
    write("golden", constant, l);
    if (!l.settled) return;
    if (!l.enable.empty()) write("stalls", constant, l);
    if (l.reset.empty()) return;
    write("reset", constant, l, {{"MIDDLE", std::to_string(cocotb_middle(options_.cycles))}});
    if (!has_streams(l) || !l.only_streams) return;
    write("streams", constant, l);
    write("streams_reset", constant, l);
  }
  // Vectors that begin at power-up come first, so that nothing has happened before.
  std::string text() const { return golden_ + others_; }

 private:
  void write(const std::string& kind, const std::string& constant, const Layer& l,
             std::vector<Filling> more = {}) {
    more.push_back({"NAME", names_.free(fmt::format("{}_{}", c_identifier(l.name), kind))});
    more.push_back({"LAYER", constant});
    (kind == "golden" ? golden_ : others_) +=
        "\n\n" + fill(templates::text(fmt::format("cocotb/test_{}.py.in", kind)), more);
  }

  const CocotbOptions& options_;
  Taken names_{{"cocotb", "replay", "through_streams"}};
  std::string golden_, others_;
};

}  // namespace

void write_cocotb(const ir::Names& names, OutputSet& out, const CocotbOptions& options) {
  const std::string top(names.module(names.design().top_id()));
  const std::string module = c_identifier(top);
  const bool streams = std::ranges::any_of(options.layers, has_streams);
  const bool numbers =
      std::ranges::any_of(options.layers, [](const Layer& l) { return !l.numbers.empty(); });
  Taken taken({"CLOCKS", "LAYERS"});
  Lines constants, layers;
  Tests tests(options);
  for (const Layer& l : options.layers) {
    constants.push_back(taken.free(in_capitals(c_identifier(l.name))));
    layers.push_back(layer_text(constants.back(), l));
    tests.add(constants.back(), l);
  }
  const auto used = fmt::format("{}", fmt::join(constants, ", "));
  const auto text = [&](const char* name) { return templates::text(name); };
  const auto text_of_tests = tests.text();
  const bool sends = text_of_tests.find("through_streams(") != std::string::npos;
  const ir::Module& dut = names.design().top();
  const auto truth = [](bool is) { return std::string(is ? "True" : "False"); };

  out.add("cocotb/Makefile",
          fill(text("cocotb/Makefile.in"),
               {{"GENERATOR", options.generator},
                {"TOP", top},
                {"WAIVERS", fmt::format("{}", fmt::join(verilator_waivers(), " "))}}));
  out.add("cocotb/requirements.txt",
          std::string(text("cocotb/requirements.txt.in")) +
              (streams ? std::string(text("cocotb/requirements_streams.txt.in")) : ""));
  out.add("cocotb/kumiki_bench.py",
          fill(text("cocotb/kumiki_bench.py.in"), {{"GENERATOR", options.generator}}));
  if (streams)
    out.add("cocotb/kumiki_streams.py", std::string(text("cocotb/kumiki_streams.py.in")));
  out.add(
      fmt::format("cocotb/{}_layers.py", module),
      fill(text("cocotb/layers.py.in"), {{"TOP", top},
                                         {"GENERATOR", options.generator},
                                         {"NUMBERS", numbers ? ", Numbers" : ""},
                                         {"SLOW", truth(dut.find_port(ir::clock_port) != nullptr)},
                                         {"FAST", truth(ir::has_fast_clock(dut))},
                                         {"LAYERS", fmt::format("{}", fmt::join(layers, "\n"))},
                                         {"NAMES", constants.size() == 1 ? used + "," : used}}));
  out.add(fmt::format("cocotb/test_{}.py", module),
          fill(text("cocotb/test.py.in"),
               {{"TOP", top},
                {"GENERATOR", options.generator},
                {"MODULE", module},
                {"FIRST", constants.front()},
                {"STREAMS", sends ? "from kumiki_streams import through_streams\n" : ""},
                {"NAMES", used},
                {"TESTS", text_of_tests}}));
}

}  // namespace kumiki::backends
