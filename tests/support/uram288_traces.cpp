// SPDX-License-Identifier: Apache-2.0
#include "tests/support/uram288_traces.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/fields.h"

namespace kumiki::tests {
namespace {

std::vector<std::uint64_t> params_of(const std::string& json) {
  const auto params = ir::uram288_prototype().params;
  std::vector<std::uint64_t> all(params.size(), 0);
  const auto given = nlohmann::json::parse(json);
  for (const auto& [name, value] : given.items()) {
    const auto param = std::ranges::find(params, name, &ir::Param::name);
    if (param == params.end()) throw std::runtime_error("no parameter " + name);
    const std::string text = value.get<std::string>();
    const auto choice = std::ranges::find(param->choices, text);
    all[static_cast<std::size_t>(param - params.begin())] =
        param->choices.empty() ? std::stoull(text, nullptr, 0)
                               : static_cast<std::uint64_t>(choice - param->choices.begin());
  }
  return all;
}

std::uint32_t first_net(std::span<const ir::Pin> pins, const ir::Pin* of) {
  std::uint32_t net = 0;
  for (const ir::Pin& pin : pins) {
    if (&pin == of) break;
    net += pin.width;
  }
  return net;
}

struct Column {
  std::uint32_t net = 0, width = 0;
  bool is_input = false;
};

Column column_of(const std::string& name) {
  const ir::Prototype& p = ir::uram288_prototype();
  for (const auto& [pins, is_input] : {std::pair(p.inputs, true), std::pair(p.outputs, false)})
    if (const auto pin = std::ranges::find(pins, name, &ir::Pin::name); pin != pins.end())
      return {first_net(pins, &*pin), pin->width, is_input};
  throw std::runtime_error("no pin " + name);
}

Uram288Trace read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  Uram288Trace trace{.name = path.stem().string(), .params = params_of(line.substr(1))};
  std::getline(file, line);
  std::vector<Column> columns;
  for (const std::string& name : fields(line)) columns.push_back(column_of(name));
  const ir::CellView view{trace.params, 1, nullptr};
  while (std::getline(file, line)) {
    auto& in = trace.inputs.emplace_back(input_width(ir::Kind::uram288, view));
    auto& out = trace.answers.emplace_back(output_width(ir::Kind::uram288, view));
    auto& known = trace.is_known.emplace_back(out.size());
    const auto values = fields(line);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Column& column = columns[c];
      for (std::size_t digit = 0; digit < values[c].size(); ++digit) {
        const char text = values[c][values[c].size() - 1 - digit];
        const bool is_known = text != 'x' && text != 'X';
        if (!column.is_input && is_known) ++trace.known_digits;
        const auto value = is_known ? std::stoul(std::string(1, text), nullptr, 16) : 0;
        for (std::size_t bit = 4 * digit; bit < std::min<std::size_t>(4 * digit + 4, column.width);
             ++bit) {
          const bool is_one = (value >> bit % 4 & 1) != 0;
          (column.is_input ? in : out)[column.net + bit] = is_one;
          if (!column.is_input) known[column.net + bit] = is_known;
        }
      }
    }
  }
  return trace;
}

}  // namespace

std::vector<Uram288Trace> read_uram288_traces(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Uram288Trace> all;
  for (const auto& path : paths) all.push_back(read(path));
  return all;
}

}  // namespace kumiki::tests
