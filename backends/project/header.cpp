// SPDX-License-Identifier: Apache-2.0
#include "backends/project/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "backends/tool.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

// A Verilog name may have a $, or be any text when it is escaped.
std::string identifier(std::string_view text, bool capital) {
  std::string name;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    name += std::isalnum(u) ? static_cast<char>(capital ? std::toupper(u) : c) : '_';
  }
  return name;
}

std::string port_lines(const std::string& guard, const ir::PortSlot& port, bool is_output,
                       const HeaderOptions& options) {
  const std::string name = fmt::format("{}_{}", guard, identifier(port.name, true));
  std::string text = fmt::format("\n/* {} {} */\n#define {}_BITS {}u\n#define {}_WORDS {}u\n",
                                 is_output ? "output" : "input", port.name, name, port.width, name,
                                 (port.width + 31) / 32);
  const auto found = options.numbers.find(port.name);
  const auto numbers = found == options.numbers.end()
                           ? std::vector<HeaderOptions::Numbers>{{port.width, port.is_signed}}
                           : found->second;
  for (const auto& n : numbers) {
    const std::uint32_t bits = n.bits == 0 ? port.width - n.low : n.bits;
    if (bits == 0 || n.width > 64) continue;
    const auto part = n.part.empty() ? name : fmt::format("{}_{}", name, identifier(n.part, true));
    if (!n.part.empty()) text += fmt::format("#define {}_LOW {}u\n", part, n.low);
    text += fmt::format(
        "#define {0}_NUMBERS {1}u\n#define {0}_NUMBER_BITS {2}u\n#define {0}_NUMBER_SIGNED {3}\n",
        part, bits / n.width, n.width, n.is_signed ? 1 : 0);
  }
  return text;
}

}  // namespace

void write_header(const ir::Names& names, OutputSet& out, const HeaderOptions& options) {
  const auto& top = names.design().top();
  const auto top_name = names.module(top.id());
  const auto guard = identifier(top_name, true);
  const auto ports = ir::layout(top);
  std::string text;
  for (const auto& p : ports.inputs) text += port_lines(guard, p, false, options);
  for (const auto& p : ports.outputs) text += port_lines(guard, p, true, options);
  if (!options.constants.empty()) text += "\n/* from the plans */\n";
  for (const auto& [name, value] : options.constants)
    text += fmt::format("#define {}_{} {}\n", guard, identifier(name, true), value);
  out.add(fmt::format("{}.h", top_name),
          fill(templates::text("project/header.h.in"), {{"TOP", std::string(top_name)},
                                                        {"GENERATOR", options.generator},
                                                        {"GUARD", guard},
                                                        {"NAME", identifier(top_name, false)},
                                                        {"PORTS", text}}));
}

}  // namespace kumiki::backends
