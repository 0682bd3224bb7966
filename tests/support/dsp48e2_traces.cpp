// SPDX-License-Identifier: Apache-2.0
#include "tests/support/dsp48e2_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/fields.h"

namespace kumiki::tests {
namespace {

Dsp48e2Trace read_trace(ir::Kind kind, const std::filesystem::path& path) {
  Dsp48e2Trace trace{.name = path.stem().string(), .attributes = {.kind = kind}};
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto parameters = nlohmann::json::parse(line.substr(1));
  for (const auto& [key, value] : parameters.items())
    ir::set_parameter(trace.attributes, key,
                      value.is_string() ? value.get<std::string>() : value.dump());
  std::getline(file, line);
  auto columns = fields(line);
  auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin());
  };
  while (std::getline(file, line)) {
    auto values = fields(line);
    if (values.size() != columns.size())
      throw std::runtime_error(path.string() + ": a line with the wrong number of columns");
    Dsp48e2Cycle cycle;
    for (const auto& pin : ir::dsp_input_pins(kind))
      if (pin.member != nullptr)
        cycle.in.*pin.member = std::stoull(values.at(column(pin.name)), nullptr, 16);
    for (const auto& pin : ir::dsp_output_pins(kind))
      cycle.expected.push_back(values.at(column(pin.name)));
    trace.cycles.push_back(std::move(cycle));
  }
  return trace;
}

}  // namespace

std::vector<Dsp48e2Trace> read_dsp_traces(ir::Kind kind) {
  const std::string folder = kind == ir::Kind::dsp48e1 ? KUMIKI_TEST_DIR "/vectors/dsp48e1"
                                                       : KUMIKI_TEST_DIR "/vectors/dsp48e2";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Dsp48e2Trace> traces;
  for (const auto& path : paths) traces.push_back(read_trace(kind, path));
  return traces;
}

std::string mismatch(const Dsp48e2Cycle& cycle, const ir::Dsp48e2Outputs& got, std::size_t& known) {
  std::string text;
  auto pins = ir::dsp48e2_output_pins;
  for (std::size_t i = 0; i < cycle.expected.size(); ++i) {
    std::string_view expected = cycle.expected[i];
    const bool in_bits = expected.starts_with('%');
    if (in_bits) expected.remove_prefix(1);
    const auto value = in_bits ? fmt::format("{:0{}b}", got.*pins[i].member, expected.size())
                               : fmt::format("{:0{}x}", got.*pins[i].member, expected.size());
    bool same = value.size() == expected.size();
    for (std::size_t digit = 0; same && digit < value.size(); ++digit) {
      if (expected[digit] == 'x') continue;
      ++known;
      same = value[digit] == expected[digit];
    }
    if (!same) text += fmt::format("{}: got {}, expected {}; ", pins[i].name, value, expected);
  }
  return text;
}

}  // namespace kumiki::tests
