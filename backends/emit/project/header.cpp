// SPDX-License-Identifier: Apache-2.0
#include "backends/emit/project/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "backends/support/tool.h"
#include "ir/machine.h"
#include "templates/templates.h"

namespace kumiki::backends {
namespace {

// A Verilog name may contain a $, or any text if it is escaped.
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

// Lines of a comment, broken between words.
std::string comment(const std::string& text) {
  constexpr std::size_t widest = 110;
  std::string lines, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > widest) {
      lines += fmt::format(" * {}\n", line);
      line = "   ";
    }
    line += line.empty() || line.back() == ' ' ? word : " " + word;
    at = end + 1;
  }
  lines += fmt::format(" * {}\n", line);
  for (auto at = lines.find("*/"); at != std::string::npos; at = lines.find("*/", at))
    lines.insert(at + 1, " ");
  return lines;
}

}  // namespace

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string c_identifier(std::string_view verilog) { return identifier(verilog, false); }

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
  for (const auto& [layer, lines] : options.notes) {
    text += fmt::format("\n/* {}\n", layer);
    for (const std::string& line : lines) text += comment(line);
    text += " */\n";
  }
  std::string functions;
  for (const auto& f : options.functions) {
    std::string comment = f.comment;
    for (auto at = comment.find('\n'); at + 1 < comment.size(); at = comment.find('\n', at + 1))
      comment.insert(at + 1, " * ");
    if (comment.ends_with('\n')) comment.pop_back();
    functions += fmt::format("\n/* {} */\n{}", comment, f.code);
  }
  out.add(fmt::format("{}.h", top_name),
          fill(templates::text("project/header.h.in"), {{"TOP", std::string(top_name)},
                                                        {"GENERATOR", options.generator},
                                                        {"GUARD", guard},
                                                        {"NAME", identifier(top_name, false)},
                                                        {"PORTS", text},
                                                        {"FUNCTIONS", functions}}));
}

}  // namespace kumiki::backends
